"""The modules behind `ts`: what handlers import, in cases worked out by hand."""

import importlib
import io
import json
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from serving.handlers.aliases import install_aliases
from serving.handlers.compat.context import Context, RequestProcessor
from serving.handlers.compat.handler_utils.micro_batching import MicroBatching
from serving.handlers.compat.handler_utils.text_utils import get_tokenizer, ngrams_iterator
from serving.handlers.compat.handler_utils.timer import timed
from serving.handlers.compat.handler_utils.utils import (
    import_class,
    send_intermediate_predict_response,
)
from serving.handlers.compat.metrics import metric_cache_errors as errors
from serving.handlers.compat.metrics.dimension import Dimension
from serving.handlers.compat.metrics.metric import Metric
from serving.handlers.compat.metrics.metric_cache_yaml_impl import MetricsCacheYamlImpl
from serving.handlers.compat.metrics.metric_encoder import MetricEncoder
from serving.handlers.compat.metrics.metric_type_enum import MetricTypes
from serving.handlers.compat.protocol.otf_message_handler import encode_value
from serving.handlers.compat.torch_handler.contractions import CONTRACTION_MAP
from serving.handlers.compat.utils.util import (
    PredictionException,
    list_classes_from_module,
    load_label_mapping,
    map_class_to_label,
)
from serving.handlers.points import take_points
from serving.protocol.exchange import RawRequest
from tests.support_archives import loaded, pack
from tests.support_torch_models import labels, model_files, picture, vocabulary

WITH_WEIGHTS = {"modelFile": "net.py", "serializedFile": "weights.pth"}


@pytest.fixture
def aliases() -> Iterator[None]:
    """`ts` leads to our modules; afterwards all is as it was."""
    finders, modules = list(sys.meta_path), set(sys.modules)
    install_aliases()
    yield
    sys.meta_path[:] = finders
    for name in set(sys.modules) - modules:
        if name == "ts" or name.startswith("ts."):
            del sys.modules[name]


@pytest.mark.usefixtures("aliases")
def test_a_class_is_the_same_under_both_names() -> None:
    theirs = importlib.import_module("ts.context")
    assert theirs.Context is Context
    assert theirs.__spec__ is not None
    assert theirs.__spec__.name == "serving.handlers.compat.context"
    assert importlib.import_module("ts").__version__ == "0.12.0"


@pytest.mark.usefixtures("aliases")
@pytest.mark.parametrize("name", ["ts.nowhere", "ts.torch_handler.distributed.base", "ts.a.b"])
def test_what_is_not_there_is_an_import_error(name: str) -> None:
    with pytest.raises(ImportError):
        importlib.import_module(name)


def _context(count: int = 1, **config: Any) -> Context:
    metrics = MetricsCacheYamlImpl()
    metrics.model_name = "m"
    context = Context("m", "/models/m", {}, 1, None, "0", True, metrics, config)
    context.request_ids = {index: f"id-{index}" for index in range(count)}
    metrics.request_ids = context.request_ids
    context.request_processor = [RequestProcessor({"x": "1"}) for _ in range(count)]
    return context


def test_all_replies_of_a_batch_may_get_one_status() -> None:
    context = _context(2)
    context.set_all_response_status(429, "Slow down")
    context.set_response_status(200, "Fine", 1)
    assert [context.get_response_status(i) for i in range(2)] == [(429, "Slow down"), (200, "Fine")]


def test_headers_of_a_reply_are_its_own() -> None:
    context = _context(2)
    context.set_response_content_type(0, "text/csv")
    assert context.get_response_content_type(0) == "text/csv"
    assert context.get_response_headers(1) == {}
    assert context.get_all_request_header(1) == {"x": "1"}


def test_there_are_no_requests_while_a_handler_is_initialised() -> None:
    context = Context("m", "/m", {}, 1, None, "0")
    context.set_response_status(500)
    assert context.get_request_id() is None
    with pytest.raises(RuntimeError, match="no requests"):
        context.get_request_header(0, "x")
    with pytest.raises(RuntimeError, match="while a batch is handled"):
        send_intermediate_predict_response(["a"], {0: "id"}, "", 200, context)


LABELS = [
    ({"0": "cat"}, {"0": "cat"}),
    ({"0": ["n02", "cat"]}, {"0": "cat"}),
    ({"object_type_names": ["cat", "dog"]}, {"0": "cat", "1": "dog"}),
]


@pytest.mark.parametrize(("written", "read"), LABELS, ids=["plain", "lists", "detector"])
def test_labels_are_read_in_each_of_their_forms(tmp_path: Path, written: Any, read: Any) -> None:
    path = tmp_path / "index_to_name.json"
    path.write_text(json.dumps(written))
    assert load_label_mapping(str(path)) == read


