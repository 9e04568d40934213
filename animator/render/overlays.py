"""How figures are moved, drawn over them: bones, triangles, and the bone of each triangle."""

import colorsys

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.core.moved_figure import MovedFigure
from animator.core.rig import Rig
from animator.core.scene import Placement, Scene

__all__ = ("draw_overlays",)

Colour = tuple[int, int, int, int]

BONE: Colour = (37, 99, 235, 255)
JOINT: Colour = (255, 255, 255, 255)
EDGE: Colour = (20, 20, 20, 255)

TINT = 0.6
"""Share of bones' and edges' colours over the paint."""

GOLDEN = 0.618
"""Step of the hue from bone to bone, turns: neighbours differ."""

BITS = 4
"""OpenCV takes coordinates as whole numbers of this binary fraction of a pixel."""


def draw_overlays(
    canvas: NDArray[np.uint8], scene: Scene, one: MovedFigure, place: Placement, frame: int
) -> None:
    """Draw what the scene asks for over a frame (H, W, 4), straight alpha.

    frame: of the figure's own track.
    """
    mesh = _points(scene.camera.apply(place.apply(one.track.vertices[frame])))
    triangles = mesh[one.rig.mesh.triangles]
    thickness = max(round(min(canvas.shape[:2]) / 160), 1)
    if "weights" in scene.overlays:
        _tint(canvas, triangles, _colours_of(one.rig))
    if "mesh" in scene.overlays:
        lined = canvas.copy()
        cv2.polylines(lined, list(triangles), True, EDGE, 1, cv2.LINE_AA, BITS)
        cv2.addWeighted(lined, TINT, canvas, 1.0 - TINT, 0.0, dst=canvas)
    if "bones" in scene.overlays:
        joints = one.joints[frame].astype(np.float32)
        _draw_bones(
            canvas,
            _points(scene.camera.apply(place.apply(joints))),
            one.rig.skeleton.parents,
            thickness,
        )


def _points(places: NDArray[np.float32]) -> NDArray[np.int32]:
    """Places (N, 2) in frame space as OpenCV counts them: a pixel's centre is a whole number."""
    return np.asarray(np.rint((places - 0.5) * (1 << BITS)), np.int32)


def _tint(
    canvas: NDArray[np.uint8], triangles: NDArray[np.int32], colours: NDArray[np.float32]
) -> None:
    """Lay colours (T, 3) over triangles (T, 3, 2)."""
    tinted = canvas.copy()
    for triangle, colour in zip(triangles, colours.tolist(), strict=True):
        cv2.fillConvexPoly(tinted, triangle, (*colour, 255), cv2.LINE_8, BITS)
    cv2.addWeighted(tinted, TINT, canvas, 1.0 - TINT, 0.0, dst=canvas)


def _draw_bones(
    canvas: NDArray[np.uint8],
    joints: NDArray[np.int32],
    parents: tuple[int, ...],
    thickness: int,
) -> None:
    for joint, parent in enumerate(parents):
        if parent >= 0:
            ends = joints[[parent, joint]]
            cv2.polylines(canvas, [ends], False, BONE, 2 * thickness, cv2.LINE_AA, BITS)
    for x, y in joints.tolist():
        for radius, colour in ((3 * thickness, BONE), (2 * thickness, JOINT)):
            cv2.circle(canvas, (x, y), radius << BITS, colour, -1, cv2.LINE_AA, BITS)


def _colours_of(rig: Rig) -> NDArray[np.float32]:
    """The colours of the bones, mixed as they share each triangle: (T, 3), 0..255."""
    bones = range(len(rig.skeleton.joints))
    hues = [colorsys.hsv_to_rgb(bone * GOLDEN % 1.0, 0.75, 0.95) for bone in bones]
    colours = np.array(hues, np.float32) * 255
    return np.asarray(rig.weights @ colours)
