"""The same archives on the real TorchServe and on ours: the same answers.

TORCHSERVE_PYTHON=/path/to/venv/bin/python pytest -m peer tests/peers
"""

import io
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from tests.support_networks import save_onnx
from tests.support_torch_models import labels, model_files, picture, script_file, vocabulary
from tests.support_torchserve import Archiver, Server, our_server, real_torchserve

pytestmark = [pytest.mark.peer, pytest.mark.timeout(600)]

JSON = {"content-type": "application/json"}
TEXT = {"content-type": "text/plain"}
BYTES = {"content-type": "application/octet-stream"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One request and the status of its answer; `path` follows `/{verb}/{model}`."""

    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    path: str = ""
    verb: str = "predictions"
    method: str = "POST"
    status: int = 200
    more: Mapping[str, Any] = field(default_factory=dict)

    def send(self, server: Server, model: str) -> httpx.Response:
        url = f"{server.inference}/{self.verb}/{model}{self.path}"
        return httpx.request(
            self.method,
            url,
            content=self.content,
            headers=dict(self.headers),
            timeout=120,
            **self.more,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An archive, and what it is asked."""

    files: dict[str, str | bytes]
    said: dict[str, str]
    asks: list[Ask]
    register: dict[str, Any] = field(default_factory=dict)


WITH_WEIGHTS = {"model_file": "net.py", "serialized_file": "weights.pth"}
NAMES = labels("cat", "dog", "hen", "cow", "pig", "fox", "bee", "ant")
PICTURES = [Ask(content=picture(seed=seed), headers=BYTES) for seed in range(2)]
SENTENCE = "Didn't they're <b>café</b>, \"well\"; he won't go: we'll see!"


def default_handlers() -> dict[str, Case]:
    form = Ask(more={"files": {"data": ("a.png", picture(seed=3), "image/png")}})
    explain = Ask(content=picture(64, 64), headers=BYTES, verb="explanations")
    no_picture = Ask(content=b"no picture", headers=BYTES, status=503)
    return {
        "image_classifier": Case(
            files={**model_files("classifier"), "index_to_name.json": NAMES},
            said={"handler": "image_classifier", **WITH_WEIGHTS},
            asks=[*PICTURES, form, explain, no_picture],
        ),
        "image_classifier_scripted": Case(
            files=script_file("classifier"),
            said={"handler": "image_classifier", "serialized_file": "model.pt"},
            asks=PICTURES,
        ),
        "image_segmenter": Case(
            files=model_files("segmenter"),
            said={"handler": "image_segmenter", **WITH_WEIGHTS},
            asks=PICTURES[:1],
        ),
        "object_detector": Case(
            files={**model_files("detector"), "index_to_name.json": NAMES},
            said={"handler": "object_detector", **WITH_WEIGHTS},
            asks=[*PICTURES, Ask(content=picture(99, 41, seed=5), headers=BYTES)],
        ),
        "text_classifier": Case(
            files={
                **model_files("text"),
                "source_vocab.pt": vocabulary(
                    "did not they are cafe well he will not go we will see", "cafe only"
                ),
                "index_to_name.json": labels("World", "Sports", "Business", "Science"),
            },
            said={"handler": "text_classifier", **WITH_WEIGHTS},
            asks=[
                Ask(content=SENTENCE.encode(), headers=TEXT),
                Ask(content=SENTENCE.encode(), headers=BYTES),
                Ask(content=SENTENCE.encode(), headers=TEXT, verb="explanations"),
                Ask(content=b"unknown words", headers=TEXT, status=503),
            ],
        ),
        "base_handler": Case(
            files=model_files("linear"),
            said={"handler": "base_handler", **WITH_WEIGHTS},
            asks=[Ask(content=b"[1, 2, 3]", headers=JSON, status=503)],
        ),
    }


ECHO = """
def handle(data, context):
    if data is None:
        return None
    return [{name: repr(value) for name, value in row.items()} for row in data]
"""

ABOUT = """
import os

class About:
    def __init__(self):
        self.initialized = False

    def initialize(self, context):
        self.config = context.model_yaml_config
        self.manifest = context.manifest
        self.initialized = True
        self.files = sorted(os.listdir(context.system_properties["model_dir"]))

    def handle(self, data, context):
        properties = dict(context.system_properties)
        here = os.getcwd() == properties.pop("model_dir")
        self.manifest.pop("createdOn", None)
        return [{"config": self.config, "manifest": self.manifest, "properties": properties,
                 "here": here, "files": self.files, "name": context.model_name,
                 "url_path": context.get_request_header(0, "url_path"),
                 "mine": context.get_request_header(0, "X-Mine"),
                 "ids": [len(i) for i in context.request_ids.values()]}]
"""

NAMED = """
import helper

def begin(data, context):
    if data is None:
        helper.started = True
        return None
    return [f"{helper.started} {helper.greet(row['body'])}" for row in data]
"""

TOP_TWO = """
from ts.torch_handler.image_classifier import ImageClassifier

class TopTwo(ImageClassifier):
    def initialize(self, context):
        super().initialize(context)
        self.set_max_result_classes(2)

    def postprocess(self, data):
        best = super().postprocess(data)
        self.context.set_response_content_type(0, "application/x-best")
        self.context.set_response_header(0, "x-classes", str(self.get_max_result_classes()))
        return best

    def describe_handle(self):
        return {"classes": self.get_max_result_classes(), "labels": self.mapping}
"""

TENSORS = """
import torch
from ts.torch_handler.base_handler import BaseHandler

class Tensors(BaseHandler):
    def preprocess(self, data):
        return torch.tensor([row["body"]["x"] for row in data])

    def postprocess(self, data):
        return list(data)
"""

FRAGILE = """
from ts.utils.util import PredictionException

class Fragile:
    def initialize(self, context):
        pass

    def handle(self, data, context):
        what = data[0]["body"]
        if what == "raise":
            raise ValueError("mine")
        if what == "refuse":
            raise PredictionException("Not this one", 419)
        if what == "memory":
            raise MemoryError("all gone")
        if what == "cuda":
            raise RuntimeError("CUDA error: out of memory")
        if what == "object":
            return [object()]
        if what == "dict":
            return {"a": 1}
        if what == "many":
            return ["a", "b"]
        return [what]
"""

STATUSES = """
def handle(data, context):
    if data is None:
        return None
    for i, row in enumerate(data):
        code = row["body"]["code"]
        context.set_response_status(code=code, phrase=f"Phrase {code}", idx=i)
        context.set_response_header(i, "x-index", "yes")
    return [row["body"] for row in data]
"""

STREAM = """
from ts.handler_utils.utils import send_intermediate_predict_response

class Stream:
    def initialize(self, context):
        pass

    def handle(self, data, context):
        for i in range(3):
            send_intermediate_predict_response(
                [f"{i}:{row['body']} " for row in data], context.request_ids,
                "Intermediate", 200, context)
        return ["end" for _ in data]
"""

ONNX = """
import numpy as np
from ts.torch_handler.base_handler import BaseHandler

class Onnx(BaseHandler):
    def preprocess(self, data):
        return np.array([row["body"] for row in data], np.float32)

    def inference(self, data):
        return self.model.run(None, {self.model.get_inputs()[0].name: data})

    def postprocess(self, data):
        sums, twice = data
        return [{"sum": a.tolist(), "twice": b.tolist()} for a, b in zip(sums, twice)]
"""

MICRO = """
from ts.handler_utils.micro_batching import MicroBatching
from ts.torch_handler.image_classifier import ImageClassifier

class Micro(ImageClassifier):
    def __init__(self):
        super().__init__()
        self.pieces = MicroBatching(self, micro_batch_size=2,
                                    parallelism={"preprocess": 2, "inference": 1})

    def handle(self, data, context):
        return self.pieces(data, context)
"""

MEASURE = """
from ts.metrics.dimension import Dimension
from ts.metrics.metric_type_enum import MetricTypes

class Measure:
    def initialize(self, context):
        metrics = context.metrics
        metrics.add_metric_to_cache("Seen", "count", ["What"], MetricTypes.COUNTER)

    def handle(self, data, context):
        metrics = context.metrics
        metrics.get_metric("Seen", MetricTypes.COUNTER).add_or_update(1, ["item"])
        metrics.add_time("Look", 3.5, 0, "ms", [Dimension("Where", "here")])
        metrics.add_size("Weight", 7, unit="kB")
        try:
            metrics.add_time("Wrong", 1, unit="h")
        except ValueError as error:
            return [type(error).__name__]
"""


def custom_handlers(tmp_path: Path) -> dict[str, Case]:
    onnx = save_onnx(tmp_path / "tiny.onnx").read_bytes()
    words = {
        **dict.fromkeys(("raise", "object", "dict", "many"), 503),
        **{"fine": 200, "refuse": 419, "memory": 507, "cuda": 507},
    }
    return {
        "echo": Case(
            files={"echo.py": ECHO},
            said={"handler": "echo.py"},
            asks=[
                Ask(content=b'{"a": [1, null]}', headers=JSON),
                Ask(content=b"{no json", headers=JSON),
                Ask(content="grün".encode(), headers=TEXT),
                Ask(content=b"\xff\xfe", headers=TEXT),
                Ask(content=bytes(range(256)), headers=BYTES),
                Ask(content=b"no type at all"),
                Ask(more={"data": {"a": "1", "b": "zwei"}}),
                Ask(
                    more={
                        "files": {
                            "data": ("x.txt", b"text", "text/plain"),
                            "more": ("y.json", b'{"b": 2}', "application/json"),
                            "raw": ("z", b"\x00", "application/octet-stream"),
                        }
                    }
                ),
                Ask(method="GET", more={"params": {"q": "1"}}),
                Ask(method="PUT", content=b"put", headers=BYTES),
            ],
        ),
        "about": Case(
            files={
                "about.py": ABOUT,
                "notes.txt": "n",
                "model-config.yaml": "minWorkers: 1\nmaxWorkers: 1\nmine: {a: [1, x, 2.5]}\n",
                "requirements.txt": "numpy\n",
            },
            said={
                "handler": "about.py",
                "config_file": "model-config.yaml",
                "requirements_file": "requirements.txt",
            },
            asks=[
                Ask(content=b"1", headers=BYTES),
                Ask(content=b"1", headers={**BYTES, "X-Mine": "yes"}, path="/1.0/a/b"),
            ],
        ),
        "named": Case(
            files={"named.py": NAMED, "helper.py": "def greet(x):\n    return f'hello {x}'\n"},
            said={"handler": "named:begin"},
            asks=[Ask(content=b"you", headers=TEXT)],
        ),
        "top_two": Case(
            files={"top.py": TOP_TWO, **model_files("classifier"), "index_to_name.json": NAMES},
            said={"handler": "top.py", **WITH_WEIGHTS},
            asks=PICTURES,
        ),
        "tensors": Case(
            files={"tensors.py": TENSORS, **model_files("linear")},
            said={"handler": "tensors.py", **WITH_WEIGHTS},
            asks=[Ask(content=b'{"x": [1.0, 2.0, 3.0]}', headers=JSON)],
        ),
        "fragile": Case(
            files={"fragile.py": FRAGILE},
            said={"handler": "fragile.py"},
            asks=[
                Ask(content=word.encode(), headers=TEXT, status=status)
                for word, status in words.items()
            ],
        ),
        "statuses": Case(
            files={"statuses.py": STATUSES},
            said={"handler": "statuses.py"},
            asks=[
                Ask(content=json.dumps({"code": code}).encode(), headers=JSON, status=code)
                for code in (200, 201, 302, 404, 418, 503)
            ],
        ),
        "stream": Case(
            files={"stream.py": STREAM},
            said={"handler": "stream.py"},
            asks=[Ask(content=b"x", headers=TEXT)],
        ),
        "onnx": Case(
            files={"onnx_handler.py": ONNX, "tiny.onnx": onnx},
            said={"handler": "onnx_handler.py", "serialized_file": "tiny.onnx"},
            asks=[
                Ask(content=b"[1, 1]", headers=JSON),
                Ask(content=b"[1]", headers=JSON, status=503),
            ],
        ),
        "micro": Case(
            files={"micro.py": MICRO, **model_files("classifier"), "index_to_name.json": NAMES},
            said={"handler": "micro.py", **WITH_WEIGHTS},
            asks=PICTURES,
        ),
        "measure": Case(
            files={"measure.py": MEASURE},
            said={"handler": "measure.py"},
            asks=[Ask(content=b"1", headers=BYTES)],
        ),
    }


@dataclass(frozen=True, slots=True)
class Pair:
    """The two servers."""

    real: Server
    ours: Server


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Case]:
    return {**default_handlers(), **custom_handlers(tmp_path_factory.mktemp("cases"))}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, cases: dict[str, Case]) -> Path:
    archiver = Archiver(tmp_path_factory.mktemp("archives"))
    for name, case in cases.items():
        archiver.pack(name, case.files, **case.said)
    return archiver.store


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, store: Path) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("servers")
    with ExitStack() as stack:
        real = stack.enter_context(real_torchserve(folder / "real", store))
        ours = stack.enter_context(our_server(folder / "ours", store, compat="torchserve"))
        yield Pair(real, ours)


