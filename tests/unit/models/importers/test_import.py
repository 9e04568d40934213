from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="the importers need the extra `torch`")

import torch
from safetensors.torch import load_file

from models.importers.conventions import Kind
from models.importers.errors import CannotImport, UnknownNetwork
from models.importers.importing import ImportedModel, ImportOptions, import_checkpoint
from serving.archive.manifest import Manifest, check_files, read_manifest
from serving.local import LocalPredictor
from serving.protocol.tensors import Tensors
from tests.support_checkpoints import (
    State,
    noise,
    tiny_keypoint_rcnn,
    tiny_mask_rcnn,
    to_detectron2,
    to_mmdet,
    top_down_state,
    write_mar,
    write_pickle,
)

Imported = tuple[ImportedModel, list[tuple[str, float]]]

QUICK = ImportOptions(graph=False)
HALF = ImportOptions(half=True, graph=False)


def saved(folder: Path, state: object) -> Path:
    torch.save(state, folder / "a.pth")
    return folder / "a.pth"


def weights_of(file: Path, folder: Path) -> State:
    model = import_checkpoint(file, folder, options=QUICK)
    return dict(load_file(model.folder / "weights.safetensors"))


@pytest.fixture(scope="module")
def mask_state() -> State:
    return dict(tiny_mask_rcnn(classes=4).state_dict())


def test_three_libraries_files_become_the_same_weights(tmp_path: Path, mask_state: State) -> None:
    files = {
        Kind.TORCHVISION_MASK: saved(tmp_path, mask_state),
        Kind.DETECTRON2_MASK: write_pickle(tmp_path / "a.pkl", to_detectron2(mask_state)),
        Kind.MMDET_MASK: write_mar(tmp_path / "a.mar", {"state_dict": to_mmdet(mask_state)}),
    }
    first, *others = (weights_of(file, tmp_path / kind) for kind, file in files.items())
    for other in others:
        assert other.keys() == first.keys()
        for name, tensor in first.items():
            spared = 4 if "bbox_pred" in name and "rpn" not in name else 1
            # what the background's box and mask would be is asked by nobody
            rows = slice(spared, None) if _is_per_class(name) else slice(None)
            assert torch.equal(other[name][rows], tensor[rows]), name
            assert not _is_per_class(name) or not other[name][:spared].any()


def _is_per_class(name: str) -> bool:
    return "mask_fcn_logits" in name or name.startswith("roi_heads.box_predictor.bbox_pred")


def test_names_of_torchvision_before_2022_are_known(tmp_path: Path, mask_state: State) -> None:
    old = {}
    for name, tensor in mask_state.items():
        renamed = name.replace("rpn.head.conv.0.0.", "rpn.head.conv.")
        if "_blocks" in name:
            renamed = renamed.replace(".0.weight", ".weight").replace(".0.bias", ".bias")
        for place in (0, 1):
            renamed = renamed.replace(f"mask_head.{place}.0.", f"mask_head.mask_fcn{place + 1}.")
        old[renamed] = tensor
    assert len(old.keys() - mask_state.keys()) == 22
    new = weights_of(saved(tmp_path, mask_state), tmp_path / "new")
    for name, tensor in weights_of(saved(tmp_path, old), tmp_path / "old").items():
        assert torch.equal(tensor, new[name])


def assert_declared(manifest: Manifest, found: Tensors) -> None:
    """The manifest declares these outputs, with -1 for a size of any kind."""
    assert [tensor.name for tensor in manifest.outputs] == list(found)
    for tensor in manifest.outputs:
        sizes = zip(tensor.shape, found[tensor.name].shape, strict=True)
        assert tensor.datatype == "FP32"
        assert all(declared in (-1, size) for declared, size in sizes)


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory, mask_state: State) -> Imported:
    """A model with its graph, and what was told while it was imported."""
    folder = tmp_path_factory.mktemp("models")
    told: list[tuple[str, float]] = []
    model = import_checkpoint(
        saved(tmp_path_factory.mktemp("file"), mask_state),
        folder / "theirs",
        tell=lambda *step: told.append(step),
    )
    return model, told


def test_folder_is_what_the_server_loads(imported: Imported) -> None:
    model, _ = imported
    manifest = read_manifest(model.folder)
    check_files(manifest, model.folder)
    assert manifest.name == model.name == "theirs"
    assert set(manifest.files) == {"weights.safetensors", "network.json", "model.onnx"}
    assert model.description.role == "detector"
    models = LocalPredictor(model.folder.parent, 1)
    found = models.infer("theirs", {"image": noise(90, 70)})
    count = len(found["scores"])
    assert found["boxes"].shape == (count, 4)
    assert found["masks"].shape == (count, 28, 28)
    assert_declared(manifest, found)
    assert {array.dtype for array in found.values()} == {np.dtype(np.float32)}


