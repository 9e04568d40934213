from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.errors import UnknownMotion
from animator.core.motion import Motion
from animator.core.pose import PoseSequence
from animator.motion import library
from animator.motion.documents import read_toml
from animator.motion.keyframes import Keyframes
from animator.motion.kinematics import joint_paths
from animator.motion.library import list_motions, load_motion
from animator.motion.retarget import retarget
from tests.unit.motion.bodies import T_POSE, T_WORLD

DATA = Path(library.__file__).parent / "data"
Floats = NDArray[np.float64]
INFOS = {info.name: info for info in list_motions()}
LOOPS = sorted(name for name, info in INFOS.items() if info.loop)
SHOTS = sorted(INFOS.keys() - LOOPS)
ASKED = """
    ballet bow breathe cartwheel catch cheer climb cry dab dance disco fall floss fly guitar hop
    hula jump jumping-jacks kick laugh look-around march punch robot run skate skip sit sleep sneak
    spin swim think throw tiptoe walk wave zombie
"""

KINDS = {"going", "dance", "sport", "greeting", "feeling"}
FEET = ("LeftFoot", "RightFoot")
GAITS = ["march", "run", "skate", "skip", "sneak", "tiptoe", "walk", "zombie"]
IN_THE_AIR = {"climb", "fly", "swim"}
LEAPS = {"catch", "cheer", "hop", "jump", "jumping-jacks", "run", "skip"}
LIES = {"cartwheel", "fall", "sit", "sleep"}
SLIDES = {"cartwheel", "fall", "spin"}


def _poses(name: str) -> tuple[Motion, PoseSequence, dict[str, int]]:
    motion, retarget_map = load_motion(name)
    poses = retarget(motion, retarget_map, T_POSE, T_WORLD)
    return motion, poses, {joint.name: i for i, joint in enumerate(T_POSE.joints)}


def _feet(name: str) -> Floats:
    """Places (F, 2, 3) of the feet, metres."""
    motion, _ = load_motion(name)
    return joint_paths(motion)[:, [motion.joints.index(foot) for foot in FEET]]


def _planted_steps(name: str) -> Floats:
    """Steps (N, 3), metres, of feet that are on the ground before and after."""
    feet = _feet(name)
    down = feet[..., 1] < 0.01
    return np.asarray(np.diff(feet, axis=0)[down[1:] & down[:-1]])


def test_there_are_all_the_motions_that_were_asked_for() -> None:
    assert len(INFOS) >= 36
    assert set(ASKED.split()) <= INFOS.keys()
    assert sum("dance" in info.tags for info in INFOS.values()) >= 6


def test_motions_are_listed_by_name_with_what_the_gallery_shows() -> None:
    listed = list_motions()
    assert [info.name for info in listed] == sorted(INFOS)
    assert len({info.title for info in listed}) == len(listed)
    for info in listed:
        motion, _ = load_motion(info.name)
        assert (info.title, info.fps) == (motion.name, 30.0)
        assert info.title[0].isupper()
        assert len(info.title) <= 16
        assert info.duration == pytest.approx(len(motion.root) / 30)
        assert 0.5 <= info.duration <= 6
        assert info.tags
        assert all(tag == tag.lower() for tag in info.tags)
        assert KINDS & set(info.tags)


@pytest.mark.parametrize("name", sorted(INFOS))
def test_gallery_says_loop_and_view_as_the_keyframes_do(name: str) -> None:
    keyframes = read_toml(DATA / "keyframes" / f"{name}.toml", Keyframes)
    assert keyframes.loop == INFOS[name].loop
    _, retarget_map = load_motion(name)
    seen = "sagittal" if keyframes.view == "side" else "frontal"
    assert {group.plane for group in retarget_map.groups} == {seen}


