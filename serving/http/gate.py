"""Gate: who may come in, and a note of who was turned away."""

from serving.audit.actor import Actor
from serving.audit.log import AuditLog
from serving.errors import ServingError, Unauthorized
from serving.http.call import Call
from serving.http.description import ApiKind
from serving.http.problems import WrongMethod
from serving.http.request import HttpRequest
from serving.tokens import Tokens

__all__ = ("Gate",)

_LOOKING = frozenset({"GET", "HEAD", "OPTIONS"})


class Gate:
    """Looks at the keys that requests show.

    Args:
        tokens: the keys.
        audit: takes note of attempts that are refused.
    """

    def __init__(self, tokens: Tokens, audit: AuditLog) -> None:
        self._tokens = tokens
        self._audit = audit

    @property
    def has_keys(self) -> bool:
        """Whether there are keys at all, which can be renewed."""
        return self._tokens.can_be_renewed

    def check(self, kind: ApiKind, call: Call, request: HttpRequest) -> None:
        """Let a request in, or not.

        Raises:
            Unauthorized: when it needs a token and shows none that is good.
        """
        if kind == "metrics":
            return
        try:
            self._tokens.check(kind, request.headers.get("authorization"))
        except Unauthorized as error:
            if kind == "management" or _is_repository(request):
                self._refuse(call, request, error)
            raise

    def may_change(self, request: HttpRequest, kinds: tuple[ApiKind, ...]) -> bool:
        """Whether a request may be one to change what is served, at a listener of these kinds."""
        if request.segments == ("token",):
            return True
        is_there = "management" in kinds or _is_repository(request)
        return is_there and request.method not in _LOOKING

    def actor_of(self, call: Call, request: HttpRequest) -> Actor:
        """Who sends a request."""
        who, key = self._tokens.holder_of(request.headers.get("authorization"))
        client = call.peers.client
        return Actor(
            who=who,
            key=key,
            address=f"{client[0]}:{client[1]}" if client else "",
            via="rest",
            agent=request.headers.get("user-agent", ""),
            request_id=request.told_id,
        )

    def note_failure(self, call: Call, request: HttpRequest, error: Exception) -> None:
        """Take note of a change that is not offered; what is offered is noted where it is done."""
        if isinstance(error, WrongMethod):
            self._refuse(call, request, error)

    def _refuse(self, call: Call, request: HttpRequest, error: ServingError) -> None:
        target = f"{request.method} {request.path}"
        self._audit.refuse(target, error, self.actor_of(call, request))


def _is_repository(request: HttpRequest) -> bool:
    return request.segments[:2] == ("v2", "repository")
