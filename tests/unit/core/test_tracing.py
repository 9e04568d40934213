"""How work says that it is a part of what is followed, if anybody follows it."""

from collections.abc import Iterator

import pytest

from animator.core.errors import EmptyMask
from animator.core.tracing import PRESENT, REQUEST_ID, Span, note, outgoing, part, piecewise
from serving.observe.tracing import TraceOptions, Tracer, make_tracer
from tests.support_traces import Collector


@pytest.fixture
def whole(tracer: Tracer) -> Iterator[Span]:
    """What is being done meanwhile."""
    span = tracer.begin("whole", "server", {})
    token = PRESENT.set(span)
    yield span
    PRESENT.reset(token)


def test_work_that_nobody_follows_is_done_all_the_same() -> None:
    with part("part"):
        note({"said": 1})
        assert list(piecewise("pieces", [1, 2])) == [1, 2]
        assert outgoing() == {}
    token = REQUEST_ID.set("one")
    assert outgoing() == {"x-request-id": "one"}
    REQUEST_ID.reset(token)


def test_parts_lie_in_one_another_and_say_what_went_wrong(
    whole: Span, tracer: Tracer, taken: Collector
) -> None:
    with part("outer", attributes={"figures": 2}):
        note({"more": "said"})
        with pytest.raises(EmptyMask), part("inner", "client"):
            raise EmptyMask("There is nothing.")
        with pytest.raises(ZeroDivisionError), part("broken"):
            raise ZeroDivisionError
        assert outgoing()["traceparent"] != whole.headers["traceparent"]
    assert outgoing() == dict(whole.headers)
    tracer.close(5)
    spans = {span.name: span for span in taken.spans}
    assert spans["outer"].said == {"figures": 2, "more": "said"}
    assert spans["inner"].parent == spans["broken"].parent == spans["outer"].id
    assert (spans["inner"].kind, spans["inner"].said["error.type"]) == ("client", "empty_mask")
    assert spans["broken"].said["error.type"] == "ZeroDivisionError"
    assert [span.is_error for span in (spans["inner"], spans["outer"])] == [True, False]


@pytest.mark.usefixtures("whole")
def test_piecewise_work_is_seen_though_nobody_wants_the_rest(
    tracer: Tracer, taken: Collector
) -> None:
    pieces = piecewise("pieces", iter("abc"))
    assert next(pieces) == "a"
    with part("between"):
        pass
    pieces.close()  # type: ignore[attr-defined]
    tracer.close(5)
    pieces_span, between = (
        next(span for span in taken.spans if span.name == name) for name in ("pieces", "between")
    )
    assert between.parent == pieces_span.parent, "what is done between them is no part of them"
    assert 0 <= pieces_span.said["animator.own_seconds"] < 1


def test_what_is_not_shown_is_passed_on_as_such(taken: Collector) -> None:
    unseen = make_tracer(
        TraceOptions(service="tested", endpoint=taken.url, share=0.0, is_forking=True)
    )
    assert unseen is not None
    token = PRESENT.set(unseen.begin("whole", "server", {}))
    with part("part"):
        assert int(outgoing()["traceparent"][-2:], 16) & 1 == 0
        assert list(piecewise("pieces", [1])) == [1]
    PRESENT.reset(token)
    unseen.close(5)
    assert taken.spans == []
