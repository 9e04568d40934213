"""Witness: who sends a call, and a note of who was turned away."""

from dataclasses import dataclass

from serving.audit.actor import Actor
from serving.audit.log import AuditLog
from serving.errors import ServingError
from serving.grpc.context import Context, metadata_of
from serving.tokens import Tokens

__all__ = ("Witness",)


@dataclass(frozen=True, slots=True)
class Witness:
    """Knows callers by their keys.

    Attributes:
        tokens: the keys.
        audit: takes note of attempts that are refused.
    """

    tokens: Tokens
    audit: AuditLog

    def actor_of(self, context: Context) -> Actor:
        """Who sends a call."""
        who, key = self.tokens.holder_of(metadata_of(context, "authorization"))
        _, _, address = (context.peer() or "").partition(":")
        return Actor(
            who=who,
            key=key,
            address=address,
            via="grpc",
            agent=metadata_of(context, "user-agent") or "",
            request_id=metadata_of(context, "x-request-id") or "",
        )

    def refuse(self, context: Context, error: ServingError) -> None:
        """Take note of a call that is not let in."""
        self.audit.refuse("a call of gRPC", error, self.actor_of(context))
