"""OpenInference: what the protocol lets a client do, over the engine; REST and gRPC translate."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

from serving.engine import Engine
from serving.errors import InferenceFailed, NotAllowed, ServingError
from serving.open_inference.config import ModelConfiguration, configuration_of, platform_of
from serving.open_inference.raw import ask_in_json
from serving.open_inference.response import response_of
from serving.open_inference.rows import infer_rows, split_rows
from serving.open_inference.shared_memory import SharedMemory
from serving.open_inference.statistics import (
    ModelStatistics,
    RequestSums,
    statistics_of,
)
from serving.protocol.asker import Asker
from serving.protocol.exchange import RawReply
from serving.protocol.infer import NO_REGIONS, InferRequest, InferResponse, Regions
from serving.protocol.metadata import ModelMetadata, ServerMetadata, TensorMetadata, our_version
from serving.protocol.tensors import Tensors
from serving.registry.endpoint import Endpoint
from serving.registry.routing import Choice
from serving.settings import ServerSettings
from serving.workers.messages import Outcome

__all__ = ("USUAL_PRIORITY", "Chosen", "OpenInference")

_EXTENSIONS = (
    "classification",
    "model_configuration",
    "model_repository",
    "schedule_policy",
    "statistics",
)
"""In gRPC and REST alike; binary tensors are REST's alone, there listed as well."""

USUAL_PRIORITY = 5
"""Where a request that names no priority stands among those that do: 1 goes first, 9 last."""

_LEAST_PRIORITY = 9


class Chosen(NamedTuple):
    """Who answers a request.

    Attributes:
        endpoint: the version.
        choice: how a release chose it; None: none did.
    """

    endpoint: Endpoint
    choice: Choice | None


