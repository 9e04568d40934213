"""Services: the parts of one server, made and put together from its settings."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serving.archive.manifest import Manifest
from serving.audit.actor import Actor, acting_as
from serving.audit.log import AuditLog, Change
from serving.engine import Engine
from serving.errors import ServingError
from serving.http.api import Api, Watch
from serving.http.audit import AuditRoutes
from serving.http.call import Call
from serving.http.description import ApiKind
from serving.http.directory import Directory, Route
from serving.http.gate import Gate
from serving.http.inference import InferenceRoutes
from serving.http.management import ManagementRoutes
from serving.http.metrics import MetricsRoutes
from serving.http.releases import ReleaseRoutes
from serving.http.replies import Replies
from serving.http.v2 import V2Routes
from serving.http.workflows import WorkflowRoutes
from serving.management import Management
from serving.observe.changes import AuditMetrics, WatchMetrics
from serving.observe.custom import TorchServeMetrics
from serving.observe.metrics import ServerMetrics
from serving.observe.tracing import TraceOptions, make_tracer
from serving.open_inference.repository import ModelRepository
from serving.open_inference.service import OpenInference
from serving.releases.metrics import ReleaseMetrics
from serving.releases.record import ReleaseRecord
from serving.releases.releases import Releases
from serving.settings import ServerSettings
from serving.snapshots import Snapshots
from serving.startup import load_archives, restore
from serving.tokens import Tokens
from serving.watch.repository import WatchedRepository
from serving.workflow.ensembles import load_ensembles
from serving.workflow.workflows import Workflows

if TYPE_CHECKING:
    from serving.grpc.noted import Ended
    from serving.grpc.server import GrpcServers

__all__ = ("ACCESS_LOG", "Services")

ACCESS_LOG = "serving.access"

_START = Actor("start")

_LAST_TRACES_S = 1.0
"""How long the sending of the last traces may take, seconds."""

_access_log = logging.getLogger(ACCESS_LOG)


class Services:
    """The parts of one server.

    Args:
        settings: what, where and how.

    Raises:
        InvalidSettings: when a file that they name is not what it should be.
    """

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self.tracer = make_tracer(
            TraceOptions(
                service="serving", endpoint=settings.trace_endpoint, share=settings.trace_share
            )
        )
        self.metrics = ServerMetrics()
        self.reference_metrics = TorchServeMetrics(settings)
        self.metrics.listeners.append(self.reference_metrics)
        self.audit = AuditLog(settings.audit)
        self.metrics.add(AuditMetrics(self.audit))
        self.engine = Engine(settings, self.metrics)
        self.engine.on_failure = self._note_late_failure
        self.reference_metrics.default_version_of = self.engine.registry.default_version
        self.releases = Releases(self.engine, settings, ReleaseRecord(self.audit))
        self.metrics.add(ReleaseMetrics(self.releases))
        self.tokens = Tokens(settings)
        self.snapshots = Snapshots(settings, self.engine)
        self.engine.on_change = self.snapshots.save
        self.management = Management(self.engine, settings, self.audit, self.snapshots.save)
        self.watched = self._make_watched()
        self._open_inference = OpenInference(self.engine, settings)
        self._repository = ModelRepository(self.engine, settings, self.audit)
        workflows = Workflows(self.engine, settings, self.audit)
        self._workflow_routes = WorkflowRoutes(workflows, settings)
        self._replies = Replies(settings)
        self._management_routes = ManagementRoutes(
            self.management,
            self.engine,
            self.tokens,
            self.audit,
            is_reference=settings.compat == "torchserve",
        )

    def _make_watched(self) -> WatchedRepository | None:
        if not self._settings.watch.enabled:
            return None
        watched = WatchedRepository(
            self._settings, self.engine, self.releases, self.audit, self.snapshots.save
        )
        self.engine.is_withheld = watched.is_withheld
        watched.give_way(self.management.is_arriving)
        self.metrics.add(WatchMetrics(watched.counts))
        return watched

    @property
    def max_request_bytes(self) -> int:
        """Longest body that is read."""
        return self._settings.max_request_bytes

    async def load(self) -> None:
        """Load what is served from the beginning; the server is ready when this returns.

        Raises:
            ServingError: when something cannot be served.
        """
        self.audit.start()
        self.releases.restore()
        with acting_as(_START):
            try:
                if self.watched is not None:
                    await self.watched.prepare()
                await self.engine.start(self._load_archives)
            except ServingError as error:
                self.audit.note("start", Change(reason=error.message), error.code)
                raise
            self.audit.note("start", Change(after=self.served()))
        self.management.catalogue.note_startup()

    def send_traces(self) -> None:
        """Send what is not sent yet, within a second; the server stops."""
        if self.tracer is not None:
            self.tracer.close(_LAST_TRACES_S)

    def served(self) -> dict[str, Any]:
        """What is served, for people: by model, its versions, their workers, and the default."""
        registry = self.engine.registry
        return {"models": {name: registry.state_of(name) for name in registry.names}}

    def api(self, kinds: Sequence[ApiKind]) -> Api:
        """Make what a listener offers."""
        routes = [(kind, route) for kind in kinds for route in self._routes(kind)]
        renew_key = self._management_routes.renew_key
        gate = Gate(self.tokens, self.audit)
        directory = Directory(routes, gate, self._replies, renew_key)
        return Api(directory, gate, self._replies, Watch(self.note, self.tracer))

    def note(self, call: Call, status: int, seconds: float, request_id: str) -> None:
        """Count an answer of HTTP, and write it down where there is a file for that."""
        self.reference_metrics.answered(status)
        if _access_log.isEnabledFor(logging.INFO):
            client = call.peers.client
            who = f"{client[0]}:{client[1]}" if client else "-"
            head = call.head
            target = f"{head.raw_path}?{head.query}" if head.query else head.raw_path
            line = f"{head.method} {target} HTTP/1.{int(head.is_modern)}"
            told = {"request_id": request_id}
            _access_log.info('%s "%s" %d %d', who, line, status, round(seconds * 1000), extra=told)

    def note_grpc(self, call: "Ended") -> None:
        """Count a call of gRPC, which the reference does not, and write it down."""
        if self._settings.compat != "torchserve":
            self.reference_metrics.answered(call.http_status)
        if _access_log.isEnabledFor(logging.INFO):
            line = f"gRPC {call.method} HTTP/2.0"
            code, _ = call.code.value
            _access_log.info('%s "%s" %d %d', call.client, line, code, round(call.seconds * 1000))

    def grpc(self) -> "GrpcServers":
        """Make the listeners of gRPC, whose libraries only a server that has them loads."""
        from serving.grpc.following import Follower
        from serving.grpc.server import Certificate, GrpcServers, Parts

        parts = Parts(
            engine=self.engine,
            open_inference=self._open_inference,
            repository=self._repository,
            management=self.management,
            tokens=self.tokens,
            audit=self.audit,
            note=self.note_grpc,
            follower=Follower(self.tracer),
        )
        certificate = None
        if self._settings.enable_grpc_ssl:
            from serving.http.tls import pem_pair

            certificate = Certificate(*pem_pair(self._settings))
        return GrpcServers(self._settings, parts, certificate)

    def _note_late_failure(self, manifest: Manifest, error: ServingError) -> None:
        """Take note of a registration that nobody waited for, and that has failed since."""
        change = Change(manifest.name, manifest.version, reason=error.message)
        self.audit.note("register", change, error.code)

    async def _load_archives(self) -> None:
        snapshot = self._settings.properties.get("model_snapshot")
        if snapshot:
            await restore(self.management, self._settings, snapshot)
        else:
            await load_archives(self.management, self._settings, self.engine.is_withheld)
        if self._settings.load_models.lower() == "all":
            await load_ensembles(self.engine, Path(self._settings.models_dir))
        if self.watched is not None:
            await self.watched.take_up()
        await self.releases.start()

    def _routes(self, kind: ApiKind) -> Sequence[Route]:
        settings, engine = self._settings, self.engine
        releases = ReleaseRoutes(
            self.releases, self.audit, is_reference=settings.compat == "torchserve"
        )
        if kind == "inference":
            inference = InferenceRoutes(
                engine, settings, lambda: self.management.catalogue.startup_models
            )
            v2 = V2Routes(self._open_inference, self._repository, settings.max_request_bytes)
            return (inference.find, self._workflow_routes.predict, v2.find, releases.hear)
        if kind == "management":
            audit = AuditRoutes(self.audit, is_reference=settings.compat == "torchserve")
            return (
                self._management_routes.find,
                self._workflow_routes.manage,
                audit.find,
                releases.manage,
            )
        return (MetricsRoutes(self.metrics, self.reference_metrics).find,)
