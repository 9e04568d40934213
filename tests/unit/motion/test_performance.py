from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from animator.core.errors import InvalidMotion, UnknownMotion
from animator.core.motion import Blend, Playback
from animator.core.pose import PoseSequence
from animator.motion.follow import follow
from animator.motion.library import load_motion
from animator.motion.loops import is_closed
from animator.motion.performance import perform, prepare
from tests.unit.motion.bodies import T_POSE, T_WORLD


def _played(name: str, playback: Playback) -> PoseSequence:
    return perform(prepare(*load_motion(name), playback), T_POSE, T_WORLD)


def test_a_motion_played_plainly_is_followed_as_it_is() -> None:
    poses = _played("wave", Playback())
    np.testing.assert_array_equal(
        poses.angles, follow(*load_motion("wave"), T_POSE, T_WORLD).angles
    )


def test_trim_is_in_seconds_and_ends_with_the_clip() -> None:
    assert len(_played("dance", Playback(trim=(1.0, 2.5))).root) == 45
    whole = len(_played("dance", Playback()).root)
    assert len(_played("dance", Playback(trim=(1.0, 99.0))).root) == whole - 30


@pytest.mark.parametrize(("start", "end"), [(90.0, 91.0), (1.0, 1.01)])
def test_trim_to_nothing_is_refused_with_the_length(start: float, end: float) -> None:
    with pytest.raises(InvalidMotion, match=r"nothing from .* of a motion of 4\.00 s"):
        prepare(*load_motion("dance"), Playback(trim=(start, end)))


def test_no_more_frames_a_second_than_asked_for() -> None:
    whole = _played("dance", Playback())
    for fps, left in ((15.0, 2), (10.0, 3), (8.0, 4)):
        poses = _played("dance", Playback(fps=fps))
        assert poses.fps == whole.fps / left
        assert len(poses.root) == len(whole.root) // left
    assert len(_played("dance", Playback(fps=60.0)).root) == len(whole.root)


def test_speed_and_mirror_change_every_clip() -> None:
    plain = prepare(*load_motion("walk"), Playback(then=("wave",)))
    changed = prepare(*load_motion("walk"), Playback(speed=2.0, mirror=True, then=("wave",)))
    for (motion, own), (fast, flipped) in zip(plain.clips, changed.clips, strict=True):
        assert len(fast.root) == round(len(motion.root) / 2)
        assert flipped.faces_left != own.faces_left


def test_clips_follow_one_another_with_a_fade() -> None:
    poses = _played("walk", Playback(then=("wave", "bow")))
    lengths = [len(load_motion(name)[0].root) for name in ("walk", "wave", "bow")]
    # A fade of 0.4 s is 12 frames, but a third of the walk is 10.
    assert len(poses.root) == sum(lengths) - 10 - 12
    walk, bow = (_played(name, Playback()).angles[:, 3] for name in ("walk", "bow"))
    np.testing.assert_allclose(poses.angles[:20, 3], walk[:20], atol=1e-5)
    np.testing.assert_allclose(poses.angles[-60:, 3], bow[-60:], atol=1e-5)
    steps = np.abs(np.diff(np.unwrap(poses.angles, axis=0), axis=0))
    assert np.nanmax(steps) < 0.5


@pytest.mark.parametrize(
    ("name", "playback"),
    [
        ("dance", Playback(trim=(0.3, 1.9), loop=True)),
        ("walk", Playback(then=("wave",), loop=True)),
        ("cartwheel", Playback(trim=(0.2, 1.0), loop=True)),
        ("bow", Playback(loop=True)),
    ],
)
def test_loop_on_request_is_seamless(name: str, playback: Playback) -> None:
    poses = _played(name, playback)
    angles = poses.angles[:, ~np.isnan(poses.angles).any(axis=0)]
    assert is_closed(np.hstack((poses.root, np.cos(angles), np.sin(angles))))