@pytest.mark.parametrize("written", [["cat"], {"0": 1}, {"0": ["n02", 2]}])
def test_labels_that_are_none_are_refused(tmp_path: Path, written: Any) -> None:
    path = tmp_path / "index_to_name.json"
    path.write_text(json.dumps(written))
    with pytest.raises(Exception, match="must be"):
        load_label_mapping(str(path))


def test_without_a_file_there_are_no_labels(tmp_path: Path) -> None:
    assert load_label_mapping(str(tmp_path / "none.json")) is None


def test_classes_are_labelled_with_their_probabilities() -> None:
    assert map_class_to_label([[0.9, 0.1]]) == [{"0": 0.9, "1": 0.1}]
    mapping = {"3": "cat", "5": "dog"}
    assert map_class_to_label([[0.9, 0.1]], mapping, [[5, 3]]) == [{"dog": 0.9, "cat": 0.1}]
    with pytest.raises(Exception, match="must be a list"):
        map_class_to_label(np.zeros((1, 2)))  # type: ignore[arg-type]


def test_a_module_lists_the_classes_that_it_defines_itself() -> None:
    module = importlib.import_module("serving.handlers.compat.metrics.metric_cache_errors")
    names = [kind.__name__ for kind in list_classes_from_module(module, KeyError)]
    assert names == ["MetricsCacheKeyError"]


def test_a_refusal_says_message_and_status() -> None:
    assert str(PredictionException("No", 404)) == "No : 404"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("You can now install!", ["you", "can", "now", "install", "!"]),
        (
            'He said: "it\'s (very) good"; really.',
            ["he", "said", "it", "'", "s", "(", "very", ")", "good", "really", "."],
        ),
        ("a<br />b,c", ["a", "b", ",", "c"]),
    ],
)
def test_english_is_cut_at_marks(text: str, tokens: list[str]) -> None:
    assert get_tokenizer("basic_english")(text) == tokens


def test_other_tokenizers_are_spaces_or_functions() -> None:
    assert get_tokenizer(None)("a. b") == ["a.", "b"]
    assert get_tokenizer(list)("ab") == ["a", "b"]
    with pytest.raises(ValueError, match="no tokenizer"):
        get_tokenizer("spacy")
    with pytest.raises(ValueError, match="English only"):
        get_tokenizer("basic_english", "de")


def test_runs_of_tokens_follow_the_tokens() -> None:
    assert list(ngrams_iterator(["here", "we", "are"], 2)) == [
        *("here", "we", "are"),
        *("here we", "we are"),
    ]
    assert list(ngrams_iterator(["a", "b", "c"], 3))[-1] == "a b c"


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("can't", "cannot"),
        ("won't've", "will not have"),
        ("shan't", "shall not"),
        ("ain't", "is not"),
        ("mayn't", "may not"),
        ("she'll've", "she will have"),
        ("I'm", "I am"),
        ("y'all're", "you all are"),
        ("how'd", "how did"),
        ("o'clock", "of the clock"),
    ],
)
def test_contractions_are_written_out(short: str, long: str) -> None:
    assert CONTRACTION_MAP[short] == long


def test_only_the_contractions_that_there_are_are_known() -> None:
    assert not {"mayn't've", "how'll've", "that'll", "hasn't've", "aren't've"} & set(
        CONTRACTION_MAP
    )


def test_import_class_takes_a_dotted_name() -> None:
    assert import_class("collections.OrderedDict").__name__ == "OrderedDict"
    assert import_class("abc.Mapping", "collections").__name__ == "Mapping"
    for name in ("OrderedDict", "collections.Nothing", ""):
        with pytest.raises(ImportError):
            import_class(name)


class _Steps:
    """Adds one, doubles, and writes down which thread did what."""

    def __init__(self) -> None:
        self.context: Any = None
        self.threads: set[str] = set()
        self.pieces: list[int] = []

    def preprocess(self, data: list[int]) -> list[int]:
        self.threads.add(threading.current_thread().name)
        self.pieces.append(len(data))
        return [n + 1 for n in data]

    def inference(self, data: list[int]) -> list[int]:
        if 99 in data:
            raise ValueError("no 99")
        return [n * 2 for n in data]

    def postprocess(self, data: list[int]) -> list[str]:
        return [str(n) for n in data]

    def _is_describe(self) -> bool:
        return False

    def _is_explain(self) -> bool:
        return False


