"""Workflows: what is served of them, by name."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from serving.admission import Admission, RegisterRequest
from serving.archive.fetched import Fetched
from serving.archive.fetched import discard as discard_fetched
from serving.audit.log import AuditLog
from serving.engine import Engine
from serving.errors import Conflict, ServingError, WorkersNotStarted, WorkflowNotFound
from serving.protocol.exchange import RawReply, RawRequest
from serving.protocol.workflows import WorkflowDescription, WorkflowItem, WorkflowList
from serving.settings import ServerSettings
from serving.workflow.spec import NodeSpec
from serving.workflow.walk import walk
from serving.workflow.war import StoredWorkflow, node_name, open_workflow

__all__ = ("Workflows",)


@dataclass(slots=True, eq=False)
class _Served:
    """One workflow, where its archive is, and its nodes' models."""

    stored: StoredWorkflow
    fetched: Fetched
    models: list[str] = field(default_factory=list)


class Workflows:
    """The workflows that are served; their nodes are models of the engine like any other.

    Args:
        engine: serves the nodes.
        settings: where archives are, and what may be fetched.
        audit: takes note of each change.
    """

    def __init__(self, engine: Engine, settings: ServerSettings, audit: AuditLog) -> None:
        self._engine = engine
        self._audit = audit
        self._settings = settings
        self._models = Admission(settings)
        store = settings.workflows_dir or settings.models_dir
        self._archives = Admission(msgspec.structs.replace(settings, models_dir=store))
        self._by_name: dict[str, _Served] = {}
        # Two that register one name at the same time must not both find it free.
        self._lock = asyncio.Lock()

    async def register(
        self,
        url: str | None,
        *,
        name: str = "",
        response_timeout: int | None = None,
        startup_timeout: int | None = None,
    ) -> str:
        """Serve a workflow; the name it is served by.

        Args:
            url: its archive's name in the store, or its address.
            name: "" for the archive's own.
            response_timeout: of each node, seconds; None: as configured.
            startup_timeout: likewise.

        Raises:
            Conflict: when a workflow of that name is served.
            ServingError: why it is not served; nothing of it stays.
        """
        async with self._audit.change("register_workflow", name) as change, self._lock:
            change.reason = f"asked for {url}"
            served = await self._open(url, name)
            change.model = served.stored.name
            times = (response_timeout, startup_timeout)
            try:
                await self._start(served, times)
            except BaseException:
                await self._remove(served)
                raise
            self._by_name[served.stored.name] = served
        return served.stored.name

    async def unregister(self, name: str) -> None:
        """Stop serving a workflow; what it was asked is answered.

        Raises:
            WorkflowNotFound: when there is no such workflow.
        """
        async with self._audit.change("unregister_workflow", name), self._lock:
            served = self._find(name)
            del self._by_name[name]
            await self._remove(served)

    async def predict(self, name: str, request: RawRequest) -> RawReply:
        """Run a workflow on one request.

        Raises:
            WorkflowNotFound: when there is no such workflow.
            ServingError: why there is no answer.
        """
        stored = self._find(name).stored

        async def ask(node: str, request: RawRequest, timeout_s: float) -> RawReply:
            return await self._engine.ask(node_name(name, node), request, timeout_s=timeout_s)

        return await walk(stored.spec, request, ask)

    def describe(self, name: str) -> WorkflowDescription:
        """Say how a workflow is served.

        Raises:
            WorkflowNotFound: when there is no such workflow.
        """
        stored = self._find(name).stored
        defaults = stored.spec.defaults
        return WorkflowDescription(
            workflow_name=name,
            workflow_url=stored.url,
            min_workers=defaults.min_workers,
            max_workers=defaults.max_workers,
            batch_size=defaults.batch_size,
            max_batch_delay=defaults.max_batch_delay,
            workflow_dag=_dag(stored.spec.edges),
        )

    def page(self, limit: int, start: int) -> WorkflowList:
        """List the workflows by name, `limit` of them from index `start` on."""
        items = [
            WorkflowItem(workflow_name=name, workflow_url=self._by_name[name].stored.url)
            for name in sorted(self._by_name)
        ]
        end = start + limit
        return WorkflowList(
            workflows=tuple(items[start:end]),
            next_page_token=str(end) if end < len(items) else None,
        )

    def _find(self, name: str) -> _Served:
        if name not in self._by_name:
            msg = f"Workflow not found: {name}"
            raise WorkflowNotFound(msg)
        return self._by_name[name]

    async def _open(self, url: str | None, name: str) -> _Served:
        fetched = await self._archives.find(RegisterRequest(url=url))
        try:
            stored = await asyncio.to_thread(
                open_workflow, fetched.path, self._archives.work_dir, url or "", name
            )
        except BaseException:
            discard_fetched(fetched)
            raise
        if stored.name in self._by_name:
            stored.discard()
            discard_fetched(fetched)
            msg = f"Workflow {stored.name} is already registered."
            raise Conflict(msg)
        return _Served(stored, fetched)

    async def _start(self, served: _Served, times: tuple[int | None, int | None]) -> None:
        """Serve all nodes at the same time.

        Raises:
            WorkersNotStarted: which of them could not be, and why.
        """
        spec = served.stored.spec
        starts = (self._start_node(served, node, spec.nodes[node], times) for node in spec.nodes)
        results = await asyncio.gather(*starts, return_exceptions=True)
        failures: list[str] = []
        for node, result in zip(spec.nodes, results, strict=True):
            if isinstance(result, ServingError):
                failures.append(f"Workflow Node {node} failed to register. Details: {result}")
            elif result is not None:
                raise result
        if failures:
            name, details = served.stored.name, ", ".join(failures)
            msg = f"Workflow {name} has failed to register. Failures: [{details}]"
            raise WorkersNotStarted(msg)

    async def _start_node(
        self, served: _Served, node: str, spec: NodeSpec, times: tuple[int | None, int | None]
    ) -> None:
        name = node_name(served.stored.name, node)
        wanted = RegisterRequest(
            url=spec.url,
            model_name=name,
            batch_size=spec.batch_size,
            max_batch_delay=spec.max_batch_delay,
            initial_workers=spec.min_workers,
            response_timeout=times[0],
            startup_timeout=times[1],
        )
        most = {"max_workers": spec.max_workers}
        if spec.url is None:
            stored = served.stored.function(node, self._models.handler_options)
            config = self._models.config(stored, wanted, over=most)
        else:
            admitted = await self._models.admit(wanted, over=most)
            stored, config = admitted.stored, admitted.config
        # Before: one that is being loaded when this is cancelled is taken out with the others.
        served.models.append(name)
        try:
            await self._engine.register(stored, config, wait=True)
        except ServingError:
            served.models.remove(name)
            raise

    async def _remove(self, served: _Served) -> None:
        names = served.models
        await asyncio.gather(*(self._engine.unregister(name) for name in names))
        discard_fetched(served.fetched)
        served.stored.discard()


def _dag(edges: dict[str, list[str]]) -> str:
    """Write a graph as TorchServe does: {a=[b, c], b=[d]}."""
    nodes: Sequence[str] = [f"{node}=[{', '.join(to)}]" for node, to in edges.items()]
    return f"{{{', '.join(nodes)}}}"
