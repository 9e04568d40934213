"""Handlers written for TorchServe, run unchanged: what they get, and what is made of it."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from serving.errors import InferenceFailed, InvalidModel, OutOfMemory, ServingError
from serving.handlers.handler import Send
from serving.handlers.points import take_points
from serving.handlers.torchserve import TorchServeHandler
from serving.protocol.exchange import RawReply, RawRequest
from tests.support_archives import loaded, pack

ECHO = """
def handle(data, context):
    if data is None:
        return None
    return [row.get("body") for row in data]
"""


def _request(body: bytes = b"1", content_type: str = "", **more: Any) -> RawRequest:
    types = {"body": content_type} if content_type else {}
    return RawRequest({"body": body}, types, **{"request_id": f"id-{body.decode()}", **more})


def _unsent(index: int, part: bytes | RawReply) -> None:
    pytest.fail(f"nothing should be sent, got {part!r} for {index}")


def _answer(
    handler: TorchServeHandler, *requests: RawRequest, send: Send = _unsent
) -> Sequence[Any]:
    return handler.answer(requests, send)


def _bodies(replies: Sequence[Any]) -> list[bytes]:
    return [reply.body for reply in replies]


def test_a_function_is_called_once_without_data_and_then_with_each_batch(tmp_path: Path) -> None:
    code = """
calls = []
def handle(data, context):
    calls.append(data)
    return data and [str(len(calls))]
"""
    with loaded(pack(tmp_path / "m.mar", {"handler.py": code})) as handler:
        assert _bodies(_answer(handler, _request())) == [b"2"]
        assert _bodies(_answer(handler, _request())) == [b"3"]


@pytest.mark.parametrize("reference", ["handler:start", "handler.py:start"])
def test_the_function_may_have_any_name(tmp_path: Path, reference: str) -> None:
    code = ECHO.replace("def handle", "def start")
    with loaded(pack(tmp_path / "m.mar", {"handler.py": code}, handler=reference)) as handler:
        assert _bodies(_answer(handler, _request(b"x"))) == [b"x"]


def test_a_class_is_initialised_with_the_context(tmp_path: Path) -> None:
    code = """
from ts.context import Context

class Describe:
    def initialize(self, context: Context):
        self.context = context
    def handle(self, data, context):
        assert context is self.context
        return [{**context.system_properties, "name": context.model_name,
                 "manifest": context.manifest["model"], "config": context.model_yaml_config}]
"""
    files = {"handler.py": code, "model-config.yaml": "minWorkers: 1\nmine: {deep: [1, x]}\n"}
    path = pack(tmp_path / "m.mar", files, configFile="model-config.yaml", extra="kept")
    with loaded(path) as handler:
        told = json.loads(_bodies(_answer(handler, _request()))[0])
    assert told["config"] == {"minWorkers": 1, "mine": {"deep": [1, "x"]}}
    assert told["manifest"]["extra"] == "kept"
    assert (told["name"], told["gpu_id"], told["batch_size"]) == ("m", None, 4)
    assert (told["server_name"], told["server_version"]) == ("MMS", "0.12.0")
    assert told["limit_max_image_pixels"] is True
    assert (Path(told["model_dir"]) / "handler.py").is_absolute()


def test_a_handler_works_in_its_models_folder_and_imports_from_it(tmp_path: Path) -> None:
    code = "import helper_of_m\n" + ECHO.replace('row.get("body")', "helper_of_m.read()")
    helper = "import pathlib\ndef read():\n    return pathlib.Path('data.txt').read_text()\n"
    files = {"handler.py": code, "helper_of_m.py": helper, "data.txt": "near"}
    with loaded(pack(tmp_path / "m.mar", files)) as handler:
        assert _bodies(_answer(handler, _request())) == [b"near"]


@pytest.mark.parametrize(
    ("content_type", "body", "seen"),
    [
        ("application/json", b'{"a": [1]}', "{'a': [1]}"),
        ("application/json", b"no json", "bytearray(b'no json')"),
        ("text/plain", "grün".encode(), "'grün'"),
        ("text/plain", b"\xff", "bytearray(b'\\xff')"),
        ("application/octet-stream", b"1", "bytearray(b'1')"),
        ("", b"1", "bytearray(b'1')"),
    ],
)
def test_a_body_is_decoded_by_its_content_type(
    tmp_path: Path, content_type: str, body: bytes, seen: str
) -> None:
    code = ECHO.replace('row.get("body")', 'repr(row["body"])')
    with loaded(pack(tmp_path / "m.mar", {"handler.py": code})) as handler:
        request = RawRequest({"body": body}, {"body": content_type} if content_type else {})
        assert _bodies(_answer(handler, request)) == [seen.encode()]


def test_a_body_stays_bytes_where_that_is_configured(tmp_path: Path) -> None:
    code = ECHO.replace('row.get("body")', 'repr(row["body"])')
    path = pack(tmp_path / "m.mar", {"handler.py": code})
    with loaded(path, decode_input_request=False) as handler:
        reply = _answer(handler, _request(b"{}", "application/json"))
    assert _bodies(reply) == [b"bytearray(b'{}')"]


RESULTS = """
import ts.torch_handler.base_handler
import torch
RESULTS = {"bytes": b"b", "bytearray": bytearray(b"a"), "str": "gr\\u00fcn",
           "object": {"a": [1, 2.5, None]}, "tensor": torch.tensor([1.0, 2.0])}
