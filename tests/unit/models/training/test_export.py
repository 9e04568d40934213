import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("torch", reason="export needs the extra `torch`")
pytest.importorskip("onnx", reason="export needs the extra `torch`")

import onnx
import torch

from models.drawn_humanoid_detector.network import build_detector
from models.drawn_humanoid_pose_estimator.handler import PoseHandler
from models.drawn_humanoid_pose_estimator.network import build_pose_network
from models.drawn_humanoid_pose_estimator.torch_route import load_network
from models.training.checkpoint import Progress
from models.training.export import EXPORTS, export_model, lineage_of
from models.training.lineage import SliceRecord
from serving.archive.manifest import check_files, read_manifest
from serving.handlers.handler import HandlerContext


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pose network with random weights, exported beside the shipped manifest."""
    torch.manual_seed(3)
    target = tmp_path_factory.mktemp("pose")
    export = EXPORTS["pose"]
    (target / "manifest.json").write_bytes((export.folder / "manifest.json").read_bytes())
    export_model(export, build_pose_network().state_dict(), target)
    return target


def crops() -> list[dict[str, NDArray[np.uint8]]]:
    dice = np.random.default_rng(0)
    sizes = ((192, 192), (70, 300), (401, 33))
    return [{"image": dice.integers(0, 256, (*size, 3), dtype=np.uint8)} for size in sizes]


def test_graph_holds_no_weights_of_its_own(folder: Path) -> None:
    graph = onnx.load(folder / "model.onnx", load_external_data=False)
    inside = sum(len(constant.raw_data) for constant in graph.graph.initializer)
    files = {
        entry.value
        for constant in graph.graph.initializer
        for entry in constant.external_data
        if entry.key == "location"
    }
    assert files == {"weights.safetensors"}
    assert inside < 0.02 * (folder / "weights.safetensors").stat().st_size


def test_both_routes_of_an_export_agree_on_crops_of_any_size(folder: Path) -> None:
    graph, network = PoseHandler(), PoseHandler(load_network(folder / "weights.safetensors", "cpu"))
    graph.load(HandlerContext(model_dir=str(folder)))
    for a, b in zip(graph.infer(crops()), network.infer(crops()), strict=True):
        assert np.allclose(a["mask"], b["mask"], atol=1e-3)
        assert np.allclose(a["scores"], b["scores"], atol=1e-3)


def test_batch_gives_what_single_calls_give(folder: Path) -> None:
    handler = PoseHandler()
    handler.load(HandlerContext(model_dir=str(folder)))
    together = handler.infer(crops())
    alone = [handler.infer([crop])[0] for crop in crops()]
    for a, b in zip(together, alone, strict=True):
        assert np.allclose(a["mask"], b["mask"], atol=1e-4)


def test_manifest_gets_the_hashes_of_what_was_written(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    assert set(manifest["files"]) == {"model.onnx", "weights.safetensors"}
    check_files(read_manifest(folder), folder)


def test_detector_sees_pictures_of_several_sizes() -> None:
    detector = build_detector().eval()
    with torch.inference_mode():
        found = detector([torch.rand(3, 100, 160), torch.rand(3, 320, 240)])
    assert [set(item) >= {"boxes", "scores", "masks"} for item in found] == [True, True]


def test_lineage_tells_of_the_exported_weights(folder: Path) -> None:
    slices = [
        SliceRecord(revision="a", first_seed=11_000_000, end_seed=21_000_000),
        SliceRecord(
            revision="b", first_seed=21_000_000, end_seed=31_000_000, data="d" * 64, share=1.0
        ),
    ]
    progress = Progress(step=5, pictures=80, seconds=90, next_seed=31_000_000, slices=slices)
    lineage = lineage_of(progress, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert lineage.weights == manifest["files"]["weights.safetensors"]
    assert lineage.data == ("synthetic", "d" * 64)
    assert lineage.seeds == (1_000_000, 31_000_000)
    assert (lineage.pictures, lineage.minutes) == (80, 1.5)
    assert lineage.slices == tuple(slices)


def test_data_of_a_run_on_real_drawings_alone_is_theirs_alone(folder: Path) -> None:
    only = SliceRecord(
        revision="a", first_seed=1_000_000, end_seed=11_000_000, data="d" * 64, share=1.0
    )
    progress = Progress(next_seed=11_000_000, slices=[only])
    assert lineage_of(progress, folder).data == ("d" * 64,)
