"""torchvision is the peer that is always at hand: its own networks, end to end."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("torch", reason="the importers need the extra `torch`")

import torch
from torch import Tensor, nn

from models.importers.importing import ImportOptions, import_checkpoint
from serving.local import LocalPredictor
from tests.support_checkpoints import noise, tiny_keypoint_rcnn, tiny_mask_rcnn

PICTURE = noise(100, 130)
SIZES = {"short_side": 128, "long_side": 224}  # of the tiny networks; conventions, not weights

Answer = dict[str, NDArray[Any]]
Route = Callable[[nn.Module, NDArray[np.uint8]], tuple[Answer, Answer]]


@pytest.fixture(params=["graph", "torch"])
def route(request: pytest.FixtureRequest, tmp_path: Path) -> Route:
    """Answers of torchvision and of the imported model on one picture."""

    def both(network: nn.Module, image: NDArray[np.uint8]) -> tuple[Answer, Answer]:
        torch.save(network.state_dict(), tmp_path / "a.pth")
        options = ImportOptions(graph=request.param == "graph", conventions=SIZES)
        import_checkpoint(tmp_path / "a.pth", tmp_path / "models" / "m", options=options)
        with torch.inference_mode():
            (theirs,) = network([torch.from_numpy(image).permute(2, 0, 1) / 255])
        ours = LocalPredictor(tmp_path / "models", 1).infer("m", {"image": image})
        return {name: part.numpy() for name, part in theirs.items()}, dict(ours)

    return both


def test_mask_rcnn_finds_what_torchvision_finds(route: Route) -> None:
    network = tiny_mask_rcnn()
    masks: list[Tensor] = []
    network.roi_heads.register_forward_hook(lambda *a: masks.append(a[2][0][0]["masks"].clone()))
    theirs, ours = route(network, PICTURE)
    assert len(theirs["scores"]) > 20
    assert np.ptp(theirs["scores"]) > 0.01
    # scores that are equal to six digits may change places
    apart = np.abs(ours["boxes"][None] - theirs["boxes"][:, None]).max(axis=2)
    same = apart.argmin(axis=1)
    assert sorted(same) == list(range(len(same)))
    np.testing.assert_allclose(ours["boxes"][same], theirs["boxes"], atol=0.01)
    np.testing.assert_allclose(ours["scores"][same], theirs["scores"], rtol=1e-3)
    np.testing.assert_allclose(ours["masks"][same], masks[0][:, 0].numpy(), rtol=1e-3)


def test_keypoint_rcnn_places_what_torchvision_places(route: Route) -> None:
    theirs, ours = route(tiny_keypoint_rcnn(), PICTURE)
    assert ours.keys() == {"keypoints", "scores"}
    np.testing.assert_allclose(ours["keypoints"], theirs["keypoints"][0, :, :2], atol=0.01)
    scores = 1 / (1 + np.exp(-theirs["keypoints_scores"][0]))
    np.testing.assert_allclose(ours["scores"], scores, rtol=1e-3)


def test_picture_in_which_nothing_is_found_gets_empty_arrays(route: Route) -> None:
    network = tiny_mask_rcnn()
    network.roi_heads.box_predictor.cls_score.bias.data[0] = 50.0  # all is background
    _, ours = route(network, PICTURE)
    assert ours["boxes"].shape == (0, 4)
    assert ours["scores"].shape == (0,)
    assert ours["masks"].shape == (0, 28, 28)


def test_keypoints_are_looked_for_where_no_figure_is_found(route: Route) -> None:
    network = tiny_keypoint_rcnn()
    network.roi_heads.box_predictor.cls_score.bias.data[0] = 50.0
    _, ours = route(network, PICTURE)
    edge = 130 / 12  # the space that callers leave around a figure
    points = ours["keypoints"]
    assert points.shape == (17, 2)
    assert (points >= edge - 0.5).all()
    assert (points <= np.array([130, 100]) - edge + 0.5).all()
