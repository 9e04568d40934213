"""TorchServe's inference API: predictions, explanations, KServe v1, and the older addresses.

The usual verbs all ask for a prediction, as any does in the reference; OPTIONS asks for the model's
description.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import NamedTuple

from msgspec import structs

from serving.engine import Engine
from serving.errors import (
    BadInput,
    InferenceFailed,
    ModelNotFound,
    ServerUnavailable,
    ServingError,
)
from serving.http.description import describe_model
from serving.http.replies import json_reply, status_reply
from serving.http.request import HttpRequest
from serving.http.routing import ASKING, check_method
from serving.http.targets import Target, find_target, in_sequence, raw_request
from serving.observe.lineage import VERSION_HEADER
from serving.protocol.exchange import RawReply, RawRequest
from serving.registry.endpoint import Endpoint
from serving.registry.routing import Choice, headers_of
from serving.settings import ServerSettings
from serving.workers.messages import Outcome

__all__ = ("InferenceRoutes", "Prediction", "v1_ready")

_NO_WORKER = (
    "has no worker to serve inference request. Please use scale workers API to add workers. If "
    "this is a sequence inference, please check if it is closed, or expired; or exceeds "
    "maxSequenceJobQueueSize"
)
_EXTENDED = frozenset({"inference-header-content-length", "content-encoding"})
"""Headers of bodies that are more than JSON, which TorchServe's handlers do not read."""


class InferenceRoutes:
    """TorchServe's inference API.

    Args:
        engine: what is served.
        settings: how it is answered.
        startup_models: names of the models that are served since the server's start.
    """

    def __init__(
        self, engine: Engine, settings: ServerSettings, startup_models: Callable[[], set[str]]
    ) -> None:
        self._engine = engine
        self._settings = settings
        self._startup_models = startup_models
        self._is_reference = settings.compat == "torchserve"

    def find(self, request: HttpRequest) -> Callable[[], Awaitable[RawReply]] | None:
        """Find what answers a request; None when its address is none of these.

        Raises:
            NoRoute: when it begins as one of these addresses and goes on as none.
        """
        if request.segments == ("ping",):
            if not self._is_reference:
                check_method(request, "GET")
            return self.ping
        match request.segments:
            case ("v1", "models", name) if ":" not in name and not self._is_reference:
                return lambda: v1_ready(self._engine, request, name)
        target = find_target(request.segments)
        if target is None or not self._is_here(request, target):
            return None
        if not self._is_reference:
            check_method(request, *ASKING, "OPTIONS")
        return Prediction(self, request, target)

    async def ping(self) -> RawReply:
        """Say whether every model can be asked; the reference says so before it is loaded."""
        is_well = self._engine.is_ready or (self._is_reference and self._engine.is_hopeful)
        return status_reply("Healthy") if is_well else status_reply("Unhealthy", 500)

    async def predict(self, request: HttpRequest, target: Target) -> RawReply:
        """Let a model answer.

        Raises:
            ServingError: why there is no answer.
        """
        return await self.answer(request, self.prepare(request, target))

    async def answer(self, request: HttpRequest, asked: "Asked") -> RawReply:
        """Let the model answer that was chosen.

        Raises:
            ServingError: why there is no answer.
        """
        raw, endpoint = asked.raw, asked.endpoint
        if request.method == "OPTIONS":
            return json_reply(describe_model(endpoint.manifest))
        timeout_s, priority = request.timeout_s, request.priority
        work = endpoint.ask(raw, timeout_s, priority)
        if asked.choice is not None:
            work = asked.choice.watch(work, lambda other: other.ask(raw, timeout_s, priority))
        try:
            outcome: Outcome = await work
        except ServingError as error:
            outcome = error
        return self.reply_of(outcome, asked)

    def prepare(self, request: HttpRequest, target: Target) -> "Asked":
        """Read a request, and find whom it is for.

        Raises:
            ServingError: when it cannot be read, or is for nobody.
        """
        raw = raw_request(request, target, self._settings.sequence_headers)
        target = self._with_model(target, raw)
        endpoint, choice = self._engine.registry.choose(target.model or "", target.version, request)
        if choice is not None:
            request.told = ((VERSION_HEADER, endpoint.manifest.version), *choice.headers)
        if endpoint.config.sequence_batching:
            raw = in_sequence(raw, self._settings.sequence_headers)
        return Asked(raw, target, endpoint, choice)

    def reply_of(self, outcome: Outcome, asked: "Asked") -> RawReply:
        """Tell what came of a request, and by which version.

        Raises:
            ServingError: when that is no reply.
        """
        if isinstance(outcome, ServerUnavailable):
            raise self._unavailable(outcome, asked.target) from outcome
        if isinstance(outcome, ServingError):
            raise outcome
        if not isinstance(outcome, RawReply):
            raise InferenceFailed("the model gave tensors instead of a reply")
        if self._is_reference:
            return outcome
        told = ((VERSION_HEADER, asked.endpoint.manifest.version), *headers_of(asked.choice))
        return structs.replace(outcome, headers=(*outcome.headers, *told))

    def _is_here(self, request: HttpRequest, target: Target) -> bool:
        """Whether this is TorchServe's form of an address that the Open Inference Protocol has."""
        if request.segments[0] != "v2" or target.verb == "explain":
            return True
        if self._settings.service_envelope == "kservev2" and not self._is_reference:
            return False
        if request.headers.keys() & _EXTENDED:
            return False
        try:
            return self._engine.registry.find(target.model or "", target.version).is_raw
        except ModelNotFound:
            return False

    def _with_model(self, target: Target, raw: RawRequest) -> Target:
        """Name the model where the address does not: the field `model_name`, or the only one."""
        if target.model:
            return target
        named = raw.fields.get("model_name", b"").decode("utf-8", "replace")
        only = self._startup_models()
        name = named or (next(iter(only)) if len(only) == 1 else "")
        if not name:
            raise BadInput("Parameter model_name is required.")
        return replace(target, model=name)

    def _unavailable(self, error: ServerUnavailable, target: Target) -> ServingError:
        """In the reference a full queue and a missing worker have one message."""
        if not self._is_reference:
            return error
        version = f'" Version {target.version}' if target.version else ""
        return ServerUnavailable(f'Model "{target.model}{version}" {_NO_WORKER}')


