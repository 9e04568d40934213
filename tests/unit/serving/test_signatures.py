"""What model files say of themselves, and what is made of files that lie."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving.archive.mar_manifest import read_mar_manifest
from serving.archive.onnx_signature import read_onnx_signature
from serving.archive.pt2_signature import read_pt2_signature
from serving.errors import InvalidModel
from tests.support_networks import save_exported, save_onnx


def _onnx(path: Path, inputs: list[Any], outputs: list[Any], weights: dict[str, Any]) -> Path:
    import onnx
    from onnx import helper, numpy_helper

    initializers = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph([], "g", inputs, outputs, initializers)
    onnx.save(helper.make_model(graph), path)
    return path


@pytest.mark.parametrize(
    ("onnx_name", "datatype"),
    [
        *(("FLOAT", "FP32"), ("UINT8", "UINT8"), ("INT64", "INT64"), ("STRING", "BYTES")),
        *(("BOOL", "BOOL"), ("FLOAT16", "FP16"), ("DOUBLE", "FP64"), ("BFLOAT16", "BF16")),
    ],
)
def test_types_and_sizes_of_onnx_are_read(tmp_path: Path, onnx_name: str, datatype: str) -> None:
    from onnx import TensorProto, helper

    kind = TensorProto.DataType.Value(onnx_name)
    x = helper.make_tensor_value_info("x", kind, ["n", 3, None])
    y = helper.make_tensor_value_info("y", kind, [])
    inputs, outputs = read_onnx_signature(_onnx(tmp_path / "m.onnx", [x], [y], {}))
    assert [(t.name, t.datatype, t.shape) for t in inputs] == [("x", datatype, (-1, 3, -1))]
    assert [(t.name, t.datatype, t.shape) for t in outputs] == [("y", datatype, ())]


def test_weights_among_the_inputs_are_none(tmp_path: Path) -> None:
    from onnx import TensorProto, helper

    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xwy"]
    weights = {"w": np.zeros(2, np.float32)}
    inputs, _ = read_onnx_signature(_onnx(tmp_path / "m.onnx", infos[:2], infos[2:], weights))
    assert [tensor.name for tensor in inputs] == ["x"]


def test_what_is_no_tensor_is_told(tmp_path: Path) -> None:
    from onnx import TensorProto, helper

    sequence = helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, [2])
    with pytest.raises(InvalidModel, match="s is no tensor"):
        read_onnx_signature(_onnx(tmp_path / "m.onnx", [], [sequence], {}))


@pytest.fixture(scope="module")
def onnx_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return save_onnx(tmp_path_factory.mktemp("onnx") / "m.onnx").read_bytes()


@given(data=st.data())
def test_a_damaged_onnx_is_read_or_refused_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, onnx_bytes: bytes, data: st.DataObject
) -> None:
    damaged = bytearray(onnx_bytes)
    for _ in range(data.draw(st.integers(1, 6))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("damaged") / "m.onnx"
    path.write_bytes(damaged[: data.draw(st.integers(0, len(damaged)))])
    try:
        inputs, outputs = read_onnx_signature(path)
    except InvalidModel:
        return
    assert outputs
    assert all(isinstance(tensor.name, str) for tensor in (*inputs, *outputs))


@pytest.mark.parametrize(
    "program",
    [
        b"no json",
        b"{}",
        b"[]",
        b'{"graph_module": {"graph": {"tensor_values": {}}, "signature": {"input_specs": 1}}}',
    ],
)
def test_a_program_that_is_none_is_refused(tmp_path: Path, program: bytes) -> None:
    with zipfile.ZipFile(tmp_path / "m.pt2", "w") as archive:
        archive.writestr("m/models/model.json", program)
    with pytest.raises(InvalidModel, match="no exported program"):
        read_pt2_signature(tmp_path / "m.pt2")


def test_a_program_says_the_names_of_its_inputs_and_outputs(tmp_path: Path) -> None:
    found = read_pt2_signature(save_exported(tmp_path / "m.pt2"))
    assert found is not None
    inputs, outputs = found
    assert [(t.name, t.shape) for t in inputs] == [("x", (-1, 2))]
    assert [(t.name, t.shape) for t in outputs] == [("sum", (-1, 1)), ("twice", (-1, 2))]


@given(st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
def test_noise_is_no_manifest(tmp_path_factory: pytest.TempPathFactory, noise: bytes) -> None:
    folder = tmp_path_factory.mktemp("noise")
    (folder / "MAR-INF").mkdir()
    (folder / "MAR-INF" / "MANIFEST.json").write_bytes(b"\x00" + noise)
    with pytest.raises(InvalidModel, match="is not valid"):
        read_mar_manifest(folder)


def test_a_huge_manifest_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "MAR-INF").mkdir()
    (tmp_path / "MAR-INF" / "MANIFEST.json").write_bytes(b"{}" + b" " * (1 << 20))
    with pytest.raises(InvalidModel, match="at most 1048576 are read"):
        read_mar_manifest(tmp_path)
