import numpy as np
import pytest

from animator.core.scene import Background, Placement
from animator.core.spaces import WorldToFrame
from animator.render import rasterize
from animator.render.shadow import DARKEST, shadow_of
from tests.unit.render.conftest import (
    CORNERS,
    make_moved,
    make_rig,
    make_scene,
    make_stage,
    make_texture,
    make_track,
)

CAMERA = WorldToFrame(scale=100.0, origin_x=50.0, origin_y=20.0)
CLEAR_RIG = make_rig(make_texture((0, 0, 0), 0))


def jump(*heights: float) -> np.ndarray:
    return np.stack([CORNERS + np.array([0, h], np.float32) for h in heights])


def test_shadow_lies_on_the_ground_also_while_the_figure_is_in_the_air() -> None:
    shadow = shadow_of(make_track(jump(0.0, 0.5, 1.0)), Placement(x=1.0, y=2.0, scale=2.0), CAMERA)
    # the square's lower edge, at y = -1, is at y = 2 - 2 = 0 in the scene; its middle at x = 2
    np.testing.assert_allclose(shadow.centres, [[250, 20]] * 3, atol=0.01)
    np.testing.assert_allclose(shadow.widths, shadow.widths[0], rtol=1e-5)


def test_shadow_is_fainter_the_higher_the_figure_is() -> None:
    shadow = shadow_of(make_track(jump(0.0, 0.5, 1.0)), Placement(), CAMERA)
    assert shadow.darkness[0] == pytest.approx(DARKEST)
    assert shadow.darkness[0] > shadow.darkness[1] > shadow.darkness[2] > 0


def test_shadow_follows_what_stands_on_the_ground() -> None:
    leaning = CORNERS.copy()
    leaning[2:, 0] += 5.0  # the upper edge goes far to the right
    shadow = shadow_of(make_track(leaning[None]), Placement(), CAMERA)
    # the lower edge's middle is at x = 0.5, which is column 50 + 0.5 * 100
    assert shadow.centres[0, 0] == pytest.approx(100, abs=5)


@pytest.mark.parametrize("kind", ["colour", "transparent"])
def test_shadow_is_dark_in_its_middle_and_ends_softly(kind: str) -> None:
    background = Background(kind=kind, shadow=True)  # type: ignore[arg-type]
    scene = make_scene(background, Placement(x=1.0, y=0.0, scale=2.0), side=64)
    (frame,) = rasterize(make_stage(scene, make_moved(CLEAR_RIG, make_track(CORNERS[None]))))
    # the ground is at row 8 + 2 * 16 = 40, the middle at column 8 + 16 * 2 = 40
    light = 255 - frame[..., 3].astype(int) if kind == "transparent" else frame[..., 0].astype(int)
    assert light.min() == pytest.approx(255 * (1 - DARKEST), abs=4)
    row, column = np.unravel_index(np.argmin(light), light.shape)
    assert 34 <= row <= 41 and 38 <= column <= 42
    assert np.abs(np.diff(light, axis=1)).max() < 25
    assert light[:30].min() == 255


def test_shadow_at_the_frames_edge_is_cut_off() -> None:
    scene = make_scene(Background(shadow=True), Placement(x=-1.0, y=-0.6), Placement(x=9.0))
    moved = [make_moved(CLEAR_RIG, make_track(CORNERS[None]))] * 2
    (frame,) = rasterize(make_stage(scene, *moved))
    assert frame[28:, :4, 0].min() < 230
    assert frame[:, 20:, 0].min() == 255


def test_shadows_lie_under_all_figures() -> None:
    """The second figure's shadow does not darken the first, which stands there."""
    rig = make_rig(make_texture((200, 200, 200)))
    scene = make_scene(Background(shadow=True), Placement(), Placement(), side=32)
    moved = [
        make_moved(rig, make_track(CORNERS[None])),
        make_moved(CLEAR_RIG, make_track(CORNERS[None])),
    ]
    (frame,) = rasterize(make_stage(scene, *moved))
    assert (frame[8:24, 8:24, 0] == 200).all()
