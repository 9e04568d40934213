import runpy
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.errors import InvalidMotion
from animator.core.motion import Motion
from animator.motion import author
from animator.motion.bvh import read_bvh
from animator.motion.documents import read_toml
from animator.motion.keyframes import Keyframes, sample_hops, sample_track
from animator.motion.kinematics import joint_paths
from animator.motion.library import list_motions
from animator.motion.puppet import move_puppet

DATA = Path(author.__file__).parent / "data"
Floats = NDArray[np.float64]
Track = float | tuple[tuple[float, float], ...]


def _keyframes(tracks: dict[str, Track], **more: float) -> Keyframes:
    return Keyframes(
        duration=4.0, fps=more.get("fps", 1.0), tracks=tracks, loop=more.get("loop", 1) == 1
    )


def test_files_of_the_library_are_what_the_keyframes_make() -> None:
    made = dict(author.author())
    assert sorted(made) == [f"{info.name}.bvh" for info in list_motions()]
    for name, text in made.items():
        kept = (DATA / name).read_text(encoding="utf-8")
        ours, theirs = read_bvh(text), read_bvh(kept)
        assert text.split("MOTION")[0] == kept.split("MOTION")[0]
        # Another machine's last decimal may be rounded the other way.
        np.testing.assert_allclose(joint_paths(ours), joint_paths(theirs), atol=1e-6)


def test_command_writes_a_bvh_file_for_each_file_of_keyframes(tmp_path: Path) -> None:
    (tmp_path / "keyframes").mkdir()
    (tmp_path / "keyframes" / "nod.toml").write_text("duration = 0.1\n[tracks]\nhead = 5.0\n")
    author.main(tmp_path)
    assert [path.name for path in tmp_path.glob("*.bvh")] == ["nod.bvh"]
    assert len(read_bvh((tmp_path / "nod.bvh").read_bytes()).root) == 3


def test_module_run_as_a_command_writes_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr(Path, "write_text", lambda path, text, **how: written.append(path.name))
    runpy.run_path(author.__file__, run_name="__main__")
    assert written == [f"{info.name}.bvh" for info in list_motions()]


@pytest.mark.parametrize("text", ["duration =", "duration = 1.0", "tracks = 3"])
def test_broken_keyframes_are_refused_with_the_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "nod.toml"
    path.write_text(text)
    with pytest.raises(InvalidMotion, match=r"^nod\.toml: "):
        read_toml(path, Keyframes)
    with pytest.raises(InvalidMotion, match=r"^other\.toml: "):
        read_toml(tmp_path / "other.toml", Keyframes)


def test_frames_are_counted_in_units_of_time() -> None:
    beats = Keyframes(duration=2.0, unit=0.5, fps=4.0, tracks={})
    assert beats.times.tolist() == [0, 0.5, 1.0, 1.5]


def test_values_pass_through_the_keys_without_overshoot() -> None:
    keys = ((0.0, 0.0), (1.0, 4.0), (2.0, 4.0), (3.0, 1.0))
    values = sample_track(_keyframes({"arm": keys}, fps=10.0), "arm")
    np.testing.assert_allclose(values[[0, 10, 20, 30]], [0, 4, 4, 1], atol=1e-12)
    assert (values.min(), values.max()) == (0, 4)
    np.testing.assert_allclose(values[10:21], 4)


def test_loop_leads_back_to_its_first_key_and_a_clip_holds_its_last() -> None:
    keys = ((1.0, 2.0), (3.0, 6.0))
    loop = sample_track(_keyframes({"arm": keys}), "arm")
    np.testing.assert_allclose(loop, [4, 2, 4, 6])
    once = sample_track(_keyframes({"arm": keys}, loop=0), "arm")
    np.testing.assert_allclose(once, [2, 2, 4, 6])


def test_track_may_be_a_number_or_absent() -> None:
    assert sample_track(_keyframes({"arm": 7.5}), "arm").tolist() == [7.5] * 4
    assert sample_track(_keyframes({}), "arm").tolist() == [0] * 4


