import asyncio
from collections import Counter

import msgspec
import pytest

from serving.errors import BadInput, InferenceFailed, WorkerDied
from serving.protocol.exchange import Parts, RawReply, RawRequest
from serving.workflow.spec import read_spec
from serving.workflow.walk import walk

REQUEST = RawRequest(fields={"data": b"in"}, headers={"x-tag": "7"}, request_id="r1")
DIAMOND = read_spec(b"dag: {start: [left, right], left: [end], right: [end]}")


class Nodes:
    """Every node replies its name and what it was given; some fail first."""

    def __init__(self, failures: dict[str, int] | None = None) -> None:
        self.failures = Counter(failures or {})
        self.asked: list[str] = []
        self.active = 0
        self.most_active = 0
        self.finished: list[str] = []

    async def __call__(self, node: str, request: RawRequest, timeout_s: float) -> RawReply:
        self.asked.append(node)
        self.active += 1
        self.most_active = max(self.most_active, self.active)
        try:
            await asyncio.sleep(0.01)
        finally:
            self.active -= 1
        if self.failures[node]:
            self.failures[node] -= 1
            raise WorkerDied("gone")
        self.finished.append(node)
        given = {name: value.decode() for name, value in request.fields.items()}
        assert request.headers["x-tag"] == "7"
        return RawReply(body=msgspec.json.encode({node: given}))


async def test_replies_flow_from_node_to_node() -> None:
    spec = read_spec(b"dag: {a: [b], b: [c]}")

    reply = await walk(spec, REQUEST, Nodes())

    c = msgspec.json.decode(reply.body)["c"]["body"]
    b = msgspec.json.decode(c)["b"]["body"]
    assert msgspec.json.decode(b) == {"a": {"data": "in"}}
    assert reply.content_type == "application/json"


async def test_node_with_several_parents_gets_each_reply_by_its_name() -> None:
    nodes = Nodes()

    reply = await walk(DIAMOND, REQUEST, nodes)

    assert set(msgspec.json.decode(reply.body)["end"]) == {"left", "right"}
    assert nodes.most_active == 2  # left and right ran beside one another


async def test_several_leaves_answer_as_one_object() -> None:
    spec = read_spec(b"dag: {a: [b, c]}")

    reply = await walk(spec, REQUEST, Nodes())

    assert set(msgspec.json.decode(reply.body)) == {"b", "c"}


async def test_failed_node_is_tried_again_as_often_as_the_specification_says() -> None:
    spec = read_spec(b"models: {retry-attempts: 2}\ndag: {a: [b]}")
    nodes = Nodes({"b": 2})

    await walk(spec, REQUEST, nodes)

    assert nodes.asked == ["a", "b", "b", "b"]


async def test_node_that_keeps_failing_fails_the_workflow() -> None:
    spec = read_spec(b"models: {retry-attempts: 1}\ndag: {a: [b], b: [c]}")
    nodes = Nodes({"b": 5})

    with pytest.raises(InferenceFailed, match="after 1 attempts : Error executing b"):
        await walk(spec, REQUEST, nodes)

    assert "c" not in nodes.asked


async def test_node_out_of_time_is_tried_again_then_fails() -> None:
    spec = read_spec(b"models: {retry-attempts: 1, timeout-ms: 20}\ndag: {a: []}")
    asked = 0

    async def ask(node: str, request: RawRequest, timeout_s: float) -> RawReply:
        nonlocal asked
        asked += 1
        await asyncio.sleep(5)
        raise AssertionError

    with pytest.raises(InferenceFailed, match="Error executing a"):
        await walk(spec, REQUEST, ask)
    assert asked == 2


async def test_bad_input_is_not_tried_again() -> None:
    asked = 0

    async def ask(node: str, request: RawRequest, timeout_s: float) -> RawReply:
        nonlocal asked
        asked += 1
        raise BadInput("no picture")

    with pytest.raises(BadInput, match="no picture"):
        await walk(DIAMOND, REQUEST, ask)
    assert asked == 1


async def test_failure_gives_up_the_nodes_under_way() -> None:
    given_up = False

    async def ask(node: str, request: RawRequest, timeout_s: float) -> RawReply:
        nonlocal given_up
        if node == "left":
            raise BadInput("no")
        if node == "right":
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                given_up = True
                raise
        return RawReply(body=b"{}")

    with pytest.raises(BadInput):
        await walk(DIAMOND, REQUEST, ask)
    assert given_up


class Rest(Parts):
    def __init__(self, *parts: bytes) -> None:
        self.left = list(parts)

    async def __anext__(self) -> bytes:
        if not self.left:
            raise StopAsyncIteration
        return self.left.pop(0)

    async def aclose(self) -> None:
        self.left.clear()


async def test_streamed_reply_reaches_the_next_node_whole() -> None:
    async def ask(node: str, request: RawRequest, timeout_s: float) -> RawReply:
        if node == "a":
            return RawReply(body=b"one ", rest=Rest(b"two ", b"three"))
        return RawReply(body=request.fields["body"])

    reply = await walk(read_spec(b"dag: {a: [b]}"), REQUEST, ask)

    assert reply.body == b"one two three"


async def test_replies_that_are_no_json_cannot_be_one_answer() -> None:
    async def ask(node: str, request: RawRequest, timeout_s: float) -> RawReply:
        return RawReply(body=b"\xff")

    with pytest.raises(InferenceFailed, match="must be JSON"):
        await walk(read_spec(b"dag: {a: [b, c]}"), REQUEST, ask)


async def test_refused_reply_counts_as_a_failure() -> None:
    async def ask(node: str, request: RawRequest, timeout_s: float) -> RawReply:
        return RawReply(body=b"no", status=507)

    with pytest.raises(InferenceFailed, match="Error executing a"):
        await walk(read_spec(b"dag: {a: []}"), REQUEST, ask)