def test_a_batch_goes_through_the_steps_in_pieces_and_comes_back_in_order() -> None:
    steps = _Steps()
    micro = MicroBatching(steps, micro_batch_size=2, parallelism={"preprocess": 3})
    assert micro(list(range(7)), _context()) == ["2", "4", "6", "8", "10", "12", "14"]
    assert sorted(steps.pieces) == [1, 2, 2, 2]
    assert threading.main_thread().name not in steps.threads
    micro.shutdown()


def test_an_error_of_a_piece_is_the_batches_and_the_next_batch_is_well() -> None:
    micro = MicroBatching(_Steps(), micro_batch_size=1)
    with pytest.raises(ValueError, match="no 99"):
        micro(list(range(96, 101)), _context())
    assert micro([1], _context()) == ["4"]
    micro.shutdown()


def test_threads_of_a_step_come_and_go() -> None:
    before = threading.active_count()
    micro = MicroBatching(_Steps())
    assert threading.active_count() == before + 3
    micro.parallelism = {"inference": 4}
    assert (threading.active_count(), micro.parallelism) == (before + 6, {"inference": 4})
    micro.parallelism = {"inference": 1}
    assert threading.active_count() == before + 3
    assert micro([1, 2], _context()) == ["4", "6"]
    micro.shutdown()
    assert threading.active_count() == before
    with pytest.raises(ValueError, match="numbers of at least 1"):
        micro.parallelism = {"sleeping": 1}


def test_steps_are_measured_where_the_configuration_asks_for_it() -> None:
    class Handler:
        def __init__(self, context: Any) -> None:
            self.context = context

        @timed
        def preprocess(self, data: int) -> int:
            return data + 1

    take_points()
    assert Handler(None).preprocess(1) == 2
    assert Handler(_context(handler={"profile": False})).preprocess(1) == 2
    assert take_points() == ()
    assert Handler(_context(handler={"profile": True})).preprocess(1) == 2
    (point,) = take_points()
    assert (point.name, point.unit) == ("ts_handler_preprocess", "Milliseconds")


def test_metrics_of_a_file_that_is_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "metrics.yaml"
    with pytest.raises(errors.MetricsCacheIOError):
        MetricsCacheYamlImpl(str(path))
    path.write_text("a: [")
    with pytest.raises(errors.MetricsCachePyYamlError):
        MetricsCacheYamlImpl(str(path))
    path.write_text("a: 1")
    with pytest.raises(errors.MetricsCacheKeyError):
        MetricsCacheYamlImpl(str(path))
    path.write_text("model_metrics: {counter: [{name: x}]}")
    with pytest.raises(errors.MetricsCacheKeyError):
        MetricsCacheYamlImpl(str(path)).initialize_cache()


def test_a_metric_is_found_by_name_and_kind() -> None:
    metrics = MetricsCacheYamlImpl()
    metrics.add_metric_to_cache("A", "count", ["x"], MetricTypes.GAUGE)
    assert metrics.get_metric("A", MetricTypes.GAUGE).unit == "Count"
    assert metrics.cache_keys() == ["gauge:A"]
    with pytest.raises(errors.MetricsCacheKeyError):
        metrics.get_metric("A")
    with pytest.raises(errors.MetricsCacheTypeError):
        metrics.get_metric("A", "gauge")  # type: ignore[arg-type]
    with pytest.raises(errors.MetricsCacheValueError):
        metrics.add_time("T", 1, unit="h")
    with pytest.raises(ValueError):
        metrics.add_size("S", 1, unit="TB")


def test_a_metric_of_the_older_form_counts_and_is_written_as_json() -> None:
    take_points()
    metric = Metric("A", 1, "ms", [Dimension("x", "y")], "id")
    metric.update(2)
    (point,) = take_points()
    assert (point.value, dict(point.dimensions), point.request_id) == (2, {"x": "y"}, "id")
    written = json.loads(json.dumps(metric, cls=MetricEncoder))
    assert (written["Unit"], written["Dimensions"]) == (
        "Milliseconds",
        [{"Name": "x", "Value": "y"}],
    )


def _ask(handler: Any, *bodies: bytes, verb: Any = "predict", kind: str = "") -> list[Any]:
    types = {"body": kind} if kind else {}
    requests = [
        RawRequest({"body": body}, types, request_id=f"id-{i}", verb=verb)
        for i, body in enumerate(bodies)
    ]
    replies = handler.answer(requests, lambda _index, _part: None)
    return [json.loads(reply.body) for reply in replies]


