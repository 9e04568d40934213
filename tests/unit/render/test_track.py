import json
import shutil
import struct
import subprocess
import textwrap
import zlib
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from animator.core.errors import InvalidTrack
from animator.core.pose import VertexTrack
from animator.core.scene import Background, Placement
from animator.core.stage import Stage
from animator.render import rasterize
from animator.render.packed import FILE_HEAD, pack_places
from animator.render.sampling import paint_from_texture
from animator.render.track import TrackClip, TrackFigure, pack_track, read_track
from animator.render.tracks import clip_of, track_of
from animator.render.triangles import fill_triangles
from tests.unit.render.conftest import CORNERS, SIDE, make_moved, make_rig, make_scene, make_texture

PLACES = st.floats(-500, 1500, width=32)


@st.composite
def figures(draw: st.DrawFn, frames: int) -> TrackFigure:
    count, groups = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    triangles = draw(
        arrays(np.int32, (draw(st.integers(0, 5)), 3), elements=st.integers(0, count - 1))
    )
    cuts = sorted(
        draw(st.lists(st.integers(0, len(triangles)), min_size=groups - 1, max_size=groups - 1))
    )
    orders = [draw(st.permutations(range(groups))) for _ in range(frames)]
    return TrackFigure(
        vertices=draw(arrays(np.float32, (frames, count, 2), elements=PLACES)),
        texels=draw(arrays(np.float32, (count, 2), elements=st.floats(-0.5, 1.4375, width=32))),
        triangles=triangles,
        groups=np.array([0, *cuts, len(triangles)]),
        order=np.array(orders, np.uint8).reshape(frames, groups),
        texture=draw(st.binary(max_size=20)),
        columns=draw(st.integers(0, 65535)),
    )


@st.composite
def clips(draw: st.DrawFn) -> TrackClip:
    frames = draw(st.integers(1, 6))
    levels = st.integers(0, 255)
    return TrackClip(
        fps=draw(st.sampled_from([12.0, 30.0, 59.9375])),
        width=draw(st.integers(16, 2048)),
        height=draw(st.integers(16, 2048)),
        background=draw(st.none() | st.tuples(levels, levels, levels)),
        figures=tuple(draw(st.lists(figures(frames), min_size=1, max_size=3))),
    )


@settings(max_examples=25, deadline=None)
@given(clips())
def test_clip_comes_back_as_it_went_in(clip: TrackClip) -> None:
    found = read_track(pack_track(clip))
    assert (found.fps, found.width, found.height) == (clip.fps, clip.width, clip.height)
    assert found.background == clip.background
    for one, back in zip(clip.figures, found.figures, strict=True):
        extent = np.ptp(one.vertices.astype(np.float64), axis=(0, 1)).max()
        step = max(max(clip.width, clip.height) / 8192, extent / 65535 * 1.00001)
        np.testing.assert_allclose(back.vertices, one.vertices, atol=0.51 * step + 2e-4)
        np.testing.assert_allclose(back.texels, one.texels, atol=0.51 / 32768)
        for name in ("triangles", "groups", "order"):
            np.testing.assert_array_equal(getattr(back, name), getattr(one, name))
        assert (back.texture, back.columns) == (one.texture, one.columns)


def small_clip() -> TrackClip:
    """Two frames of two vertices and one triangle."""
    figure = TrackFigure(
        vertices=np.array([[[0, 0], [8, 4]], [[1, 0], [9, 4]]], np.float32),
        texels=np.array([[0, 0], [1, 1]], np.float32),
        triangles=np.array([[0, 1, 0]], np.int32),
        groups=np.array([0, 1]),
        order=np.zeros((2, 1), np.uint8),
        texture=b"WEBP",
    )
    return TrackClip(fps=30.0, width=64, height=32, background=(1, 2, 3), figures=(figure,))


def test_quick_packing_takes_no_more_bytes_than_the_most_careful_one() -> None:
    rng = np.random.default_rng(1)
    rest = rng.uniform(0, 500, (1, 300, 2))
    sway = np.sin(np.linspace(0, 12, 90))[:, None, None] * rest[:, :, ::-1] / 5
    figure = TrackFigure(
        vertices=(rest + sway).astype(np.float32),
        texels=rng.uniform(0, 1, (300, 2)).astype(np.float32),
        triangles=rng.integers(0, 300, (500, 3)).astype(np.int32),
        groups=np.array([0, 500]),
        order=np.zeros((90, 1), np.uint8),
        texture=rng.bytes(2000),
    )
    data = pack_track(TrackClip(30.0, 512, 512, None, (figure,)))
    payload = zlib.decompress(data[FILE_HEAD.size :])
    assert len(data) <= 1.02 * len(zlib.compress(payload, 9)) + FILE_HEAD.size


