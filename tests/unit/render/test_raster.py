from collections.abc import Iterator

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.errors import EncodingFailed
from animator.core.pose import VertexTrack
from animator.core.rig import Rig
from animator.core.scene import Background, Placement, Scene
from animator.render import rasterize
from tests.unit.render.conftest import (
    CORNERS,
    SIDE,
    make_moved,
    make_rig,
    make_scene,
    make_stage,
    make_texture,
    make_track,
)

WHITE = Background()
CLEAR = Background(kind="transparent")
REST = make_track(CORNERS[None])


def drawn(rigs: list[Rig], tracks: list[VertexTrack], scene: Scene) -> Iterator[NDArray[np.uint8]]:
    """All frames of figures that are drawn in as many frames as the longest track has."""
    count = max(len(track.vertices) for track in tracks)
    moved = [make_moved(rig, track) for rig, track in zip(rigs, tracks, strict=True)]
    return rasterize(make_stage(msgspec.structs.replace(scene, frame_count=count), *moved))


def noise() -> NDArray[np.uint8]:
    rng = np.random.default_rng(1)
    texture = rng.integers(0, 256, (SIDE, SIDE, 4), dtype=np.uint8)
    texture[..., 3] = 255
    return texture


def test_figure_at_rest_and_its_own_size_is_its_texture() -> None:
    texture = noise()
    (frame,) = drawn([make_rig(texture)], [REST], make_scene(WHITE))
    np.testing.assert_array_equal(frame[8:24, 8:24], texture)
    frame[8:24, 8:24] = 255
    assert (frame == 255).all()


def test_transparent_background_stays_clear_and_alpha_is_straight() -> None:
    (frame,) = drawn([make_rig(make_texture((200, 80, 40), 128))], [REST], make_scene(CLEAR))
    assert not frame[:8].any()
    np.testing.assert_allclose(frame[12, 12], [200, 80, 40, 128], atol=1)


def test_half_clear_paint_mixes_with_the_background() -> None:
    blue = Background(kind="colour", colour=(0, 0, 200))
    (frame,) = drawn([make_rig(make_texture((200, 0, 0), 128))], [REST], make_scene(blue))
    np.testing.assert_allclose(frame[12, 12], [100, 0, 100, 255], atol=1)


def test_later_figure_is_drawn_in_front() -> None:
    rigs = [make_rig(make_texture(colour)) for colour in ((255, 0, 0), (0, 255, 0))]
    scene = make_scene(WHITE, Placement(), Placement(x=0.5))
    (frame,) = drawn(rigs, [REST, REST], scene)
    assert frame[12, 10].tolist() == [255, 0, 0, 255]
    assert frame[12, 20].tolist() == [0, 255, 0, 255]
    assert frame[12, 28].tolist() == [0, 255, 0, 255]


def test_placement_moves_and_scales() -> None:
    scene = make_scene(WHITE, Placement(x=0.25, y=-0.5, scale=0.5))
    (frame,) = drawn([make_rig(make_texture((9, 9, 9)))], [REST], scene)
    dark = np.argwhere(frame[..., 0] < 128)
    # half a unit is eight pixels; the corner lies at x 8 + 4, y 8 + 8
    assert dark.min(axis=0).tolist() == [16, 12]
    assert dark.max(axis=0).tolist() == [23, 19]


def test_front_limb_hides_the_one_behind() -> None:
    texture = make_texture((255, 0, 0))
    texture[:, 8:] = (0, 0, 255, 255)
    both = np.array([[0, -1], [1, -1], [1, 0], [0, 0]], np.float32)
    rig = make_rig(texture)
    # the second triangle's corner is folded over the first
    folded = both.copy()
    folded[2] = (0, -1)
    track = VertexTrack(
        fps=10.0,
        vertices=np.stack((folded, folded)),
        group_of=np.array([0, 1], np.int16),
        order=np.array([[0, 1], [1, 0]], np.int16),
    )
    first, second = drawn([rig], [track], make_scene(WHITE))
    at = (21, 10)
    assert first[at].tolist() == [0, 0, 255, 255] != second[at].tolist()
    assert second[at].tolist() == [255, 0, 0, 255]


def test_no_seam_where_triangles_meet() -> None:
    turned = CORNERS @ np.array([[0.8, 0.6], [-0.6, 0.8]], np.float32) * np.float32(0.9)
    rig = make_rig(make_texture((10, 20, 30)))
    scene = make_scene(WHITE, Placement(x=0.3, y=0.3))
    (frame,) = drawn([rig], [make_track(turned[None])], scene)
    dark = (frame[..., 0] == 10).sum(axis=1)
    for row in np.flatnonzero(dark):
        columns = np.flatnonzero(frame[row, :, 0] == 10)
        assert len(columns) == columns[-1] - columns[0] + 1


def test_shorter_clip_begins_again() -> None:
    moving = make_track(np.stack((CORNERS, CORNERS + np.float32(0.5))))
    long = make_track(np.repeat(CORNERS[None], 3, axis=0))
    rigs = [make_rig(make_texture((0, 0, 0))), make_rig(make_texture((0, 0, 0), 0))]
    scene = make_scene(WHITE, Placement(), Placement())
    first, second, third = drawn(rigs, [moving, long], scene)
    np.testing.assert_array_equal(first, third)
    assert (first != second).any()


def test_squeezed_figure_is_drawn_without_complaint() -> None:
    flat = CORNERS.copy()
    flat[:, 0] = 0
    (frame,) = drawn(
        [make_rig(make_texture((0, 0, 0)))], [make_track(flat[None])], make_scene(WHITE)
    )
    assert (frame == 255).all()


def test_frames_are_made_one_at_a_time() -> None:
    track = make_track(np.repeat(CORNERS[None], 100_000, axis=0))
    frames = drawn([make_rig(make_texture((0, 0, 0)))], [track], make_scene(WHITE))
    assert next(frames).shape == (32, 32, 4)


def test_frames_can_be_chosen() -> None:
    track = make_track(np.stack((CORNERS, CORNERS + np.float32(0.5))))
    moved = make_moved(make_rig(make_texture((0, 0, 0))), track)
    stage = make_stage(make_scene(WHITE, frames=2), moved)
    first, second = rasterize(stage)
    again, chosen = rasterize(stage, [1, 0])
    np.testing.assert_array_equal(again, second)
    np.testing.assert_array_equal(chosen, first)


@pytest.mark.parametrize("frame", [-1, 1])
def test_frame_that_is_not_there_is_named(frame: int) -> None:
    stage = make_stage(make_scene(WHITE), make_moved(make_rig(noise()), REST))
    with pytest.raises(EncodingFailed, match=f"no frame {frame}: .* 0 to 0"):
        next(rasterize(stage, [frame]))
