"""Heads of requests: what is read, and what is refused because it could be read in two ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving.http.head import Refused, parse_head


def head(*lines: str, start: str = "POST /predictions/m HTTP/1.1", host: str = "Host: a") -> bytes:
    return "\r\n".join([start, *([host] if host else []), *lines, "", ""]).encode("latin-1")


def test_a_plain_request_is_read() -> None:
    read = parse_head(
        b"POST /predictions/a%20b/1.0?x=1&y=%20 HTTP/1.1\r\n"
        b"Host: example:8080\r\nContent-Type:image/jpeg \r\nContent-Length: 12\r\n\r\n"
    )
    assert (read.method, read.raw_path, read.query) == (
        "POST",
        "/predictions/a%20b/1.0",
        "x=1&y=%20",
    )
    assert read.path == "/predictions/a b/1.0"
    assert read.headers == {
        "host": "example:8080",
        "content-type": "image/jpeg",
        "content-length": "12",
    }
    assert read.length == 12
    assert read.keeps_alive
    assert not read.expects_continue


def test_repeated_fields_are_joined_in_order() -> None:
    read = parse_head(head("Accept: a", "Cookie: x=1", "accept: b", "Cookie: y=2"))
    assert read.headers["accept"] == "a, b"
    assert read.headers["cookie"] == "x=1; y=2"
    assert [name for name, _ in read.fields] == ["host", "accept", "cookie", "accept", "cookie"]


@pytest.mark.parametrize(
    ("version", "connection", "expected"),
    [
        ("1.1", None, True),
        ("1.1", "close", False),
        ("1.1", "Close, TE", False),
        ("1.1", "keep-alive", True),
        ("1.0", None, False),
        ("1.0", "Keep-Alive", True),
    ],
)
def test_whether_the_connection_stays_open(
    version: str, connection: str | None, expected: bool
) -> None:
    lines = [f"Connection: {connection}"] if connection else []
    assert parse_head(head(*lines, start=f"GET / HTTP/{version}")).keeps_alive is expected


def test_an_absolute_address_gives_its_path() -> None:
    assert parse_head(head(start="GET http://a:1/x?y HTTP/1.1")).raw_path == "/x"
    assert parse_head(head(start="GET http://a:1 HTTP/1.1")).raw_path == "/"
    assert parse_head(head(start="OPTIONS * HTTP/1.1")).raw_path == "*"


def test_chunks_have_no_length() -> None:
    assert parse_head(head("Transfer-Encoding: Chunked")).length is None


@pytest.mark.parametrize(
    ("data", "status"),
    [
        pytest.param(head("Content-Length: 1", "Transfer-Encoding: chunked"), 400, id="both-te-cl"),
        pytest.param(head("Transfer-Encoding: chunked", "Content-Length: 0"), 400, id="both-cl-0"),
        pytest.param(head("Content-Length: 1", "Content-Length: 1"), 400, id="same-length-twice"),
        pytest.param(head("Content-Length: 1", "Content-Length: 2"), 400, id="two-lengths"),
        pytest.param(head("Content-Length: 1, 1"), 400, id="list-of-lengths"),
        pytest.param(head("Content-Length: +1"), 400, id="signed-length"),
        pytest.param(head("Content-Length: -1"), 400, id="negative-length"),
        pytest.param(head("Content-Length: 0x1"), 400, id="hexadecimal-length"),
        pytest.param(head("Content-Length: 1_0"), 400, id="underscore-in-length"),
        pytest.param(head("Content-Length: \xb2"), 400, id="superscript-length"),
        pytest.param(head("Content-Length:"), 400, id="empty-length"),
        pytest.param(head("Content-Length: " + "9" * 19), 400, id="astronomic-length"),
        pytest.param(head("Transfer-Encoding: chunked, chunked"), 501, id="chunked-twice"),
        pytest.param(head("Transfer-Encoding: xchunked"), 501, id="unknown-coding"),
        pytest.param(head("Transfer-Encoding: gzip, chunked"), 501, id="compressed"),
        pytest.param(
            head("Transfer-Encoding: chunked", start="POST / HTTP/1.0"), 400, id="chunked-in-1.0"
        ),
        pytest.param(head("Transfer-Encoding : chunked"), 400, id="blank-before-colon"),
        pytest.param(head(" folded"), 400, id="folded-line"),
        pytest.param(head("X: a\n folded"), 400, id="bare-line-feed"),
        pytest.param(head("X: a\rb"), 400, id="bare-carriage-return"),
        pytest.param(head("X: a\0b"), 400, id="nul"),
        pytest.param(head("no colon"), 400, id="no-colon"),
        pytest.param(head(": no name"), 400, id="no-name"),
        pytest.param(head("X\xe4: a"), 400, id="name-beyond-ascii"),
        pytest.param(head(host=""), 400, id="no-host"),
        pytest.param(head("Host: b"), 400, id="two-hosts"),
        pytest.param(head("Expect: 200-ok"), 417, id="unknown-expectation"),
        pytest.param(head(start="GET  / HTTP/1.1"), 400, id="two-blanks"),
        pytest.param(head(start="GET / HTTP/1.1 "), 400, id="trailing-blank"),
        pytest.param(head(start="GET /a b HTTP/1.1"), 400, id="blank-in-address"),
        pytest.param(head(start="GET /\xe4 HTTP/1.1"), 400, id="address-beyond-ascii"),
        pytest.param(head(start="GET a HTTP/1.1"), 400, id="address-without-slash"),
        pytest.param(head(start="CONNECT a:1 HTTP/1.1"), 400, id="proxy-request"),
        pytest.param(head(start="PRI * HTTP/2.0"), 505, id="http-2"),
        pytest.param(head(start="GET /"), 400, id="http-0.9"),
        pytest.param(head(start="GET /" + "a" * 9000 + " HTTP/1.1"), 414, id="long-address"),
        pytest.param(head(*["X: a"] * 101), 431, id="many-fields"),
    ],
)
def test_what_could_be_misread_is_refused(data: bytes, status: int) -> None:
    with pytest.raises(Refused) as caught:
        parse_head(data)
    assert caught.value.status == status


TOKENS = st.text("abcdefghijklmnopqrstuvwxyzABC0123456789-_!#$%&'*+.^`|~", min_size=1, max_size=20)
VALUES = st.text(
    st.characters(min_codepoint=0x20, max_codepoint=0xFF, exclude_characters="\x7f"), max_size=40
).map(lambda text: text.strip(" \t"))
SPECIAL = {
    "host",
    "content-length",
    "transfer-encoding",
    "expect",
    "connection",
}


@given(
    fields=st.lists(
        st.tuples(TOKENS.filter(lambda name: name.lower() not in SPECIAL), VALUES), max_size=12
    )
)
def test_every_valid_field_comes_through(fields: list[tuple[str, str]]) -> None:
    read = parse_head(head(*(f"{name}:\t {value} " for name, value in fields)))
    assert list(read.fields[1:]) == [(name.lower(), value) for name, value in fields]


@given(data=st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        read = parse_head(data.replace(b"\r\n\r\n", b"") + b"\r\n\r\n")
    except Refused as refused:
        assert 400 <= refused.status <= 505
    else:
        assert read.length is None or read.length >= 0


@given(
    start=st.sampled_from(["GET / HTTP/1.1", "POST /x HTTP/1.1"]),
    at=st.integers(0, 60),
    junk=st.sampled_from([b"\n", b"\r", b"\0", b"\x0b", b"\x7f"]),
)
def test_a_control_character_anywhere_is_refused(start: str, at: int, junk: bytes) -> None:
    good = head("Accept: text/plain", "Content-Length: 5", start=start)
    at = min(at, len(good) - 4)
    if junk == b"\r" and good[at : at + 2] == b"\r\n":
        return  # "\r\r\n" ends a line whose value ends in "\r": looked at in the next case
    with pytest.raises(Refused):
        parse_head(good[:at] + junk + good[at:])


def test_a_carriage_return_before_the_line_end_is_refused() -> None:
    with pytest.raises(Refused):
        parse_head(b"GET / HTTP/1.1\r\nHost: a\r\r\n\r\n")


def test_the_same_head_is_read_the_same_again() -> None:
    lines = ("Content-Length: 12", "Accept: a", "accept: b")
    assert parse_head(head(*lines)) == parse_head(head(*lines))
    assert parse_head(head(*lines)).headers["accept"] == "a, b"


@pytest.mark.parametrize("name", ["Authorization", "Cookie", "Proxy-Authorization"])
def test_what_is_secret_is_not_kept_beyond_its_request(name: str) -> None:
    first, again = parse_head(head(f"{name}: sesame")), parse_head(head(f"{name}: sesame"))
    assert first == again
    assert first is not again