def handle(data, context):
    return data and [RESULTS[row["body"].decode()] for row in data]
"""


def test_each_kind_of_result_is_written_in_its_way(tmp_path: Path) -> None:
    import io

    import torch

    with loaded(pack(tmp_path / "m.mar", {"handler.py": RESULTS})) as handler:
        names = ("bytes", "bytearray", "str", "object", "tensor")
        replies = _answer(handler, *(_request(name.encode()) for name in names))
    *plain, tensor = _bodies(replies)
    assert plain == [
        b"b",
        b"a",
        "grün".encode(),
        b'{\n  "a": [\n    1,\n    2.5,\n    null\n  ]\n}',
    ]
    assert torch.load(io.BytesIO(tensor), weights_only=True).tolist() == [1.0, 2.0]
    assert {reply.content_type for reply in replies} == {None}


def test_status_headers_and_content_type_are_the_handlers(tmp_path: Path) -> None:
    code = """
def handle(data, context):
    if data is None:
        return
    context.set_response_content_type(0, "text/csv")
    context.set_response_header(0, "x-mine", "7")
    context.set_response_status(code=207, phrase="Almost", idx=1)
    return ["a,b", context.get_request_header(1, "X-Name") + context.get_request_id(1)]
"""
    with loaded(pack(tmp_path / "m.mar", {"handler.py": code})) as handler:
        first, second = _answer(handler, _request(), _request(b"2", headers={"x-name": "n"}))
    assert (first.content_type, first.headers, first.status) == (
        "text/csv",
        (("x-mine", "7"),),
        200,
    )
    assert (second.body, second.status, second.reason) == (b"nid-2", 207, "Almost")


FRAGILE = """
from ts.utils.util import PredictionException

def handle(data, context):
    if data is None:
        return
    for row in data:
        body = row["body"].decode()
        if body == "raise":
            raise KeyError("no such thing")
        if body == "refuse":
            raise PredictionException("Not mine", 599)
        if body == "memory":
            raise MemoryError
        if body == "cuda":
            raise RuntimeError("CUDA out of memory")
        if body == "assert":
            raise RuntimeError("CUDA error: device-side assert triggered")
        if body == "object":
            return [object() if row["body"] == b"object" else "ok" for row in data]
        if body == "none":
            return None
        if body == "short":
            return []
    return ["ok" for _ in data]
"""


@pytest.mark.parametrize(
    ("body", "kind", "message"),
    [
        (b"raise", InferenceFailed, "Prediction failed: KeyError: 'no such thing'"),
        (b"memory", OutOfMemory, "Out of resources"),
        (b"cuda", OutOfMemory, "Out of resources"),
        (
            b"assert",
            InferenceFailed,
            "Prediction failed: RuntimeError: CUDA error: device-side assert triggered",
        ),
        (b"none", InferenceFailed, "Invalid model predict output"),
        (b"short", InferenceFailed, "number of batch response mismatched"),
    ],
)
def test_what_goes_wrong_is_told_as_what_it_is(
    tmp_path: Path, body: bytes, kind: type[ServingError], message: str
) -> None:
    with loaded(pack(tmp_path / "m.mar", {"handler.py": FRAGILE})) as handler:
        (error,) = _answer(handler, _request(body))
    assert (type(error), error.message) == (kind, message)


def test_a_handler_may_choose_the_status_of_its_error(tmp_path: Path) -> None:
    with loaded(pack(tmp_path / "m.mar", {"handler.py": FRAGILE})) as handler:
        (reply,) = _answer(handler, _request(b"refuse"))
    assert (reply.status, reply.content_type) == (599, "application/json")
    said = {"code": 599, "type": "InternalServerException", "message": "Not mine"}
    assert json.loads(reply.body) == said


def test_a_result_that_cannot_be_written_fails_alone(tmp_path: Path) -> None:
    with loaded(pack(tmp_path / "m.mar", {"handler.py": FRAGILE})) as handler:
        good, bad = _answer(handler, _request(b"fine"), _request(b"object"))
    assert good.body == b"ok"
    assert bad.message.startswith("Unsupported model output data type.")


def test_a_failing_batch_is_given_back_to_be_tried_item_by_item(tmp_path: Path) -> None:
    with (
        loaded(pack(tmp_path / "m.mar", {"handler.py": FRAGILE})) as handler,
        pytest.raises(KeyError),
    ):
        _answer(handler, _request(b"fine"), _request(b"raise"))


def test_in_compatibility_a_failing_batch_fails_as_one_and_says_no_more(tmp_path: Path) -> None:
    path = pack(tmp_path / "m.mar", {"handler.py": FRAGILE})
    with loaded(path, compat="torchserve") as handler:
        raised = _answer(handler, _request(b"fine"), _request(b"raise"))
        unwritable = _answer(handler, _request(b"fine"), _request(b"object"))
    assert [error.message for error in raised] == ["Prediction failed"] * 2
    said = "Unsupported model output data type."
    assert [error.message for error in unwritable] == [said] * 2


def test_parts_of_a_reply_are_sent_while_the_handler_works(tmp_path: Path) -> None:
    code = """
