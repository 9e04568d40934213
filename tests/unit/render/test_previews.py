import zlib
from contextlib import suppress
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from animator.core.errors import InvalidTrack
from animator.core.moved_figure import Rehearsal
from animator.core.pose import PoseSequence
from animator.render.packed import FILE_HEAD
from animator.render.previewing import preview_clip, preview_figure, with_clips
from animator.render.previews import (
    PreviewClip,
    PreviewFigure,
    pack_previews,
    read_previews,
    skin_figure,
)
from tests.unit.render.conftest import make_rig, make_texture

UNITS = st.floats(-8, 8, width=32)


@st.composite
def clips(draw: st.DrawFn, joints: int) -> PreviewClip:
    frames, groups = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    orders = [draw(st.permutations(range(groups))) for _ in range(frames)]
    return PreviewClip(
        name=draw(st.text(max_size=20)),
        loops=draw(st.booleans()),
        fps=draw(st.floats(1, 60, width=32)),
        still=draw(st.integers(0, frames - 1)),
        view=np.array([*draw(arrays(np.float32, 2, elements=UNITS)), 1.5]),
        root=draw(arrays(np.float64, (frames, 2), elements=UNITS)),
        turns=draw(arrays(np.float64, (frames, joints), elements=UNITS)),
        groups=draw(arrays(np.uint8, joints, elements=st.integers(0, groups - 1))),
        order=np.array(orders, np.uint8),
    )


@st.composite
def figures(draw: st.DrawFn) -> PreviewFigure:
    count, joints = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    total = draw(st.integers(0, 5))
    cuts = sorted(draw(st.lists(st.integers(0, total), min_size=joints - 1, max_size=joints - 1)))
    return PreviewFigure(
        id=draw(st.text(max_size=8)),
        texture=draw(st.binary(max_size=20)),
        frame=draw(arrays(np.float32, 4, elements=UNITS)).astype(np.float64),
        texels=draw(arrays(np.float64, (count, 2), elements=st.floats(-0.5, 1.4375))),
        joints=draw(arrays(np.float32, (joints, 2), elements=UNITS)).astype(np.float64),
        parents=(-1, *(draw(st.integers(0, joint - 1)) for joint in range(1, joints))),
        bones=draw(arrays(np.uint8, (count, 4), elements=st.integers(0, joints - 1))),
        shares=draw(arrays(np.uint8, (count, 4))),
        triangles=draw(arrays(np.int32, (total, 3), elements=st.integers(0, count - 1))),
        starts=np.array([0, *cuts, total]),
        clips=tuple(draw(clips(joints)) for _ in range(draw(st.integers(0, 2)))),
    )


@given(st.lists(figures(), max_size=2))
@settings(max_examples=30)
def test_what_was_written_is_read(written: list[PreviewFigure]) -> None:
    read = read_previews(pack_previews(tuple(written)))
    assert len(read) == len(written)
    for ours, found in zip(written, read, strict=True):
        assert (found.id, found.texture) == (ours.id, ours.texture)
        assert found.parents == ours.parents
        for name in ("frame", "joints", "bones", "shares", "triangles", "starts"):
            np.testing.assert_array_equal(getattr(found, name), getattr(ours, name), name)
        np.testing.assert_allclose(found.texels, ours.texels, atol=1 / 65535)
        for clip, other in zip(ours.clips, found.clips, strict=True):
            assert (other.name, other.loops, other.still) == (clip.name, clip.loops, clip.still)
            assert other.fps == pytest.approx(clip.fps)
            np.testing.assert_allclose(other.view, clip.view)
            np.testing.assert_array_equal(other.groups, clip.groups)
            np.testing.assert_array_equal(other.order, clip.order)
            np.testing.assert_allclose(other.root, clip.root, atol=0.51 / 1024)
            np.testing.assert_allclose(other.turns, clip.turns, atol=0.51 * 2 * np.pi / 2048)


def make_poses(turn: float) -> PoseSequence:
    """The bone that ends in joint one, which hangs down, turns from rest in steps of a second."""
    down = np.float32(np.pi)
    angles = np.full((3, 3), np.nan, np.float32)
    angles[:, 1] = [down, down + turn / 2, down + turn]
    root = np.array([[0, 0], [0.5, 0], [1, 0]], np.float32)
    depths = np.array([[0, 1], [1, 0], [1, 0]], np.float32)
    groups = (("one",), ("two",))
    return PoseSequence(fps=1.0, root=root, angles=angles, depths=depths, groups=groups)


def make_figure(*poses: PoseSequence) -> PreviewFigure:
    rig = make_rig(make_texture((200, 40, 40)))
    made = [preview_clip(rig, Rehearsal(f"clip {i}", False, one)) for i, one in enumerate(poses)]
    return with_clips(preview_figure(rig, "f0", 64), tuple(made))


