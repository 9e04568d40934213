import contextlib

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving.errors import BadInput
from serving.http.forms import read_fields

KIND = "multipart/form-data; boundary=x"


def test_body_that_is_no_form_is_the_field_body() -> None:
    fields = read_fields(b"\xff", "image/png; a=b")
    assert fields.values == {"body": b"\xff"}
    assert fields.content_types == {"body": "image/png; a=b"}
    assert read_fields(b"", "").content_types == {}


def test_urlencoded_form() -> None:
    body = b"data=a%20b%ff&x=&data=c"
    fields = read_fields(body, "Application/X-WWW-form-urlencoded; charset=utf-8")
    assert fields.values == {"data": b"c", "x": b""}
    assert fields.content_types == {}


def test_multipart_form() -> None:
    body = (
        b"preamble\r\n"
        b'--x\r\ncontent-disposition: form-data; name="data"; filename="a;name=b.png"\r\n'
        b"Content-Type: image/png\r\n\r\n\r\n--y\r\n\x00\r\n"
        b"--x  \r\nContent-Disposition: form-data; name=plain\r\n\r\n\r\n--x--\r\nepilogue"
    )
    fields = read_fields(body, 'multipart/form-data; charset=utf-8; boundary="x"')
    assert fields.values == {"data": b"\r\n--y\r\n\x00", "plain": b""}
    assert fields.content_types == {"data": "image/png"}


@pytest.mark.parametrize("body", [b"--x--\r\n", b"--x\r\n--x--\r\n"])
def test_form_without_fields(body: bytes) -> None:
    assert read_fields(body, KIND).values == {}


@pytest.mark.parametrize(
    ("body", "kind", "reason"),
    [
        (b"", KIND, "boundary is missing"),
        (b"--x\r\nnonsense", KIND, "end is missing"),
        (b"--x\r\nnonsense\r\n--x--", KIND, "no head"),
        (b"--x\r\nA: b\r\n\r\nvalue\r\n--x--", KIND, "no name"),
        (b"--x", KIND, "end is missing"),
        (b"--x--", "multipart/form-data", "no boundary"),
        (b"--x--", "multipart/form-data; boundary=" + 80 * "x", "no boundary"),
        (b"&".join([b"a=b"] * 1001), "application/x-www-form-urlencoded", "more than 1000 fields"),
        (
            b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n' * 1001 + b"--x--",
            KIND,
            "more than 1000 fields",
        ),
    ],
)  # fmt: skip
def test_broken_form_is_bad_input(body: bytes, kind: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        read_fields(body, kind)


# What clients escape each in their own way stays out.
_NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["C"], exclude_characters='"\\'), min_size=1
)


@given(st.dictionaries(_NAMES, st.binary(), min_size=1))
def test_what_a_client_sends_is_read(fields: dict[str, bytes]) -> None:
    sent = httpx.Request("POST", "http://h/", files={k: (None, v) for k, v in fields.items()})
    assert read_fields(sent.read(), sent.headers["content-type"]).values == fields


@given(st.binary())
def test_any_body_is_read_or_refused(body: bytes) -> None:
    with contextlib.suppress(BadInput):
        read_fields(b"--x\r\n" + body, KIND)
