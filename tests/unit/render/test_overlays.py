from dataclasses import replace

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.scene import Background, Overlay, Placement
from animator.render import rasterize
from animator.render.overlays import BONE, JOINT
from tests.unit.render.conftest import (
    CORNERS,
    make_moved,
    make_rig,
    make_scene,
    make_stage,
    make_texture,
    make_track,
)

GREY = (128, 128, 128)


def draw(*overlays: Overlay, kind: str = "colour") -> NDArray[np.uint8]:
    """The square from (8, 8) to (72, 72), its diagonal from the upper left to the lower right."""
    background = Background(kind=kind)  # type: ignore[arg-type]
    scene = make_scene(background, Placement(scale=4.0), side=96)
    scene = msgspec.structs.replace(scene, overlays=overlays)
    moved = make_moved(make_rig(make_texture(GREY)), make_track(CORNERS[None]))
    (frame,) = rasterize(make_stage(scene, moved))
    return frame


def test_bones_run_between_their_joints() -> None:
    frame = draw("bones")
    # the root is at the upper left; its bones run down and to the right
    for at in ((40, 8), (8, 40)):
        np.testing.assert_allclose(frame[at], BONE, atol=40)
    np.testing.assert_allclose(frame[8, 8], JOINT, atol=40)
    assert frame[40, 40].tolist() == [*GREY, 255]


def test_mesh_shows_every_edge() -> None:
    frame = draw("mesh")
    plain = draw()
    for at in ((72, 40), (40, 72), (40, 40)):
        around = np.s_[at[0] - 1 : at[0] + 2, at[1] - 1 : at[1] + 2]
        assert (plain[around].astype(int) - frame[around]).max() > 40
    assert (frame[50, 20] == plain[50, 20]).all()


def test_triangles_have_the_colours_of_their_bones() -> None:
    frame = draw("weights")
    first, second = frame[60, 20], frame[20, 60]
    assert np.abs(first.astype(int) - second).max() > 60
    assert (frame[58, 20] == first).all() and (frame[22, 60] == second).all()
    assert frame[90, 90].tolist() == [255] * 4


def test_bones_that_share_a_triangle_mix_their_colours() -> None:
    rig = make_rig(make_texture(GREY))
    shared = replace(rig, weights=np.array([[0, 1, 0], [0, 0.5, 0.5]], np.float32))
    scene = make_scene(Background(), Placement(scale=4.0), side=96)
    scene = msgspec.structs.replace(scene, overlays=("weights",))
    moved = make_moved(shared, make_track(CORNERS[None]))
    (frame,) = rasterize(make_stage(scene, moved))
    own, pure = draw("weights"), frame[20, 60].astype(int)
    np.testing.assert_allclose(frame[60, 20], own[60, 20], atol=2)
    between = (own[60, 20].astype(int) + own[20, 60]) / 2
    np.testing.assert_allclose(pure, between, atol=2)


def test_overlays_show_on_nothing_as_well() -> None:
    frame = draw("bones", "mesh", "weights", kind="transparent")
    assert frame[8, 40, 3] == 255
    assert frame[90, 90, 3] == 0


@pytest.mark.parametrize("figures", [1, 3])
def test_all_figures_are_drawn_over(figures: int) -> None:
    places = [Placement(x=0.4 * i) for i in range(figures)]
    scene = msgspec.structs.replace(make_scene(Background(), *places), overlays=("bones",))
    moved = make_moved(make_rig(make_texture(GREY)), make_track(CORNERS[None]))
    (frame,) = rasterize(make_stage(scene, *[moved] * figures))
    for i in range(figures):
        assert np.abs(frame[16, round(8 + 0.4 * i * 16)].astype(int) - BONE).max() < 60