def _content(response: httpx.Response) -> Any:
    """What a reply says: of an error its fields, of a tensor its numbers, else JSON or bytes."""
    body = response.content
    if body.startswith(b"PK"):
        import torch

        return torch.load(io.BytesIO(body), weights_only=True).tolist()
    try:
        return json.loads(body)
    except ValueError:
        return body


def _seen(response: httpx.Response) -> dict[str, Any]:
    names = ("content-type", "x-classes", "x-index", "ts_stream_next")
    return {
        "status": response.status_code,
        **{name: response.headers.get(name) for name in names},
    }


def _numbers(value: Any) -> Any:
    """A large array of numbers as such: one by one would take minutes."""
    if not isinstance(value, list):
        return None
    try:
        array = np.array(value)
    except ValueError:
        return None
    return array if array.size and array.dtype.kind in "if" else None


def _assert_same(real: Any, ours: Any) -> None:
    numbers = _numbers(real)
    if numbers is not None:
        np.testing.assert_allclose(np.array(ours), numbers, rtol=1e-4, atol=1e-6)
    elif isinstance(real, dict) and isinstance(ours, dict):
        assert real.keys() == ours.keys()
        for key in real:
            _assert_same(real[key], ours[key])
    elif isinstance(real, list) and isinstance(ours, list):
        assert len(real) == len(ours)
        for one, other in zip(real, ours, strict=True):
            _assert_same(one, other)
    elif isinstance(real, float):
        assert ours == pytest.approx(real, rel=1e-4, abs=1e-6)
    else:
        assert ours == real