class Asked(NamedTuple):
    """A request, and whom it is for.

    Attributes:
        raw: as its handler gets it.
        target: what its address asks for.
        endpoint: the version that answers.
        choice: how a release chose that; None: none did.
    """

    raw: RawRequest
    target: Target
    endpoint: Endpoint
    choice: Choice | None


class Prediction:
    """A prediction that was asked for: awaited, or where that can be spared, posted.

    Args:
        routes: by which it was asked for.
        request: what was sent.
        target: what is asked.
    """

    def __init__(self, routes: InferenceRoutes, request: HttpRequest, target: Target) -> None:
        self._routes = routes
        self._request = request
        self._target = target
        self._asked: Asked | None = None

    async def __call__(self) -> RawReply:
        """Let the model answer.

        Raises:
            ServingError: why there is no answer.
        """
        if self._asked is None:
            return await self._routes.predict(self._request, self._target)
        return await self._routes.answer(self._request, self._asked)

    def post(self, on_reply: Callable[[RawReply | Exception], None]) -> Callable[[], None] | None:
        """Let the model answer, without a task.

        Args:
            on_reply: called once, later, with the reply or the reason why there is none.

        Returns:
            What gives it up; None: this one must be awaited.

        Raises:
            ServingError: why it was not taken.
        """
        request, routes = self._request, self._routes
        if request.method == "OPTIONS":
            return None
        # Once for both ways: a version that can only be awaited must not be chosen again.
        self._asked = asked = routes.prepare(request, self._target)
        raw, endpoint, choice = asked.raw, asked.endpoint, asked.choice

        def tell(outcome: Outcome) -> None:
            told: RawReply | Exception
            try:
                told = routes.reply_of(outcome, asked)
            except ServingError as error:
                told = error
            on_reply(told)

        timeout_s, priority = request.timeout_s, request.priority
        try:
            if choice is not None:
                return choice.post(endpoint, raw, tell, timeout_s, priority)
            posted = endpoint.post(raw, tell, timeout_s, priority)
        except ServingError as error:
            routes.reply_of(error, asked)
            raise
        return posted.cancel if posted is not None else None


async def v1_ready(engine: Engine, request: HttpRequest, name: str) -> RawReply:
    """Say whether a model can be asked, as KServe's v1 protocol does.

    Raises:
        ModelNotFound: when there is no such model.
        WrongMethod: when the verb is not GET.
    """
    check_method(request, "GET")
    return json_reply({"name": name, "ready": engine.registry.find(name).is_ready})