def test_vertices_follow_their_bones() -> None:
    figure = make_figure(make_poses(np.pi / 2))
    (clip,) = figure.clips
    assert len(clip.root) == 45, "three seconds at fifteen frames"
    whole = replace(
        figure,
        bones=np.tile(np.array([1, 0, 0, 0], np.uint8), (4, 1)),
        shares=np.tile(np.array([255, 0, 0, 0], np.uint8), (4, 1)),
    )
    moved = skin_figure(whole, clip)
    # a quarter turn counter-clockwise about the root, which went 1 to the right
    np.testing.assert_allclose(moved[0], [[0, -1], [1, -1], [1, 0], [0, 0]], atol=1e-3)
    np.testing.assert_allclose(moved[-1], [[2, 0], [2, 1], [1, 1], [1, 0]], atol=1e-3)
    np.testing.assert_array_equal(clip.order[[0, -1]], [[0, 1], [1, 0]])
    np.testing.assert_array_equal(clip.groups, [0, 0, 1])
    assert clip.still in (0, 44), "the ends are farthest from what it mostly does"


def test_weights_of_a_vertex_share_it_between_bones() -> None:
    figure = make_figure(make_poses(np.pi))
    shares = np.tile(np.array([51, 204, 0, 0], np.uint8), (4, 1))
    bones = np.tile(np.array([1, 2, 0, 0], np.uint8), (4, 1))
    moved = skin_figure(replace(figure, bones=bones, shares=shares), figure.clips[0])
    # a fifth goes to (1, 1) with the bone that turns, four fifths to (1, -1) with the other
    np.testing.assert_allclose(moved[-1, 0], [1, -0.6], atol=1e-3)


def test_every_view_holds_all_that_is_seen_and_few_are_wider_than_others() -> None:
    figure = make_figure(make_poses(0.1), make_poses(0.2), make_poses(3.0))
    for clip in figure.clips:
        x, y, side = clip.view
        places = skin_figure(figure, clip)
        assert (np.abs(places - [x, y]) < side / 2).all()
    sides = [clip.view[2] for clip in figure.clips]
    assert sorted(sides)[0] == sorted(sides)[1] < sorted(sides)[2]


def test_turns_of_a_loop_go_on_the_short_way_over_its_seam() -> None:
    rig = make_rig(make_texture((0, 0, 0)))
    poses = make_poses(0.0)
    around = np.array([3.0, 3.0 + 2.1, 3.0 + 4.2], np.float32)
    poses = replace(poses, fps=10.0, angles=np.stack([np.full(3, np.nan), around, around], axis=1))
    clip = preview_clip(rig, Rehearsal("turn", True, poses))
    steps = np.diff(clip.turns[:, 1])
    assert (steps > 0).all(), "it turns one way only"
    assert steps.max() < 1.6


def test_texture_is_as_fine_as_the_square_needs() -> None:
    rig = make_rig(make_texture((200, 40, 40)))
    with Image.open(BytesIO(preview_figure(rig, "f0", 11).texture)) as picture:
        assert picture.size == (10, 10), "a world unit of a square of 1.08 units, in 11 pixels"


def test_file_that_was_cut_off_or_is_another_is_refused() -> None:
    data = pack_previews((make_figure(make_poses(1.0)),))
    for wrong in (b"", b"ANVT" + data[4:], data[:-1], data[: FILE_HEAD.size + 9], data[:8]):
        with pytest.raises(InvalidTrack):
            read_previews(wrong)


def test_joint_at_no_number_is_refused() -> None:
    figure = make_figure(make_poses(1.0))
    whole = pack_previews((figure,))
    payload = zlib.decompress(whole[FILE_HEAD.size :])
    places = figure.joints.astype("<f4").tobytes()
    assert payload.count(places) == 1
    # a signalling NaN, which arithmetic itself complains of
    wrong = payload.replace(places, b"\x01\x00\x80\x7f" + places[4:])
    with pytest.raises(InvalidTrack):
        read_previews(whole[: FILE_HEAD.size] + zlib.compress(wrong))


@given(st.data())
@settings(max_examples=30)
def test_no_garbled_byte_does_worse_than_a_refusal(data: st.DataObject) -> None:
    whole = pack_previews((make_figure(make_poses(1.0)),))
    payload = bytearray(zlib.decompress(whole[FILE_HEAD.size :]))
    payload[data.draw(st.integers(0, len(payload) - 1))] = data.draw(st.integers(0, 255))
    with suppress(InvalidTrack):
        read_previews(whole[: FILE_HEAD.size] + zlib.compress(bytes(payload)))
