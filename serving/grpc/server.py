"""GrpcServers: the two listeners of gRPC, started and stopped with the server."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import grpc
from grpc import aio

from serving.audit.log import AuditLog
from serving.engine import Engine
from serving.errors import ServingError
from serving.grpc import health, inference, management, open_inference
from serving.grpc.calls import MethodHandler, Service
from serving.grpc.following import Follower
from serving.grpc.noted import Note, note_calls
from serving.grpc.status import ReferenceService
from serving.grpc.witness import Witness
from serving.management import Management
from serving.open_inference.repository import ModelRepository
from serving.open_inference.service import OpenInference
from serving.protocol.proto.generated.torchserve_inference_pb2 import Nothing
from serving.settings import ServerSettings
from serving.tokens import TokenKind, Tokens

__all__ = ("CannotListenForGrpc", "Certificate", "GrpcServers", "Parts")

_Handlers = dict[str, MethodHandler]

_OVERHEAD = 64 * 1024
"""What a message may have beside its tensors: names, shapes, parameters, bytes."""

_PING_LEAST_MS = 10_000
"""How often a client may ask whether the connection still stands."""

_STILL_THERE_MS = (60_000, 20_000)
"""How long a client is silent before it is asked whether it is still there; and for its answer."""

_CALLS_OF_A_CONNECTION = 1000
"""Calls that one connection may have under way; more wait at the client."""


class CannotListenForGrpc(ServingError):
    """A port for gRPC is taken, or the address is not this machine's."""

    code = "cannot_listen"


@dataclass(frozen=True, slots=True)
class Certificate:
    """What the server shows of itself.

    Attributes:
        private_key: PEM.
        chain: PEM, the server's own first.
    """

    private_key: bytes
    chain: bytes


@dataclass(frozen=True, slots=True)
class Parts:
    """What the services stand on.

    Attributes:
        engine: runs models.
        open_inference: the protocol's verbs.
        repository: its loading and unloading.
        management: TorchServe's management.
        tokens: who may ask.
        audit: takes note of who changes what.
        note: told of each call that has ended.
        follower: follows who asks a model.
    """

    engine: Engine
    open_inference: OpenInference
    repository: ModelRepository
    management: Management
    tokens: Tokens
    audit: AuditLog
    note: Note
    follower: Follower


class GrpcServers:
    """The listeners for inference and for management.

    Args:
        settings: where they listen, how large messages may be, how long connections live.
        parts: what the services stand on.
        certificate: None: they talk in the clear.
    """

    def __init__(
        self, settings: ServerSettings, parts: Parts, certificate: Certificate | None = None
    ) -> None:
        self._settings = settings
        self._parts = parts
        self._certificate = certificate
        self._servers: list[aio.Server] = []
        self.inference_port = 0
        self.management_port = 0

    async def start(self) -> None:
        """Listen.

        Raises:
            CannotListenForGrpc: when a port cannot be had; nothing is left open.
        """
        settings = self._settings
        addresses = (
            (settings.grpc_inference_address, settings.grpc_inference_port),
            (settings.grpc_management_address, settings.grpc_management_port),
        )
        tables = (self._inference_table(), self._management_table())
        ports = []
        try:
            for kind, (host, port), table in zip(
                ("inference", "management"), addresses, tables, strict=True
            ):
                server = aio.server(options=_options(settings, kind))
                self._servers.append(server)
                for name, handlers in table.items():
                    noted = note_calls(name, handlers, self._parts.note, self._parts.follower)
                    server.add_generic_rpc_handlers(
                        (grpc.method_handlers_generic_handler(name, noted),)
                    )
                ports.append(self._bind(server, host or settings.host, port))
                await server.start()
        except BaseException:
            await self.stop(0)
            raise
        self.inference_port, self.management_port = ports

    async def stop(self, grace_s: float) -> None:
        """Take no new calls; give those under way `grace_s` seconds, then end them."""
        servers, self._servers = self._servers, []
        await asyncio.gather(*(server.stop(grace_s) for server in servers))

    def _bind(self, server: aio.Server, host: str, port: int) -> int:
        address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        try:
            if self._certificate is None:
                bound = server.add_insecure_port(address)
            else:
                pair = (self._certificate.private_key, self._certificate.chain)
                bound = server.add_secure_port(address, grpc.ssl_server_credentials([pair]))
        except RuntimeError:
            bound = 0
        if bound == 0:
            msg = (
                f"cannot listen for gRPC on {address}: the port is taken, or the address not this "
                "machine's; set another, or enable_grpc = false"
            )
            raise CannotListenForGrpc(msg)
        return bound

    def _inference_table(self) -> dict[str, _Handlers]:
        parts, is_reference = self._parts, self._settings.compat == "torchserve"
        torchserve = inference.InferenceService(parts.engine, self._settings)
        openly = Service(_everybody)
        as_reference = Service(
            self._token("inference"), reference="inference" if is_reference else ""
        )
        own = Service(self._token("inference"))
        changing = Service(self._token("inference"), witness=self._witness)
        protocol = open_inference.OpenInferenceService(parts.open_inference, parts.repository)
        ping = {"Ping": (as_reference if is_reference else openly).unary(torchserve.ping, Nothing)}
        return {
            inference.NAME: {**torchserve.handlers(as_reference), **ping},
            **{name: protocol.handlers(name, own, changing) for name in open_inference.NAMES},
            health.NAME: health.handlers(openly, parts.open_inference),
        }

    def _management_table(self) -> dict[str, _Handlers]:
        is_reference = self._settings.compat == "torchserve"
        reference: ReferenceService = "management" if is_reference else ""
        service = Service(self._token("management"), reference, self._witness)
        handlers = management.ManagementService(self._parts.management).handlers(service)
        return {management.NAME: handlers}

    def _token(self, kind: TokenKind) -> Callable[[str | None], None]:
        return lambda shown: self._parts.tokens.check(kind, shown)

    @property
    def _witness(self) -> Witness:
        return Witness(self._parts.tokens, self._parts.audit)


def _everybody(_: str | None) -> None:
    """Let all in."""


def _options(settings: ServerSettings, kind: str) -> list[tuple[str, int]]:
    age = getattr(settings, f"grpc_{kind}_max_connection_age_ms")
    grace = getattr(settings, f"grpc_{kind}_max_connection_age_grace_ms")
    options = [
        ("grpc.max_receive_message_length", settings.max_request_bytes + _OVERHEAD),
        ("grpc.max_send_message_length", settings.max_response_bytes + _OVERHEAD),
        ("grpc.max_concurrent_streams", _CALLS_OF_A_CONNECTION),
        ("grpc.http2.min_ping_interval_without_data_ms", _PING_LEAST_MS),
        ("grpc.keepalive_time_ms", _STILL_THERE_MS[0]),
        ("grpc.keepalive_timeout_ms", _STILL_THERE_MS[1]),
        # Two servers that share a port would each get half of the calls, unnoticed.
        ("grpc.so_reuseport", 0),
    ]
    if age is not None:
        options.append(("grpc.max_connection_age_ms", age))
    if grace is not None:
        options.append(("grpc.max_connection_age_grace_ms", grace))
    return options
