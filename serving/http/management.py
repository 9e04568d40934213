"""TorchServe's management API over REST, and the renewal of keys."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from serving.admission import RegisterRequest
from serving.audit.log import AuditLog
from serving.engine import Engine
from serving.errors import BadInput
from serving.http.description import describe_model_management
from serving.http.inference import v1_ready
from serving.http.problems import NoRoute
from serving.http.replies import json_reply, status_reply, text_reply
from serving.http.request import HttpRequest
from serving.http.routing import NOT_FOUND, check_method
from serving.management import Management
from serving.observe.lineage import lineage_of
from serving.orders import Batches, Status
from serving.protocol.exchange import RawReply
from serving.tokens import TokenKind, Tokens

__all__ = ("ManagementRoutes",)

_Answer = Callable[[], Awaitable[RawReply]]

_TEXTS = ("url", "model_name", "runtime", "handler")
_NUMBERS = (
    "batch_size", "max_batch_delay", "initial_workers", "response_timeout", "startup_timeout",
)  # fmt: skip
_FLAGS = {"true": True, "false": False}


class ManagementRoutes:
    """TorchServe's management API.

    Args:
        management: what does it.
        engine: what is served.
        tokens: the keys.
        audit: tells of changes, and takes note of renewed keys.
        is_reference: whether a parameter that is no number silently means the default.
    """

    def __init__(
        self,
        management: Management,
        engine: Engine,
        tokens: Tokens,
        audit: AuditLog,
        *,
        is_reference: bool,
    ) -> None:
        self._management = management
        self._engine = engine
        self._tokens = tokens
        self._audit = audit
        self._is_reference = is_reference

    def find(self, request: HttpRequest) -> _Answer | None:
        """Find what answers a request; None when its address is none of these."""
        match request.segments:
            case ("models",):
                return lambda: self._models(request)
            case ("models", name):
                return lambda: self._model(request, name, None)
            case ("models", name, version):
                return lambda: self._model(request, name, version)
            case ("models", name, version, "set-default" | "lineage" as what):
                answer = self._set_default if what == "set-default" else self._lineage
                return lambda: answer(request, name, version)
            case ("v1", "models", name):
                return lambda: v1_ready(self._engine, request, name.partition(":")[0])
        return None

    async def renew_key(self, request: HttpRequest) -> RawReply:
        """Replace a key, for the bearer of the API key.

        Raises:
            NoRoute: when no keys are asked for.
            Unauthorized: when the API key is missing or wrong.
            BadInput: when the request names no kind of key.
        """
        if not self._tokens.can_be_renewed:
            raise NoRoute(NOT_FOUND)
        if not self._is_reference:
            check_method(request, "GET")
        kind: TokenKind
        match request.parameter("type"):
            case "inference":
                kind = "inference"
            case "management":
                kind = "management"
            case _:
                raise BadInput("type must be inference or management")
        async with self._audit.change("renew_key") as change:
            change.after = {"kind": kind}
            key = self._tokens.renew(kind, request.headers.get("authorization"))
        if self._is_reference:
            return text_reply(b"\n", "application/json")
        return json_reply(
            {"type": kind, "key": key, "expiration time": self._tokens.expiry_of(kind)}
        )

    async def _models(self, request: HttpRequest) -> RawReply:
        if request.method in {"GET", "HEAD"}:
            limit = _lenient_number(request, "limit", 100)
            start = _lenient_number(request, "next_page_token", 0)
            return json_reply(self._management.catalogue.list_models(limit, start))
        check_method(
            request, *(("GET", "POST") if self._management.may_change_models else ("GET",))
        )
        return _told(await self._management.register(self._read_registration(request)))

    async def _model(self, request: HttpRequest, name: str, version: str | None) -> RawReply:
        answers: Mapping[str, _Answer] = {
            "GET": lambda: self._describe(request, name, version),
            "HEAD": lambda: self._describe(request, name, version),
            "PUT": lambda: self._scale(request, name, version),
            "DELETE": lambda: self._unregister(name, version),
            "OPTIONS": lambda: self._options(name, version),
        }
        closed = set() if self._management.may_change_models else {"DELETE"}
        check_method(request, *(method for method in answers if method not in closed))
        return await answers[request.method]()

    async def _describe(self, request: HttpRequest, name: str, version: str | None) -> RawReply:
        is_customized = (request.parameter("customized") or "").lower() == "true"
        return json_reply(
            await self._management.catalogue.describe(name, version, is_customized=is_customized)
        )

    async def _scale(self, request: HttpRequest, name: str, version: str | None) -> RawReply:
        least, most = self._number(request, "min_worker"), self._number(request, "max_worker")
        asked = version or request.parameter("model_version")
        batches = self._batches(request)
        if any(number is not None for number in batches):
            status = await self._management.rebatch(name, asked, batches)
            if least is None and most is None:
                return _told(status)
        least = 1 if least is None else least
        workers = (least, least if most is None else most)
        wait = self._flag(request, "synchronous", default=False)
        return _told(await self._management.scale(name, asked, workers, wait=wait))

    async def _set_default(self, request: HttpRequest, name: str, version: str) -> RawReply:
        check_method(request, "PUT")
        return _told(await self._management.set_default(name, version))

    async def _lineage(self, request: HttpRequest, name: str, version: str) -> RawReply:
        """Tell what a version is made of; the reference knows no such address.

        Raises:
            NoRoute: in place of the reference.
            ModelNotFound: when it is not served.
        """
        if self._is_reference:
            raise NoRoute(NOT_FOUND)
        check_method(request, "GET")
        stored = self._engine.registry.find(name, version).stored
        return json_reply(await asyncio.to_thread(lineage_of, stored))

    async def _unregister(self, name: str, version: str | None) -> RawReply:
        return _told(await self._management.unregister(name, version))

    async def _options(self, name: str, version: str | None) -> RawReply:
        return json_reply(
            describe_model_management(self._engine.registry.find(name, version).manifest)
        )

    def _read_registration(self, request: HttpRequest) -> RegisterRequest:
        if request.mime_type == "application/json":
            try:
                return msgspec.json.decode(request.body, type=RegisterRequest)
            except msgspec.DecodeError as error:
                msg = f"the body is not what this address takes: {error}"
                raise BadInput(msg) from error
        said: dict[str, Any] = {name: request.parameter(name) for name in _TEXTS}
        said |= {name: self._number(request, name) for name in _NUMBERS}
        return RegisterRequest(
            **said,
            slo_p99_ms=None if self._is_reference else self._number(request, "slo_p99_ms"),
            synchronous=self._flag(request, "synchronous", default=True),
            s3_sse_kms=self._flag(request, "s3_sse_kms", default=False),
        )

    def _number(self, request: HttpRequest, name: str) -> int | None:
        """Read a whole number; in the reference what is none counts as not said."""
        text = request.parameter(name)
        number = _to_number(text)
        if number is None and text and not self._is_reference:
            msg = f"{name} must be a whole number, got {text!r}"
            raise BadInput(msg)
        return number

    def _batches(self, request: HttpRequest) -> Batches:
        """Read how batches shall be made, which the reference does not change."""
        if self._is_reference:
            return Batches(None, None)
        return Batches(
            self._number(request, "batch_size"),
            self._number(request, "max_batch_delay"),
            self._number(request, "slo_p99_ms"),
        )

    def _flag(self, request: HttpRequest, name: str, *, default: bool) -> bool:
        """Read true or false; in the reference all else is false."""
        text = request.parameter(name)
        if text is None:
            return default
        if text.lower() not in _FLAGS and not self._is_reference:
            msg = f"{name} must be true or false, got {text!r}"
            raise BadInput(msg)
        return _FLAGS.get(text.lower(), False)


def _told(status: Status) -> RawReply:
    return status_reply(status.text, status.code)


def _lenient_number(request: HttpRequest, name: str, default: int) -> int:
    number = _to_number(request.parameter(name))
    return default if number is None else number


def _to_number(text: str | None) -> int | None:
    """Read a number of 32 bits, as Java does."""
    try:
        number = int(text) if text and text.isascii() else None
    except ValueError:
        return None
    return number if number is not None and -(2**31) <= number < 2**31 else None
