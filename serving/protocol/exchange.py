"""RawRequest and RawReply: what a client sent and gets, for handlers that read it themselves."""

import contextlib
from abc import abstractmethod
from collections.abc import AsyncIterator, Mapping
from typing import Literal

import msgspec

from serving.errors import BadInput

__all__ = ("INPUT_FIELDS", "Parts", "RawReply", "RawRequest", "Verb", "whole_body")

Verb = Literal["predict", "explain", "describe"]
"""What a handler is asked: to predict, to explain a prediction, or to say what it is."""

INPUT_FIELDS = ("data", "body")
"""Where TorchServe's clients put the one input of a model."""


class RawRequest(msgspec.Struct, frozen=True, eq=False):
    """One request as it came.

    Attributes:
        fields: "body" for a plain body; else one entry for each field of a form, and for each
            parameter of a query.
        content_types: of the fields, as sent, by field; a field without one is absent.
        headers: by name in lower case; `url_path`, `explain` and the ids of sequences among them.
        request_id: unique among the server's requests.
        verb: what is asked.
    """

    fields: Mapping[str, bytes]
    content_types: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    request_id: str = ""
    verb: Verb = "predict"

    def only_input(self) -> bytes:
        """The one input of a model that takes one.

        Raises:
            BadInput: when the form has no field for it.
        """
        for name in INPUT_FIELDS:
            if name in self.fields:
                return self.fields[name]
        msg = (
            f"the form has no field {' or '.join(INPUT_FIELDS)}: name one, or tell by Content-Type "
            "what the body is (curl -d calls it a form)"
        )
        raise BadInput(msg)


class Parts(AsyncIterator[bytes]):
    """The further parts of a reply; whoever stops listening before the end closes it."""

    @abstractmethod
    async def aclose(self) -> None:
        """Take no more; harmless after the end."""


class RawReply(msgspec.Struct, frozen=True, eq=False):
    """One reply as the client gets it.

    Attributes:
        body: all of it, or its first part.
        status: of HTTP, in [100, 599].
        reason: the status line's phrase; "": the usual one.
        headers: name and value of each, in order.
        content_type: None: there is none, not even the usual one.
        rest: the further parts, while the model still works on them; may raise ServingError. None:
            `body` is all.
    """

    body: bytes
    status: int = 200
    reason: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    content_type: str | None = None
    rest: Parts | None = None


async def whole_body(reply: RawReply) -> bytes:
    """All parts of a reply, joined.

    Raises:
        ServingError: when the model fails before the end.
    """
    parts = [reply.body]
    if reply.rest is not None:
        async with contextlib.aclosing(reply.rest) as rest:
            parts += [part async for part in rest]
    return b"".join(parts)
