from copy import deepcopy
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs the extra `torch`")

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from models.drawn_humanoid_detector.graph import DetectorGraph
from models.drawn_humanoid_detector.network import build_detector
from models.drawn_humanoid_pose_estimator.network import PoseNetwork, build_pose_network
from models.folding import fold_batch_norms
from models.training.checkpoint import FIRST_SEED
from models.training.warm import POSE, fill_detector, fill_pose, shipped_progress


def pixels(count: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    coarse = torch.rand(count, 3, 24, 24, generator=generator) * 255
    return torch.nn.functional.interpolate(coarse, size=(192, 192), mode="bilinear")


def shipped() -> PoseNetwork:
    """The pose network as it ships, its normalisation folded."""
    network = fold_batch_norms(build_pose_network().eval())
    network.load_state_dict(load_file(POSE / "weights.safetensors"))
    return network


@pytest.fixture(scope="module")
def seen() -> Tensor:
    return pixels(8, seed=0)


@pytest.fixture(scope="module")
def unfolded(seen: Tensor) -> PoseNetwork:
    network = build_pose_network()
    fill_pose(network, seen)
    return network


def difference(a: tuple[Tensor, ...], b: tuple[Tensor, ...]) -> float:
    """The largest, relative to the largest value of each output."""
    return max(float((x - y).abs().max() / y.abs().max()) for x, y in zip(a, b, strict=True))


def test_unfolded_pose_network_computes_what_the_shipped_one_does(unfolded: PoseNetwork) -> None:
    others = pixels(2, seed=1)
    with torch.no_grad():
        assert difference(unfolded.eval()(others), shipped()(others)) < 1e-3


def test_in_training_mode_too_on_the_pictures_it_was_set_on(
    unfolded: PoseNetwork, seen: Tensor
) -> None:
    network = deepcopy(unfolded)  # in training mode it learns from what it sees
    with torch.no_grad():
        assert difference(network.train()(seen), shipped()(seen)) < 1e-3


def test_unfolding_keeps_the_length_of_fresh_weights(unfolded: PoseNetwork) -> None:
    fresh = build_pose_network().trunk[10].conv[0][0].weight.detach().flatten(1).norm(dim=1)
    now = unfolded.trunk[10].conv[0][0].weight.detach().flatten(1).norm(dim=1)
    assert 0.8 < float(now.mean() / fresh.mean()) < 1.25


def test_detector_takes_the_shipped_weights_and_gives_them_back(tmp_path: Path) -> None:
    torch.manual_seed(1)
    state = {
        k: v.half().contiguous() for k, v in DetectorGraph(build_detector()).state_dict().items()
    }
    save_file(state, tmp_path / "weights.safetensors")
    detector = build_detector()
    fill_detector(detector, tmp_path)
    after = DetectorGraph(detector).state_dict()
    assert all(torch.equal(after[name], value.float()) for name, value in state.items())


def test_progress_goes_on_from_the_lineage_with_other_seeds(tmp_path: Path) -> None:
    progress = shipped_progress(POSE)
    assert progress.pictures > 90_000
    assert progress.next_seed > FIRST_SEED
    assert progress.step == 0  # the optimizer starts anew
    assert shipped_progress(tmp_path).next_seed == FIRST_SEED