@pytest.mark.parametrize(("name", "near"), [("zombi", "zombie"), ("../wave", "wave")])
def test_unknown_motion_is_refused_with_the_nearest_one(name: str, near: str) -> None:
    with pytest.raises(UnknownMotion) as refused:
        load_motion(name)
    assert refused.value.message == f"there is no motion {name!r}; is it {near!r}?"


@pytest.mark.parametrize("name", ["quack", "", "maps/puppet"])
def test_motion_unlike_any_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownMotion, match=r"there are ballet, bow, .*, wave, zombie\.$"):
        load_motion(name)


@pytest.mark.parametrize("name", LOOPS)
def test_last_frame_leads_into_the_first_without_a_jerk(name: str) -> None:
    paths = joint_paths(load_motion(name)[0])
    steps = np.linalg.norm(np.diff(paths, axis=0), axis=2)
    seam = np.linalg.norm(paths[0] - paths[-1], axis=1)
    assert (seam <= steps.max(axis=0) + 1e-5).all()


@pytest.mark.parametrize("name", SHOTS)
def test_a_clip_that_is_no_loop_begins_and_ends_standing_still(name: str) -> None:
    motion, _ = load_motion(name)
    paths = joint_paths(motion)
    np.testing.assert_allclose(paths[-1], paths[0], atol=0.005)
    assert np.linalg.norm(paths[-1] - paths[-3], axis=1).max() < 0.005
    feet = [motion.joints.index(foot) for foot in FEET]
    np.testing.assert_allclose(paths[0, feet, 1], 0, atol=0.01)
    assert paths[0, motion.joints.index("Head"), 1] > 0.9


@pytest.mark.parametrize("name", sorted(INFOS))
def test_nothing_is_torn_or_jerked_and_nobody_leaves(name: str) -> None:
    motion, _ = load_motion(name)
    paths = joint_paths(motion)
    assert np.isfinite(paths).all()
    bones = paths[:, 1:] - paths[:, motion.parents[1:]]
    lengths = np.linalg.norm(motion.offsets[1:], axis=1)
    np.testing.assert_allclose(
        np.linalg.norm(bones, axis=2), np.tile(lengths, (len(bones), 1)), atol=1e-5
    )
    assert np.linalg.norm(np.diff(paths, axis=0), axis=2).max() < 0.35
    assert (np.ptp(paths[:, 0], axis=0) < 1.0).all()


@pytest.mark.parametrize("name", sorted(INFOS))
def test_feet_stay_above_the_ground_and_on_it_unless_it_leaps(name: str) -> None:
    feet = _feet(name)
    assert feet[..., 1].min() > -0.01
    if name not in IN_THE_AIR | LEAPS | LIES:
        np.testing.assert_allclose(feet[..., 1].min(axis=1), 0, atol=0.01)


@pytest.mark.parametrize("name", sorted(LEAPS))
def test_a_leap_leaves_the_ground_and_comes_back(name: str) -> None:
    lowest = _feet(name)[..., 1].min(axis=1)
    assert lowest.max() > 0.03
    assert (lowest < 0.01).mean() > 0.3


@pytest.mark.parametrize("name", sorted(LIES - {"sit"}))
def test_who_tumbles_or_lies_touches_the_ground_and_goes_no_deeper(name: str) -> None:
    motion, _ = load_motion(name)
    paths = joint_paths(motion)
    solid = [not joint.endswith(" End") for joint in motion.joints]
    lowest = paths[:, solid, 1].min(axis=1)
    assert lowest.min() == pytest.approx(0, abs=1e-4)
    assert lowest.max() <= 0.151


@pytest.mark.parametrize("name", sorted(INFOS.keys() - SLIDES - set(GAITS)))
def test_a_planted_foot_does_not_slide(name: str) -> None:
    steps = _planted_steps(name)
    assert (np.linalg.norm(steps[:, [0, 2]], axis=1) < 0.016).all()


@pytest.mark.parametrize("name", GAITS)
def test_a_planted_foot_of_a_gait_goes_back_under_the_body(name: str) -> None:
    steps = _planted_steps(name)
    assert steps[:, 2].max() < 0.016
    assert steps[:, 2].sum() < 0 or name == "march"  # which is on the spot


