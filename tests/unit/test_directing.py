"""Each figure of a drawing does what is asked of it: its own motion, side, speed and time."""

import msgspec
import numpy as np
import pytest

from animator.core.animation import AnimationFormat
from animator.core.annotation import Annotation
from animator.core.documents import AnimationRequest, Part
from animator.core.drawing import Drawing
from animator.core.errors import EmptyMask, UnknownMotion
from animator.core.mask import Mask, run_lengths_from_mask
from animator.core.motion import Blend, Playback
from animator.core.stage import Stage
from animator.directing import Props, direct, playback_of
from animator.motion import list_motions, load_motion
from animator.pipeline import annotate, stage_figures
from animator.render.previewing import previews_of
from animator.render.previews import read_previews, skin_figure
from tests.support_drawings import stick_figure
from tests.support_predictor import DarkPredictor

DRAWING = Drawing(id="stick", image=stick_figure())


@pytest.fixture(scope="module")
def pair() -> Annotation:
    """The same figure twice."""
    found = annotate(DRAWING, DarkPredictor(), lambda *_: None)
    (one,) = found.figures
    figures = tuple(msgspec.structs.replace(one, id=id) for id in ("left", "right"))
    return msgspec.structs.replace(found, figures=figures)


def stage_pair(pair: Annotation, **wishes: object) -> Stage:
    request = msgspec.convert({"motion": "wave", "side": 96, **wishes}, AnimationRequest)
    return stage_figures(DRAWING, pair, request, lambda *_: None)


def frames_of(motion: str) -> int:
    return len(load_motion(motion)[0].root)


def test_one_figure_has_a_motion_of_its_own_and_the_other_the_usual_one(pair: Annotation) -> None:
    stage = stage_pair(pair, figures={"right": {"motion": "jump"}})
    counts = {one.id: len(one.track.vertices) for one in stage.moved}
    assert counts == {"left": frames_of("wave"), "right": frames_of("jump")}
    longest, shortest = max(counts.values()), min(counts.values())
    assert longest > shortest, "the test needs motions of two lengths"
    assert stage.scene.frame_count == longest
    played = {one.id: one.track.vertices for one in stage.played()}
    briefer = min(counts, key=lambda id: counts[id])
    np.testing.assert_array_equal(played[briefer][shortest], played[briefer][0], "it repeats")


