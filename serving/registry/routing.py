"""Routing: which version answers a request that names none, while one is being released."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from serving.protocol.asker import Asker
from serving.workers.messages import Item, Outcome

if TYPE_CHECKING:
    from serving.registry.endpoint import Endpoint

__all__ = ("Again", "Choice", "Router", "headers_of")

_Answer = TypeVar("_Answer")

Again = Callable[["Endpoint"], Awaitable[object]]
"""Asks another version the same."""


class Choice(Protocol):
    """A version that was chosen for a request; wants to know what comes of it."""

    @property
    def headers(self) -> Sequence[tuple[str, str]]:
        """What the answer tells of the choice."""
        ...

    async def watch(self, work: Awaitable[_Answer], again: Again) -> _Answer:
        """Wait for the answer.

        Args:
            work: gives it.
            again: asks another version the same.
        """
        ...

    def post(
        self,
        endpoint: "Endpoint",
        item: Item,
        on_outcome: Callable[[Outcome], None],
        timeout_s: float | None,
        priority: int,
    ) -> Callable[[], None] | None:
        """Let the endpoint answer, as `Endpoint.post` does; gives what cancels it, or None.

        Raises:
            ServingError: why it was not taken.
        """
        ...


def headers_of(choice: Choice | None) -> Sequence[tuple[str, str]]:
    """What the answer tells of a choice; nothing where there was none."""
    return () if choice is None else choice.headers


class Router(Protocol):
    """Chooses among a model's versions."""

    def choose(self, asker: Asker) -> "tuple[Endpoint, Choice | None]":
        """Choose for a request.

        Raises:
            ModelNotFound: when none is served.
        """
        ...

    def is_on_trial(self, version: str) -> bool:
        """Whether the server can do without this version."""
        ...
