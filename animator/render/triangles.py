"""Textured triangles onto a canvas, thousands in one go."""

import numpy as np
from numpy.typing import NDArray

from animator.render.sampling import Paint, sample
from animator.render.spans import Spans, scan

__all__ = ("fill_triangles",)


def fill_triangles(
    canvas: NDArray[np.uint8],
    corners: NDArray[np.float64],
    paint: Paint,
    texels: NDArray[np.float64],
    ends: NDArray[np.int64],
) -> None:
    """Lay triangles over a canvas (H, W, 4), premultiplied, back to front.

    corners: (T, 3, 2) float64, frame space.
    texels: (T, 3, 2) float64, where the corners lie in the paint; the centre of pixel i is at i.
    ends: (L,) int64, of each layer, in triangles: a layer is laid over those before it.
    """
    height, width = canvas.shape[:2]
    spans = scan(corners, width, height)
    colours = sample(paint, _texels(_texel_maps(corners, texels), spans))
    done = np.concatenate(([0], np.cumsum(spans.count)))
    layers = done[np.searchsorted(spans.triangle, ends)]
    _blend(canvas.reshape(-1, 4), _pixels(spans, width), colours, layers)


def _texel_maps(corners: NDArray[np.float64], texels: NDArray[np.float64]) -> NDArray[np.complex64]:
    """Affine maps (3, T) from pixel column and row to texture pixels x + iy.

    A triangle squeezed to nothing covers no pixel; its map is 0.
    """
    (ax, ay), (bx, by) = np.moveaxis(corners[:, 1:] - corners[:, :1], 0, -1)
    places = texels[..., 0] + 1j * texels[..., 1]
    a, b = places[:, 1] - places[:, 0], places[:, 2] - places[:, 0]
    area = ax * by - ay * bx
    safe = np.where(area == 0, np.inf, area)
    across = (a * by - b * ay) / safe
    down = (b * ax - a * bx) / safe
    shift = places[:, 0] - across * (corners[:, 0, 0] - 0.5) - down * (corners[:, 0, 1] - 0.5)
    return np.stack((across, down, shift)).astype(np.complex64)


def _texels(maps: NDArray[np.complex64], spans: Spans) -> NDArray[np.float32]:
    """Where in the texture each covered pixel looks: (N, 2) float32, x and y."""
    along = np.arange(int(spans.count.sum()), dtype=np.float32)
    along -= np.repeat((np.cumsum(spans.count) - spans.count).astype(np.float32), spans.count)
    across, down, shift = maps.take(spans.triangle, axis=1)
    column, row = spans.first.astype(np.float32), spans.row.astype(np.float32)
    # x and y go together as one complex number
    found = np.repeat(across, spans.count)
    found *= along
    found += np.repeat(across * column + down * row + shift, spans.count)
    return found.view(np.float32).reshape(-1, 2)


def _pixels(spans: Spans, width: int) -> NDArray[np.int64]:
    """The place of each covered pixel on the flattened canvas: (N,)."""
    start = spans.row * width + spans.first - (np.cumsum(spans.count) - spans.count)
    found = np.repeat(start, spans.count)
    found += np.arange(len(found))
    return found


def _blend(
    canvas: NDArray[np.uint8],
    pixels: NDArray[np.int64],
    colours: NDArray[np.uint8],
    ends: NDArray[np.int64],
) -> None:
    """Lay premultiplied colours (N, 4) over pixels (N,) of the canvas, layer by layer.

    ends: of each layer, in pixels.
    """
    alpha = np.ascontiguousarray(colours[:, 3])
    solid = np.flatnonzero(alpha == 255)
    thin = np.flatnonzero((alpha > 0) & (alpha < 255))
    # four bytes at a time are moved as one number
    whole, packed = canvas.view(np.uint32)[:, 0], colours.view(np.uint32)[:, 0]
    paint, at_solid = packed.take(solid), pixels.take(solid)
    soft, at_thin = colours.take(thin, axis=0), pixels.take(thin)
    left = np.uint16(255) - soft[:, 3:].astype(np.uint16)
    a = b = 0
    for c, d in zip(np.searchsorted(solid, ends), np.searchsorted(thin, ends), strict=True):
        whole[at_solid[a:c]] = paint[a:c]
        below = whole[at_thin[b:d]].view(np.uint8).reshape(-1, 4)
        behind = (below * left[b:d] + np.uint16(127)) // np.uint16(255)
        whole[at_thin[b:d]] = (soft[b:d] + behind.astype(np.uint8)).view(np.uint32)[:, 0]
        a, b = c, d
