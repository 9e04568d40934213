import numpy as np
import pytest

from animator.core.mask import Mask
from animator.core.pose import joint_positions
from animator.core.rigging import TEMPLATES
from animator.motion import follow, load_motion
from animator.rigging import build_rig, deform, fit_template
from tests.unit.rigging.conftest import HEIGHT, WIDTH, make_figure, make_mask


def animal() -> Mask:
    """A long body with four legs under it, a tail on the left and a head on the right."""
    data = np.zeros((HEIGHT, WIDTH), dtype=bool)
    data[70:140, 25:130] = True
    data[40:100, 110:150] = True
    data[72:82, 10:40] = True
    for column in (32, 52, 98, 118):
        data[130:190, column - 7 : column + 7] = True
    return Mask(data)


@pytest.mark.parametrize("name", TEMPLATES)
def test_template_lies_in_the_box_of_the_mask(name: str) -> None:
    places = joint_positions(fit_template(name, Mask(make_mask())))
    # the mask reaches from column 10 to 149 and from row 15 to 189
    assert places[:, 0].min() >= 10
    assert places[:, 0].max() <= 150
    assert places[:, 1].min() >= 15
    assert places[:, 1].max() <= 190


@pytest.mark.parametrize("name", TEMPLATES)
def test_figure_with_a_templates_skeleton_waves_without_a_fold(name: str) -> None:
    mask = animal() if name == "four-legs" else Mask(make_mask())
    rig = build_rig(make_figure(), mask, fit_template(name, mask))
    motion, retarget_map = load_motion("wave")
    track = deform(rig, follow(motion, retarget_map, rig.skeleton, rig.to_world))
    a, b, c = (track.vertices[:, rig.mesh.triangles[:, k]].astype(np.float64) for k in range(3))
    area = (b - a)[..., 0] * (c - a)[..., 1] - (b - a)[..., 1] * (c - a)[..., 0]
    assert (area > 0).all()
    assert np.ptp(track.vertices, axis=0).max() > 0.02


def test_empty_mask_gives_a_skeleton_in_its_box() -> None:
    places = joint_positions(fit_template("biped", Mask(np.zeros((100, 50), dtype=bool))))
    assert places.max(axis=0).tolist() == pytest.approx([46, 96])
