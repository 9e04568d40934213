"""A cut that the page makes in an outline is wide enough to part the mesh there."""

import re

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from animator.core.drawing import Figure
from animator.core.geometry import Box
from animator.core.mask import Mask
from animator.core.rig import Rig
from animator.core.skeleton import Joint, Skeleton
from animator.rigging import build_rig
from tests.support_web import WEB

JOINTS = {
    "root": (None, 250, 600),
    "torso": ("root", 250, 250),
    "neck": ("torso", 250, 120),
    "right_hip": ("root", 210, 600),
    "right_knee": ("right_hip", 200, 780),
    "right_foot": ("right_knee", 185, 930),
    "left_hip": ("root", 290, 600),
    "left_knee": ("left_hip", 300, 780),
    "left_foot": ("left_knee", 315, 930),
}


def constant(name: str) -> float:
    found = re.search(rf"const {name} = ([\d.]+);", (WEB / "masks" / "paint.js").read_text("utf-8"))
    assert found
    return float(found[1])


def skirt(scale: float) -> NDArray[np.bool_]:
    """A figure a thousand pixels tall, times the scale, whose skirt covers both legs."""
    drawn = np.zeros((round(1000 * scale), round(500 * scale)), np.uint8)
    shape = np.array([(160, 30), (340, 30), (320, 560), (370, 960), (130, 960), (180, 560)])
    cv2.fillPoly(drawn, [np.round(shape * scale).astype(np.int32)], (1,))
    return drawn.astype(np.bool_)


def cut(mask: NDArray[np.bool_], lean: float) -> NDArray[np.bool_]:
    """The mask with a slit as wide as the page's between the legs, leaning to one side."""
    rows = np.flatnonzero(mask.any(axis=1))
    longest = rows[-1] - rows[0] + 1
    width = max(2.0, constant("OPEN") * longest / constant("RIG_SIDE"))
    height = mask.shape[0]
    y, x = np.mgrid[:height, : mask.shape[1]] + 0.5
    away = np.abs(x - height * (0.25 + 0.003) - lean * (y - 0.8 * height)) / np.hypot(1, lean)
    return np.asarray(mask & ~((away <= width / 2) & (y > 0.64 * height)))


def rig_of(mask: NDArray[np.bool_], scale: float) -> Rig:
    image = np.full((*mask.shape, 3), 250, np.uint8)
    image[mask] = (230, 200, 180)
    height, width = mask.shape
    joints = tuple(
        Joint(name=name, parent=parent, x=x * scale, y=y * scale)
        for name, (parent, x, y) in JOINTS.items()
    )
    figure = Figure(box=Box(0.0, 0.0, float(width), float(height)), image=image)
    return build_rig(figure, Mask(mask), Skeleton(joints=joints))


def way_between_legs(rig: Rig, scale: float) -> float:
    """Along the mesh, over the straight way."""
    places = rig.to_world.invert(rig.mesh.vertices)
    ends = [
        int(np.argmin(((places - np.array((x, 850)) * scale) ** 2).sum(axis=1))) for x in (205, 295)
    ]
    edges = np.concatenate([rig.mesh.triangles[:, pair] for pair in ([0, 1], [1, 2], [2, 0])])
    lengths = np.hypot(*(places[edges[:, 0]] - places[edges[:, 1]]).T)
    graph = csr_array((lengths, edges.T), shape=(len(places), len(places)))
    way = dijkstra(graph, directed=False, indices=ends[0])[ends[1]]
    return float(way / np.hypot(*(places[ends[0]] - places[ends[1]])))


@pytest.mark.parametrize("lean", [0.0, 0.13], ids=["upright", "leaning"])
@pytest.mark.parametrize("scale", [0.3, 1.0, 2.9], ids=["small", "middling", "large"])
def test_legs_under_a_skirt_come_apart_where_the_page_cuts(scale: float, lean: float) -> None:
    mask = skirt(scale)
    assert way_between_legs(rig_of(cut(mask, lean), scale), scale) > 3.5


def test_legs_under_a_skirt_hang_together_without_a_cut() -> None:
    assert way_between_legs(rig_of(skirt(1.0), 1.0), 1.0) < 3
