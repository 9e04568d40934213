"""Fine detail for a gap in a picture, borrowed from elsewhere in it by shifting the whole.

Of all shifts those are taken under which what lies around the gap looks as it does in place (He and
Sun 2012 choose among shifts likewise), so ruled lines go on through the gap.
"""

from typing import TypeVar

import cv2
import numpy as np
from numpy import fft
from numpy.typing import NDArray

__all__ = ("borrow_grain",)

Bits = NDArray[np.bool_]
Values = NDArray[np.float32]
Scalar = TypeVar("Scalar", np.bool_, np.float32)

SIDE = 256
"""Shifts are sought on a grid of at most this longer side, cells."""

SHIFTS = 12
"""Most shifts that fill one gap."""

RING = 10
"""Width of the ring around the gap that must look alike, cells."""

LEAST = 0.002
"""A shift that fills less of the gap than this is not worth it."""

SAMPLES = 4000
"""About as many pixels of the ring are enough to fit a shift."""


def borrow_grain(grain: Values, gap: Bits, usable: Bits) -> Values:
    """Fine detail for a gap: (h, w, 3), 0 outside the gap and where nothing could be borrowed.

    grain: (h, w, 3) float32, what each pixel departs from its surroundings.
    gap: (h, w) bool.
    usable: (h, w) bool, from where it may be taken; nowhere in the gap.
    """
    search = _Search(grain, gap, usable)
    found = np.zeros_like(grain)
    left = gap.copy()
    for _ in range(SHIFTS):
        shift = search.best(left)
        if shift is None:
            break
        source = _shifted(usable, shift) & left
        found[source] = _shifted(grain, shift)[source]
        left &= ~source
    found[left] = _scattered(grain, usable, int(left.sum()))
    return found


class _Search:
    """How well each shift of a picture fits, all shifts at once by correlation."""

    def __init__(self, grain: Values, gap: Bits, usable: Bits) -> None:
        height, width = gap.shape
        self._fine = np.where(usable, grain.mean(axis=2), 0).astype(np.float32)
        self._usable = usable
        step = max(max(gap.shape) / SIDE, 1.0)
        self._size = (max(round(width / step), 1), max(round(height / step), 1))
        self._steps = np.array([height / self._size[1], width / self._size[0]])
        self._shape = [cv2.getOptimalDFTSize(2 * n) for n in self._size[::-1]]
        self._free = self._small(usable) > 0.99
        self._grain = np.where(self._free, self._small(self._fine), 0).astype(np.float32)
        free = self._free.astype(np.float32)
        self._spectra = [self._spectrum(v) for v in (free, self._grain, self._grain**2)]

    def best(self, left: Bits) -> tuple[int, int] | None:
        """The shift (rows, columns) that fills what is left best; None when none fills any."""
        hole = (self._small(left) > 0.5).astype(np.float32)
        ring = (cv2.dilate(hole, np.ones((2 * RING + 1,) * 2)) > hole) & self._free
        filled = self._match(hole, 0)
        enough = filled >= max(LEAST * hole.sum(), 1.0)
        if not enough.any():
            return None
        around = np.where(ring, self._grain, 0)
        usual = float(np.sqrt((around**2).sum() / max(ring.sum(), 1))) + 0.1
        score = filled / hole.sum() - self._unlike(around, ring) / usual
        score[~enough] = -np.inf
        cell = np.array(np.unravel_index(int(np.argmax(score)), score.shape))
        turned = np.where(cell > np.array(self._shape) // 2, cell - self._shape, cell)
        return self._refine(left, np.rint(turned * self._steps).astype(int))

    def _unlike(self, around: Values, ring: Bits) -> Values:
        """Root mean square difference of the ring and what each shift puts there."""
        of_ring = ring.astype(np.float32)
        seen = self._match(of_ring, 0)
        gone = self._match(around**2, 0) - 2 * self._match(around, 1) + self._match(of_ring, 2)
        found = np.sqrt(np.maximum(gone, 0) / np.maximum(seen, 1))
        unsure = seen < 0.25 * of_ring.sum()
        return np.asarray(np.where(unsure, 2.0 * found.max(), found), np.float32)

    def _refine(self, left: Bits, near: NDArray[np.int64]) -> tuple[int, int]:
        """The shift around one found on the grid that fits to the pixel."""
        reach = int(np.ceil(self._steps.max()))
        around = np.ones((2 * RING * reach + 1,) * 2)
        ring = (cv2.dilate(left.astype(np.uint8), around) > left) & self._usable
        rows, columns = np.nonzero(ring)
        pick = slice(None, None, max(len(rows) // SAMPLES, 1))
        rows, columns = rows[pick], columns[pick]
        steps = range(-reach, reach + 1)
        tried = [(int(near[0]) + dy, int(near[1]) + dx) for dy in steps for dx in steps]
        return min(tried, key=lambda shift: self._misfit(rows, columns, shift))

    def _misfit(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64], shift: tuple[int, int]
    ) -> float:
        """Mean square difference between pixels and those that a shift puts there."""
        y, x = rows + shift[0], columns + shift[1]
        height, width = self._usable.shape
        inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
        inside[inside] = self._usable[y[inside], x[inside]]
        if not inside.any():
            return float("inf")
        gaps = self._fine[y[inside], x[inside]] - self._fine[rows[inside], columns[inside]]
        return float((gaps**2).mean())

    def _small(self, picture: NDArray[np.generic]) -> Values:
        whole = picture.astype(np.float32)
        return np.asarray(cv2.resize(whole, self._size, interpolation=cv2.INTER_AREA), np.float32)

    def _spectrum(self, picture: Values) -> NDArray[np.complex64]:
        return np.asarray(fft.rfft2(picture, self._shape))

    def _match(self, still: Values, moved: int) -> Values:
        """For every shift the sum of products of a picture and a shifted one: (m, n), cyclic."""
        product = np.conj(self._spectrum(still)) * self._spectra[moved]
        return np.asarray(fft.irfft2(product, self._shape), np.float32)


def _shifted(picture: NDArray[Scalar], shift: tuple[int, int]) -> NDArray[Scalar]:
    """What lies a shift (rows, columns) away from each pixel; 0 beyond the edge."""
    found = np.zeros_like(picture)
    height, width = picture.shape[:2]
    rows, columns = (
        slice(max(-by, 0), max(min(size, size - by), 0))
        for by, size in zip(shift, (height, width), strict=True)
    )
    source_rows = slice(rows.start + shift[0], rows.stop + shift[0])
    source_columns = slice(columns.start + shift[1], columns.stop + shift[1])
    if rows.stop > rows.start and columns.stop > columns.start:
        found[rows, columns] = picture[source_rows, source_columns]
    return found


def _scattered(grain: Values, usable: Bits, count: int) -> Values:
    """Grain (count, 3) of pixels here and there, the same ones every time."""
    source = grain[usable]
    if not len(source):
        return np.zeros((count, 3), np.float32)
    return source[np.random.default_rng(0).integers(0, len(source), count)]
