"""Bodies in chunks, however the network cuts them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving.http.chunks import ChunkedBody
from serving.http.head import Refused

LIMIT = 1000


def feed(pieces: list[bytes]) -> tuple[ChunkedBody, bytes]:
    """The body, and what was left over."""
    body = ChunkedBody(LIMIT)
    left = b""
    for piece in pieces:
        used = body.feed(piece)
        left += piece[used:]
    return body, left


def cut(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *sorted(min(c, len(data)) for c in cuts), len(data)]
    return [data[a:b] for a, b in pairwise(edges)]


@given(
    chunks=st.lists(st.binary(min_size=1, max_size=60), max_size=6),
    extension=st.sampled_from([b"", b";a=b", b" ;x"]),
    trailer=st.sampled_from([b"", b"Check: 1\r\n"]),
    cuts=st.lists(st.integers(0, 500), max_size=12),
)
def test_the_body_does_not_depend_on_how_it_was_cut(
    chunks: list[bytes], extension: bytes, trailer: bytes, cuts: list[int]
) -> None:
    framed = b"".join(b"%x%b\r\n%b\r\n" % (len(c), extension, c) for c in chunks)
    body, left = feed(cut(framed + b"0\r\n" + trailer + b"\r\n", cuts))
    assert body.is_complete
    assert bytes(body.data) == b"".join(chunks)
    assert left == b""


def test_what_follows_the_body_is_left() -> None:
    body, left = feed([b"3\r\nabc\r\n0\r\n\r\nGET / HTTP/1.1\r\n"])
    assert body.is_complete
    assert left == b"GET / HTTP/1.1\r\n"


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\r\n", id="no-size"),
        pytest.param(b"0x3\r\nabc", id="prefix"),
        pytest.param(b"-3\r\nabc", id="sign"),
        pytest.param(b" 3\r\nabc", id="leading-blank"),
        pytest.param(b"3\nabc", id="bare-line-feed"),
        pytest.param(b"3\r\nabcd\r\n", id="too-long"),
        pytest.param(b"3\r\nabc\n", id="line-feed-after-data"),
        pytest.param(b"3\r\nabc\rX", id="carriage-return-alone-after-data"),
        pytest.param(b"3;a\rb\r\nabc", id="carriage-return-in-extension"),
        pytest.param(b"f" * 16 + b"\r\n", id="astronomic"),
        pytest.param(b"3;" + b"a" * 5000, id="endless-line"),
        pytest.param(b"0\r\nA: b\n\r\n", id="bare-line-feed-in-trailers"),
    ],
)
def test_malformed_framing_is_refused(data: bytes) -> None:
    with pytest.raises(Refused) as caught:
        feed([data])
    assert caught.value.status == 400
    with pytest.raises(Refused):
        feed([data[i : i + 1] for i in range(len(data))])


def test_a_long_body_is_refused_before_it_has_come() -> None:
    with pytest.raises(Refused) as caught:
        feed([b"3e8\r\n" + b"a" * 1000 + b"\r\n1\r\n"])
    assert caught.value.status == 413


def test_endless_trailers_are_refused() -> None:
    with pytest.raises(Refused) as caught:
        feed([b"0\r\n", *[b"A: " + b"b" * 1000 + b"\r\n"] * 20])
    assert caught.value.status == 431


@given(pieces=st.lists(st.binary(max_size=40), max_size=8))
def test_any_bytes_are_read_or_refused(pieces: list[bytes]) -> None:
    try:
        body, _ = feed(pieces)
    except Refused:
        return
    assert len(body.data) <= LIMIT