def _compare(real: httpx.Response, ours: httpx.Response) -> None:
    assert _seen(ours) == _seen(real), (real.text[:500], ours.text[:500])
    _assert_same(_content(real), _content(ours))


CASES = (
    *("image_classifier", "image_classifier_scripted", "image_segmenter", "object_detector"),
    *("text_classifier", "base_handler", "echo", "about", "named", "top_two", "tensors"),
    *("fragile", "statuses", "stream", "onnx", "micro", "measure"),
)


@pytest.mark.parametrize("name", CASES)
def test_both_answer_the_same(pair: Pair, cases: dict[str, Case], name: str) -> None:
    case = cases[name]
    for server in (pair.real, pair.ours):
        server.register(name, **case.register)
    try:
        for ask in case.asks:
            real = ask.send(pair.real, name)
            assert real.status_code == ask.status
            _compare(real, ask.send(pair.ours, name))
    finally:
        for server in (pair.real, pair.ours):
            server.unregister(name)


def test_both_answer_each_request_of_a_batch_in_its_place(
    pair: Pair, cases: dict[str, Case]
) -> None:
    asks = [Ask(content=f"{n}".encode(), headers=TEXT) for n in range(4)]
    answers = []
    for server in (pair.real, pair.ours):
        server.register("named", batch_size=4, max_batch_delay=1000)
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(lambda ask, at=server: ask.send(at, "named"), asks))
        answers.append(found)
        server.unregister("named")
    for real, ours in zip(*answers, strict=True):
        assert real.status_code == 200
        _compare(real, ours)


