from typing import Any

import msgspec
import numpy as np
import pytest

from animator.core.errors import InvalidMotion
from animator.core.motion import BoneSource, LimbGroup, Motion, RetargetMap
from animator.core.skeleton import Joint, Skeleton
from animator.core.spaces import FigureToWorld
from animator.motion.retarget import retarget
from animator.motion.rotations import turn_about

HALF_TURN, QUARTER = np.pi, np.pi / 2
TO_WORLD = FigureToWorld(root_x=50, root_y=60, height=100)


def _motion(hip_turns: list[float], root: list[list[float]], axis: Any = "Z") -> Motion:
    """A trunk upwards, and one leg of a metre that hangs from the root; left is +x."""
    frames = len(root)
    turns = np.zeros((frames, 5, 4))
    turns[..., 0] = 1
    turns[:, 1] = turn_about(axis, np.array(hip_turns))
    return Motion(
        name="clip",
        fps=24.0,
        joints=("Hips", "Hip", "Foot", "Chest", "Side"),
        parents=np.array([-1, 0, 1, 0, 0], dtype=np.int16),
        offsets=np.array(
            [[0, 0, 0], [0, 0, 0], [0, -1, 0], [0, 0.5, 0], [1, 0, 0]], dtype=np.float32
        ),
        root=np.array(root, dtype=np.float32),
        rotations=turns.astype(np.float32),
    )


MAP = RetargetMap(
    bones={
        "knee": BoneSource(near="Hip", far="Foot"),
        "neck": BoneSource(near="Hips", far="Chest"),
        "tail": BoneSource(near="Hips", far="Chest"),
    },
    groups=(
        LimbGroup(name="trunk", bones=("torso", "neck"), plane="frontal", depth_driver="Hips"),
        LimbGroup(name="leg", bones=("knee",), plane="frontal", depth_driver="Foot"),
        LimbGroup(name="wing", bones=("wing",), plane="frontal", depth_driver="Side"),
    ),
    root="Hips",
    legs=(("Hip", "Foot"),),
    forward=(("Hips", "Side"),),
)


def _skeleton(neck_y: float = 10, **more: tuple[str, float, float]) -> Skeleton:
    joints = [
        Joint(name="root", parent=None, x=50, y=60),
        Joint(name="torso", parent="root", x=50, y=30),
        Joint(name="neck", parent="torso", x=50, y=neck_y),
        Joint(name="right_shoulder", parent="torso", x=40, y=30),
        Joint(name="left_shoulder", parent="torso", x=60, y=34),
        Joint(name="knee", parent="root", x=50, y=80),
    ]
    joints += [Joint(name=n, parent=p, x=x, y=y) for n, (p, x, y) in more.items()]
    return Skeleton(joints=tuple(joints))


def test_driven_bones_take_the_seen_direction_and_others_keep_their_own() -> None:
    motion = _motion([0, QUARTER, -QUARTER], [[0, 0, 0]] * 3)
    poses = retarget(motion, MAP, _skeleton(), TO_WORLD)
    assert poses.fps == 24.0
    # Down is half a turn from up; a quarter turn about z takes the leg to the figure's left, which
    # is on the viewer's right: clockwise from up.
    knee = poses.angles[:, 5]
    np.testing.assert_allclose(np.cos(knee), [-1, 0, 0], atol=1e-6)
    np.testing.assert_allclose(np.sin(knee), [0, -1, 1], atol=1e-6)
    np.testing.assert_allclose(poses.angles[:, 2], 0, atol=1e-6)  # the neck points up
    assert np.isnan(poses.angles[:, [0, 1, 3, 4]]).all()


def test_a_leg_that_points_at_the_viewer_keeps_its_last_direction() -> None:
    turns = [-QUARTER, 0.0, -QUARTER, HALF_TURN]
    motion = _motion(turns, [[0, 0, 0]] * 4, axis="X")
    knee = retarget(motion, MAP, _skeleton(), TO_WORLD).angles[:, 5]
    np.testing.assert_allclose(np.cos(knee), [-1, -1, -1, 1], atol=1e-6)


def test_a_leg_that_is_never_seen_is_not_driven() -> None:
    motion = _motion([-QUARTER] * 2, [[0, 0, 0]] * 2, axis="X")
    assert np.isnan(retarget(motion, MAP, _skeleton(), TO_WORLD).angles[:, 5]).all()


@pytest.mark.parametrize(
    ("neck_y", "driven"),
    [(31, True), (33, False), (50, False)],
    ids=["above", "below", "far below"],
)
def test_neck_below_the_line_of_the_shoulders_is_not_driven(neck_y: float, driven: bool) -> None:
    motion = _motion([0], [[0, 0, 0]])
    angles = retarget(motion, MAP, _skeleton(neck_y), TO_WORLD).angles  # the line is at 32
    assert np.isnan(angles[0, 2]) == (not driven)


def test_neck_without_shoulders_and_other_bones_below_them_are_driven() -> None:
    joints = (
        Joint(name="root", parent=None, x=50, y=60),
        Joint(name="neck", parent="root", x=50, y=70),
    )
    motion = _motion([0], [[0, 0, 0]])
    assert not np.isnan(retarget(motion, MAP, Skeleton(joints=joints), TO_WORLD).angles[0, 1])
    with_tail = _skeleton(tail=("torso", 50, 90))
    assert not np.isnan(retarget(motion, MAP, with_tail, TO_WORLD).angles[0, 6])


