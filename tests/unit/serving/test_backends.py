"""Models without a handler, run by each backend: the same answers, worked out by hand."""

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from serving.archive.archive import open_archive
from serving.archive.manifest import BackendHints, manifest_from_json
from serving.archive.stored import StoredModel
from serving.backends.handler import BackendHandler
from serving.errors import InferenceFailed, InvalidModel
from serving.handlers.handler import HandlerContext
from serving.protocol.metadata import TensorMetadata
from tests.support_networks import (
    NETWORK,
    save_exported,
    save_onnx,
    save_torchscript,
    save_weights,
)

X = TensorMetadata(name="x", datatype="FP32", shape=(2,))
OUTPUTS = (
    TensorMetadata(name="sum", datatype="FP32", shape=(1,)),
    TensorMetadata(name="twice", datatype="FP32", shape=(2,)),
)
DECLARED = {
    "inputs": [{"name": "x", "datatype": "FP32", "shape": [2]}],
    "outputs": [
        {"name": "sum", "datatype": "FP32", "shape": [1]},
        {"name": "twice", "datatype": "FP32", "shape": [2]},
    ],
    "batch": {"axis": True, "batch_size": 4},
}
BATCH = [{"x": np.array(x, np.float32)} for x in ([1, 1], [0, 0], [2, -3])]
SUMS = [3.5, 0.5, -3.5]  # x . (1, 2) + 0.5


def _loaded(stored: StoredModel) -> BackendHandler:
    handler = BackendHandler()
    handler.load(HandlerContext(model_dir=str(stored.folder), options=stored.options))
    return handler


def _folder(folder: Path, model: str, **backend: str) -> Path:
    manifest = {"name": "tiny", "model": model, "backend": backend, **DECLARED}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "net.py").write_text(NETWORK)
    return folder


def _check(handler: BackendHandler, tolerance: float = 0.0) -> None:
    results = handler.infer(BATCH)
    for result, item, expected in zip(results, BATCH, SUMS, strict=True):
        np.testing.assert_allclose(result["sum"], [expected], atol=tolerance)
        np.testing.assert_allclose(result["twice"], item["x"] * 2, atol=tolerance)
        assert result["sum"].dtype == np.float32


@pytest.mark.parametrize(
    ("name", "save"),
    [("tiny.onnx", save_onnx), ("tiny.pt2", save_exported)],
    ids=["onnx", "exported"],
)
def test_a_bare_file_is_served_by_what_it_says_of_itself(
    tmp_path: Path, name: str, save: Callable[[Path], Path]
) -> None:
    stored = open_archive(save(tmp_path / name), tmp_path / "work")
    manifest = stored.manifest
    assert (manifest.name, manifest.inputs, manifest.outputs) == ("tiny", (X,), OUTPUTS)
    assert manifest.batch.axis
    _check(_loaded(stored))


def test_a_file_without_a_free_first_axis_runs_each_request_as_it_is(tmp_path: Path) -> None:
    stored = open_archive(save_onnx(tmp_path / "one.onnx", batch=1), tmp_path / "work")
    assert stored.manifest.inputs[0].shape == (1, 2)
    assert not stored.manifest.batch.axis
    items = [{"x": item["x"][None]} for item in BATCH]
    results = _loaded(stored).infer(items)
    assert [result["sum"].tolist() for result in results] == [[[value]] for value in SUMS]


def test_a_configuration_beside_the_file_has_the_last_word(tmp_path: Path) -> None:
    path = save_onnx(tmp_path / "tiny.onnx")
    (tmp_path / "tiny.json").write_text('{"version": "7", "batch": {"batch_size": 9}}')
    manifest = open_archive(path, tmp_path / "work").manifest
    assert (manifest.version, manifest.batch.batch_size, manifest.batch.axis) == ("7", 9, True)


FILES: dict[str, tuple[Callable[[Path], Path], str, dict[str, str]]] = {
    "onnx": (save_onnx, "tiny.onnx", {}),
    "exported": (save_exported, "tiny.pt2", {}),
    "torchscript": (save_torchscript, "tiny.pt", {}),
    "eager": (save_weights, "tiny.pth", {"model_file": "net.py"}),
    "safetensors": (save_weights, "tiny.safetensors", {"model_file": "net.py:Net"}),
}


@pytest.mark.parametrize("kind", FILES)
def test_each_backend_gives_the_same_answers(tmp_path: Path, kind: str) -> None:
    save, name, backend = FILES[kind]
    save(tmp_path / name)
    _check(_loaded(open_archive(_folder(tmp_path, name, **backend), tmp_path / "work")))


@pytest.mark.slow
def test_a_package_of_aotinductor_gives_the_same_answers(tmp_path: Path) -> None:
    save_exported(tmp_path / "tiny.pt2", is_compiled=True)
    _check(_loaded(open_archive(_folder(tmp_path, "tiny.pt2"), tmp_path / "work")))
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(InvalidModel, match="does not say what it takes"):
        open_archive(tmp_path / "tiny.pt2", tmp_path / "work")


