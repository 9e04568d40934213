import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving.errors import InvalidModel
from serving.workflow.graph import graph_from_edges
from serving.workflow.spec import NodeSpec, read_spec

SPEC = b"""
models:
  min-workers: 1
  max-workers: 4
  batch-size: 3
  max-batch-delay: 5000
  retry-attempts: 3
  timeout-ms: 5000
  m1:
    url: model1.mar
    min-workers: 2
    batch-size: 4
  m2:
    url: https://models.example/model2.mar
dag:
  pre: [m1, m2]
  m1: [post]
  m2: [post]
"""


def test_model_takes_what_is_given_for_all_unless_it_says_otherwise() -> None:
    nodes = read_spec(SPEC).nodes

    assert nodes["m1"] == NodeSpec(
        url="model1.mar",
        min_workers=2,
        max_workers=4,
        batch_size=4,
        max_batch_delay=5000,
        retry_attempts=3,
        timeout_ms=5000,
    )
    assert nodes["m2"].min_workers == 1
    assert nodes["m2"].url == "https://models.example/model2.mar"


def test_node_without_a_model_is_a_function_with_one_worker() -> None:
    node = read_spec(SPEC).nodes["post"]

    assert (node.url, node.max_workers, node.batch_size, node.max_batch_delay) == (None, 1, 1, 0)
    assert (node.retry_attempts, node.timeout_ms) == (3, 5000)


def test_graph_knows_who_feeds_whom() -> None:
    graph = read_spec(SPEC).graph

    assert graph.start == "pre"
    assert graph.parents["post"] == ("m1", "m2")
    assert graph.leaves == ("post",)
    assert set(graph.order) == {"pre", "m1", "m2", "post"}


def test_empty_names_in_the_graph_are_passed_over() -> None:
    graph = read_spec(b"dag: {a: [b], b: ['', null], c: }\nmodels: {}".replace(b", c: ", b"")).graph

    assert graph.order == ("a", "b")


LAUGHS = (
    b"l0: &l0 [a]\n"
    + b"".join(
        b"l%d: &l%d [%s]\n" % (n, n, b", ".join([b"*l%d" % (n - 1)] * 9)) for n in range(1, 30)
    )
    + b"models: {m: *l29}\ndag: {m: [*l29]}\n"
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"dag: {a: [b], b: [a]}", "circle"),
        (b"dag: {a: [a]}", "circle"),
        (b"dag: {a: [b], b: [c], c: [b]}", "circle"),
        (b"dag: {a: [c], b: [c]}", "one start, this one has 2"),
        (b"dag: {}", "one start, this one has 0"),
        (b"models: {m: {url: x.mar}}", "dag"),
        (b"models: {m: {batch-size: 2}}\ndag: {m: []}", "has no url"),
        (b"models: {m: {url: x.mar, batch-size: 0}}\ndag: {m: []}", "batch-size|>= 1"),
        (b"models: {m: {url: x.mar, bach-size: 2}}\ndag: {m: []}", "bach-size"),
        (b"models: {m: {url: x.mar, min-workers: 3}}\ndag: {m: []}", "max-workers below"),
        (b"models: {workers: 3}\ndag: {m: []}", "workers"),
        (b"- a list", "not valid"),
        (b"a: [", "not valid"),
        (b"!!python/object/apply:os.system ['true']", "not valid"),
        (b"\xff\xfe\x00", "not valid"),
        (b"", "not valid"),
        (b"#" * (1 << 20) + b"\ndag: {a: []}", "at most 1048576"),
        (LAUGHS, "not valid"),
    ],
)
def test_specification_that_cannot_work_is_refused(text: bytes, reason: str) -> None:
    with pytest.raises(InvalidModel, match=reason):
        read_spec(text)


NAMES = st.sampled_from("abcdef")


@given(st.dictionaries(NAMES, st.lists(NAMES, max_size=4), max_size=6))
def test_parents_come_before_their_children(edges: dict[str, list[str]]) -> None:
    try:
        graph = graph_from_edges(edges)
    except InvalidModel:
        return
    place = {node: at for at, node in enumerate(graph.order)}
    for node, children in edges.items():
        assert all(place[node] < place[child] for child in children)
        assert all(node in graph.parents[child] for child in children)
    assert [node for node in graph.order if not graph.parents[node]] == [graph.start]