def test_path_begins_at_the_origin_and_is_scaled_by_the_legs() -> None:
    motion = _motion([0, 0, 0], [[7, 1, 0], [9, 0, 0], [9, 2, 0]])
    # The drawn leg is 20 of 100 pixels, 0.2 world units; the motion's is a metre.
    path = retarget(motion, MAP, _skeleton(), TO_WORLD).root
    assert path.ravel().tolist() == pytest.approx([0, 0, 0.4, -0.2, 0.4, 0.2], abs=1e-6)


def test_path_goes_ahead_where_the_legs_are_seen_from_the_side() -> None:
    trunk, leg, _ = MAP.groups
    side = msgspec.structs.replace(leg, plane="sagittal")
    from_side = msgspec.structs.replace(MAP, groups=(trunk, side))
    motion = _motion([0, 0], [[0, 0, 0], [5, 0, 1]])
    poses = retarget(motion, from_side, _skeleton(), TO_WORLD)
    assert poses.root[1].tolist() == pytest.approx([0.2, 0])


def test_path_is_seen_as_the_group_that_is_named_for_it() -> None:
    trunk, leg, _ = MAP.groups
    side = msgspec.structs.replace(trunk, plane="sagittal")
    named = msgspec.structs.replace(MAP, groups=(side, leg), path_group="trunk")
    motion = _motion([0, 0], [[0, 0, 0], [5, 0, 1]])
    poses = retarget(motion, named, _skeleton(), TO_WORLD)
    assert poses.root[1].tolist() == pytest.approx([0.2, 0])


def test_depth_of_a_group_is_the_mean_of_its_drivers() -> None:
    trunk, leg, _ = MAP.groups
    both = msgspec.structs.replace(leg, more_drivers=("Hip",))
    motion = _motion([QUARTER], [[0, 0, 0]], axis="X")
    poses = retarget(
        motion, msgspec.structs.replace(MAP, groups=(trunk, both)), _skeleton(), TO_WORLD
    )
    np.testing.assert_allclose(poses.depths, [[0, -0.5]], atol=1e-6)


def test_figure_without_driven_legs_moves_as_if_it_had_usual_ones() -> None:
    joints = (
        Joint(name="root", parent=None, x=50, y=60),
        Joint(name="torso", parent="root", x=50, y=30),
    )
    trunk, _, _ = MAP.groups
    footless = msgspec.structs.replace(MAP, groups=(trunk,))
    motion = _motion([0, 0], [[0, 0, 0], [0, 1, 0]])
    for retarget_map in (MAP, footless):
        poses = retarget(motion, retarget_map, Skeleton(joints=joints), TO_WORLD)
        assert poses.root[1].tolist() == pytest.approx([0, 0.45])


def test_groups_are_those_of_the_skeleton_and_strangers_join_their_parents() -> None:
    skeleton = _skeleton(
        sock=("knee", 50, 85), tail=("root", 45, 60), wing=("torso", 20, 20), tip=("wing", 10, 10)
    )
    motion = _motion([QUARTER], [[0, 0, 0]], axis="X")
    poses = retarget(motion, MAP, skeleton, TO_WORLD)
    assert poses.groups == (
        ("torso", "neck", "right_shoulder", "left_shoulder", "tail"),
        ("knee", "sock"),
        ("wing", "tip"),
    )
    np.testing.assert_allclose(poses.depths, [[0, -1, 0]], atol=1e-6)
    assert retarget(motion, MAP, _skeleton(), TO_WORLD).groups == (
        ("torso", "neck", "right_shoulder", "left_shoulder"),
        ("knee",),
    )


def test_principal_plane_is_found_from_the_bones_own_movement() -> None:
    trunk, leg, _ = MAP.groups
    found = msgspec.structs.replace(leg, plane="principal")
    retarget_map = msgspec.structs.replace(MAP, groups=(trunk, found))
    motion = _motion([0.5, -0.5], [[0, 0, 0], [0, 0, 1]], axis="X")  # swings ahead and back
    path = retarget(motion, retarget_map, _skeleton(), TO_WORLD).root
    np.testing.assert_allclose(path[1], [0.2, 0], atol=1e-6)


def test_map_that_names_a_joint_the_motion_lacks_is_refused() -> None:
    bones = MAP.bones | {"knee": BoneSource(near="Hip", far="Paw")}
    with pytest.raises(InvalidMotion, match="no joint 'Paw'"):
        retarget(
            _motion([0], [[0, 0, 0]]),
            msgspec.structs.replace(MAP, bones=bones),
            _skeleton(),
            TO_WORLD,
        )


def test_map_without_groups_is_refused() -> None:
    with pytest.raises(InvalidMotion, match="at least one limb group"):
        retarget(
            _motion([0], [[0, 0, 0]]),
            msgspec.structs.replace(MAP, groups=()),
            _skeleton(),
            TO_WORLD,
        )


def test_legs_without_length_are_refused() -> None:
    with pytest.raises(InvalidMotion, match="no length"):
        retarget(
            _motion([0], [[0, 0, 0]]),
            msgspec.structs.replace(MAP, legs=(("Hips", "Hip"),)),
            _skeleton(),
            TO_WORLD,
        )
