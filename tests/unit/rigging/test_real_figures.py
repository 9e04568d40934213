"""What must hold when real figures move: no fold, bones of one length, paint of one size."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from animator import pipeline
from animator.core.annotation import Annotation
from animator.core.drawing import Drawing, crop_figure
from animator.core.mask import mask_from_run_lengths
from animator.core.rig import Rig
from animator.core.rotation import rotate_drawing
from animator.ingest import decode_image, read_character
from animator.motion import follow, list_motions, load_motion
from animator.rigging import build_rig, deform, pose_joints, rest_joints
from animator.rigging.handles import locate
from serving.local import LocalPredictor

CHARACTERS = ("char1", "char2", "char3", "char4", "char5", "char6")
DRAWINGS = (
    "ad-garlic.jpg",
    "amateur-bear.png",
    "anamel-067-pink-bow.jpg",
    "anamel-106-red-wide.jpg",
    "anamel-110-black-dance.jpg",
    "anamel-268-lined-tall.jpg",
    "fork-blob.jpg",
    "openclipart-blueman_105_02.png",
)
"""Fat ones and thin ones; the arms of one are drawn from its head, so its bones cross the air."""

MODELS = Path(__file__).parents[3] / "models"

SHORT = 0.03
"""Bones shorter than this, of the figure's height, are within the paint's own width."""


def test_sample_of_figures_and_clips_keeps_its_shape(shared_data: Path) -> None:
    for name in ("char2", "char4"):
        rig = rigged(shared_data, name)
        for motion in ("sneak", "cheer"):
            check(rig, motion, f"{name} {motion}")


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", CHARACTERS + DRAWINGS)
def test_figure_keeps_its_shape_in_every_clip(name: str, shared_data: Path) -> None:
    rig = rigged(shared_data, name)
    for info in list_motions():
        check(rig, info.name, f"{name} {info.name}")


def check(rig: Rig, name: str, what: str) -> None:
    """Move a rig, and look at every triangle and every bone of every frame."""
    motion, retarget_map = load_motion(name)
    poses = follow(motion, retarget_map, rig.skeleton, rig.to_world)
    vertices = deform(rig, poses).vertices.astype(np.float64)
    assert np.isfinite(vertices).all(), what
    change = areas(rig, vertices) / areas(rig, rig.mesh.vertices.astype(np.float64))
    assert change.min() > 0, f"{what}: {(change <= 0).sum()} folded triangles"
    assert np.percentile(change, 1) >= 0.5, what
    assert np.percentile(change, 99) <= 2.0, what
    rest, parents = rest_joints(rig), np.array(rig.skeleton.parents)
    # the joints go where the bones take them, and those keep their lengths exactly
    places = pose_joints(rest, rig.skeleton.parents, poses).places
    lengths = np.linalg.norm(rest[1:] - rest[parents[1:]], axis=1)
    now = np.linalg.norm(places[:, 1:] - places[:, parents[1:]], axis=2)
    np.testing.assert_allclose(now, np.broadcast_to(lengths, now.shape), atol=1e-6)
    # and the paint goes with them
    within, shares = locate(rig.mesh.vertices.astype(np.float64), rig.mesh.triangles, rest)
    met = (vertices[:, rig.mesh.triangles[within]] * shares[..., None]).sum(axis=2)
    drawn = np.linalg.norm(met[:, 1:] - met[:, parents[1:]], axis=2)
    long = lengths > SHORT
    off = np.abs(drawn[:, long] / lengths[long] - 1)
    assert off.max() <= 0.01, f"{what}: a bone changes its length by {off.max():.1%}"


def areas(rig: Rig, vertices: NDArray[np.float64]) -> NDArray[np.float64]:
    a, b, c = (vertices[..., rig.mesh.triangles[:, k], :] for k in range(3))
    u, v = b - a, c - a
    return np.asarray(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0])


@cache
def rigged(data: Path, name: str) -> Rig:
    """The first figure of a character, or of a drawing as the models find it."""
    if name in CHARACTERS:
        drawing, annotation = read_character(data / "animated-drawings" / "characters" / name)
    else:
        drawing, annotation = found(data / "drawings" / name)
    figure = annotation.figures[0]
    assert figure.mask is not None
    assert figure.skeleton is not None
    mask = mask_from_run_lengths(figure.mask)
    return build_rig(crop_figure(drawing, figure.box), mask, figure.skeleton)


def found(path: Path) -> tuple[Drawing, Annotation]:
    drawing = decode_image(path.read_bytes())
    predictor = LocalPredictor(MODELS)
    annotation = pipeline.annotate(drawing, predictor, lambda step, share: None)
    return rotate_drawing(drawing, annotation.rotation), annotation
