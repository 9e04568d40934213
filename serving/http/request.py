"""HttpRequest: one request, whole, as the routes of TorchServe's APIs read it."""

import math
import random
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import count
from urllib.parse import parse_qs

from serving.errors import BadInput
from serving.observe.tracing import Span

__all__ = ("HttpRequest", "new_request_id")


_LAST_OF_ID = (1 << 48) - 1
_FIRST_OF_ID = str(uuid.uuid4())[:24]
_GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_numbers = count(random.SystemRandom().getrandbits(40))


def new_request_id() -> str:
    """Make an id that no other request has: a UUID whose end counts the requests of this server."""
    return f"{_FIRST_OF_ID}{next(_numbers) & _LAST_OF_ID:012x}"


@lru_cache(256)
def _segments(path: str) -> tuple[str, ...]:
    return tuple(path.rstrip("/").split("/")[1:])


@dataclass(eq=False)
class HttpRequest:
    """One request, whole; it is not changed, but for who follows it.

    Attributes:
        method: as sent, in capitals.
        path: with percent-encoding undone.
        query: what follows the question mark, as sent.
        headers: by name in lower case.
        body: all of it.
        id: the server's own, told to the handler.
        segments: what stands between the path's slashes; slashes at its end do not count.
        told_id: by which the client and the log know it; `id`, unless the client said another.
        span: what a trace shows of it; None: it is not followed.
        find_address: tells the client's address; None: nobody knows it.
        told: headers that an error's answer gets, too: by which version, and why that one.
    """

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    id: str = field(default_factory=new_request_id)
    segments: tuple[str, ...] = field(init=False)
    told_id: str = field(init=False)
    span: Span | None = None
    find_address: Callable[[], str] | None = None
    told: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        self.segments = _segments(self.path)
        self.told_id = self.id

    def take_id(self) -> None:
        """Let client and log know it by what the client said, if it said something fit for that."""
        given = self.headers.get("x-request-id")
        if given is not None and _GIVEN_ID.fullmatch(given):
            self.told_id = given

    @cached_property
    def parameters(self) -> Mapping[str, list[str]]:
        """The query's parameters by name, in the order sent; empty ones are kept."""
        if not self.query:
            return {}
        return parse_qs(self.query, keep_blank_values=True, max_num_fields=1000)

    @property
    def address(self) -> str:
        """The client's, without its port; "": it has none."""
        return "" if self.find_address is None else self.find_address()

    @property
    def content_type(self) -> str:
        """The header Content-Type as sent; "": none."""
        return self.headers.get("content-type", "")

    @property
    def mime_type(self) -> str:
        """The content type without its parameters, in lower case."""
        return self.content_type.partition(";")[0].strip().lower()

    def parameter(self, name: str) -> str | None:
        """The first value of a parameter of the query; None: there is none."""
        values = self.parameters.get(name) if self.query else None
        return values[0] if values else None

    @property
    def timeout_s(self) -> float | None:
        """How long the client waits, seconds, from the header or the parameter `timeout`.

        Raises:
            BadInput: when it is no number > 0.
        """
        text = self.headers.get("timeout") or self.parameter("timeout")
        if text is None:
            return None
        try:
            seconds = float(text)
        except ValueError:
            seconds = math.nan
        if not 0 < seconds < math.inf:
            msg = f"timeout must be a number of seconds > 0, got {text!r}"
            raise BadInput(msg)
        return seconds

    @property
    def priority(self) -> int:
        """Who goes first, from the header or the parameter `priority`; higher is sooner.

        Raises:
            BadInput: when it is no whole number.
        """
        text = self.headers.get("priority") or self.parameter("priority") or "0"
        # RFC 9218 has a header of this name with another meaning, which browsers send.
        if "=" in text or text == "i":
            return 0
        try:
            return int(text)
        except ValueError as error:
            msg = f"priority must be a whole number, got {text!r}"
            raise BadInput(msg) from error