PRECISIONS = [
    ("onnx", "fp16"),
    ("onnx", "int8"),
    ("torchscript", "fp16"),
    ("torchscript", "bf16"),
    ("eager", "fp16"),
    ("eager", "bf16"),
    ("eager", "int8"),
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("kind", "precision"), PRECISIONS)
def test_lower_precision_stays_near(tmp_path: Path, kind: str, precision: str) -> None:
    save, name, backend = FILES[kind]
    save(tmp_path / name)
    folder = _folder(tmp_path, name, precision=precision, **backend)
    # int8 has 256 steps over the range of a batch, here 5 wide, times weights of up to 2.
    tolerance = 0.1 if precision == "int8" else 0.02
    _check(_loaded(open_archive(folder, tmp_path / "work")), tolerance)


@pytest.mark.parametrize(
    ("kind", "precision"),
    [("onnx", "bf16"), ("exported", "fp16"), ("torchscript", "int8")],
)
def test_a_precision_that_a_backend_has_not_is_refused(
    tmp_path: Path, kind: str, precision: str
) -> None:
    save, name, backend = FILES[kind]
    save(tmp_path / name)
    stored = open_archive(_folder(tmp_path, name, precision=precision, **backend), tmp_path / "w")
    with pytest.raises(InvalidModel, match=precision):
        _loaded(stored)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_openvino_gives_the_same_answers(tmp_path: Path, precision: str) -> None:
    pytest.importorskip("openvino", reason="needs the extra openvino")
    save_onnx(tmp_path / "tiny.onnx")
    folder = _folder(tmp_path, "tiny.onnx", name="openvino", precision=precision)
    _check(_loaded(open_archive(folder, tmp_path / "work")), 0.05)


def test_a_backend_that_is_not_installed_is_told(tmp_path: Path) -> None:
    if importlib.util.find_spec("openvino") is not None:
        pytest.skip("OpenVINO is installed")
    save_onnx(tmp_path / "tiny.onnx")
    stored = open_archive(_folder(tmp_path, "tiny.onnx", name="openvino"), tmp_path / "work")
    with pytest.raises(InvalidModel, match="openvino is not installed"):
        _loaded(stored)


def test_a_raw_body_is_json_and_so_is_its_answer(tmp_path: Path) -> None:
    handler = _loaded(open_archive(save_onnx(tmp_path / "tiny.onnx"), tmp_path / "work"))
    for body in (b'{"x": [1, 1]}', b"[1, 1]"):
        (result,) = handler.infer([handler.decode(body)])
        assert handler.encode(result) == {"sum": [3.5], "twice": [2.0, 2.0]}


@pytest.mark.parametrize(
    "body", [b"no json", b'{"y": [1, 1]}', b'{"x": ["a"]}', b'{"x": [[1], 2]}']
)
def test_a_body_that_is_no_input_is_refused(tmp_path: Path, body: bytes) -> None:
    handler = _loaded(open_archive(save_onnx(tmp_path / "tiny.onnx"), tmp_path / "work"))
    with pytest.raises(ValueError):
        handler.decode(body)


def test_an_output_without_a_row_for_each_item_is_told(tmp_path: Path) -> None:
    save_onnx(tmp_path / "tiny.onnx", batch=1)
    handler = _loaded(open_archive(_folder(tmp_path, "tiny.onnx"), tmp_path / "work"))
    with pytest.raises(Exception, match=r"Got: 3 Expected: 1"):
        handler.infer(BATCH)


class _Shrinking:
    def run(self, inputs: Any) -> Any:
        return {"sum": np.zeros(2, np.float32)}


def test_rows_are_counted(tmp_path: Path) -> None:
    handler = _loaded(open_archive(save_onnx(tmp_path / "tiny.onnx"), tmp_path / "work"))
    handler._backend = _Shrinking()
    with pytest.raises(InferenceFailed, match=r"not one row for each of 3 items"):
        handler.infer(BATCH)


@pytest.mark.parametrize("name", ["tiny.onnx", "tiny.pt2"])
def test_a_broken_file_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\x3a\xff\xff\xff\xff\x7f no model")
    with pytest.raises(InvalidModel, match=name):
        open_archive(tmp_path / name, tmp_path / "work")


def test_pickled_code_is_not_run(tmp_path: Path) -> None:
    import pickle

    class Evil:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "ran",))

    (tmp_path / "tiny.pth").write_bytes(pickle.dumps(Evil(), protocol=2))
    stored = open_archive(_folder(tmp_path, "tiny.pth", model_file="net.py"), tmp_path / "work")
    with pytest.raises(InvalidModel, match="cannot be loaded"):
        _loaded(stored)
    assert not (tmp_path / "ran").exists()


def test_a_manifest_names_a_handler_or_a_model() -> None:
    with pytest.raises(InvalidModel, match="names a handler, or the file of a model"):
        manifest_from_json(b'{"name": "m"}')
    assert manifest_from_json(b'{"name": "m", "model": "m.onnx"}').backend == BackendHints()