def test_both_describe_what_the_handler_adds(pair: Pair) -> None:
    answers = []
    for server in (pair.real, pair.ours):
        server.register("top_two")
        url = f"{server.management}/models/top_two"
        answers.append(httpx.get(url, params={"customized": "true"}, timeout=60).json())
        server.unregister("top_two")
    ((real,), (ours,)) = answers
    assert real["customizedMetadata"]["classes"] == 2
    assert ours["customizedMetadata"] == real["customizedMetadata"]


ROWS = """
def handle(data, context):
    if data is None:
        return None
    return [[1.5, len(str(row))] for row in data]
"""

V2_BODY = {
    "id": "mine",
    "inputs": [
        {"name": "a", "shape": [2, 2], "datatype": "INT64", "data": [1, 2, 3, 4]},
        {"name": "b", "shape": [1], "datatype": "BYTES", "data": ["text"]},
    ],
}
INSTANCES = {"instances": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]}
PIXELS = {"instances": [{"data": np.zeros((3, 16, 16)).tolist()}]}


def _envelope_asks(envelope: str) -> Sequence[tuple[str, str, Any]]:
    """Model, path and body of what is asked under an envelope."""
    if envelope == "kserve":
        return [
            ("linear", "/v1/models/linear:predict", INSTANCES),
            ("rows", "/v1/models/rows:predict", {"instances": [{"data": "abc"}, {"data": "d"}]}),
            ("pixels", "/v1/models/pixels:explain", PIXELS),
        ]
    if envelope == "kservev2":
        return [("rows", "/v2/models/rows/infer", V2_BODY)]
    if envelope == "json":
        return [
            ("linear", "/predictions/linear", INSTANCES),
            ("rows", "/predictions/rows", {"instances": [{"b64": "QUJD"}, {"b64": "RA=="}]}),
        ]
    return [("rows", "/predictions/rows", {"a": 1})]