def test_bytes_lie_where_the_page_of_the_format_says() -> None:
    data = pack_track(small_clip())
    assert data[:4] == b"ANVT"
    assert struct.unpack_from("<HHI", data, 4)[:2] == (1, 0)
    payload = zlib.decompress(data[12:])
    assert len(payload) == struct.unpack_from("<I", data, 8)[0]
    assert struct.unpack_from("<fIHH", payload) == (30.0, 2, 64, 32)
    assert list(payload[12:16]) == [1, 1, 2, 3]
    assert struct.unpack_from("<HH", payload, 16) == (1, 0)
    assert struct.unpack_from("<IIHH", payload, 20) == (2, 1, 1, 0)
    x, y, step, texture = struct.unpack_from("<fffI", payload, 32)
    assert (x, y, step, texture) == (0.0, 0.0, 64 / 8192, 4)
    assert payload[48:52] == b"WEBP"
    assert struct.unpack_from("<4H", payload, 52) == (16384, 49152, 16384, 49152)
    assert struct.unpack_from("<3H", payload, 60) == (0, 1, 0)
    assert struct.unpack_from("<2I", payload, 66) == (0, 1)
    assert list(payload[74:76]) == [0, 0]
    # x is counted 0, 1024 and then 128, 1152. Against the frames before, twice, 0, 1024 and
    # 128, -896 are left; against the vertex before 0, 1024 and 128, -1024; zigzag 0, 2048 and
    # 256, 2047; low bytes, then high ones
    assert list(payload[76:84]) == [0, 0, 0, 255, 0, 8, 1, 7]
    assert len(payload) == 76 + 4 * 4


def damaged(data: bytes) -> list[tuple[bytes, str]]:
    payload = zlib.decompress(data[12:])

    def packed(payload: bytes, length: int | None = None, version: int = 1) -> bytes:
        head = FILE_HEAD.pack(b"ANVT", version, 0, len(payload) if length is None else length)
        return head + zlib.compress(payload)

    bomb = FILE_HEAD.pack(b"ANVT", 1, 0, 1 << 31) + zlib.compress(b"\0" * 1000)
    return [
        (b"", "no vertex track"),
        (b"GIF89a" + data, "no vertex track"),
        (packed(payload, version=2), "version 2"),
        (data[:-3], "incomplete or damaged"),
        (data + b"more", "incomplete or damaged"),
        (data[:12] + b"xx" + data[14:], "damaged"),
        (bomb, "at most"),
        (packed(payload, length=len(payload) - 1), "incomplete or damaged"),
        (packed(payload[:-1]), "ends too early"),
        (packed(payload + b"\0"), "belong to nothing"),
        (packed(b"\0" * 20), "no frames, no size or no speed"),
        (packed(payload[:60] + b"\xff\xff" + payload[62:]), "not there"),
        (packed(payload[:32] + b"\xff\xff\xff\xff" + payload[36:]), "out of all bounds"),
    ]


@pytest.mark.parametrize("case", range(13))
def test_what_cannot_be_read_is_refused_with_a_sentence(case: int) -> None:
    data, sentence = damaged(pack_track(small_clip()))[case]
    with pytest.raises(InvalidTrack, match=sentence):
        read_track(data)


def test_no_garbled_byte_does_worse_than_a_typed_error() -> None:
    """Any byte of the payload, and any length of it."""
    payload = bytearray(zlib.decompress(pack_track(small_clip())[12:]))
    rng = np.random.default_rng(4)
    for _ in range(600):
        bad = bytearray(payload)
        for place in rng.integers(0, len(bad), rng.integers(1, 4)):
            bad[place] = rng.integers(0, 256)
        bad = bad[: rng.integers(len(bad) // 2, len(bad) + 1)]
        data = FILE_HEAD.pack(b"ANVT", 1, 0, len(bad)) + zlib.compress(bytes(bad), 1)
        try:
            clip = read_track(data)
        except InvalidTrack:
            continue
        assert all(np.isfinite(figure.texels).all() for figure in clip.figures)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.99])