def test_who_is_to_stay_does_not_walk_away() -> None:
    motion, own = load_motion("walk")
    way = np.linspace(0, 5, len(motion.root), dtype=np.float32)
    away = replace(motion, root=motion.root + way[:, None])
    gone, stayed = (
        perform(prepare(away, own, Playback(stay=stays)), T_POSE, T_WORLD)
        for stays in (False, True)
    )
    assert np.ptp(gone.root[:, 0]) > 2
    assert np.ptp(stayed.root[:, 0]) < 0.1
    np.testing.assert_array_equal(stayed.root[:, 1], gone.root[:, 1])


def test_unknown_motion_that_is_to_follow_is_refused() -> None:
    with pytest.raises(UnknownMotion, match="gallop"):
        prepare(*load_motion("walk"), Playback(then=("gallop",)))


def test_what_lasts_too_long_is_refused() -> None:
    playback = Playback(speed=0.25, then=("dance",) * 8)
    with pytest.raises(InvalidMotion, match=r"would last 1\d\d seconds; trim it to 120"):
        prepare(*load_motion("dance"), playback)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Playback(speed=0.2),
        lambda: Playback(speed=4.5),
        lambda: Playback(speed=float("nan")),
        lambda: Playback(trim=(-1.0, 2.0)),
        lambda: Playback(trim=(2.0, 2.0)),
        lambda: Playback(trim=(0.0, float("nan"))),
        lambda: Playback(trim=(0.0, float("inf"))),
        lambda: Playback(then=("walk",) * 9),
    ],
)
def test_playback_out_of_its_bounds_is_refused(make: Callable[[], Playback]) -> None:
    with pytest.raises(ValueError, match=r"speed|trim|at most 8"):
        make()


def test_blend_of_none_and_of_all_is_either_motion() -> None:
    walk, wave = _played("walk", Playback(then=())), _played("wave", Playback())
    none = _played("walk", Playback(blend=Blend(motion="wave", share=0.0)))
    whole = _played("walk", Playback(blend=Blend(motion="wave", share=1.0)))
    driven = ~np.isnan(walk.angles).any(axis=0)
    np.testing.assert_allclose(none.angles[:, driven], walk.angles[:, driven], atol=1e-5)
    turn = whole.angles[:, driven] - wave.angles[:, driven]
    np.testing.assert_allclose(np.exp(1j * turn), 1.0, atol=1e-5)
    np.testing.assert_allclose(whole.root, wave.root, atol=1e-5)


def test_blend_lies_between_and_lasts_between() -> None:
    walk, sneak = (len(load_motion(name)[0].root) for name in ("walk", "sneak"))
    mixed = _played("walk", Playback(blend=Blend(motion="sneak", share=0.25)))
    assert len(mixed.root) == round(0.75 * walk + 0.25 * sneak)
    assert np.isfinite(mixed.root).all()


def test_blend_of_a_motion_with_itself_changes_nothing() -> None:
    plain = _played("wave", Playback(stay=True))
    mixed = _played("wave", Playback(stay=True, blend=Blend(motion="wave", share=0.4)))
    driven = ~np.isnan(plain.angles).any(axis=0)
    np.testing.assert_allclose(mixed.angles[:, driven], plain.angles[:, driven], atol=1e-5)


def test_blend_takes_speed_and_mirror_along_and_leaves_what_follows_alone() -> None:
    playback = Playback(
        speed=2.0, mirror=True, then=("bow",), blend=Blend(motion="sneak", share=0.5)
    )
    performance = prepare(*load_motion("walk"), playback)
    assert [clip.name for clip, _ in performance.clips] == ["Walk", "Bow"]
    assert performance.mixed is not None
    motion, own = load_motion("sneak")
    mixed, flipped = performance.mixed
    assert len(mixed.root) == round(len(motion.root) / 2)
    assert flipped.faces_left != own.faces_left


def test_blend_with_an_unknown_motion_is_refused() -> None:
    with pytest.raises(UnknownMotion, match="moonwalk"):
        prepare(*load_motion("walk"), Playback(blend=Blend(motion="moonwalk")))


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_blend_out_of_bounds_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        Blend(motion="walk", share=share)
