"""WorkflowSpec: what a workflow's YAML file says, in TorchServe's format."""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
import yaml

from serving.errors import InvalidModel
from serving.workflow.graph import Graph, graph_from_edges

__all__ = ("NodeSpec", "WorkflowSpec", "read_spec")

_MOST_NODES = 100
_MOST_BYTES = 1 << 20
_Count = Annotated[int, msgspec.Meta(ge=1, le=1024)]
_Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=86_400_000)]


class NodeSpec(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"
):
    """One node; the defaults are TorchServe's.

    Attributes:
        url: the archive of a model; None: a function of the workflow's own handler file.
        min_workers: processes that are kept, >= 1.
        max_workers: processes that may be there, >= 1.
        batch_size: most items of a batch, >= 1.
        max_batch_delay: longest wait for company, milliseconds.
        retry_attempts: how often a failed node is tried again, >= 0.
        timeout_ms: longest wait for one attempt, milliseconds, > 0.
    """

    url: str | None = None
    min_workers: _Count = 1
    max_workers: _Count = 1
    batch_size: _Count = 1
    max_batch_delay: _Milliseconds = 50
    retry_attempts: Annotated[int, msgspec.Meta(ge=0, le=100)] = 1
    timeout_ms: Annotated[int, msgspec.Meta(gt=0, le=86_400_000)] = 10_000


class WorkflowSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A workflow.

    Attributes:
        defaults: what holds for all models.
        nodes: by name, every node of the graph.
        graph: which node feeds which.
        edges: the same as it was written, for its description.
    """

    defaults: NodeSpec
    nodes: dict[str, NodeSpec]
    graph: Graph
    edges: dict[str, list[str]]


class _File(msgspec.Struct, frozen=True):
    dag: dict[str, list[str | None] | None]
    models: dict[str, Any] = {}


def read_spec(data: bytes) -> WorkflowSpec:
    """Read a workflow's specification.

    Raises:
        InvalidModel: when it is no YAML, a field is unknown or out of bounds, a model of it is in
            no place of the graph, or the graph is none.
    """
    if len(data) > _MOST_BYTES:
        msg = f"the workflow's specification has {len(data)} bytes, at most {_MOST_BYTES} are read"
        raise InvalidModel(msg)
    try:
        file = msgspec.convert(yaml.safe_load(data), _File)
        given = {key: v for key, v in file.models.items() if not isinstance(v, dict)}
        models = {key: v for key, v in file.models.items() if isinstance(v, dict)}
        defaults = msgspec.convert(given, NodeSpec)
        named = {name: msgspec.convert(given | model, NodeSpec) for name, model in models.items()}
    except (yaml.YAMLError, msgspec.ValidationError, RecursionError) as error:
        msg = f"the workflow's specification is not valid: {error}"
        raise InvalidModel(msg) from error
    edges = {
        node: [c for c in children or () if c and c.strip()] for node, children in file.dag.items()
    }
    graph = graph_from_edges(edges)
    _check_models(named, graph)
    # A function answers at once and alone; only how often and how long it is tried is shared.
    function = NodeSpec(
        max_batch_delay=0,
        retry_attempts=defaults.retry_attempts,
        timeout_ms=defaults.timeout_ms,
    )
    nodes = {name: named.get(name, function) for name in graph.order}
    return WorkflowSpec(defaults=defaults, nodes=nodes, graph=graph, edges=edges)


def _check_models(named: Mapping[str, NodeSpec], graph: Graph) -> None:
    if len(graph.order) > _MOST_NODES:
        msg = f"a workflow has at most {_MOST_NODES} nodes, this one has {len(graph.order)}"
        raise InvalidModel(msg)
    for name, node in named.items():
        if not node.url:
            msg = f"the workflow's model {name} has no url"
            raise InvalidModel(msg)
        if node.max_workers < node.min_workers:
            msg = f"the workflow's model {name} has max-workers below min-workers"
            raise InvalidModel(msg)