class OpenInference:
    """What the protocol lets a client do.

    Args:
        engine: does it.
        settings: what is allowed.
    """

    def __init__(self, engine: Engine, settings: ServerSettings) -> None:
        self._engine = engine
        self._settings = settings
        self._memory = SharedMemory() if settings.client_shared_memory else None
        self._of_rows: WeakKeyDictionary[Endpoint, RequestSums] = WeakKeyDictionary()

    @property
    def regions(self) -> Regions:
        """Where tensors in shared memory are read and written; refuses all where none is taken."""
        return self._memory or NO_REGIONS

    @property
    def shared_memory(self) -> SharedMemory | None:
        """The regions that clients registered; None where none is taken."""
        return self._memory

    def shared_memory_or_refuse(self) -> SharedMemory:
        """The regions that clients registered.

        Raises:
            NotAllowed: where none is taken.
        """
        if self._memory is None:
            msg = "this server takes no shared memory; its operator may set client_shared_memory"
            raise NotAllowed(msg)
        return self._memory

    def is_ready(self) -> bool:
        """Whether every model can be asked."""
        return self._engine.is_ready

    def server_metadata(self) -> ServerMetadata:
        """Who is here, and which extensions of the protocol it speaks."""
        memory = () if self._memory is None else ("system_shared_memory",)
        extensions = sorted(("binary_tensor_data", *_EXTENSIONS, *memory))
        return ServerMetadata(name="serving", version=our_version(), extensions=tuple(extensions))

    def endpoint(self, name: str, version: str | None) -> Endpoint:
        """One version of a model, or its default.

        Raises:
            ModelNotFound: when there is no such model or version.
        """
        return self._engine.registry.find(name, version or None)

    def choose(self, name: str, version: str | None, asker: Asker) -> Chosen:
        """Who answers a request: the version that is named, the default, or a release's choice.

        Raises:
            ModelNotFound: when there is no such model or version.
        """
        return Chosen(*self._engine.registry.choose(name, version or None, asker))

    def metadata(self, name: str, version: str | None) -> ModelMetadata:
        """What a model takes and gives; with a batch axis where its requests have one.

        Raises:
            ModelNotFound: when there is no such model or version.
        """
        manifest = self.endpoint(name, version).manifest
        versions = self._engine.registry.versions(name)
        axis = (-1,) if manifest.batch.axis else ()
        return ModelMetadata(
            name=manifest.name,
            versions=tuple(each.manifest.version for each in versions),
            platform=platform_of(manifest),
            inputs=_with_axis(manifest.inputs, axis),
            outputs=_with_axis(manifest.outputs, axis),
        )

    def configuration(self, name: str, version: str | None) -> ModelConfiguration:
        """How a model is served.

        Raises:
            ModelNotFound: when there is no such model or version.
        """
        endpoint = self.endpoint(name, version)
        return configuration_of(endpoint.manifest, endpoint.config, endpoint.describe())

    def statistics(self, name: str = "", version: str | None = None) -> Sequence[ModelStatistics]:
        """What a version of a model has done, or all its versions, or all models.

        Raises:
            ModelNotFound: when there is no such model or version.
        """
        registry = self._engine.registry
        if not name:
            endpoints = registry.endpoints
        elif version:
            endpoints = [registry.find(name, version)]
        else:
            endpoints = registry.versions(name)
        return [
            statistics_of(
                each.manifest.name,
                each.manifest.version,
                each.statistics(),
                self._of_rows.get(each),
            )
            for each in endpoints
        ]

    async def infer(
        self, chosen: Chosen, request: InferRequest, timeout_s: float | None = None
    ) -> InferResponse:
        """Run a model on a request's tensors.

        Args:
            chosen: one version of the model.
            request: what is asked.
            timeout_s: how long the client waits beside what the request says, seconds.

        Raises:
            ServingError: why there is no answer.
        """
        given = [each for each in (request.timeout_s, timeout_s) if each is not None]
        least_s = min(given) if given else None
        work = self._run(chosen.endpoint, request, least_s)
        if chosen.choice is None:
            outputs = await work
        else:
            outputs = await chosen.choice.watch(work, lambda e: self._run(e, request, least_s))
        return response_of(chosen.endpoint.manifest, request, outputs)

    def can_post(self, endpoint: Endpoint) -> bool:
        """Whether a model's requests are one item each, as they are posted."""
        return not endpoint.is_raw and not endpoint.manifest.batch.axis

    def post(
        self,
        chosen: Chosen,
        request: InferRequest,
        on_response: Callable[[InferResponse | ServingError], None],
    ) -> Callable[[], None] | None:
        """Run a model as `infer` does, for who has no task to wait in.

        Args:
            chosen: one version of a model, of which `can_post` says yes.
            request: what is asked.
            on_response: called once, later, with the answer or the reason why there is none.

        Returns:
            What gives it up; None: this model must be asked with `infer`.

        Raises:
            ServingError: why it was not taken.
        """
        endpoint, choice = chosen

        def tell(outcome: Outcome) -> None:
            if isinstance(outcome, RawReply):
                on_response(InferenceFailed("the model gave a reply instead of tensors"))
            elif isinstance(outcome, ServingError):
                on_response(outcome)
            else:
                on_response(_response_or_error(endpoint, request, outcome))

        priority = _engine_priority(request.priority)
        if choice is not None:
            return choice.post(endpoint, request.inputs, tell, request.timeout_s, priority)
        posted = endpoint.post(request.inputs, tell, request.timeout_s, priority)
        return None if posted is None else posted.cancel

    async def _run(
        self, endpoint: Endpoint, request: InferRequest, timeout_s: float | None
    ) -> Tensors:
        manifest = endpoint.manifest
        priority = _engine_priority(request.priority)
        if endpoint.is_raw:
            return await ask_in_json(
                endpoint, request, self._settings.sequence_headers, timeout_s=timeout_s
            )
        if not manifest.batch.axis:
            return await endpoint.infer(request.inputs, timeout_s, priority)
        return await self._run_rows(endpoint, request.inputs, timeout_s, priority)

    async def _run_rows(
        self, endpoint: Endpoint, inputs: Tensors, timeout_s: float | None, priority: int
    ) -> Tensors:
        """Run each row as an item, and count the request as one."""
        rows = split_rows(inputs, endpoint.config.queue_size)
        sums = self._of_rows.setdefault(endpoint, RequestSums())
        began, outcome = time.monotonic(), sums.failed
        try:
            outputs = await infer_rows(rows, lambda row: endpoint.infer(row, timeout_s, priority))
            outcome = sums.success
        finally:
            outcome.add(time.monotonic() - began)
        return outputs


def _response_or_error(
    endpoint: Endpoint, request: InferRequest, outputs: Tensors
) -> InferResponse | ServingError:
    try:
        return response_of(endpoint.manifest, request, outputs)
    except ServingError as error:
        return error


def _engine_priority(priority: int) -> int:
    """From the protocol's number, of which the least goes first, to the engine's."""
    return USUAL_PRIORITY - min(priority, _LEAST_PRIORITY) if priority else 0


def _with_axis(
    declared: Sequence[TensorMetadata], axis: tuple[int, ...]
) -> tuple[TensorMetadata, ...]:
    if not axis:
        return tuple(declared)
    return tuple(
        TensorMetadata(name=each.name, datatype=each.datatype, shape=(*axis, *each.shape))
        for each in declared
    )
