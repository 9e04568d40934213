"""TorchServe's management service: the same as over REST, in other words."""

from collections.abc import Iterator
from contextlib import contextmanager

from google.protobuf.message import Message

from serving.admission import RegisterRequest
from serving.errors import NotAllowed
from serving.grpc.calls import MethodHandler, Service, given_name
from serving.grpc.context import Context
from serving.management import Management
from serving.orders import Status
from serving.protocol.proto.generated import torchserve_management_pb2 as pb
from serving.protocol.torchserve import encode_pretty

__all__ = ("NAME", "ManagementService")

NAME = "org.pytorch.serve.grpc.management.ManagementAPIsService"
"""What the service is called."""

_USUAL_LIMIT = 100


class ManagementService:
    """Translates the messages of TorchServe's management service.

    A number that is 0 and a text that is empty were not given: the wire cannot tell them apart.

    Args:
        management: does what they ask.
    """

    def __init__(self, management: Management) -> None:
        self._management = management

    def handlers(self, service: Service) -> dict[str, MethodHandler]:
        """Method name to what answers it."""
        unary = service.unary
        return {
            "DescribeModel": unary(self._describe, pb.DescribeModelRequest),
            "ListModels": unary(self._list, pb.ListModelsRequest),
            "RegisterModel": unary(self._register, pb.RegisterModelRequest),
            "ScaleWorker": unary(self._scale, pb.ScaleWorkerRequest),
            "SetDefault": unary(self._set_default, pb.SetDefaultRequest),
            "UnregisterModel": unary(self._unregister, pb.UnregisterModelRequest),
        }

    async def _describe(self, request: pb.DescribeModelRequest, _: Context) -> Message:
        described = await self._management.catalogue.describe(
            given_name(request.model_name),
            request.model_version or None,
            is_customized=request.customized,
        )
        return pb.ManagementResponse(msg=encode_pretty(described).decode())

    async def _list(self, request: pb.ListModelsRequest, _: Context) -> Message:
        page = self._management.catalogue.list_models(
            request.limit or _USUAL_LIMIT, request.next_page_token
        )
        return pb.ManagementResponse(msg=encode_pretty(page).decode())

    async def _register(self, request: pb.RegisterModelRequest, _: Context) -> Message:
        asked = RegisterRequest(
            url=request.url or None,
            model_name=request.model_name or None,
            runtime=request.runtime or None,
            handler=request.handler or None,
            batch_size=request.batch_size or None,
            max_batch_delay=request.max_batch_delay or None,
            initial_workers=request.initial_workers or None,
            synchronous=request.synchronous,
            response_timeout=request.response_timeout or None,
            startup_timeout=request.startup_timeout or None,
            s3_sse_kms=request.s3_sse_kms,
        )
        with _in_the_references_words():
            return _told(await self._management.register(asked))

    async def _scale(self, request: pb.ScaleWorkerRequest, _: Context) -> Message:
        # As in the reference 0 means 1, so that no worker at all can be had by REST alone.
        least = request.min_worker if request.min_worker > 0 else 1
        most = request.max_worker if request.max_worker > 0 else least
        status = await self._management.scale(
            given_name(request.model_name),
            request.model_version or None,
            (least, most),
            wait=request.synchronous,
        )
        return _told(status)

    async def _set_default(self, request: pb.SetDefaultRequest, _: Context) -> Message:
        name, version = given_name(request.model_name), request.model_version
        return _told(await self._management.set_default(name, version))

    async def _unregister(self, request: pb.UnregisterModelRequest, _: Context) -> Message:
        name, version = given_name(request.model_name), request.model_version or None
        with _in_the_references_words():
            return _told(await self._management.unregister(name, version))


@contextmanager
def _in_the_references_words() -> Iterator[None]:
    """Refuse as the reference does; REST has other words."""
    try:
        yield
    except NotAllowed as error:
        msg = "Model API disabled: the operator may set enable_model_api"
        raise NotAllowed(msg) from error


def _told(status: Status) -> Message:
    return pb.ManagementResponse(msg=status.text)
