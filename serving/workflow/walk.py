"""Walk: one request through the nodes of a workflow, each as soon as what feeds it is there."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Protocol

import msgspec

from serving.errors import BadInput, InferenceFailed, NodeFailed, ServingError
from serving.protocol.exchange import RawReply, RawRequest, whole_body
from serving.workflow.graph import Graph
from serving.workflow.spec import NodeSpec, WorkflowSpec

__all__ = ("Ask", "walk")

_log = logging.getLogger(__name__)


class Ask(Protocol):
    """Asks the endpoint of a node."""

    async def __call__(self, node: str, request: RawRequest, timeout_s: float) -> RawReply:
        """Give a node's reply.

        Raises:
            ServingError: why there is none.
        """
        ...


async def walk(spec: WorkflowSpec, request: RawRequest, ask: Ask) -> RawReply:
    """Run a workflow on one request.

    The start gets the request; a node with one parent gets its reply as `body`; one with several
    gets each reply by its parent's name. What a single leaf replies is the answer; the replies of
    several come as one JSON object by their names.

    Raises:
        ServingError: when a node fails as often as it is tried; the nodes under way are given up.
    """
    graph = spec.graph
    tasks: dict[str, asyncio.Task[bytes]] = {}

    async def run(name: str) -> bytes:
        bodies = {parent: await tasks[parent] for parent in graph.parents[name]}
        return await _try(name, spec.nodes[name], _request_of(name, graph, bodies, request), ask)

    try:
        async with asyncio.TaskGroup() as group:
            for name in graph.order:
                tasks[name] = group.create_task(run(name))
    except* ServingError as errors:
        # A node that waits for a failed one fails with the same error.
        raise _first(errors) from None
    return _answer({leaf: tasks[leaf].result() for leaf in graph.leaves})


def _request_of(
    name: str, graph: Graph, bodies: Mapping[str, bytes], request: RawRequest
) -> RawRequest:
    parents = graph.parents[name]
    if not parents:
        return request
    fields = {"body": bodies[parents[0]]} if len(parents) == 1 else bodies
    return RawRequest(fields=fields, headers=request.headers, request_id=request.request_id)


async def _try(name: str, node: NodeSpec, request: RawRequest, ask: Ask) -> bytes:
    """Ask a node, and again when it fails in a way that may pass."""
    for attempt in range(node.retry_attempts + 1):
        try:
            async with asyncio.timeout(node.timeout_ms / 1000):
                return await _whole(await ask(name, request, node.timeout_ms / 1000))
        except BadInput:
            raise
        except (ServingError, TimeoutError) as error:
            reason = str(error) or f"no answer came within {node.timeout_ms} ms"
            _log.warning("workflow node %s, attempt %d: %s", name, attempt + 1, reason)
    msg = (
        f"Failed to execute workflow Node after {node.retry_attempts} attempts : "
        f"Error executing {name}"
    )
    raise NodeFailed(msg)


async def _whole(reply: RawReply) -> bytes:
    """Join a streamed reply: the next node gets all of it at once."""
    if reply.status >= 400:
        msg = f"the node replied {reply.status}"
        raise InferenceFailed(msg)
    return await whole_body(reply)


def _answer(bodies: Mapping[str, bytes]) -> RawReply:
    if len(bodies) == 1:
        return RawReply(body=next(iter(bodies.values())), content_type="application/json")
    try:
        values = {name: msgspec.json.decode(body) for name, body in bodies.items()}
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        msg = f"the replies of several nodes must be JSON to be one answer: {error}"
        raise InferenceFailed(msg) from error
    return RawReply(body=msgspec.json.encode(values), content_type="application/json")


def _first(errors: BaseExceptionGroup[ServingError]) -> ServingError:
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if not isinstance(error, ServingError):
        raise TypeError(error)
    return error