def test_file_that_was_cut_off_is_refused(share: float) -> None:
    data = pack_track(small_clip())
    with pytest.raises(InvalidTrack):
        read_track(data[: round(share * len(data))])


def test_too_many_vertices_are_refused() -> None:
    clip = small_clip()
    (figure,) = clip.figures
    large = replace(figure, vertices=np.zeros((2, 65_537, 2), np.float32))
    with pytest.raises(ValueError, match="65536 vertices"):
        pack_track(replace(clip, figures=(large,)))


def make_stage() -> Stage:
    """Two squares, one in front of the other, whose triangles change their order."""
    texture = make_texture((60, 60, 60))
    texture[:, 8:] = (190, 190, 190, 255)
    turn = np.array([[0.8, 0.6], [-0.6, 0.8]], np.float32)
    folded = CORNERS.copy()
    folded[1] = (0.2, -0.2)
    track = VertexTrack(
        fps=10.0,
        vertices=np.stack((CORNERS, CORNERS @ turn, folded)),
        group_of=np.array([1, 0], np.int16),
        order=np.array([[0, 1], [1, 0], [0, 1]], np.int16),
    )
    scene = make_scene(
        Background(colour=(250, 250, 240)), Placement(x=0.5), Placement(scale=0.5), frames=3
    )
    return Stage(scene, (make_moved(make_rig(texture), track),) * 2)


def test_a_player_of_the_track_draws_the_frames_that_we_draw() -> None:
    stage = make_stage()
    clip = read_track(track_of(stage))
    assert (clip.width, clip.height, clip.background) == (32, 32, (250, 250, 240))
    for frame, drawn in enumerate(rasterize(stage)):
        canvas = np.tile(np.array([*(clip.background or ()), 255], np.uint8), (32, 32, 1))
        for figure in clip.figures:
            play(figure, frame, canvas)
        apart = np.abs(canvas.astype(int) - drawn).max(axis=2)
        assert (apart > 16).mean() < 0.01


def play(figure: TrackFigure, frame: int, canvas: np.ndarray) -> None:
    """Draw a figure group by group, as a page would."""
    with Image.open(BytesIO(figure.texture)) as picture:
        texture = np.array(picture.convert("RGBA"))
    paint = paint_from_texture(texture, 1.0)
    for group in figure.order[frame]:
        chosen = figure.triangles[figure.groups[group] : figure.groups[group + 1]]
        texels = figure.texels * (texture.shape[1], texture.shape[0]) - 0.5
        corners, places = (
            points[chosen].astype(np.float64).view(np.complex128)[..., 0]
            for points in (figure.vertices[frame], texels)
        )
        fill_triangles(canvas, corners, paint, places)


def test_texture_is_no_finer_than_screens_show() -> None:
    clip = clip_of(make_stage())
    sizes = [Image.open(BytesIO(figure.texture)).size for figure in clip.figures]
    assert sizes == [(SIDE, SIDE), (SIDE, SIDE)]
    scene = make_scene(Background(), Placement(scale=0.25))
    moved = make_stage().moved[0]
    (small,) = clip_of(Stage(scene, (moved,))).figures
    assert Image.open(BytesIO(small.texture)).size == (8, 8)  # a quarter as large, twice as fine
    assert small.columns == 4, "in the frame it is as wide as that"


def test_only_a_plain_background_is_told() -> None:
    scene = make_scene(Background(kind="transparent"))
    assert clip_of(Stage(scene, make_stage().moved[:1])).background is None


DECODE = """
const { low, high, frames, vertices } = JSON.parse(process.argv[1]);
console.log(JSON.stringify([...counts(low, high, frames, vertices)]));
"""


def test_the_documented_decoder_finds_the_same_places() -> None:
    """The JavaScript of the page about the format, run by node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    page = (Path(__file__).parents[3] / "docs" / "vertex-track.md").read_text()
    start = page.index("    const counts")
    code = textwrap.dedent(page[start : page.index("\n\n##", start)])
    places = np.random.default_rng(5).integers(0, 65536, (4, 6)).astype(np.uint16)
    packed = list(pack_places(places))
    given = {"low": packed[:24], "high": packed[24:], "frames": 4, "vertices": 6}
    command = [node, "-e", code + DECODE, json.dumps(given)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == places.ravel().tolist()
