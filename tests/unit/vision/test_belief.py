"""What the models say is brought to the pixels of a crop."""

import numpy as np

from animator.core.geometry import Box
from animator.vision.belief import Opinion, believe, resize_belief


def flat(box: Box, value: float) -> Opinion:
    return Opinion(box=box, mask=np.full((4, 4), value, np.float32))


CROP = Box(10.0, 20.0, 50.0, 80.0)


def test_opinion_counts_inside_its_box_only() -> None:
    box = Box(20.0, 30.0, 40.0, 60.0)
    belief = believe(CROP, box, [flat(box, 0.8)], [])
    assert belief.own.shape == (60, 40)
    assert np.allclose(belief.own[10:40, 10:30], 0.8)
    assert belief.own[9].max() == belief.own[:, 30].max() == 0.0
    assert belief.box.sum() == 30 * 20


def test_opinions_are_averaged_where_both_speak() -> None:
    left, right = Box(10.0, 20.0, 30.0, 80.0), Box(20.0, 20.0, 50.0, 80.0)
    belief = believe(CROP, left, [flat(left, 0.8), flat(right, 0.2)], [])
    assert np.allclose(belief.own[0, [5, 15, 30]], [0.8, 0.5, 0.2])


def test_mask_cells_lie_where_the_box_puts_them() -> None:
    mask = np.zeros((2, 2), np.float32)
    mask[0, 1] = 1.0
    belief = believe(CROP, CROP, [Opinion(box=CROP, mask=mask)], [])
    assert belief.own[14, 29] > 0.95
    assert belief.own[45, 10] < 0.05


def test_box_of_fractions_covers_pixels_by_their_centres() -> None:
    box = Box(10.4, 20.6, 12.6, 22.4)
    belief = believe(CROP, box, [flat(box, 1.0)], [])
    assert belief.box[:3, :4].tolist() == [
        [False, False, False, False],
        [True, True, True, False],
        [False, False, False, False],
    ]


def test_rival_takes_what_it_is_surer_of() -> None:
    mine, theirs = Box(10.0, 20.0, 50.0, 80.0), Box(30.0, 20.0, 60.0, 80.0)
    belief = believe(CROP, mine, [flat(mine, 0.5)], [flat(theirs, 0.6)])
    assert belief.taken[:, 20:].all()
    assert not belief.taken[:, :20].any()


def test_unsure_rival_takes_nothing_inside_the_figures_box() -> None:
    mine = Box(10.0, 20.0, 30.0, 80.0)
    belief = believe(CROP, mine, [flat(mine, 0.5)], [flat(CROP, 0.3)])
    assert not belief.taken[:, :20].any()
    assert belief.taken[:, 20:].all()


def test_belief_is_brought_to_another_grid_as_one() -> None:
    small = resize_belief(believe(CROP, CROP, [flat(CROP, 0.7)], [flat(CROP, 0.9)]), (30, 20))
    assert small.own.shape == small.box.shape == small.taken.shape == (30, 20)
    assert np.allclose(small.own, 0.7)
    assert small.taken.all()


def test_grid_stays_small_on_a_large_crop() -> None:
    crop = Box(0.0, 0.0, 3200.0, 1600.0)
    half = Box(0.0, 0.0, 1600.0, 1600.0)
    belief = believe(crop, half, [flat(half, 0.7)], [])
    assert belief.own.shape == (160, 320)
    assert belief.box.sum() == 160 * 160
    assert np.allclose(belief.own[:, :160], 0.7)


def test_heavier_opinion_counts_more() -> None:
    light, heavy = flat(CROP, 0.9), Opinion(CROP, np.full((2, 2), 0.3, np.float32), weight=2.0)
    assert np.allclose(believe(CROP, CROP, [light, heavy], []).own, 0.5)


def test_sharp_opinion_denies_where_it_holds_nothing_near_for_the_figures() -> None:
    mask = np.zeros((60, 40), np.float32)
    mask[:, :20] = 0.9
    sharp = Opinion(CROP, mask, is_sharp=True)
    belief = believe(CROP, CROP, [flat(CROP, 0.5), sharp], [])
    assert not belief.denied[:, :20].any()
    assert not belief.denied[:, 20].any()
    assert belief.denied[:, 24:].all()
    assert not believe(CROP, CROP, [flat(CROP, 0.01)], []).denied.any()


def test_nothing_is_denied_where_the_sharp_opinion_does_not_see() -> None:
    left = Box(10.0, 20.0, 30.0, 80.0)
    sharp = Opinion(left, np.zeros((4, 4), np.float32), is_sharp=True)
    denied = believe(CROP, CROP, [sharp], []).denied
    assert denied[:, :15].all()
    assert not denied[:, 20:].any()