from ts.handler_utils.utils import send_intermediate_predict_response

def handle(data, context):
    if data is None:
        return
    for i in range(2):
        send_intermediate_predict_response([f"part {i} "] * len(data), context.request_ids,
                                           "Intermediate", 200, context)
    return ["end"] * len(data)
"""
    sent: list[tuple[int, bytes, str]] = []

    def send(index: int, part: bytes | RawReply) -> None:
        assert isinstance(part, RawReply)
        sent.append((index, part.body, dict(part.headers)["ts_stream_next"]))

    with loaded(pack(tmp_path / "m.mar", {"handler.py": code})) as handler:
        replies = _answer(handler, _request(), _request(b"2"), send=send)
    assert sent == [
        (0, b"part 0 ", "true"),
        (1, b"part 0 ", "true"),
        (0, b"part 1 ", "true"),
        (1, b"part 1 ", "true"),
    ]
    assert _bodies(replies) == [b"end", b"end"]
    assert replies[0].headers == (("ts_stream_next", "false"),)


def test_with_continuous_batching_a_request_stays_until_its_criterion_is_met(
    tmp_path: Path,
) -> None:
    code = """
counts = {}
def handle(data, context):
    if data is None:
        return
    results = []
    for i in range(len(data)):
        key = context.get_request_id(i)
        counts[key] = counts.get(key, 0) + 1
        results.append(counts[key])
    context.stopping_criteria = [lambda n: n >= 2] * len(data)
    return results
"""
    sent: list[bytes] = []
    first, second = _request(b"1"), _request(b"2")
    with loaded(pack(tmp_path / "m.mar", {"handler.py": code})) as handler:

        def send(_index: int, part: bytes | RawReply) -> None:
            assert isinstance(part, RawReply)
            sent.append(part.body)

        assert _answer(handler, first, send=send) == [None]
        done, waiting = _answer(handler, first, second, send=send)
    assert (done.body, waiting, sent) == (b"2", None, [b"1", b"1"])


def test_an_explanation_or_description_is_asked_apart_from_predictions(tmp_path: Path) -> None:
    code = """
def handle(data, context):
    if data is None:
        return
    words = [context.get_request_header(0, word) for word in ("explain", "describe")]
    return [f"{len(data)} {words}"] * len(data)
"""
    with loaded(pack(tmp_path / "m.mar", {"handler.py": code})) as handler:
        replies = _answer(
            handler,
            _request(verb="explain"),
            _request(),
            _request(verb="describe"),
            _request(),
        )
    assert _bodies(replies) == [
        b"1 ['True', None]",
        b"2 [None, None]",
        b"1 [None, 'True']",
        b"2 [None, None]",
    ]


def test_what_a_handler_measures_goes_to_the_server(tmp_path: Path) -> None:
    code = """
from ts.metrics.dimension import Dimension
from ts.metrics.metric_type_enum import MetricTypes

class Measure:
    def initialize(self, context):
        context.metrics.add_counter("Loads", 1)
        self.histogram = context.metrics.add_metric_to_cache(
            "Sizes", "B", ["Kind"], MetricTypes.HISTOGRAM)
    def handle(self, data, context):
        metrics = context.metrics
        metrics.add_counter("Items", len(data), None, [Dimension("Kind", "x")])
        metrics.add_time("Slow", 1.5, 1, "s")
        metrics.add_size("Big", 2, unit="GB")
        metrics.add_percent("Half", 50)
        metrics.add_error("Oops", 1)
        metrics.get_metric("HandlerTime", MetricTypes.GAUGE).add_or_update(3, ["m", "Model"])
        self.histogram.add_or_update(10, ["y"])
        self.histogram.add_or_update(10, [])
        metrics.add_counter("Items", -1, None, [Dimension("Kind", "x")])
        return ["ok"] * len(data)
