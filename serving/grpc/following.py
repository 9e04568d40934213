"""Following: whose call of gRPC is answered, and what a trace shows of it.

Attributes as in https://opentelemetry.io/docs/specs/semconv/rpc/grpc/.
"""

import re
import uuid

from serving.grpc.asker import GrpcAsker
from serving.grpc.context import Context, metadata_of
from serving.observe.origin import ORIGIN, Origin
from serving.observe.tracing import Span, Tracer
from serving.protocol.asker import Client

__all__ = ("Follower",)

_ASKING = frozenset(
    {"ModelInfer", "ModelStreamInfer", "Predictions", "StreamPredictions", "StreamPredictions2"}
)
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_CARRIED = ("traceparent", "tracestate")


class Follower:
    """Follows the calls that ask a model.

    Args:
        tracer: follows them; None: nobody does, but the log names their ids.
    """

    def __init__(self, tracer: Tracer | None) -> None:
        self._tracer = tracer

    def begin(self, method: str, context: Context) -> Span | None:
        """Say whose call this task answers, `service/method`; None: it is not followed."""
        if method.rpartition("/")[2] not in _ASKING:
            return None
        given = metadata_of(context, "x-request-id") or ""
        request_id = given if _ID.fullmatch(given) else str(uuid.uuid4())
        span = self._span(method, context, request_id)
        asker = GrpcAsker(context)
        # Not the call itself: what is begun meanwhile may keep this for longer than it lasts.
        client = Client(asker.headers, asker.address)
        ORIGIN.set(Origin(request_id, span, (client,)))
        return span

    def _span(self, method: str, context: Context, request_id: str) -> Span | None:
        if self._tracer is None:
            return None
        carried = {name: found for name in _CARRIED if (found := metadata_of(context, name))}
        span = self._tracer.begin(method, "server", carried)
        if not span.is_recording:
            return None
        said = {"rpc.system.name": "grpc", "rpc.method": method, "serving.request_id": request_id}
        span.note(said)
        return span
