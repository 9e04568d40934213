"""How a worker says what came of an item."""

from serving.errors import InferenceFailed
from serving.protocol.exchange import RawReply
from serving.protocol.tensors import Buffer
from serving.workers.channel import Channel
from serving.workers.messages import Chunk, Outcome, Part, ReplyPart, pack

__all__ = ("pack_safely", "send_chunk")


def pack_safely(outcome: Outcome) -> tuple[Part, list[Buffer]]:
    """Pack an outcome, or the error that it cannot be packed.

    A handler may return anything; what is no tensors must not take the others with it.
    """
    try:
        return pack(outcome)
    except Exception as error:
        return pack(InferenceFailed(f"the model's result cannot be sent: {error}"))


def send_chunk(channel: Channel, number: int, index: int, chunk: bytes | RawReply) -> None:
    """Send a part of a reply at once.

    Args:
        channel: to the server.
        number: of the batch.
        index: of the item in it.
        chunk: the part; status and headers count only with the first one.
    """
    reply = chunk if isinstance(chunk, RawReply) else RawReply(bytes(chunk))
    part = ReplyPart(reply.status, reply.reason, reply.headers, reply.content_type)
    channel.send(Chunk(number, index, part), [reply.body])