def test_the_image_classifier_gives_the_most_probable_classes(tmp_path: Path) -> None:
    names = ("cat", "dog", "hen", "cow", "pig", "fox", "bee", "ant")
    files = {**model_files("classifier"), "index_to_name.json": labels(*names)}
    path = pack(tmp_path / "m.mar", files, handler="image_classifier", **WITH_WEIGHTS)
    with loaded(path) as handler:
        first, second = _ask(handler, picture(seed=0), picture(seed=1))
    assert len(first) == len(second) == 5
    assert set(first) < set(names)
    assert list(first.values()) == sorted(first.values(), reverse=True)
    assert 0 < sum(first.values()) < 1


def test_the_object_detector_gives_boxes_above_its_threshold(tmp_path: Path) -> None:
    # Left half white, right half black: the left box scores 1.1, all of it 0.55, the right 0.
    pixels = np.zeros((40, 60, 3), np.uint8)
    pixels[:, :30] = 255
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    path = pack(
        tmp_path / "m.mar", model_files("detector"), handler="object_detector", **WITH_WEIGHTS
    )
    with loaded(path) as handler:
        (found,) = _ask(handler, buffer.getvalue())
    assert found == [
        {"1": [0.0, 0.0, 30.0, 40.0], "score": pytest.approx(1.1)},
        {"1": [0.0, 0.0, 60.0, 20.0], "score": pytest.approx(0.55)},
    ]


def test_the_image_segmenter_gives_class_and_probability_of_each_pixel(tmp_path: Path) -> None:
    path = pack(
        tmp_path / "m.mar", model_files("segmenter"), handler="image_segmenter", **WITH_WEIGHTS
    )
    with loaded(path) as handler:
        (pixels,) = _ask(handler, picture())
    assert np.array(pixels).shape == (224, 224, 2)
    assert 0.2 <= np.array(pixels)[..., 1].min() <= np.array(pixels)[..., 1].max() <= 1


def test_the_text_classifier_gives_all_classes_and_explains_tokens(tmp_path: Path) -> None:
    files = {**model_files("text"), "source_vocab.pt": vocabulary("we will not go")}
    path = pack(tmp_path / "m.mar", files, handler="text_classifier", **WITH_WEIGHTS)
    with loaded(path) as handler:
        (classes,) = _ask(handler, b"We'll <i>not</i> go!")
        (explained,) = _ask(handler, b"We'll not go", verb="explain")
    assert list(classes) == ["0", "1", "2", "3"]
    assert sum(classes.values()) == pytest.approx(1)
    assert explained["words"] == ["we", "will", "not", "go"]


def test_pictures_may_be_text_or_numbers(tmp_path: Path) -> None:
    import base64

    path = pack(
        tmp_path / "m.mar", model_files("classifier"), handler="image_classifier", **WITH_WEIGHTS
    )
    body = picture()
    with loaded(path) as handler:
        (as_bytes,) = _ask(handler, body)
        (as_text,) = _ask(handler, base64.b64encode(body), kind="text/plain")
        zeros = json.dumps(np.zeros((3, 16, 16)).tolist()).encode()
        (as_numbers,) = _ask(handler, zeros, kind="application/json")
    assert as_text == as_bytes
    assert len(as_numbers) == 5


def test_an_explanation_weighs_each_value_of_the_input(tmp_path: Path) -> None:
    path = pack(
        tmp_path / "m.mar", model_files("classifier"), handler="image_classifier", **WITH_WEIGHTS
    )
    zeros = json.dumps(np.ones((3, 16, 16)).tolist()).encode()
    with loaded(path) as handler:
        (weights,) = _ask(handler, zeros, verb="explain", kind="application/json")
    assert np.array(weights).shape == (3, 16, 16)


def test_without_captum_an_explanation_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "captum.attr", None)
    path = pack(
        tmp_path / "m.mar", model_files("classifier"), handler="image_classifier", **WITH_WEIGHTS
    )
    with loaded(path) as handler:
        request = RawRequest({"body": picture()}, verb="explain")
        (error,) = handler.answer([request], lambda _index, _part: None)
    assert "install the extra `explain`" in str(error)


ROWS = "def handle(data, context):\n    return data and [[row, len(data)] for row in data]\n"


def _wrapped(tmp_path: Path, envelope: str, *bodies: Any) -> list[Any]:
    path = pack(tmp_path / "m.mar", {"handler.py": ROWS})
    with loaded(path, service_envelope=envelope) as handler:
        encoded = [json.dumps(body).encode() for body in bodies]
        return _ask(handler, *encoded, kind="application/json")


def test_kserve_takes_every_request_of_a_batch(tmp_path: Path) -> None:
    first, second = _wrapped(tmp_path, "kserve", {"instances": [1, 2]}, {"instances": [3]})
    assert first == {"predictions": [[1, 3], [2, 3]]}
    assert second == {"predictions": [[3, 3]]}


