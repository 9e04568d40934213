"""Textured triangles onto a canvas, thousands in one go."""

import numpy as np
from numpy.typing import NDArray

from animator.render.blend import blend
from animator.render.sampling import Paint, Places, room_for, sample
from animator.render.spans import Points, Spans, scan

__all__ = ("fill_triangles",)


def fill_triangles(
    canvas: NDArray[np.uint8], corners: Points, paint: Paint, texels: Points
) -> None:
    """Lay triangles over a canvas (H, W, 4), premultiplied, back to front.

    corners: (T, 3) complex128, frame space, x + iy.
    texels: (T, 3) complex128, where they lie in the paint; the centre of pixel i is at i.
    """
    height, width = canvas.shape[:2]
    spans = scan(corners, width, height)
    colours = sample(paint, _texels(_texel_maps(corners, texels), spans))
    pixels = _pixels(spans, width)
    blend(canvas, pixels, colours[: len(pixels)])


def _texel_maps(corners: Points, texels: Points) -> Places:
    """Affine maps (3, T) from pixel column and row to texture pixels.

    A triangle squeezed to nothing covers no pixel; its map is 0.
    """
    u, v = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    a, b = texels[:, 1] - texels[:, 0], texels[:, 2] - texels[:, 0]
    area = u.real * v.imag - u.imag * v.real
    area[area == 0] = np.inf
    across = (a * v.imag - b * u.imag) / area
    down = (b * u.real - a * v.real) / area
    centre = corners[:, 0] - (0.5 + 0.5j)
    shift = texels[:, 0] - across * centre.real - down * centre.imag
    return np.stack((across, down, shift)).astype(np.complex64)


def _texels(maps: Places, spans: Spans) -> Places:
    """Where in the texture each covered pixel looks, and room for a few more."""
    # one kind of number: NumPy takes thrice as long where it has to turn one into the other
    across, place, shift = (numbers.take(spans.triangle) for numbers in maps)
    place *= spans.row.astype(np.complex64)
    place += shift
    # so that all pixels can be counted in one go
    place += across * (spans.first - _before(spans)).astype(np.complex64)
    count = int(spans.count.sum())
    places = room_for(count)
    found = places.ravel()[:count]
    found[...] = np.arange(count)
    found *= across.repeat(spans.count)
    found += place.repeat(spans.count)
    return places


def _pixels(spans: Spans, width: int) -> NDArray[np.int64]:
    """The place of each covered pixel on the flattened canvas: (N,)."""
    start = spans.row * width + spans.first - _before(spans)
    found = start.astype(np.int64).repeat(spans.count)
    found += np.arange(len(found))
    return found


def _before(spans: Spans) -> NDArray[np.float64]:
    """How many pixels come before each span: (S,)."""
    return np.asarray(np.cumsum(spans.count) - spans.count, np.float64)
