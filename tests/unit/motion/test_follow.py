from pathlib import Path

import msgspec
import numpy as np
import pytest
import yaml
from numpy.typing import NDArray

from animator.core.pose import PoseSequence, joint_positions, pose_joints
from animator.core.rigging import TEMPLATES, lay_out
from animator.core.skeleton import BIPED_PARENTS, Skeleton
from animator.core.spaces import FigureToWorld
from animator.motion.clip_files import read_clip
from animator.motion.follow import follow
from animator.motion.kinematics import joint_paths
from animator.motion.library import list_motions, load_motion
from animator.motion.loops import is_closed
from animator.motion.mapping import ROLES, build_map
from animator.motion.retarget import retarget
from animator.motion.sequence import settle
from tests.unit.motion.bodies import BODY, PLACES, T_POSE, T_WORLD, drawn, stand

Floats = NDArray[np.float64]
INFOS = list_motions()
LOOPS = [info.name for info in INFOS if info.loop]
# A figure with a long and a short shank, as children draw them.
UNEVEN = drawn(PLACES | {"left_foot": (57, 92), "right_knee": (43, 72)}, BIPED_PARENTS)


def _places(poses: PoseSequence, skeleton: Skeleton, to_world: FigureToWorld = T_WORLD) -> Floats:
    rest = to_world.apply(joint_positions(skeleton)).astype(np.float64)
    return pose_joints(rest, skeleton.parents, poses).places


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_is_seamless_on_a_drawn_figure(name: str) -> None:
    skeleton = drawn(
        PLACES | {"tail": (40, 62), "tip": (25, 60)},
        BIPED_PARENTS | {"tail": "root", "tip": "tail"},
    )
    places = _places(follow(*load_motion(name), skeleton, T_WORLD), skeleton)
    steps = np.linalg.norm(np.diff(places, axis=0), axis=2).max(axis=0)
    seam = np.linalg.norm(places[0] - places[-1], axis=1)
    # A thousandth of the figure's height: a pixel in a picture of a thousand.
    assert (seam <= steps + 0.001).all()


@pytest.mark.parametrize("name", ["walk", "dance", "zombie", "hula", "skate", "march", "punch"])
def test_feet_that_stand_in_the_motion_neither_slide_nor_sink(name: str) -> None:
    motion, own = load_motion(name)
    feet = [UNEVEN.index("left_foot"), UNEVEN.index("right_foot")]
    own_feet = [motion.joints.index(joint) for joint in ("LeftFoot", "RightFoot")]
    down = joint_paths(motion)[:, own_feet, 1] < 0.005
    down = down[1:] & down[:-1]

    def unrest(poses: PoseSequence) -> float:
        """Mean of how far a standing foot's step is from the step that is usual in this clip."""
        steps = np.diff(_places(poses, UNEVEN)[:, feet], axis=0)[down]
        return float(np.abs(steps - np.median(steps, axis=0)).mean())

    held = unrest(follow(motion, own, UNEVEN, T_WORLD))
    assert held < 0.6 * unrest(retarget(motion, own, UNEVEN, T_WORLD))
    assert held < 0.0015


@pytest.mark.parametrize("name", [info.name for info in INFOS])
def test_legs_do_not_jerk_more_than_without_holding(name: str) -> None:
    motion, own = load_motion(name)
    legs = [UNEVEN.index(f"{s}_{p}") for s in ("left", "right") for p in ("knee", "foot")]

    def jerk(poses: PoseSequence) -> float:
        angles = np.unwrap(poses.angles[:, legs], axis=0)
        return float(np.degrees(np.abs(np.diff(angles, n=2, axis=0)).max()))

    held = jerk(follow(motion, own, UNEVEN, T_WORLD))
    assert held < jerk(retarget(motion, own, UNEVEN, T_WORLD)) + 5


@pytest.mark.parametrize("name", ["wave", "swim"])
def test_arms_and_depths_are_those_of_the_plain_motion(name: str) -> None:
    motion, own = load_motion(name)
    plain, held = (verb(motion, own, T_POSE, T_WORLD) for verb in (retarget, follow))
    arms = [i for i, joint in enumerate(T_POSE.joints) if "elbow" in joint.name]
    np.testing.assert_array_equal(held.angles[:, arms], plain.angles[:, arms])
    np.testing.assert_array_equal(held.depths, plain.depths)
    assert held.groups == plain.groups


def test_figure_without_legs_moves_without_feet_to_hold() -> None:
    legless = {n: p for n, p in BIPED_PARENTS.items() if not n.endswith(("knee", "foot", "_hip"))}
    skeleton = drawn(PLACES, legless)
    poses = follow(*load_motion("dance"), skeleton, T_WORLD)
    plain = retarget(*load_motion("dance"), skeleton, T_WORLD)
    np.testing.assert_array_equal(poses.root, plain.root)
    np.testing.assert_array_equal(poses.angles, plain.angles)


def test_leg_whose_shank_has_no_length_is_not_held() -> None:
    flat = drawn(PLACES | {"left_foot": PLACES["left_knee"]}, BIPED_PARENTS)
    poses = follow(*load_motion("walk"), flat, T_WORLD)
    assert np.isfinite(_places(poses, flat)).all()