def test_figure_that_begins_later_waits_in_its_first_frame(pair: Annotation) -> None:
    stage = stage_pair(pair, figures={"right": {"start": 0.5}})
    left, right = (one.track.vertices for one in stage.played())
    fps = int(stage.scene.fps)
    assert stage.scene.frame_count == frames_of("wave") + fps // 2
    np.testing.assert_array_equal(right[fps // 2 - 1], right[0])
    np.testing.assert_array_equal(right[fps // 2 + 7], left[7])


def test_mirrored_figure_moves_the_other_arm(pair: Annotation) -> None:
    stage = stage_pair(pair, figures={"right": {"mirror": True}})
    ways = {}
    for one in stage.moved:
        names = [joint.name for joint in one.rig.skeleton.joints]
        way = np.ptp(one.joints[..., 1], axis=0)
        ways[one.id] = way[names.index("right_hand")] - way[names.index("left_hand")]
    assert ways["left"] * ways["right"] < 0


def test_speed_of_a_figure_comes_upon_that_of_all_and_start_goes_with_it() -> None:
    request = AnimationRequest(
        motion="wave",
        playback=Playback(
            speed=2.0, mirror=True, trim=(0.0, 1.0), then=("walk",), blend=Blend(motion="hop")
        ),
        figures={"a": Part(speed=0.5, start=3.0), "b": Part(motion="jump", mirror=False, speed=4)},
    )
    a, b = (playback_of(request.figures[name], request) for name in ("a", "b"))
    assert a == msgspec.structs.replace(request.playback, speed=1.0)
    assert b == Playback(speed=4.0), "a motion of its own is not cut as another one is"
    directions = direct(request, {})
    assert directions.entry_of("a").start == 1.5
    assert directions.entry_of("c") is directions.usual


def test_motion_that_is_not_there_is_refused() -> None:
    with pytest.raises(UnknownMotion):
        direct(AnimationRequest(figures={"a": Part(motion="levitate")}), {})


def test_own_motion_is_found_by_its_name(pair: Annotation) -> None:
    props = Props(motions={"own-1": load_motion("hop")})
    request = AnimationRequest(motion="own-1", side=96)
    stage = stage_figures(DRAWING, pair, request, lambda *_: None, props)
    assert {len(one.track.vertices) for one in stage.moved} == {frames_of("hop")}


@pytest.mark.parametrize(
    ("part", "why"),
    [
        ({"start": -0.1}, "start"),
        ({"start": 10.5}, "start"),
        ({"speed": 0.1}, "speed"),
        ({"stop": 1}, "stop"),
    ],
)
def test_part_out_of_bounds_is_refused(part: dict[str, object], why: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=why):
        msgspec.convert({"figures": {"a": part}}, AnimationRequest)


def test_no_more_parts_are_taken_than_there_can_be_figures() -> None:
    parts: dict[str, object] = {f"f{i}": {} for i in range(21)}
    with pytest.raises(msgspec.ValidationError, match="at most 20"):
        msgspec.convert({"figures": parts}, AnimationRequest)
    with pytest.raises(msgspec.ValidationError, match="length <= 64"):
        msgspec.convert({"figures": {"f" * 65: {}}}, AnimationRequest)


def test_previews_hold_every_motion_for_each_figure(pair: Annotation) -> None:
    request = AnimationRequest(formats=(AnimationFormat.PREVIEWS,), side=96)
    data = previews_of(stage_figures(DRAWING, pair, request, lambda *_: None))
    figures = read_previews(data)
    assert [figure.id for figure in figures] == ["left", "right"]
    names = [info.name for info in list_motions()]
    for figure in figures:
        assert [clip.name for clip in figure.clips] == names
        lengths = {clip.name: len(clip.root) / clip.fps for clip in figure.clips}
        for info in list_motions():
            assert lengths[info.name] == pytest.approx(info.duration)
            assert max(clip.view[2] for clip in figure.clips) < 4
    assert len(data) < 100_000


def test_preview_of_an_own_motion_holds_that_one(pair: Annotation) -> None:
    props = Props(motions={"own-1": load_motion("hop")})
    request = AnimationRequest(motion="own-1", formats=(AnimationFormat.PREVIEWS,), side=96)
    stage = stage_figures(DRAWING, pair, request, lambda *_: None, props)
    for figure in read_previews(previews_of(stage)):
        assert [clip.name for clip in figure.clips] == ["own-1"]


def test_previews_alone_are_those_that_come_beside_a_film(pair: Annotation) -> None:
    alone, beside = (
        stage_figures(DRAWING, pair, AnimationRequest(formats=forms, side=96), lambda *_: None)
        for forms in (
            (AnimationFormat.PREVIEWS,),
            (AnimationFormat.PREVIEWS, AnimationFormat.TRACK),
        )
    )
    assert [len(one.track.vertices) for one in alone.moved] == [1, 1], "nobody sees it move"
    assert min(len(one.track.vertices) for one in beside.moved) > 1
    assert previews_of(alone) == previews_of(beside)


def test_views_hold_the_whole_figure_in_every_motion(pair: Annotation) -> None:
    request = AnimationRequest(formats=(AnimationFormat.PREVIEWS,), side=96)
    figure, _ = read_previews(previews_of(stage_figures(DRAWING, pair, request, lambda *_: None)))
    for clip in figure.clips:
        away = np.abs(skin_figure(figure, clip) - clip.view[:2])
        assert away.max() < clip.view[2] / 2, clip.name


def test_figure_that_cannot_be_moved_is_named(pair: Annotation) -> None:
    left, right = pair.figures
    assert right.mask is not None
    dot = np.zeros(right.mask.size, np.bool_)
    dot[100, 50] = True
    tiny = msgspec.structs.replace(right, mask=run_lengths_from_mask(Mask(dot)))
    with pytest.raises(EmptyMask, match="Figure 'right': The outline") as found:
        stage_pair(msgspec.structs.replace(pair, figures=(left, tiny)))
    assert found.value.about == ("right",)
