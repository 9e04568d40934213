import numpy as np
from numpy.typing import NDArray

from animator.rigging.bones import measure_bones
from animator.rigging.ink import hindrance
from animator.rigging.seams import find_seams
from animator.rigging.silhouette import silhouette_from_mask
from animator.rigging.territory import share_out


def seams(
    mask: NDArray[np.bool_], joints: list[list[float]], parents: tuple[int, ...], ink: int = 0
) -> list[NDArray[np.float64]]:
    """Seams in the mask's own pixels; `ink` is the column of a line, if any."""
    silhouette = silhouette_from_mask(mask)
    bones = measure_bones(silhouette.from_canvas(np.array(joints)), parents, silhouette.solid)
    dark = np.zeros(silhouette.data.shape, np.float32)
    if ink:
        column = int(silhouette.from_canvas(np.array([[ink, 0.0]]))[0, 0])
        dark[:, column - 2 : column + 2] = 1
    owner = share_out(silhouette, bones, hindrance(dark))
    return [silhouette.to_canvas(line) for line in find_seams(silhouette, owner, bones, dark)]


def test_arm_that_hangs_along_the_body_is_cut_free_below_the_shoulder() -> None:
    mask = np.zeros((400, 240), dtype=bool)
    mask[10:390, 20:220] = True
    joints = [[100.0, 370.0], [100.0, 60.0], [100.0, 20.0], [190.0, 60.0], [195.0, 180.0]]
    joints += [[195.0, 330.0]]
    found = seams(mask, joints, (-1, 0, 1, 1, 3, 4))
    assert len(found) >= 1
    points = np.concatenate(found)
    # beside the arm, from well below the shoulder at row 60 to the hem
    assert points[:, 0].min() > 120
    assert points[:, 0].max() < 195
    assert points[:, 1].min() > 80
    assert points[:, 1].max() > 370


def test_bent_elbow_is_not_cut() -> None:
    mask = np.zeros((200, 200), dtype=bool)
    mask[20:180, 20:60] = True
    mask[140:180, 20:180] = True
    joints = [[40.0, 30.0], [40.0, 60.0], [40.0, 160.0], [170.0, 160.0]]
    assert seams(mask, joints, (-1, 0, 1, 2)) == []


def legs(mask: NDArray[np.bool_], apart: float) -> list[list[float]]:
    middle = mask.shape[1] / 2
    left, right = middle - apart / 2, middle + apart / 2
    return [
        *([middle, 40.0], [middle, 20.0], [left, 60.0], [left, 120.0], [left, 190.0]),
        *([right, 60.0], [right, 120.0], [right, 190.0]),
    ]


LEGS = (-1, 0, 0, 2, 3, 0, 5, 6)


def test_skirt_over_both_legs_stays_whole_but_not_with_a_line_between() -> None:
    mask = np.zeros((220, 200), dtype=bool)
    mask[10:210, 20:180] = True
    assert seams(mask, legs(mask, 90.0), LEGS) == []
    found = seams(mask, legs(mask, 90.0), LEGS, ink=100)
    assert abs(np.concatenate(found)[:, 0] - 100).max() < 4


def test_legs_close_together_are_cut_apart() -> None:
    mask = np.zeros((220, 60), dtype=bool)
    mask[10:210, 10:50] = True
    found = seams(mask, legs(mask, 16.0), LEGS)
    rows = np.sort(np.concatenate(found)[:, 1])
    assert 70 < rows[0] < 100
    assert rows[-1] > 205
    assert np.diff(rows).max() < 3


def test_gap_too_narrow_for_the_mesh_is_cut_open() -> None:
    mask = np.zeros((512, 120), dtype=bool)
    mask[10:500, 10:58] = True
    mask[10:500, 61:110] = True
    mask[10:100, 10:110] = True
    joints = [[60.0, 60.0], [60.0, 30.0], [35.0, 80.0], [35.0, 250.0], [35.0, 480.0]]
    joints += [[85.0, 80.0], [85.0, 250.0], [85.0, 480.0]]
    found = seams(mask, joints, LEGS)
    points = np.concatenate(found)
    assert abs(points[:, 0] - 59.5).max() < 2
    assert points[:, 1].min() < 115
    assert points[:, 1].max() > 495


def test_cut_that_would_sever_a_limb_is_not_made() -> None:
    # the arm is drawn from the head, though its bone hangs on a shoulder far below
    mask = np.zeros((400, 300), dtype=bool)
    mask[10:120, 100:200] = True
    mask[120:390, 120:180] = True
    mask[50:70, 200:295] = True
    joints = [[150.0, 370.0], [150.0, 200.0], [150.0, 60.0], [175.0, 205.0], [225.0, 60.0]]
    joints += [[290.0, 60.0]]
    assert seams(mask, joints, (-1, 0, 1, 1, 3, 4)) == []
