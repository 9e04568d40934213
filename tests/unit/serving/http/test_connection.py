"""Connections as clients see them: real sockets, raw bytes."""

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Callable
from itertools import pairwise

import pytest
import uvloop
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from serving.http.call import Call, encode_fields
from serving.http.connection import Connection
from serving.http.edge import Edge, HttpLimits
from serving.http.head import Refused
from serving.http.listener import Listener

LIMIT = 300_000
GET = b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n"


def post(body: bytes, *lines: str) -> bytes:
    head = ["POST /b HTTP/1.1", "Host: x", f"Content-Length: {len(body)}", *lines, "", ""]
    return "\r\n".join(head).encode() + body


class Stage:
    """A listener whose calls are answered at once, or kept for the test to answer."""

    def __init__(self) -> None:
        self.kept: list[Call] = []
        self.keeps = False
        self.edge = Edge(self._answer, self._refuse, HttpLimits(body_bytes=LIMIT))
        self._bound = socket.create_server(("127.0.0.1", 0))
        self.address = self._bound.getsockname()
        self.listener = Listener(self._bound, self.edge)

    def _answer(self, call: Call) -> None:
        if call.head.path == "/fault":
            raise ArithmeticError("on purpose")
        if self.keeps:
            self.kept.append(call)
        else:
            call.reply(200, call.head.raw_path.encode() + b"|" + call.body)

    def _refuse(self, call: Call, refused: Refused) -> None:
        call.reply(refused.status, refused.message.encode())

    async def talk(self, *pieces: bytes) -> bytes:
        """Send pieces one by one; what comes back until the end."""
        reader, writer = await asyncio.open_connection(*self.address)
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)
        answer = await reader.read(-1)
        writer.close()
        return answer

    async def call(self) -> Call:
        """The next call that is kept."""
        while not self.kept:
            await asyncio.sleep(0.001)
        return self.kept.pop(0)

    @property
    def connection(self) -> Connection:
        (connection,) = self.edge.connections
        return connection


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    stage = Stage()
    await stage.listener.start()
    yield stage
    await stage.listener.stop(0)


CLOSE = b"GET /end HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
PARTS = re.compile(rb"HTTP/1\.1 (\d+) [^\r]*\r\n(?:[^\r]+\r\n)*?content-length: (\d+)\r\n")


def answers(data: bytes) -> list[tuple[int, bytes]]:
    """Status and body of each answer in a stream."""
    found = []
    while data:
        if data.startswith(b"HTTP/1.1 100 Continue\r\n\r\n"):
            found.append((100, b""))
            data = data[25:]
            continue
        match = PARTS.match(data)
        assert match, data[:200]
        start = data.index(b"\r\n\r\n") + 4
        end = start + int(match[2])
        found.append((int(match[1]), data[start:end]))
        data = data[end:]
    return found


async def test_one_connection_answers_one_request_after_the_other(stage: Stage) -> None:
    big = bytes(range(256)) * 1000
    data = await stage.talk(GET, post(b"abc"), post(big), CLOSE)
    assert answers(data) == [(200, b"/a|"), (200, b"/b|abc"), (200, b"/b|" + big), (200, b"/end|")]
    assert data.count(b"connection: close") == 1


async def test_pipelined_requests_are_answered_in_order(stage: Stage) -> None:
    stage.keeps = True
    talking = asyncio.create_task(stage.talk(GET + post(b"1") + GET + CLOSE))
    for number in range(4):
        call = await stage.call()
        await asyncio.sleep(0.01)
        assert not stage.kept, "the next one waits for this one's answer"
        call.reply(200, str(number).encode())
    assert answers(await talking) == [(200, str(n).encode()) for n in range(4)]


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
@given(cuts=st.lists(st.integers(0, 700), max_size=10))
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_answers_do_not_depend_on_how_the_requests_were_cut(
    new_loop: Callable[[], asyncio.AbstractEventLoop], cuts: list[int]
) -> None:
    chunked = b"POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    stream = (
        b"\r\n"
        + GET
        + post(b"x" * 90)
        + chunked
        + b"3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n"
    ) + (post(b"") + CLOSE)
    edges = [0, *sorted(min(c, len(stream)) for c in cuts), len(stream)]

    async def main() -> None:
        stage = Stage()
        await stage.listener.start()
        pieces = [stream[a:b] for a, b in pairwise(edges)]
        assert answers(await stage.talk(*pieces)) == [
            (200, b"/a|"),
            (200, b"/b|" + b"x" * 90),
            (200, b"/c|abc0123456789abcdef"),
            (200, b"/b|"),
            (200, b"/end|"),
        ]
        await stage.listener.stop(0)

    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(main())


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        pytest.param(b"nonsense\r\n\r\n", 400, id="nonsense"),
        pytest.param(b"GET / HTTP/1.1\r\n\r\n", 400, id="no-host"),
        pytest.param(b"a" * 70_000, 431, id="endless-head"),
        pytest.param(
            b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300001\r\n\r\n", 413, id="long-body"
        ),
        pytest.param(
            b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n493e1\r\n",
            413,
            id="long-chunk",
        ),
        pytest.param(
            b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
            400,
            id="no-chunk",
        ),
        pytest.param(
            b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
            400,
            id="smuggling",
        ),
    ],
)
async def test_a_refused_client_is_told_why_and_hung_up_on(
    stage: Stage, request_: bytes, status: int
) -> None:
    data = await stage.talk(request_)
    ((got, message),) = answers(data)
    assert got == status
    assert message
    assert b"connection: close" in data