"""
    take_points()
    with loaded(pack(tmp_path / "m.mar", {"handler.py": code})) as handler:
        _answer(handler, _request(b"1"), _request(b"2"))
    points = take_points()
    own = {"ModelName": "m", "Level": "Model"}
    both = "id-1,id-2"
    told = [(p.name, p.kind, p.unit, p.value, dict(p.dimensions), p.request_id) for p in points]
    assert told[:-1] == [
        ("Loads", "counter", "Count", 1.0, own, "load"),
        ("Items", "counter", "Count", 2.0, {"Kind": "x", **own}, both),
        ("Slow", "gauge", "Seconds", 1.5, own, "id-2"),
        ("Big", "gauge", "Gigabytes", 2.0, own, both),
        ("Half", "gauge", "Percent", 50.0, own, both),
        ("Oops", "counter", "unit", 1.0, {"Level": "Error"}, ""),
        ("HandlerTime", "gauge", "Milliseconds", 3.0, own, ""),
        ("Sizes", "histogram", "Bytes", 10.0, {"Kind": "y"}, ""),
    ]
    assert told[-1][:3] == ("PredictionTime", "gauge", "Milliseconds")


def test_metrics_may_be_named_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "metrics.yaml").write_text(
        "model_metrics:\n  counter:\n    - {name: Mine, unit: count, dimensions: [A]}\n"
        "  gauge:\n    - {name: PredictionTime, unit: ms, dimensions: [ModelName, Level]}\n"
    )
    code = """
def handle(data, context):
    if data is None:
        return
    context.metrics.get_metric("Mine").add_or_update(1, ["a"])
    return ["ok"]
"""
    take_points()
    path = pack(tmp_path / "m.mar", {"handler.py": code})
    with loaded(path, metrics_config=str(tmp_path / "metrics.yaml")) as handler:
        assert _bodies(_answer(handler, _request())) == [b"ok"]
    mine, _ = take_points()
    assert (mine.name, dict(mine.dimensions)) == ("Mine", {"A": "a"})


def test_a_coroutine_may_be_the_handler(tmp_path: Path) -> None:
    code = """
import asyncio
class Slow:
    def initialize(self, context):
        pass
    async def handle(self, data, context):
        await asyncio.sleep(0)
        return ["ok"] * len(data)
"""
    with loaded(pack(tmp_path / "m.mar", {"handler.py": code})) as handler:
        assert _bodies(_answer(handler, _request())) == [b"ok"]


@pytest.mark.parametrize(
    ("files", "reference", "said"),
    [
        ({}, "nowhere", "neither a file of the archive nor a default handler"),
        ({"handler.py": ECHO}, "handler:gone", "has no gone"),
        ({"handler.py": "class A: pass"}, "handler", "found none"),
        (
            {"handler.py": "class A:\n def handle(s): pass\nclass B:\n def handle(s): pass"},
            "handler",
            "found A, B",
        ),
    ],
    ids=["module", "function", "no class", "two classes"],
)
def test_a_handler_that_is_not_there_is_told(
    tmp_path: Path, files: dict[str, str], reference: str, said: str
) -> None:
    path = pack(tmp_path / "m.mar", files, handler=reference)
    with pytest.raises(InvalidModel, match=said), loaded(path):
        pass


def test_a_package_that_a_handler_lacks_is_named(tmp_path: Path) -> None:
    path = pack(tmp_path / "m.mar", {"handler.py": "import not_installed_anywhere\n"})
    with pytest.raises(ImportError, match="not_installed_anywhere"), loaded(path):
        pass


def test_what_this_server_does_not_offer_is_told_at_import(tmp_path: Path) -> None:
    path = pack(tmp_path / "m.mar", {"handler.py": "import ts.torch_handler.vllm_handler\n"})
    with pytest.raises(ImportError, match="vLLM's own server"), loaded(path):
        pass


def test_no_torch_is_loaded_for_a_handler_that_needs_none(tmp_path: Path) -> None:
    code = (
        """
from ts.context import Context
from ts.handler_utils.timer import timed
from ts.handler_utils.micro_batching import MicroBatching
from ts.metrics.dimension import Dimension
from ts.utils.util import PredictionException
"""
        + ECHO
    )
    path = pack(tmp_path / "m.mar", {"handler.py": code})
    script = f"""
import sys
from pathlib import Path
from tests.support_archives import loaded
from serving.protocol.exchange import RawRequest
with loaded(Path({str(path)!r})) as handler:
    (reply,) = handler.answer([RawRequest({{"body": b"1"}})], print)
assert reply.body == b"1"
sys.exit("torch" in sys.modules)
"""
    root = Path(__file__).parents[3]
    assert subprocess.run([sys.executable, "-c", script], cwd=root, check=False).returncode == 0
