"""TorchServe's inference service."""

import uuid
from collections.abc import AsyncIterator

import msgspec
from google.protobuf.message import Message

from serving.engine import Engine
from serving.errors import BadInput, ServingError
from serving.grpc.asker import GrpcAsker, tell_choice
from serving.grpc.calls import MethodHandler, Service, seconds_left
from serving.grpc.context import Context
from serving.grpc.status import ReferenceService, RefusedByHandler, status_of
from serving.grpc.stream import answers_in_order
from serving.protocol.exchange import RawReply, RawRequest, whole_body
from serving.protocol.proto.generated import torchserve_inference_pb2 as pb
from serving.protocol.torchserve import ErrorBody
from serving.settings import ServerSettings

__all__ = ("NAME", "InferenceService")

NAME = "org.pytorch.serve.grpc.inference.InferenceAPIsService"
"""What the service is called."""

_HEALTH = '{{\n  "status": "{}"\n}}\n'


class InferenceService:
    """Translates the messages of TorchServe's inference service.

    Args:
        engine: does what they ask.
        settings: how errors are told, and what sequences' fields are called.
    """

    def __init__(self, engine: Engine, settings: ServerSettings) -> None:
        self._engine = engine
        self._sequence_fields = settings.sequence_headers
        self._reference: ReferenceService = "inference" if settings.compat == "torchserve" else ""

    def handlers(self, service: Service) -> dict[str, MethodHandler]:
        """Method name to what answers it; all but `Ping`, which is open to everybody."""
        return {
            "Predictions": service.unary(self._predictions, pb.PredictionsRequest),
            "StreamPredictions": service.streamed(self._stream, pb.PredictionsRequest),
            "StreamPredictions2": service.duplex(self._both_ways, pb.PredictionsRequest),
        }

    async def ping(self, _: Message, __: Context) -> Message:
        """Say whether every model can be asked."""
        health = "Healthy" if self._engine.is_ready else "Unhealthy"
        return pb.TorchServeHealthResponse(health=_HEALTH.format(health))

    async def _predictions(self, request: pb.PredictionsRequest, context: Context) -> Message:
        reply = await self._ask(request, {}, context)
        return pb.PredictionResponse(prediction=await whole_body(reply))

    async def _stream(
        self, request: pb.PredictionsRequest, context: Context
    ) -> AsyncIterator[Message]:
        reply = await self._ask(request, {}, context)
        yield pb.PredictionResponse(prediction=reply.body)
        if reply.rest is not None:
            async for piece in reply.rest:
                yield pb.PredictionResponse(prediction=piece)

    async def _both_ways(
        self, requests: AsyncIterator[pb.PredictionsRequest], context: Context
    ) -> AsyncIterator[Message]:
        async def answer(request: pb.PredictionsRequest) -> Message:
            sequence = request.sequence_id
            try:
                sequence, headers = self._sequence(request)
                reply = await self._ask(request, headers, context)
                body = await whole_body(reply)
            except ServingError as error:
                status = status_of(error, self._reference)
                # gRPC's code is a pair of its number and its name.
                told = pb.RpcStatus(code=status.code.value[0], message=status.message)
                return pb.PredictionResponse(sequence_id=sequence, status=told)
            return pb.PredictionResponse(prediction=body, sequence_id=sequence)

        async for each in answers_in_order(requests, answer):
            yield each

    def _sequence(self, request: pb.PredictionsRequest) -> tuple[str, dict[str, str]]:
        """The request's sequence, and the headers that tell the handler of it.

        A sequence that begins may leave its id to the server, which tells it in the answer.
        """
        name, start, end = self._sequence_fields
        is_start, is_end = (_is_true(request.input.get(field, b"")) for field in (start, end))
        sequence = request.sequence_id
        if not sequence:
            if not is_start:
                msg = "Parameter sequenceId is required."
                raise BadInput(msg)
            sequence = f"ts-seq-{uuid.uuid4()}"
        headers = {name: sequence}
        if is_start:
            headers[start] = "true"
        if is_end:
            headers[end] = "true"
        return sequence, headers

    async def _ask(
        self, request: pb.PredictionsRequest, headers: dict[str, str], context: Context
    ) -> RawReply:
        if not request.model_name:
            msg = "Parameter model_name is required."
            raise BadInput(msg)
        asked = RawRequest(
            fields=dict(request.input), headers=headers, request_id=str(uuid.uuid4())
        )
        endpoint, choice = self._engine.registry.choose(
            request.model_name, request.model_version or None, GrpcAsker(context)
        )
        tell_choice(context, endpoint, choice)
        timeout_s = seconds_left(context)
        work = endpoint.ask(asked, timeout_s)
        if choice is not None:
            work = choice.watch(work, lambda other: other.ask(asked, timeout_s))
        return _checked(await work)


def _checked(reply: RawReply) -> RawReply:
    """Pass a reply on, unless it is an error in the form that TorchServe's REST clients get.

    A status that the handler set beside a body of its own has no place in gRPC, there as here.
    """
    if reply.status < 400:
        return reply
    try:
        error = msgspec.json.decode(reply.body, type=ErrorBody)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return reply
    raise RefusedByHandler(error.message, error.code)


def _is_true(value: bytes) -> bool:
    return value.lower() == b"true"