def test_a_tail_swings_and_a_driven_bone_of_the_map_does_not() -> None:
    skeleton = drawn(
        PLACES | {"tail": (40, 62), "flag": (60, 62)},
        BIPED_PARENTS | {"tail": "root", "flag": "root"},
    )
    motion, own = load_motion("walk")
    bones = own.bones | {"flag": own.bones["torso"]}
    poses = follow(motion, msgspec.structs.replace(own, bones=bones), skeleton, T_WORLD)
    tail, flag = (poses.angles[:, skeleton.index(name)] for name in ("tail", "flag"))
    assert np.ptp(tail) > 0.05
    np.testing.assert_array_equal(flag, poses.angles[:, skeleton.index("torso")])


def test_a_bone_may_come_after_its_driver_and_turn_from_how_it_is_drawn() -> None:
    motion, own = load_motion("dance")
    later = msgspec.structs.replace(own.bones["left_elbow"], lag=0.1)
    tilted = msgspec.structs.replace(own.bones["torso"], relative=True)
    bones = own.bones | {"left_elbow": later, "neck": tilted}
    changed = msgspec.structs.replace(own, bones=bones)
    plain, poses = (retarget(motion, m, T_POSE, T_WORLD) for m in (own, changed))
    elbow, torso = T_POSE.index("left_elbow"), T_POSE.index("torso")
    # A tenth of a second is three frames, and the dance goes round.
    np.testing.assert_allclose(poses.angles[:, elbow], np.roll(plain.angles[:, elbow], 3))
    # The neck is drawn upright, so it turns as the torso does.
    neck = poses.angles[:, T_POSE.index("neck")]
    np.testing.assert_allclose(neck, plain.angles[:, torso], atol=1e-6)


def test_figure_of_one_joint_only_goes_its_way() -> None:
    dot = drawn({"root": (5, 5)}, {"root": None})
    poses = follow(*load_motion("jump"), dot, T_WORLD)
    assert poses.groups == ()
    assert np.ptp(poses.root[:, 1]) > 0.2


def _character(folder: Path, name: str) -> tuple[Skeleton, FigureToWorld]:
    config = yaml.safe_load((folder / f"characters/{name}/char_cfg.yaml").read_text())
    skeleton = drawn(
        {joint["name"]: tuple(joint["loc"]) for joint in config["skeleton"]},
        {joint["name"]: joint["parent"] for joint in config["skeleton"]},
    )
    root = skeleton.joints[0]
    return skeleton, FigureToWorld(root_x=root.x, root_y=root.y, height=config["height"])


@pytest.mark.parametrize("figure", [f"char{i}" for i in range(1, 7)])
def test_real_figures_with_two_four_and_eight_limbs_do_motions_of_all_kinds(
    shared_data: Path, figure: str
) -> None:
    skeleton, to_world = _character(shared_data / "animated-drawings", figure)
    rest = to_world.apply(joint_positions(skeleton)).astype(np.float64)
    for info in INFOS[::6]:
        poses = settle(follow(*load_motion(info.name), skeleton, to_world), rest, skeleton.parents)
        driven = [i for i, angles in enumerate(poses.angles.T) if np.isfinite(angles).all()]
        bones = {i for i, p in enumerate(skeleton.parents) if rest[i].tolist() != rest[p].tolist()}
        assert bones <= set(driven)
        assert np.isfinite(poses.root).all()
        assert not info.loop or is_closed(np.hstack((poses.root, np.cos(poses.angles[:, driven]))))


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("motion", ["walk", "fly"])
def test_every_skeleton_that_can_be_laid_in_moves_all_its_limbs(name: str, motion: str) -> None:
    skeleton = lay_out(name, (0.0, 0.0, 100.0, 120.0))
    root = skeleton.joints[0]
    to_world = FigureToWorld(root_x=root.x, root_y=root.y, height=120.0)
    places = _places(follow(*load_motion(motion), skeleton, to_world), skeleton, to_world)
    body = places - places[:, :1]
    ends = {joint.name for joint in skeleton.joints} - {joint.parent for joint in skeleton.joints}
    for end in ends:
        moved = np.ptp(body[:, skeleton.index(end)], axis=0).max()
        assert moved > 0.01, f"{end} stays where it is"


CLIPS = [
    "cmu1/jumping_jacks",
    "fair1/dab",
    "fair1/zombie",
    "fair1/wave_hello",
    "rokoko/jesse_dance",
]


@pytest.mark.parametrize("path", CLIPS)
def test_recorded_clips_are_followed_without_a_map(shared_data: Path, path: str) -> None:
    folder = shared_data / "animated-drawings"
    motion, own = read_clip((folder / f"bvh/{path}.bvh").read_bytes(), name=path)
    skeleton, to_world = _character(folder, "char1")
    poses = follow(motion, own, skeleton, to_world)
    plain = retarget(motion, own, skeleton, to_world)
    feet = [skeleton.index(name) for name in ("left_foot", "right_foot")]
    low, below = (
        float(np.percentile(_places(p, skeleton, to_world)[:, feet, 1].min(axis=1), 1))
        for p in (poses, plain)
    )
    assert low >= below - 0.01
    assert np.abs(poses.root - plain.root).max() < 0.1


def test_map_of_a_body_at_rest_lets_the_figure_stand() -> None:
    own = build_map({role: role for role in ROLES})
    poses = follow(stand(BODY, frames=3), own, T_POSE, T_WORLD)
    places = _places(poses, T_POSE)
    np.testing.assert_allclose(places, np.broadcast_to(places[0], places.shape), atol=1e-6)
    np.testing.assert_allclose(places[0, T_POSE.index("left_hand")], [0.42, 0.3], atol=1e-5)