async def test_a_refused_client_that_goes_on_sending_still_gets_its_answer(stage: Stage) -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n"
    data = await stage.talk(head, *[b"x" * 100_000] * 20)
    assert answers(data)[0][0] == 413


async def test_who_asks_first_is_told_to_send(stage: Stage) -> None:
    head = post(b"abc", "Expect: 100-continue", "Connection: close")[:-3]
    reader, writer = await asyncio.open_connection(*stage.address)
    writer.write(head)
    assert await reader.readexactly(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
    writer.write(b"abc")
    assert answers(await reader.read(-1)) == [(200, b"/b|abc")]
    writer.close()


async def test_who_asks_first_for_too_much_is_not_told_to_send(stage: Stage) -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300001\r\nExpect: 100-continue\r\n\r\n"
    assert [status for status, _ in answers(await stage.talk(head))] == [413]


async def test_head_gets_no_body(stage: Stage) -> None:
    data = await stage.talk(b"HEAD /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert data.endswith(b"\r\n\r\n")
    assert b"content-length: 3\r\n" in data


async def test_http_1_0_gets_its_answer_and_the_end(stage: Stage) -> None:
    assert answers(await stage.talk(b"GET /a HTTP/1.0\r\n\r\n")) == [(200, b"/a|")]


async def test_a_fault_of_ours_is_a_500_and_the_next_request_is_answered(stage: Stage) -> None:
    fault = b"GET /fault HTTP/1.1\r\nHost: x\r\n\r\n"
    data = await stage.talk(fault, CLOSE)
    assert [status for status, _ in answers(data)] == [500, 200]


async def test_a_client_that_hangs_up_gives_up_its_call(stage: Stage) -> None:
    stage.keeps = True
    _, writer = await asyncio.open_connection(*stage.address)
    writer.write(GET)
    call = await stage.call()
    gone = asyncio.Event()
    call.on_gone = gone.set
    writer.close()
    await asyncio.wait_for(gone.wait(), 5)
    assert call.is_answered
    call.reply(200, b"nobody hears this")


async def test_a_streamed_answer_comes_in_chunks(stage: Stage) -> None:
    stage.keeps = True
    talking = asyncio.create_task(stage.talk(GET + CLOSE))
    call = await stage.call()
    call.begin(206, encode_fields([("x-kind", "stream")]), reason="Some")
    for piece in (b"one", b"", b"three"):
        call.send(piece)
    call.end()
    (await stage.call()).reply(204)
    data = await talking
    head, _, rest = data.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 206 Some\r\n")
    assert b"transfer-encoding: chunked" in head
    assert rest.startswith(b"3\r\none\r\n5\r\nthree\r\n0\r\n\r\nHTTP/1.1 204 No Content\r\n")


async def test_a_broken_off_stream_has_no_last_chunk(stage: Stage) -> None:
    stage.keeps = True
    talking = asyncio.create_task(stage.talk(GET))
    call = await stage.call()
    call.begin(200)
    call.send(b"half")
    call.abort()
    assert (await talking).endswith(b"\r\n\r\n4\r\nhalf\r\n")


async def test_a_stream_waits_for_a_client_that_does_not_read(stage: Stage) -> None:
    stage.keeps = True
    _, writer = await asyncio.open_connection(*stage.address)
    writer.write(GET)
    call = await stage.call()
    call.begin(200)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            while True:
                call.send(bytes(500_000))
                await call.drained()
    stage.connection.expire(asyncio.get_running_loop().time() + 59)
    assert not call.is_answered
    stage.connection.expire(asyncio.get_running_loop().time() + 61)
    await asyncio.wait_for(call.drained(), 5)
    assert call.is_answered
    writer.close()


async def on_time(stage: Stage, sent: bytes, patience_s: float) -> bytes:
    """What a client gets that sends this, and then nothing for so long."""
    reader, writer = await asyncio.open_connection(*stage.address)
    writer.write(sent)
    while not stage.edge.connections:
        await asyncio.sleep(0.001)
    await asyncio.sleep(0.02)
    now = asyncio.get_running_loop().time()
    stage.connection.expire(now + patience_s - 1)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(reader.read(1), 0.02)
    stage.connection.expire(now + patience_s + 1)
    data = await asyncio.wait_for(reader.read(-1), 5)
    writer.close()
    return data


@pytest.mark.parametrize(
    ("sent", "patience_s"),
    [
        pytest.param(b"GET / HT", 10, id="head"),
        pytest.param(post(b"a" * 200_000)[:100_000], 30 + 100_000 / 16384, id="body"),
        pytest.param(
            b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na",
            30,
            id="chunks",
        ),
    ],
)
async def test_a_slow_client_is_told_that_its_time_is_over(
    stage: Stage, sent: bytes, patience_s: float
) -> None:
    assert [status for status, _ in answers(await on_time(stage, sent, patience_s))] == [408]


async def test_a_client_that_says_nothing_is_hung_up_on(stage: Stage) -> None:
    assert await on_time(stage, b"", 10) == b""


async def test_an_idle_connection_is_closed_after_its_time(stage: Stage) -> None:
    reader, writer = await asyncio.open_connection(*stage.address)
    writer.write(GET)
    await reader.readuntil(b"/a|")
    now = asyncio.get_running_loop().time()
    stage.connection.expire(now + 74)
    stage.connection.expire(now + 76)
    assert await asyncio.wait_for(reader.read(-1), 5) == b""
    writer.close()


@pytest.mark.parametrize("request_", [GET, CLOSE], ids=["goes on", "is the last"])
async def test_an_answer_that_nobody_takes_is_given_up(stage: Stage, request_: bytes) -> None:
    stage.keeps = True
    _, writer = await asyncio.open_connection(*stage.address)
    writer.transport.pause_reading()  # type: ignore[attr-defined]
    writer.write(request_)
    (await stage.call()).reply(200, bytes(50_000_000))
    now = asyncio.get_running_loop().time()
    connection = stage.connection
    connection.expire(now + 59)
    await asyncio.sleep(0.05)
    assert stage.edge.connections
    connection.expire(now + 61)
    async with asyncio.timeout(5):
        while stage.edge.connections:
            await asyncio.sleep(0.01)
    writer.transport.abort()


async def test_who_sends_far_ahead_is_read_no_further(stage: Stage) -> None:
    stage.keeps = True
    _, writer = await asyncio.open_connection(*stage.address)
    # More than the system takes between the two: few requests, each with a long head.
    padded = GET.replace(b"Host: x", b"Host: x\r\nX: " + b"x" * 10_000)
    writer.write(padded * 1_200)
    call = await stage.call()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(writer.drain(), 0.3)
    stage.keeps = False
    call.reply(200)
    await asyncio.wait_for(writer.drain(), 30)
    writer.transport.abort()


async def test_stopping_answers_what_is_under_way_and_closes_the_rest(stage: Stage) -> None:
    idle_reader, idle_writer = await asyncio.open_connection(*stage.address)
    idle_writer.write(GET)
    await idle_reader.readuntil(b"/a|")
    stage.keeps = True
    talking = asyncio.create_task(stage.talk(GET))
    call = await stage.call()
    stopping = asyncio.create_task(stage.listener.stop(10))
    assert await idle_reader.read(-1) == b""
    call.reply(200, b"the last")
    data = await talking
    assert answers(data) == [(200, b"the last")]
    assert b"connection: close" in data
    await asyncio.wait_for(stopping, 1)
    with pytest.raises(OSError):
        await asyncio.open_connection(*stage.address)
    idle_writer.close()


async def test_stopping_does_not_wait_longer_than_it_may(stage: Stage) -> None:
    stage.keeps = True
    talking = asyncio.create_task(stage.talk(GET))
    call = await stage.call()
    await stage.listener.stop(0.05)
    with pytest.raises(OSError):
        assert await talking == b""
        raise ConnectionResetError
    assert call.is_answered


Fields = list[tuple[str, str]]


@pytest.mark.parametrize(
    "fields",
    [[("a\r\nb", "c")], [("a", "b\r\nc: d")], [("", "a")], [("a", "b\0")], [("a:b", "c")]],
)
def test_a_header_cannot_be_smuggled_into_an_answer(fields: Fields) -> None:
    with pytest.raises(ValueError, match="no header field"):
        encode_fields(fields)


async def test_a_reason_cannot_smuggle_either(stage: Stage) -> None:
    stage.keeps = True
    talking = asyncio.create_task(stage.talk(CLOSE))
    (await stage.call()).reply(200, b"", reason="OK\r\nevil: 1")
    assert b"evil" not in await talking