@pytest.mark.parametrize("times", [(1.0, 1.0), (2.0, 1.0), (0.0, 4.0)])
def test_keys_out_of_order_are_refused(times: tuple[float, float]) -> None:
    keys = ((times[0], 0.0), (times[1], 1.0))
    with pytest.raises(InvalidMotion, match="'arm'"):
        sample_track(_keyframes({"arm": keys}), "arm")


def test_hop_is_a_parabola_between_leaving_and_landing() -> None:
    hop = Keyframes(duration=6.0, fps=1.0, tracks={}, hops=((1.0, 5.0, 0.4),))
    np.testing.assert_allclose(sample_hops(hop), [0, 0, 0.3, 0.4, 0.3, 0])


def _place(tracks: dict[str, Track], joint: str) -> list[float]:
    motion = move_puppet("pose", _keyframes(tracks))
    place: list[float] = joint_paths(motion)[0, motion.joints.index(joint)].tolist()
    return place


def test_puppet_stands_with_both_feet_on_the_ground() -> None:
    assert _place({}, "LeftFoot") == pytest.approx([0.18, 0, -0.03], abs=1e-6)
    assert _place({}, "RightFoot") == pytest.approx([-0.18, 0, -0.03], abs=1e-6)


def test_feet_stay_where_they_are_when_the_hips_move_and_knees_go_outwards() -> None:
    crouch: dict[str, Track] = {"hips_x": 0.03, "hips_y": -0.2}
    assert _place(crouch, "Hips") == pytest.approx([0.03, 0.309, 0], abs=1e-6)
    assert _place(crouch, "LeftFoot") == pytest.approx([0.18, 0, -0.03], abs=1e-6)
    assert _place(crouch, "LeftKnee")[0] > 0.2
    assert _place(crouch, "RightKnee")[0] < -0.2


def test_one_side_moves_alone_or_both_alike() -> None:
    both: dict[str, Track] = {"foot_y": 0.1, "right_foot_y": 0.05, "left_foot_x": 0.1}
    assert _place(both, "LeftFoot") == pytest.approx([0.28, 0.1, -0.03], abs=1e-6)
    assert _place(both, "RightFoot") == pytest.approx([-0.18, 0.15, -0.03], abs=1e-6)


def test_foot_out_of_reach_leaves_the_leg_straight() -> None:
    hip, foot = _place({"foot_x": 2.0}, "LeftHip"), _place({"foot_x": 2.0}, "LeftFoot")
    assert np.hypot(foot[0] - hip[0], foot[1] - hip[1]) == pytest.approx(0.52, abs=1e-3)


def test_arms_are_turned_outwards_from_hanging_down() -> None:
    shoulder, elbow = _place({"arm": 90.0}, "LeftShoulder"), _place({"arm": 90.0}, "LeftElbow")
    assert elbow[0] - shoulder[0] > 0.18
    assert elbow[1] == pytest.approx(shoulder[1], abs=1e-6)
    assert elbow[2] > shoulder[2]  # a little to the viewer
    assert _place({"arm": 90.0}, "RightElbow")[0] == pytest.approx(-elbow[0], abs=1e-6)
    raised: dict[str, Track] = {"forearm": 180.0}
    assert _place(raised, "LeftHand")[1] > _place(raised, "LeftElbow")[1] + 0.17


def test_trunk_and_head_lean_to_the_figures_left() -> None:
    assert _place({"lean": 10.0}, "Chest")[0] > 0.03
    assert _place({"head": 10.0}, "Chest")[0] == pytest.approx(0, abs=1e-6)
    assert _place({"head": 10.0}, "Head")[0] > 0.01


def test_hop_lifts_hips_and_feet_alike() -> None:
    frames = Keyframes(duration=2.0, fps=2.0, tracks={}, hops=((0.0, 2.0, 0.4),))
    motion = move_puppet("hop", frames)
    rise = joint_paths(motion)[2] - joint_paths(motion)[0]
    np.testing.assert_allclose(rise, np.tile([0, 0.4, 0], (len(motion.joints), 1)), atol=1e-6)


