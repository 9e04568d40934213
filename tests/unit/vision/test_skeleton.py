"""Sixteen joints from seventeen keypoints, also where the model saw little."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from animator.core.keypoints import COCO_KEYPOINTS, Keypoints
from animator.core.mask import Mask
from animator.core.skeleton import BIPED_PARENTS, Skeleton
from animator.vision import build_skeleton
from tests.support_predictor import SHARES

FULL = Mask(np.ones((200, 100), bool))
POINTS = (np.array(SHARES) * (100, 200)).astype(np.float32)


def seen(points: NDArray[np.float32] = POINTS, **scores: float) -> Keypoints:
    """All keypoints seen for sure, but for those named."""
    values = [scores.get(name, 0.9) for name in COCO_KEYPOINTS]
    return Keypoints(points=points, scores=np.array(values, np.float32))


def place(skeleton: Skeleton, name: str) -> tuple[float, float]:
    joint = skeleton.joints[skeleton.index(name)]
    return joint.x, joint.y


def test_joints_follow_the_drawn_biped() -> None:
    skeleton = build_skeleton(seen(), FULL)
    assert {joint.name: joint.parent for joint in skeleton.joints} == BIPED_PARENTS
    assert place(skeleton, "root") == place(skeleton, "hip") == pytest.approx((50, 124))
    assert place(skeleton, "torso") == pytest.approx((50, 80))
    assert place(skeleton, "neck") == pytest.approx((50, 36))
    assert place(skeleton, "left_hand") == pytest.approx((95, 80))
    assert place(skeleton, "right_foot") == pytest.approx((32, 196))


def test_score_of_a_middle_is_the_weaker_of_its_sources() -> None:
    skeleton = build_skeleton(seen(left_hip=0.4), FULL)
    assert skeleton.joints[skeleton.index("root")].score == pytest.approx(0.4)
    assert skeleton.joints[skeleton.index("neck")].score == pytest.approx(0.9)


def test_joint_outside_moves_to_the_nearest_pixel_inside() -> None:
    data = np.zeros((200, 100), bool)
    data[:, 20:81] = True
    skeleton = build_skeleton(seen(), Mask(data))
    assert place(skeleton, "left_hand") == (79.5, 79.5)
    assert place(skeleton, "neck") == pytest.approx((50, 36))


def test_thin_mask_still_holds_all_joints() -> None:
    data = np.zeros((200, 100), bool)
    data[:, 50] = True
    skeleton = build_skeleton(seen(), Mask(data))
    assert {joint.x for joint in skeleton.joints} <= {50.0, 50.5}


def test_unseen_elbow_lies_halfway() -> None:
    skeleton = build_skeleton(seen(left_elbow=0.0), FULL)
    assert place(skeleton, "left_elbow") == pytest.approx((75, 80))


def test_unseen_foot_lies_beyond_its_knee() -> None:
    skeleton = build_skeleton(seen(left_ankle=0.0), FULL)
    assert place(skeleton, "left_foot") == pytest.approx((66, 196))


def test_unseen_arm_takes_its_place_in_the_template_turned_as_the_figure_is() -> None:
    turned = np.stack((200 - POINTS[:, 1], POINTS[:, 0]), axis=1)
    keypoints = seen(turned.astype(np.float32), left_elbow=0.0, left_wrist=0.0)
    skeleton = build_skeleton(keypoints, Mask(np.ones((100, 200), bool)))
    x, y = place(skeleton, "left_hand")
    assert abs(x - 120) < 20
    assert 75 < y < 100


def test_figure_not_seen_at_all_stands_upright_in_its_mask() -> None:
    data = np.zeros((200, 100), bool)
    data[100:200, 0:50] = True
    keypoints = Keypoints(points=POINTS, scores=np.zeros(17, np.float32))
    skeleton = build_skeleton(keypoints, Mask(data))
    assert place(skeleton, "neck") == pytest.approx((25, 118))
    assert place(skeleton, "left_foot")[1] > place(skeleton, "left_knee")[1] > 160


@given(
    seed=st.integers(0, 2**16),
    shape=st.tuples(st.integers(2, 60), st.integers(2, 60)),
)
def test_joints_always_lie_in_the_mask(seed: int, shape: tuple[int, int]) -> None:
    random = np.random.default_rng(seed)
    data = random.random(shape) < 0.3
    data[0, 0] = True
    keypoints = Keypoints(
        points=random.uniform(-50, 110, (17, 2)).astype(np.float32),
        scores=random.random(17).astype(np.float32),
    )
    for joint in build_skeleton(keypoints, Mask(data)).joints:
        assert data[int(joint.y), int(joint.x)]


def test_two_arms_on_one_stroke_are_one_arm() -> None:
    points = POINTS.copy()
    points[[7, 8]], points[[9, 10]] = (70, 80), (95, 80)
    skeleton = build_skeleton(seen(points, right_wrist=0.5), FULL)
    assert place(skeleton, "left_elbow") == (70, 80)
    assert place(skeleton, "left_hand") == (95, 80)
    assert place(skeleton, "right_hand")[0] < 40
    scores = {joint.name: joint.score for joint in skeleton.joints}
    assert scores["right_elbow"] == scores["right_hand"] == 0.0
    assert scores["left_hand"] == pytest.approx(0.9)


def test_two_legs_on_one_stroke_are_the_end_of_the_trunk() -> None:
    data = np.zeros((200, 100), bool)
    data[:100], data[:, 48:53] = True, True
    points = POINTS.copy()
    points[[13, 14]], points[[15, 16]] = (50, 160), (50, 196)
    skeleton = build_skeleton(seen(points), Mask(data))
    assert place(skeleton, "root") == pytest.approx((50, 196))
    assert place(skeleton, "left_foot")[1] > 190
    scores = {joint.name: joint.score for joint in skeleton.joints}
    assert scores["left_knee"] == scores["right_foot"] == 0.0


def test_crossed_legs_with_feet_apart_stay_two() -> None:
    points = POINTS.copy()
    points[[13, 14]] = (50, 160)
    skeleton = build_skeleton(seen(points), FULL)
    assert place(skeleton, "left_knee") == place(skeleton, "right_knee") == (50, 160)


def test_unseen_leg_goes_straight_to_the_hem() -> None:
    data = np.ones((200, 100), bool)
    data[150:] = False
    keypoints = seen(left_knee=0.0, left_ankle=0.0)
    skeleton = build_skeleton(keypoints, Mask(data))
    hip, knee, foot = (np.array(place(skeleton, f"left_{j}")) for j in ("hip", "knee", "foot"))
    assert 145 < foot[1] < 150
    assert knee == pytest.approx((hip + foot) / 2)


def test_leg_that_is_not_there_ends_at_its_hip() -> None:
    data = np.zeros((200, 100), bool)
    data[:126] = True
    keypoints = seen(left_knee=0.0, left_ankle=0.0)
    skeleton = build_skeleton(keypoints, Mask(data))
    hip, foot = np.array(place(skeleton, "left_hip")), np.array(place(skeleton, "left_foot"))
    assert np.hypot(*(foot - hip)) < 5


@given(
    ellipse=st.tuples(*[st.integers(5, 95)] * 4, st.integers(0, 180)),
    point=st.tuples(st.floats(0, 100, width=32), st.floats(0, 100, width=32)),
)
def test_joint_outside_moves_to_no_other_than_the_nearest_pixel_inside(
    ellipse: tuple[int, int, int, int, int], point: tuple[float, float]
) -> None:
    x, y, width, height, angle = ellipse
    canvas = np.zeros((100, 100), np.uint8)
    cv2.ellipse(canvas, (x, y), (width, height), angle, 0, 360, 1, -1)
    cv2.circle(canvas, (y, x), 3, 1, -1)
    data = canvas > 0
    points = np.tile(np.array(point, np.float32), (17, 1))
    joint = place(build_skeleton(seen(points), Mask(data)), "neck")
    # by hand: all pixels whose eight neighbours are inside, too
    padded = np.pad(data, 1)
    around = [padded[r : r + 100, c : c + 100] for r in range(3) for c in range(3)]
    rows, columns = np.nonzero(np.all(around, axis=0))
    column, row = (min(int(value), 99) for value in point)
    if data[row, column] and max(point) < 100:
        assert joint == pytest.approx(point, abs=1e-4)
    else:
        away = np.hypot(columns + 0.5 - point[0], rows + 0.5 - point[1])
        assert np.hypot(joint[0] - point[0], joint[1] - point[1]) == pytest.approx(
            away.min(), abs=1e-4
        )
