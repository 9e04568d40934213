import numpy as np
import pytest

from serving.errors import BadInput, InferenceFailed
from serving.protocol.exchange import RawReply
from serving.releases.agreement import Tolerance, agree

NEAR = Tolerance(relative=0.01, absolute=0.001)


def tensors(*values: float, dtype: str = "float32") -> dict[str, object]:
    return {"y": np.array(values, dtype)}


def reply(body: bytes, status: int = 200) -> RawReply:
    return RawReply(body, status=status)


@pytest.mark.parametrize(
    ("live", "copy", "is_agreed"),
    [
        pytest.param(tensors(1, 2), tensors(1, 2), True, id="equal"),
        pytest.param(tensors(100), tensors(100.9), True, id="within the tolerance"),
        pytest.param(tensors(100), tensors(101.5), False, id="beyond it"),
        pytest.param(tensors(np.nan), tensors(np.nan), True, id="both no number"),
        pytest.param(tensors(1, 2), tensors(1), False, id="other shape"),
        pytest.param(tensors(1), tensors(1, dtype="float64"), False, id="other type"),
        pytest.param(tensors(1), {"z": np.ones(1)}, False, id="other name"),
        pytest.param(tensors(3, dtype="int64"), tensors(4, dtype="int64"), False, id="labels"),
        pytest.param(reply(b'{"a": [1.0, "x"]}'), reply(b'{"a":[1.005,"x"]}'), True, id="JSON"),
        pytest.param(reply(b'{"a": 1}'), reply(b'{"a": 2}'), False, id="other number"),
        pytest.param(reply(b"[0.1]"), reply(b"[0.1015]"), True, id="within both together"),
        pytest.param(reply(b"[%d]" % 10**400), reply(b"[%d]" % 10**400), True, id="long number"),
        pytest.param(reply(b"[%d]" % 10**400), reply(b"[1]"), False, id="beside a short one"),
        pytest.param(reply(b'{"a": 1}'), reply(b'{"b": 1}'), False, id="other field"),
        pytest.param(reply(b"[1, 2]"), reply(b"[1]"), False, id="shorter"),
        pytest.param(reply(b"[true]"), reply(b"[1]"), False, id="truth is no number"),
        pytest.param(reply(b"\x89PNG"), reply(b"\x89PNG"), True, id="equal bytes"),
        pytest.param(reply(b"\x89PNG"), reply(b"\x89PNH"), False, id="other bytes"),
        pytest.param(reply(b"1"), reply(b"1", 500), False, id="other status"),
        pytest.param(reply(b"[" * 100_000), reply(b"[" * 99_999), False, id="endless JSON"),
        pytest.param(BadInput("a"), BadInput("b"), True, id="same error"),
        pytest.param(BadInput("a"), InferenceFailed("a"), False, id="other error"),
        pytest.param(BadInput("a"), tensors(1), False, id="error beside an answer"),
        pytest.param(tensors(1), reply(b"1"), False, id="tensors beside a reply"),
    ],
)
def test_answers_agree_when_they_say_the_same(live: object, copy: object, is_agreed: bool) -> None:
    assert agree(live, copy, NEAR) is is_agreed


def test_deep_answers_are_not_followed_for_ever() -> None:
    deep = [b"[" * 70 + number + b"]" * 70 for number in (b"1", b"1.0")]
    assert not agree(reply(deep[0]), reply(deep[1]), NEAR)
