"""The health service that probes of gRPC servers ask."""

from google.protobuf.message import Message

from serving.grpc.calls import MethodHandler, Service
from serving.grpc.context import Context
from serving.open_inference.service import OpenInference
from serving.protocol.proto.generated.health_pb2 import HealthCheckRequest, HealthCheckResponse

__all__ = ("NAME", "handlers")

NAME = "grpc.health.v1.Health"
"""What the service is called."""


def handlers(service: Service, open_inference: OpenInference) -> dict[str, MethodHandler]:
    """Method name to what answers it."""

    async def check(request: HealthCheckRequest, _: Context) -> Message:
        """Say whether every model can be asked, or that one which is named as the service."""
        name = request.service
        is_ready = (
            open_inference.endpoint(name, None).is_ready if name else open_inference.is_ready()
        )
        return HealthCheckResponse(status="SERVING" if is_ready else "NOT_SERVING")

    return {"Check": service.unary(check, HealthCheckRequest)}
