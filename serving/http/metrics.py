"""Prometheus' endpoint."""

from collections.abc import Awaitable, Callable

from serving.http.replies import text_reply
from serving.http.request import HttpRequest
from serving.http.routing import check_method
from serving.observe.custom import TorchServeMetrics
from serving.observe.metrics import ServerMetrics
from serving.protocol.exchange import RawReply

__all__ = ("MetricsRoutes",)

_KIND = "text/plain; version=0.0.4; charset=utf-8"


class MetricsRoutes:
    """The metrics, the server's own and TorchServe's.

    Args:
        own: the server's own.
        reference: TorchServe's.
    """

    def __init__(self, own: ServerMetrics, reference: TorchServeMetrics) -> None:
        self._own = own
        self._reference = reference

    def find(self, request: HttpRequest) -> Callable[[], Awaitable[RawReply]] | None:
        """Find what answers a request; None when its address is not this one."""
        match request.segments:
            case ("metrics", *_):
                return lambda: self._tell(request)
        return None

    async def _tell(self, request: HttpRequest) -> RawReply:
        """Write the metrics that `name[]` names, or all.

        Raises:
            WrongMethod: when the verb is not GET.
        """
        check_method(request, "GET")
        names = frozenset(request.parameters.get("name[]", ()))
        text = self._reference.as_text(names).encode() + self._own.as_text(names)
        return text_reply(text, _KIND)