@pytest.mark.parametrize("name", sorted(INFOS))
def test_every_named_bone_is_driven(name: str) -> None:
    _, poses, place = _poses(name)
    driven = np.asarray(np.isfinite(poses.angles).all(axis=0))
    still = {"hip", "right_shoulder", "left_shoulder", "right_hip", "left_hip"}
    assert {joint for joint, i in place.items() if not driven[i]} == still
    assert poses.groups[1] == ("left_elbow", "left_hand")


@pytest.mark.parametrize("name", ["dance", "jump", "wave", "cheer"])
def test_from_the_front_arms_are_before_the_body_and_legs_behind(name: str) -> None:
    trunk, left_arm, right_arm, left_leg, right_leg = _poses(name)[1].depths.T
    assert (trunk < np.minimum(left_arm, right_arm)).all()
    assert (trunk > np.maximum(left_leg, right_leg)).all()


@pytest.mark.parametrize("name", ["walk", "kick", "swim", "sit"])
def test_from_the_side_the_right_limbs_are_before_the_body_and_the_left_behind(name: str) -> None:
    trunk, left_arm, right_arm, left_leg, right_leg = _poses(name)[1].depths.T
    assert (left_arm < left_leg).all()
    assert (left_leg < trunk).all()
    assert (trunk < right_leg).all()
    assert (right_leg < right_arm).all()


def test_cartwheel_turns_the_whole_figure_over_and_back_again() -> None:
    _, poses, place = _poses("cartwheel")
    turn = np.unwrap(poses.angles[:, place["root"]])
    assert np.ptp(turn) == pytest.approx(2 * np.pi, abs=0.01)
    assert turn[-1] == pytest.approx(turn[0], abs=0.01)


def test_walk_puts_each_foot_ahead_once_and_the_arms_go_against_the_legs() -> None:
    feet = _feet("walk")
    ahead = feet[:, 0, 2] - feet[:, 1, 2]
    assert np.ptp(ahead) > 0.7
    assert (np.diff(np.sign(ahead)) != 0).sum() == 2
    motion, _ = load_motion("walk")
    paths = joint_paths(motion)[..., 2]
    hands = paths[:, motion.joints.index("LeftHand")] - paths[:, motion.joints.index("RightHand")]
    assert np.corrcoef(hands, ahead)[0, 1] < -0.8


def test_wave_lifts_the_right_hand_and_sways_it_three_times() -> None:
    _, poses, place = _poses("wave")
    forearm = poses.angles[:, place["right_hand"]]  # up is 0, the figure's right is +pi/2
    swings = np.diff(np.sign(np.diff(np.abs(forearm[20:70]))))
    assert (swings != 0).sum() >= 5
    left = poses.angles[:, place["left_hand"]]
    assert (np.abs(left) > np.radians(120)).all()


def test_jump_crouches_flies_with_arms_up_and_lands() -> None:
    motion, poses, place = _poses("jump")
    height = poses.root[:, 1]
    top = int(np.argmax(height))
    assert height[:top].min() < -0.08
    assert height[top] > 0.25
    assert height[top:].min() < -0.08
    arms = poses.angles[top, [place["left_hand"], place["right_hand"]]]
    assert (np.abs(arms) < np.radians(50)).all()
    feet = joint_paths(motion)[:, motion.joints.index("LeftFoot"), 1]
    assert (feet > 0.01).sum() / motion.fps == pytest.approx(0.6, abs=0.1)


def test_dance_moves_the_weight_to_each_side_on_every_beat() -> None:
    _, poses, _ = _poses("dance")
    beats = poses.root[::15, 0]
    assert len(beats) == 8
    assert (np.diff(beats)[::2] < -0.08).all()
    assert (np.diff(beats)[1::2] > 0.08).all()
