"""The Open Inference Protocol's service, under its own name and under TorchServe's."""

import asyncio
from collections.abc import AsyncIterator
from typing import TypeVar

import msgspec
from google.protobuf.json_format import ParseDict
from google.protobuf.message import Message

from serving.errors import ModelNotFound, NotAllowed, ServingError
from serving.grpc.asker import GrpcAsker, tell_choice
from serving.grpc.calls import MethodHandler, Service, given_name, seconds_left
from serving.grpc.context import Context
from serving.grpc.status import status_of
from serving.grpc.stream import answers_in_order
from serving.grpc.tensors import message_from_response, request_from_message
from serving.open_inference.repository import ModelRepository
from serving.open_inference.service import OpenInference
from serving.open_inference.settings import log_settings, trace_settings
from serving.open_inference.shared_memory import Region
from serving.protocol.json_tensors import LONG
from serving.protocol.proto.generated import open_inference_pb2 as pb

__all__ = ("NAMES", "OpenInferenceService")

NAMES = (
    "inference.GRPCInferenceService",
    "org.pytorch.serve.grpc.openinference.GRPCInferenceService",
)
"""What the service is called: by the protocol and Triton; by TorchServe."""

_Message = TypeVar("_Message", bound=Message)


class OpenInferenceService:
    """Translates the messages of the protocol.

    Args:
        open_inference: does what they ask.
        repository: loads and unloads models.
    """

    def __init__(self, open_inference: OpenInference, repository: ModelRepository) -> None:
        self._serving = open_inference
        self._repository = repository

    def handlers(self, name: str, service: Service, changing: Service) -> dict[str, MethodHandler]:
        """Method name to what answers it, of the service of that name.

        Args:
            name: of the service.
            service: makes calls of methods.
            changing: makes calls of those that change what is served.
        """
        unary = service.unary
        is_ready = self._model_ready if name == NAMES[0] else self._model_ready_or_unknown
        return {
            "ServerLive": unary(self._server_live, pb.ServerLiveRequest),
            "ServerReady": unary(self._server_ready, pb.ServerReadyRequest),
            "ServerMetadata": unary(self._server_metadata, pb.ServerMetadataRequest),
            "ModelReady": unary(is_ready, pb.ModelReadyRequest),
            "ModelMetadata": unary(self._model_metadata, pb.ModelMetadataRequest),
            "ModelConfig": unary(self._model_config, pb.ModelConfigRequest),
            "ModelStatistics": unary(self._model_statistics, pb.ModelStatisticsRequest),
            "ModelInfer": unary(self._infer, pb.ModelInferRequest),
            "ModelStreamInfer": service.duplex(self._stream_infer, pb.ModelInferRequest),
            "RepositoryIndex": unary(self._index, pb.RepositoryIndexRequest),
            "RepositoryModelLoad": changing.unary(self._load, pb.RepositoryModelLoadRequest),
            "RepositoryModelUnload": changing.unary(self._unload, pb.RepositoryModelUnloadRequest),
            "SystemSharedMemoryStatus": unary(
                self._memory_status, pb.SystemSharedMemoryStatusRequest
            ),
            "SystemSharedMemoryRegister": unary(
                self._memory_register, pb.SystemSharedMemoryRegisterRequest
            ),
            "SystemSharedMemoryUnregister": unary(
                self._memory_unregister, pb.SystemSharedMemoryUnregisterRequest
            ),
            "CudaSharedMemoryStatus": unary(self._cuda_status, pb.CudaSharedMemoryStatusRequest),
            "CudaSharedMemoryRegister": unary(
                self._cuda_register, pb.CudaSharedMemoryRegisterRequest
            ),
            "CudaSharedMemoryUnregister": unary(
                self._cuda_unregister, pb.CudaSharedMemoryUnregisterRequest
            ),
            "TraceSetting": unary(self._trace, pb.TraceSettingRequest),
            "LogSettings": unary(self._log, pb.LogSettingsRequest),
        }

    async def _server_live(self, _: Message, __: Context) -> Message:
        return pb.ServerLiveResponse(live=True)

    async def _server_ready(self, _: Message, __: Context) -> Message:
        return pb.ServerReadyResponse(ready=self._serving.is_ready())

    async def _server_metadata(self, _: Message, __: Context) -> Message:
        return _filled(pb.ServerMetadataResponse(), self._serving.server_metadata())

    async def _model_ready(self, request: pb.ModelReadyRequest, context: Context) -> Message:
        """As Triton: what is unknown is not ready."""
        try:
            return await self._model_ready_or_unknown(request, context)
        except ModelNotFound:
            return pb.ModelReadyResponse(ready=False)

    async def _model_ready_or_unknown(self, request: pb.ModelReadyRequest, _: Context) -> Message:
        """As TorchServe: what is unknown is an error."""
        endpoint = self._serving.endpoint(given_name(request.name), request.version)
        return pb.ModelReadyResponse(ready=endpoint.is_ready)

    async def _model_metadata(self, request: pb.ModelMetadataRequest, _: Context) -> Message:
        metadata = self._serving.metadata(given_name(request.name), request.version)
        return _filled(pb.ModelMetadataResponse(), metadata)

    async def _model_config(self, request: pb.ModelConfigRequest, _: Context) -> Message:
        config = self._serving.configuration(given_name(request.name), request.version)
        return _filled(pb.ModelConfigResponse(), {"config": config})

    async def _model_statistics(self, request: pb.ModelStatisticsRequest, _: Context) -> Message:
        statistics = self._serving.statistics(request.name, request.version)
        return _filled(pb.ModelStatisticsResponse(), {"model_stats": statistics})

    async def _infer(self, request: pb.ModelInferRequest, context: Context) -> Message:
        return await self._answer(request, context)

    async def _stream_infer(
        self, requests: AsyncIterator[pb.ModelInferRequest], context: Context
    ) -> AsyncIterator[Message]:
        async def answer(request: pb.ModelInferRequest) -> Message:
            try:
                response = await self._answer(request, context)
            except ServingError as error:
                # The id tells the client which of its requests failed.
                named = pb.ModelInferResponse(id=request.id)
                return pb.ModelStreamInferResponse(
                    error_message=status_of(error).message, infer_response=named
                )
            return pb.ModelStreamInferResponse(infer_response=response)

        async for each in answers_in_order(requests, answer):
            yield each

    async def _answer(
        self, message: pb.ModelInferRequest, context: Context
    ) -> pb.ModelInferResponse:
        """Run a model; long lists of numbers are read and written beside the event loop."""
        name = given_name(message.model_name)
        chosen = self._serving.choose(name, message.model_version, GrpcAsker(context))
        tell_choice(context, *chosen)
        regions = self._serving.regions
        if message.raw_input_contents or message.ByteSize() <= LONG:
            request = request_from_message(message, regions)
        else:
            request = await asyncio.to_thread(request_from_message, message, regions)
        response = await self._serving.infer(chosen, request, seconds_left(context))
        if request.wants_binary or all(a.size <= LONG for a in response.outputs.values()):
            return message_from_response(response, request, regions)
        return await asyncio.to_thread(message_from_response, response, request, regions)

    async def _index(self, request: pb.RepositoryIndexRequest, _: Context) -> Message:
        models = await self._repository.index(ready=request.ready)
        return _filled(pb.RepositoryIndexResponse(), {"models": models})

    async def _load(self, request: pb.RepositoryModelLoadRequest, _: Context) -> Message:
        await self._repository.load(
            given_name(request.model_name), parameters=dict(request.parameters)
        )
        return pb.RepositoryModelLoadResponse()

    async def _unload(self, request: pb.RepositoryModelUnloadRequest, _: Context) -> Message:
        await self._repository.unload(given_name(request.model_name))
        return pb.RepositoryModelUnloadResponse()

    async def _memory_status(
        self, request: pb.SystemSharedMemoryStatusRequest, _: Context
    ) -> Message:
        memory = self._serving.shared_memory
        regions = memory.regions(request.name) if memory else ()
        return _filled(
            pb.SystemSharedMemoryStatusResponse(),
            {"regions": {each.name: each for each in regions}},
        )

    async def _memory_register(
        self, request: pb.SystemSharedMemoryRegisterRequest, _: Context
    ) -> Message:
        region = Region(
            name=request.name, key=request.key, offset=request.offset, byte_size=request.byte_size
        )
        self._serving.shared_memory_or_refuse().register(region)
        return pb.SystemSharedMemoryRegisterResponse()

    async def _memory_unregister(
        self, request: pb.SystemSharedMemoryUnregisterRequest, _: Context
    ) -> Message:
        if self._serving.shared_memory:
            self._serving.shared_memory.unregister(request.name)
        return pb.SystemSharedMemoryUnregisterResponse()

    async def _cuda_status(self, _: Message, __: Context) -> Message:
        return pb.CudaSharedMemoryStatusResponse()

    async def _cuda_register(self, _: Message, __: Context) -> Message:
        msg = "memory of a GPU is not taken here: send the data, or put it into system memory"
        raise NotAllowed(msg)

    async def _cuda_unregister(self, _: Message, __: Context) -> Message:
        return pb.CudaSharedMemoryUnregisterResponse()

    async def _trace(self, request: pb.TraceSettingRequest, _: Context) -> Message:
        settings = trace_settings(dict(request.settings))
        return _filled(
            pb.TraceSettingResponse(),
            {"settings": {name: {"value": value} for name, value in settings.items()}},
        )

    async def _log(self, request: pb.LogSettingsRequest, _: Context) -> Message:
        answer = pb.LogSettingsResponse()
        for name, value in log_settings(dict(request.settings)).items():
            kinds = {bool: "bool_param", int: "uint32_param", str: "string_param"}
            setattr(answer.settings[name], kinds[type(value)], value)
        return answer


def _filled(message: _Message, value: object) -> _Message:
    """Copy a struct into the message that has its fields; those that it has not are left out."""
    return ParseDict(msgspec.to_builtins(value), message, ignore_unknown_fields=True)