def test_each_step_is_told_as_it_begins(imported: Imported) -> None:
    _, told = imported
    assert [step for step, _ in told] == ["reading", "converting", "tracing the graph"]
    assert [share for _, share in told] == sorted(share for _, share in told)


@pytest.mark.parametrize("prefix", ["keypoint_head.", "head."])
def test_both_generations_of_mmpose_are_read(tmp_path: Path, prefix: str) -> None:
    file = write_mar(tmp_path / "a.mar", {"state_dict": top_down_state(prefix=prefix)})
    model = import_checkpoint(file, tmp_path / "pose", "their_pose")
    assert (model.name, model.description.role) == ("their_pose", "pose")
    found = LocalPredictor(tmp_path, 1).infer("their_pose", {"image": noise(90, 70)})
    assert found.keys() == {"keypoints", "scores"}
    assert found["keypoints"].shape == (17, 2)
    assert_declared(read_manifest(model.folder), found)
    assert found["keypoints"].dtype == np.float32


def test_half_precision_halves_the_file(tmp_path: Path, mask_state: State) -> None:
    file = saved(tmp_path, mask_state)
    whole = import_checkpoint(file, tmp_path / "whole", options=QUICK).folder
    half = import_checkpoint(file, tmp_path / "half", options=HALF).folder
    sizes = [(f / "weights.safetensors").stat().st_size for f in (whole, half)]
    assert sizes[1] < 0.51 * sizes[0]
    models = LocalPredictor(tmp_path, 1)
    a, b = (models.infer(name, {"image": noise(90, 70)}) for name in ("whole", "half"))
    assert a["scores"][0] == pytest.approx(b["scores"][0], abs=0.01)


def test_configuration_and_settings_decide_what_the_weights_do_not_tell(
    tmp_path: Path, mask_state: State
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("INPUT: {FORMAT: RGB, MIN_SIZE_TEST: 640}\n")
    file = saved(tmp_path, to_detectron2(mask_state))
    options = ImportOptions(graph=False, config=config, conventions={"stride_in_1x1": False})
    model = import_checkpoint(file, tmp_path / "m", options=options)
    assert model.description.regions is not None
    conventions = model.description.regions[1]
    assert (conventions.rgb, conventions.short_side, conventions.stride_in_1x1) == (
        True,
        640,
        False,
    )
    assert conventions.long_side == 1333


def test_defaults_and_many_classes_are_told(tmp_path: Path, mask_state: State) -> None:
    notes = import_checkpoint(saved(tmp_path, mask_state), tmp_path / "m", options=QUICK).notes
    assert "3 classes" in notes[0]
    assert "defaults" in notes[1]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda s: s.pop("rpn.head.bbox_pred.weight"), "rpn.head.bbox_pred.weight is missing"),
        (lambda s: s.update({"extra.weight": torch.ones(1)}), "1 more tensors, such as extra"),
        (lambda s: s.pop("roi_heads.mask_predictor.conv5_mask.weight"), "holds none of the"),
        (lambda s: s.update({"rpn.head.conv.0.0.weight": torch.ones(2, 2, 3, 3)}), "has the shape"),
        (lambda s: s.pop("backbone.body.bn1.bias"), "trunk.stem.norm.bias is missing"),
    ],
)
def test_another_network_is_refused_with_a_sentence(
    tmp_path: Path,
    mask_state: State,
    change: Callable[[State], object],
    sentence: str,
) -> None:
    state = dict(mask_state)
    change(state)
    with pytest.raises(UnknownNetwork, match=sentence):
        import_checkpoint(saved(tmp_path, state), tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_other_counts_of_keypoints_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotImport, match="21 keypoints"):
        import_checkpoint(saved(tmp_path, top_down_state(21)), tmp_path / "m")


@pytest.mark.parametrize("settings", [{"rgb": "perhaps"}, {"colour": 1}, {"short_side": 5}])
def test_settings_that_make_no_sense_are_refused(
    tmp_path: Path, mask_state: State, settings: dict[str, object]
) -> None:
    options = ImportOptions(conventions=settings)
    with pytest.raises(CannotImport, match="conventions cannot be followed"):
        import_checkpoint(saved(tmp_path, mask_state), tmp_path / "m", options=options)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "precious").touch()
    with pytest.raises(CannotImport, match="nothing is overwritten"):
        import_checkpoint(saved(tmp_path, tiny_keypoint_rcnn().state_dict()), tmp_path / "m")


@pytest.mark.parametrize("name", ["../up", ".", "a b"])
def test_name_must_fit_into_a_url(tmp_path: Path, name: str) -> None:
    with pytest.raises(CannotImport, match="cannot name a model"):
        import_checkpoint(tmp_path / "gone", tmp_path / "m", name)


def test_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(CannotImport, match="cannot read the file"):
        import_checkpoint(tmp_path / "gone.pth", tmp_path / "m")
