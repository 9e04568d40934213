"""Bodies of any names to be mapped: built here, joint by joint."""

from collections.abc import Mapping

import numpy as np

from animator.core.motion import Motion
from animator.core.skeleton import BIPED_PARENTS, Joint, Skeleton
from animator.core.spaces import FigureToWorld

Bones = list[tuple[str, str, tuple[float, float, float]]]

BODY: Bones = [
    ("hips", "", (0, 0, 0)),
    ("spine", "hips", (0, 0.2, 0)),
    ("chest", "spine", (0, 0.25, 0)),
    ("neck", "chest", (0, 0.2, 0)),
    ("head", "neck", (0, 0.1, 0)),
    ("head End", "head", (0, 0.2, 0)),
    ("left_collar", "chest", (0.05, 0.15, 0)),
    ("left_shoulder", "left_collar", (0.12, 0, 0)),
    ("left_elbow", "left_shoulder", (0.3, 0, 0)),
    ("left_hand", "left_elbow", (0.26, 0, 0)),
    ("left_thumb", "left_hand", (0.04, 0, 0.05)),
    ("left_finger", "left_hand", (0.12, 0, 0)),
    ("right_collar", "chest", (-0.05, 0.15, 0)),
    ("right_shoulder", "right_collar", (-0.12, 0, 0)),
    ("right_elbow", "right_shoulder", (-0.3, 0, 0)),
    ("right_hand", "right_elbow", (-0.26, 0, 0)),
    ("right_thumb", "right_hand", (-0.04, 0, 0.05)),
    ("right_finger", "right_hand", (-0.12, 0, 0)),
    ("left_hip", "hips", (0.1, -0.05, 0)),
    ("left_knee", "left_hip", (0, -0.42, 0)),
    ("left_foot", "left_knee", (0, -0.4, 0)),
    ("left_toe", "left_foot", (0, -0.06, 0.15)),
    ("right_hip", "hips", (-0.1, -0.05, 0)),
    ("right_knee", "right_hip", (0, -0.42, 0)),
    ("right_foot", "right_knee", (0, -0.4, 0)),
    ("right_toe", "right_foot", (0, -0.06, 0.15)),
]
"""A body in a T-pose that faces +z, a metre and a half tall."""


def stand(bones: Bones, frames: int = 1) -> Motion:
    """The body stands still in its rest pose."""
    names = [name for name, _, _ in bones]
    turns = np.zeros((frames, len(bones), 4), dtype=np.float32)
    turns[..., 0] = 1
    return Motion(
        name="body",
        fps=30.0,
        joints=tuple(names),
        parents=np.array([names.index(p) if p else -1 for _, p, _ in bones], dtype=np.int16),
        offsets=np.array([offset for _, _, offset in bones], dtype=np.float32),
        root=np.tile(np.array([0, 1, 0], dtype=np.float32), (frames, 1)),
        rotations=turns,
    )


def renamed(bones: Bones, names: dict[str, str]) -> Bones:
    """The same body; joints that have no new name are left out, with what hangs on them kept."""
    kept: Bones = []
    moved: dict[str, tuple[str, tuple[float, float, float]]] = {"": ("", (0, 0, 0))}
    for name, parent, offset in bones:
        above, shift = moved[parent]
        place = (shift[0] + offset[0], shift[1] + offset[1], shift[2] + offset[2])
        if name in names:
            kept.append((names[name], above, place))
            moved[name] = (names[name], (0, 0, 0))
        else:
            moved[name] = (above, place)
    return kept


PLACES = {
    "root": (50, 60), "hip": (50, 60), "torso": (50, 30), "neck": (50, 15),
    "right_shoulder": (42, 30), "right_elbow": (25, 30), "right_hand": (8, 30),
    "left_shoulder": (58, 30), "left_elbow": (75, 30), "left_hand": (92, 30),
    "right_hip": (46, 60), "right_knee": (45, 78), "right_foot": (44, 96),
    "left_hip": (54, 60), "left_knee": (55, 78), "left_foot": (56, 96),
}  # fmt: skip
"""Of a drawn figure in a T-pose, 100 pixels tall, the same on both sides."""


def drawn(places: Mapping[str, tuple[float, float]], parents: Mapping[str, str | None]) -> Skeleton:
    """A drawn skeleton; parents come before their children."""
    return Skeleton(
        joints=tuple(
            Joint(name=name, parent=parent, x=places[name][0], y=places[name][1])
            for name, parent in parents.items()
        )
    )


T_POSE = drawn(PLACES, BIPED_PARENTS)
T_WORLD = FigureToWorld(root_x=50, root_y=60, height=100)
