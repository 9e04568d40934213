"""Compressed bodies."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving.errors import BadInput, InputTooLarge
from serving.http.encodings import asked_coding, compress, decompress

LONG = bytes(200_000)


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
@pytest.mark.parametrize("body", [bytes(2000), LONG], ids=["short", "long"])
async def test_bodies_survive(coding: str, body: bytes) -> None:
    squeezed, used = await compress(body, coding)
    assert used == coding
    assert len(squeezed) < len(body) / 10
    assert await decompress(squeezed, coding, most=len(body)) == body


async def test_what_others_compressed_is_read() -> None:
    assert await decompress(gzip.compress(b"abc"), "GZip", most=3) == b"abc"
    assert await decompress(zlib.compress(b"abc"), "deflate", most=3) == b"abc"
    assert await decompress(b"abc", "identity", most=0) == b"abc"


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
async def test_bomb_is_refused_before_it_goes_off(coding: str) -> None:
    bomb, _ = await compress(bytes(50_000_000), coding)
    with pytest.raises(InputTooLarge, match="more than 1000 bytes"):
        await decompress(bomb, coding, most=1000)


@pytest.mark.parametrize(
    ("body", "coding", "text"),
    [
        (b"abc", "br", "Content-Encoding br is not read"),
        (b"abc", "gzip", "is no gzip"),
        (gzip.compress(b"abc")[:-1], "gzip", "no whole gzip"),
        (gzip.compress(b"abc") + b"more", "gzip", "no whole gzip"),
    ],
    ids=["unknown", "other", "cut", "more"],
)
async def test_other_bodies_are_refused(body: bytes, coding: str, text: str) -> None:
    with pytest.raises(BadInput, match=text):
        await decompress(body, coding, most=100)


@given(st.binary(max_size=100), st.sampled_from(["gzip", "deflate"]))
async def test_any_body_is_read_or_refused(body: bytes, coding: str) -> None:
    try:
        assert len(await decompress(body, coding, most=50)) <= 50
    except BadInput:
        return


async def test_small_bodies_are_not_worth_it() -> None:
    assert await compress(bytes(100), "gzip") == (bytes(100), None)
    assert await compress(LONG, None) == (LONG, None)


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("gzip", "gzip"),
        (" Deflate ", "deflate"),
        ("gzip, deflate, br", None),
        ("", None),
        ("br", None),
        ("gzip;q=0", None),
    ],
)
def test_only_who_names_one_coding_asks_for_it(accept: str, expected: str | None) -> None:
    assert asked_coding(accept) == expected