def _move(duration: float = 4.0, **more: Any) -> Motion:
    """At one frame a second, from fields of the keyframes."""
    return move_puppet(
        "pose", msgspec.convert({"duration": duration, "fps": 1.0, **more}, Keyframes)
    )


def _paths(motion: Motion, joint: str) -> Floats:
    return joint_paths(motion)[:, motion.joints.index(joint)]


def test_right_side_of_an_alternate_motion_follows_half_the_duration_later() -> None:
    heights = {"left_foot_y": [[0.0, 0.0], [1.0, 0.1], [2.0, 0.0]], "foot_y": 0.01}
    motion = _move(alternate=True, tracks=heights)
    left, right = _paths(motion, "LeftFoot"), _paths(motion, "RightFoot")
    np.testing.assert_allclose(left[:, 1], [0.01, 0.11, 0.01, 0.01], atol=1e-6)
    np.testing.assert_allclose(right[:, 1], [0.01, 0.01, 0.01, 0.11], atol=1e-6)


def test_from_the_side_all_goes_forwards_and_knees_too() -> None:
    tracks = {"hips_x": 0.1, "hips_y": -0.1, "lean": 20.0, "arm": 90.0, "foot_x": 0.05}
    motion = _move(view="side", tracks=tracks)
    hips, knee = _paths(motion, "Hips")[0], _paths(motion, "RightKnee")[0]
    assert hips == pytest.approx([0, 0.409, 0.1], abs=1e-6)
    assert _paths(motion, "LeftFoot")[0] == pytest.approx([0.08, 0, 0.02], abs=1e-6)
    assert _paths(motion, "RightFoot")[0] == pytest.approx([-0.08, 0, 0.02], abs=1e-6)
    assert knee[2] > 0.15
    assert _paths(motion, "Chest")[0, 2] > 0.15
    for side in ("Left", "Right"):
        upper = _paths(motion, f"{side}Elbow")[0] - _paths(motion, f"{side}Shoulder")[0]
        assert upper == pytest.approx([0, 0, 0.19], abs=1e-6)


def test_roll_lays_the_whole_figure_on_its_left_about_the_hips() -> None:
    motion = _move(tracks={"roll": 90.0, "body_x": 0.2, "body_y": -0.3})
    hips = _paths(motion, "Hips")[0]
    assert hips == pytest.approx([0.2, 0.209, 0], abs=1e-6)
    assert _paths(motion, "Chest")[0] - hips == pytest.approx([0.28, 0, 0], abs=1e-6)
    assert _paths(motion, "LeftFoot")[0] - hips == pytest.approx([-0.509, -0.18, -0.03], abs=1e-6)


def test_turn_turns_the_whole_figure_about_the_vertical() -> None:
    motion = _move(tracks={"turn": 90.0})
    assert _paths(motion, "Head")[0] == pytest.approx([0, 0.509 + 0.44, 0], abs=1e-6)
    assert _paths(motion, "LeftFoot")[0] == pytest.approx([-0.03, 0, -0.18], abs=1e-6)


def test_loop_that_closes_whole_turns_away_goes_round_and_round() -> None:
    keyframes = _keyframes({"turn": ((0.0, 0.0), (2.0, 180.0), (4.0, 360.0))})
    np.testing.assert_allclose(sample_track(keyframes, "turn"), [0, 90, 180, 270])


def test_resting_figure_lies_on_its_lowest_joint_and_leaps_from_there() -> None:
    lying = {"roll": 90.0, "arm": 0.0, "foot_x": -0.15, "body_y": [[0.0, 0.0], [2.0, 0.1]]}
    motion = _move(resting=True, loop=False, tracks=lying)
    lowest = _paths(motion, "LeftShoulder")[:, 1]
    np.testing.assert_allclose(lowest, joint_paths(motion)[..., 1].min(axis=1), atol=1e-6)
    np.testing.assert_allclose(lowest, [0, 0.05, 0.1, 0.1], atol=1e-6)


def test_track_that_moves_nothing_is_refused() -> None:
    with pytest.raises(InvalidMotion, match="wings"):
        move_puppet("fly", _keyframes({"wings": 1.0}))
