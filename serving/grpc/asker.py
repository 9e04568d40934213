"""GrpcAsker: who asks, for a release that chooses a version by that; and what it is told of it."""

from collections.abc import Mapping
from urllib.parse import unquote

from serving.grpc.context import Context
from serving.observe.lineage import VERSION_HEADER
from serving.registry.endpoint import Endpoint
from serving.registry.routing import Choice

__all__ = ("GrpcAsker", "tell_choice")


class GrpcAsker:
    """Who asks; what a release does not want to know is not looked for.

    Args:
        context: of the call.
    """

    def __init__(self, context: Context) -> None:
        self._context = context

    @property
    def headers(self) -> Mapping[str, str]:
        """The call's metadata that are text, by name in lower case."""
        metadata = self._context.invocation_metadata() or ()
        return {key: value for key, value in metadata if isinstance(value, str)}

    @property
    def address(self) -> str:
        """The client's, without its port; "": it has none."""
        kind, _, peer = unquote(self._context.peer()).partition(":")
        return peer.rpartition(":")[0].strip("[]") if kind.startswith("ip") else ""


def tell_choice(context: Context, endpoint: Endpoint, choice: Choice | None) -> None:
    """Tell behind the answer which version a release chose, and why."""
    if choice is not None:
        version = (VERSION_HEADER, endpoint.manifest.version)
        context.set_trailing_metadata((version, *choice.headers))