@pytest.mark.parametrize("envelope", ["body", "json", "kserve", "kservev2"])
def test_both_unwrap_the_same(tmp_path: Path, envelope: str) -> None:
    archiver = Archiver(tmp_path / "archives")
    archiver.pack("linear", model_files("linear"), handler="base_handler", **WITH_WEIGHTS)
    archiver.pack("pixels", model_files("classifier"), handler="image_classifier", **WITH_WEIGHTS)
    archiver.pack("rows", {"rows.py": ROWS}, handler="rows.py")
    asks = _envelope_asks(envelope)
    settings = {"service_envelope": envelope}
    answers = []
    for run, name in ((real_torchserve, "real"), (our_server, "ours")):
        more = {"compat": "torchserve"} if name == "ours" else {}
        with run(tmp_path / name, archiver.store, **settings, **more) as server:
            for model in {model for model, _, _ in asks}:
                server.register(model)
            answers.append(
                [
                    httpx.post(server.inference + path, json=body, timeout=60)
                    for _, path, body in asks
                ]
            )
    for real, ours in zip(*answers, strict=True):
        assert real.status_code == 200
        _compare(real, ours)


def test_both_tell_what_a_handler_measures(tmp_path: Path) -> None:
    archiver = Archiver(tmp_path / "archives")
    archiver.pack("measure", {"measure.py": MEASURE}, handler="measure.py")
    settings = {"metrics_mode": "prometheus", "model_metrics_auto_detect": "true"}
    told = []
    for run, name in ((real_torchserve, "real"), (our_server, "ours")):
        more = {"compat": "torchserve"} if name == "ours" else {}
        with run(tmp_path / name, archiver.store, **settings, **more) as server:
            server.register("measure")
            for _ in range(2):
                Ask(content=b"1", headers=BYTES).send(server, "measure").raise_for_status()
            told.append(_until_told(server, ("Seen", "Look", "Weight"), "2.0"))
    real, ours = told
    assert len(real) >= 3
    assert ours == real


def _until_told(server: Server, names: tuple[str, ...], last: str) -> set[str]:
    """Ask for metrics until the first has its last value and all are there: they come later."""
    for _ in range(50):
        lines = httpx.get(f"{server.metrics}/metrics", timeout=30).text.splitlines()
        found = {line for line in lines if line.startswith(names)}
        has_last = any(line.startswith(names[0]) and line.endswith(last) for line in found)
        if has_last and {line.partition("{")[0] for line in found} == set(names):
            return found
        time.sleep(0.2)
    return found