def test_json_takes_bytes_as_base64(tmp_path: Path) -> None:
    code = "def handle(data, context):\n    return data and [repr(row) for row in data]\n"
    path = pack(tmp_path / "m.mar", {"handler.py": code})
    body = {"instances": [{"b64": "QUI="}, {"x": {"b64": "QUI="}, "y": 1}, 5]}
    with loaded(path, service_envelope="json") as handler:
        (answer,) = _ask(handler, json.dumps(body).encode(), kind="application/json")
    assert answer == {"predictions": ["b'AB'", "{'x': b'AB', 'y': 1}", "5"]}


def test_the_body_envelope_gives_bodies_alone(tmp_path: Path) -> None:
    assert _wrapped(tmp_path, "body", {"a": 1}) == [[{"a": 1}, 1]]


def test_kserve_v2_gives_each_tensor_its_own_output(tmp_path: Path) -> None:
    code = "def handle(data, context):\n    return data and [row['data'] for row in data]\n"
    path = pack(tmp_path / "m.mar", {"handler.py": code}, modelVersion="3")
    tensor = {"name": "a", "shape": [2, 2], "datatype": "INT64", "data": [1, 2, 3, 4]}
    text = {"name": "t", "shape": [1], "datatype": "BYTES", "data": ["hello"]}
    bodies = [{"id": "mine", "inputs": [tensor, text]}, {"inputs": [tensor]}]
    with loaded(path, service_envelope="kservev2") as handler:
        encoded = [json.dumps(body).encode() for body in bodies]
        first, second = _ask(handler, *encoded, kind="application/json")
    numbers = {"name": "a", "datatype": "INT64", "data": [1, 2, 3, 4], "shape": [4]}
    assert first == {
        "id": "mine",
        "model_name": "m",
        "model_version": "3",
        "outputs": [numbers, {"name": "t", "datatype": "BYTES", "data": ["hello"], "shape": [1]}],
    }
    assert (second["id"], second["outputs"]) == ("id-1", [numbers])


def test_torch_compiles_a_model_where_the_configuration_asks_for_it(tmp_path: Path) -> None:
    files = {
        **model_files("linear"),
        "handler.py": """
import torch
from ts.torch_handler.base_handler import BaseHandler

class Linear(BaseHandler):
    def preprocess(self, data):
        return torch.tensor([row["body"] for row in data])
    def postprocess(self, data):
        return [[type(self.model).__name__, *row] for row in data.tolist()]
""",
        "model-config.yaml": "pt2: {compile: {enable: true, backend: eager}}\n",
    }
    path = pack(tmp_path / "m.mar", files, configFile="model-config.yaml", **WITH_WEIGHTS)
    with loaded(path) as handler:
        (answer,) = _ask(handler, b"[1.0, 2.0, 3.0]", kind="application/json")
    assert answer[0] == "OptimizedModule"
    assert len(answer) == 3


def test_torch_profiles_a_handler_where_the_environment_asks_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENABLE_TORCH_PROFILER", "1")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    path = pack(
        tmp_path / "m.mar", model_files("detector"), handler="object_detector", **WITH_WEIGHTS
    )
    with loaded(path) as handler:
        (found,) = _ask(handler, picture(30, 20))
    assert isinstance(found, list)
    (trace,) = (tmp_path / "tmp" / "pytorch_profiler" / "m").iterdir()
    assert trace.name.endswith(".pt.trace.json")


@pytest.mark.parametrize(
    ("files", "model", "said"),
    [
        ({}, {}, "no model could be loaded"),
        ({}, {"modelFile": "gone.py"}, r"no gone\.py"),
        ({"net.py": "class A: ...\nclass B: ..."}, {"modelFile": "net.py"}, "must define one"),
    ],
)
def test_an_archive_without_a_model_is_told(
    tmp_path: Path, files: dict[str, str], model: dict[str, str], said: str
) -> None:
    path = pack(tmp_path / "m.mar", files, handler="base_handler", **model)
    with pytest.raises((RuntimeError, ValueError), match=said), loaded(path):
        pass


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON_VALUES.filter(lambda value: not isinstance(value, str)))
def test_results_are_written_as_json_writes_them_with_an_indent_of_two(value: object) -> None:
    assert encode_value(value) == json.dumps(value, indent=2).encode()


def test_result_that_is_no_json_is_refused() -> None:
    with pytest.raises(TypeError, match="not JSON serializable"):
        encode_value({"a": object()})
