"""Graph: which node feeds which; acyclic, with one start."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from serving.errors import InvalidModel

__all__ = ("Graph", "graph_from_edges")


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes by name; each comes after all that feed it.

    Attributes:
        order: every node, parents before children.
        parents: for each node those that feed it, in the order of their mention.
        leaves: nodes that feed no other; their results are the workflow's.
    """

    order: tuple[str, ...]
    parents: Mapping[str, tuple[str, ...]]
    leaves: tuple[str, ...]

    @property
    def start(self) -> str:
        """The node that the request goes to."""
        return self.order[0]


def graph_from_edges(edges: Mapping[str, Sequence[str]]) -> Graph:
    """Read a graph from what each node feeds.

    Raises:
        InvalidModel: when it is empty, goes round in a circle or has more than one start.
    """
    parents: dict[str, dict[str, None]] = {}
    for node, children in edges.items():
        parents.setdefault(node, {})
        for child in children:
            parents.setdefault(child, {})[node] = None
    starts = [node for node, before in parents.items() if not before]
    try:
        order = tuple(TopologicalSorter(parents).static_order())
    except CycleError as error:
        circle = " -> ".join(error.args[1])
        msg = f"the workflow goes round in a circle: {circle}"
        raise InvalidModel(msg) from error
    if len(starts) != 1:
        msg = f"a workflow has one start, this one has {len(starts)}: {', '.join(starts)}"
        raise InvalidModel(msg)
    feeding = {parent for before in parents.values() for parent in before}
    return Graph(
        order=order,
        parents={node: tuple(before) for node, before in parents.items()},
        leaves=tuple(node for node in parents if node not in feeding),
    )
