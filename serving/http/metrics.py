"""Prometheus' endpoint."""

from litestar import Response, Router, get

from serving.http.requests import AnyRequest
from serving.observe.metrics import ServerMetrics

__all__ = ("metrics_router",)


@get("/metrics")
async def metrics(request: AnyRequest) -> Response[bytes]:
    """Write all metrics as text."""
    registry: ServerMetrics = request.app.state.metrics
    media_type = "text/plain; version=0.0.4"  # the character set is added to it
    return Response(registry.as_text(), media_type=media_type)


metrics_router = Router("/", route_handlers=[metrics])
"""The route table."""
