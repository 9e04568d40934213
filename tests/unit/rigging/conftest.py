"""A figure small enough to reason about: a body with a head, two arms and two legs."""

import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.drawing import Figure
from animator.core.geometry import Box
from animator.core.mask import Mask
from animator.core.pose import PoseSequence
from animator.core.rig import Rig
from animator.core.skeleton import BIPED_PARENTS, Joint, Skeleton
from animator.rigging import build_rig

WIDTH, HEIGHT = 160, 200

PLACES = {
    "root": (80, 120),
    "hip": (80, 120),
    "torso": (80, 72),
    "neck": (80, 34),
    "right_shoulder": (64, 72),
    "right_elbow": (42, 72),
    "right_hand": (18, 72),
    "left_shoulder": (96, 72),
    "left_elbow": (118, 72),
    "left_hand": (142, 72),
    "right_hip": (70, 122),
    "right_knee": (66, 150),
    "right_foot": (62, 184),
    "left_hip": (90, 122),
    "left_knee": (94, 150),
    "left_foot": (98, 184),
}


def make_skeleton() -> Skeleton:
    return Skeleton(
        joints=tuple(
            Joint(name=name, parent=parent, x=float(PLACES[name][0]), y=float(PLACES[name][1]))
            for name, parent in BIPED_PARENTS.items()
        )
    )


def make_mask() -> NDArray[np.bool_]:
    data = np.zeros((HEIGHT, WIDTH), dtype=bool)
    rows, columns = np.ogrid[:HEIGHT, :WIDTH]
    data |= (rows - 34) ** 2 + (columns - 80) ** 2 < 20**2
    data[50:130, 62:98] = True
    data[66:78, 10:150] = True
    data[125:190, 56:74] = True
    data[125:190, 86:104] = True
    return data


def make_figure() -> Figure:
    image = np.full((HEIGHT, WIDTH, 3), 250, np.uint8)
    image[make_mask()] = (200, 40, 40)
    return Figure(box=Box(0.0, 0.0, float(WIDTH), float(HEIGHT)), image=image)


def still(joints: int, frames: int = 1) -> PoseSequence:
    """Poses in which nothing moves."""
    return PoseSequence(
        fps=10.0,
        root=np.zeros((frames, 2), np.float32),
        angles=np.full((frames, joints), np.nan, np.float32),
        depths=np.zeros((frames, 1), np.float32),
        groups=(("hip",),),
    )


@pytest.fixture
def skeleton() -> Skeleton:
    return make_skeleton()


@pytest.fixture
def mask() -> Mask:
    return Mask(make_mask())


@pytest.fixture
def figure() -> Figure:
    return make_figure()


@pytest.fixture(scope="session")
def rig() -> Rig:
    return build_rig(make_figure(), Mask(make_mask()), make_skeleton())


@pytest.fixture
def at_rest() -> PoseSequence:
    return still(len(PLACES))
