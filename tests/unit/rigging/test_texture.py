import numpy as np
from numpy.typing import NDArray

from animator.rigging.texture import cut_texture

PAPER = (240, 235, 220)
INK = (20, 20, 60)


def ring() -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """A circle drawn in ink on paper, its mask four pixels wider than the ink."""
    rows, columns = np.ogrid[:200, :200]
    distance = np.hypot(rows - 100, columns - 100)
    image = np.full((200, 200, 3), PAPER, np.uint8)
    image[(distance < 70) & (distance > 62)] = INK
    return image, distance < 73


def test_paper_at_the_edge_goes_and_paper_inside_stays() -> None:
    image, mask = ring()
    texture = cut_texture(image, mask)
    alpha = texture[..., 3]
    assert alpha[100, 100] == 255
    assert tuple(texture[100, 100, :3]) == PAPER
    assert alpha[100, 165] == 255
    # the ink ends at column 169; three pixels on there is nothing
    assert alpha[100, 173] == 0
    assert not alpha[mask == 0].any()


def test_edge_is_soft_and_has_the_colour_of_ink() -> None:
    image, mask = ring()
    texture = cut_texture(image, mask)
    edge = (texture[..., 3] > 0) & (texture[..., 3] < 255)
    assert edge.sum() > 200
    outer = edge & (np.hypot(*(np.indices((200, 200)) - 100)) > 66)
    assert (texture[outer][:, :3] == INK).all()


def test_holes_in_a_faint_line_do_not_let_the_paper_behind_go() -> None:
    image, mask = ring()
    image[100, 155:175] = PAPER
    texture = cut_texture(image, mask)
    assert texture[100, 165, 3] > 200
    assert texture[100, 155, 3] == 255


def test_figure_without_ink_is_left_whole() -> None:
    image = np.full((60, 60, 3), PAPER, np.uint8)
    mask = np.zeros((60, 60), dtype=bool)
    mask[20:24, 5:55] = True
    alpha = cut_texture(image, mask)[..., 3]
    assert alpha[21, 30] > 200


def test_mask_that_fills_the_picture_is_left_whole() -> None:
    image = np.full((30, 20, 3), INK, np.uint8)
    texture = cut_texture(image, np.ones((30, 20), dtype=bool))
    assert (texture[..., 3] == 255).all()
    assert (texture[..., :3] == INK).all()


def test_thin_line_keeps_its_colour() -> None:
    image = np.full((120, 120, 3), PAPER, np.uint8)
    image[60:62, 20:100] = INK
    mask = np.zeros((120, 120), dtype=bool)
    mask[57:65, 18:102] = True
    texture = cut_texture(image, mask)
    assert texture[60, 60, 3] > 180
    assert texture[64, 60, 3] < 60
    assert (texture[59:63, 30:90, :3] == INK).all()
