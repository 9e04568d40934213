"""Directory: what a listener offers, and what of it answers a request."""

from collections.abc import Awaitable, Callable, Sequence

from serving.http.call import Call
from serving.http.description import ApiKind, Offer, describe_api
from serving.http.gate import Gate
from serving.http.problems import NoRoute
from serving.http.replies import Replies, json_reply
from serving.http.request import HttpRequest
from serving.http.routing import NOT_FOUND, check_method
from serving.protocol.exchange import RawReply

__all__ = ("Answer", "Directory", "Route")

Answer = Callable[[], Awaitable[RawReply]]

Route = Callable[[HttpRequest], Answer | None]
"""Finds what answers a request, or says with None that its address is another's."""

_OPEN = frozenset({("ping",), ("v2", "health", "live"), ("v2", "health", "ready")})
"""What is told to everybody, though tokens are asked for; not so in the reference."""


class Directory:
    """Finds what answers a request.

    It is looked at in this order: what is offered (OPTIONS /, /api-description), the preflight of a
    browser, the renewal of keys, the routes one after another.

    Args:
        routes: by what they offer, in the order in which they are asked.
        gate: looks at the keys of who asks.
        replies: what every answer has in common.
        renew_key: answers `GET /token`; it asks for a key of its own.

    Attributes:
        kinds: of what is offered.
    """

    def __init__(
        self,
        routes: Sequence[tuple[ApiKind, Route]],
        gate: Gate,
        replies: Replies,
        renew_key: Callable[[HttpRequest], Awaitable[RawReply]],
    ) -> None:
        self._routes = routes
        self._gate = gate
        self._replies = replies
        self._renew_key = renew_key
        self.kinds = tuple(dict.fromkeys(kind for kind, _ in routes))

    def find(self, call: Call, request: HttpRequest) -> Answer:
        """Find what answers a request.

        Raises:
            ServingError: why nothing does.
        """
        segments = request.segments
        if not segments or segments == ("api-description",):
            if not (segments and self._replies.is_reference):
                check_method(request, *(("GET",) if segments else ("OPTIONS",)))
            may_change, has_tokens = self._replies.may_change_models, self._gate.has_keys
            return _at_once(json_reply(describe_api(Offer(self.kinds, may_change, has_tokens))))
        if self._is_preflight(request):
            return _at_once(RawReply(b"", status=204))
        if segments == ("token",) and "management" in self.kinds and self._gate.has_keys:
            return lambda: self._renew_key(request)
        for kind, route in self._routes:
            answer = route(request)
            if answer is not None:
                self._check_token(kind, call, request)
                return answer
        raise NoRoute(NOT_FOUND)

    def _is_preflight(self, request: HttpRequest) -> bool:
        """Whether a browser asks what a page may do; the reference does not know the question."""
        return (
            request.method == "OPTIONS"
            and self._replies.allows_pages
            and not self._replies.is_reference
            and "access-control-request-method" in request.headers
        )

    def _check_token(self, kind: ApiKind, call: Call, request: HttpRequest) -> None:
        if request.segments not in _OPEN or self._replies.is_reference:
            self._gate.check(kind, call, request)


def _at_once(reply: RawReply) -> Answer:
    async def answer() -> RawReply:
        return reply

    return answer
