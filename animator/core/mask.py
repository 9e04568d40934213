"""Mask: the silhouette of one figure, and its run-length form."""

from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

__all__ = ("Mask", "RunLengths", "mask_from_run_lengths", "run_lengths_from_mask")


@dataclass(frozen=True, slots=True, eq=False)
class Mask:
    """The figure's silhouette in figure space: its parts filled, open between its limbs.

    Attributes:
        data: (h, w) bool, figure space, true on the figure.

    Raises:
        ValueError: when the array has another shape or type.
    """

    data: NDArray[np.bool_]

    def __post_init__(self) -> None:
        if self.data.ndim != 2 or self.data.dtype != np.bool_:
            msg = f"expected a mask (h, w) bool, got {self.data.shape} {self.data.dtype}"
            raise ValueError(msg)


class RunLengths(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mask as COCO's compressed run lengths (pycocotools, ``rleToString``).

    Attributes:
        size: (height, width) in pixels.
        counts: lengths of alternating runs, zeros first, down the columns, packed five bits a
            character.
    """

    size: tuple[int, int]
    counts: str


def run_lengths_from_mask(mask: Mask) -> RunLengths:
    """Encode a mask as COCO's compressed run lengths."""
    height, width = mask.data.shape
    flat = mask.data.ravel(order="F")
    edges = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    first = [0, 0] if flat.size and flat[0] else [0]
    runs = np.diff(np.concatenate((first, edges, [flat.size])))
    return RunLengths(size=(height, width), counts=_pack([int(run) for run in runs]))


def mask_from_run_lengths(lengths: RunLengths) -> Mask:
    """Decode COCO's compressed run lengths.

    Raises:
        ValueError: when the runs do not fill the stated size.
    """
    runs = _unpack(lengths.counts)
    height, width = lengths.size
    if sum(runs) != height * width or min(runs, default=0) < 0:
        msg = f"run lengths cover {sum(runs)} pixels of {height * width}"
        raise ValueError(msg)
    values = np.arange(len(runs)) % 2 == 1
    data = np.repeat(values, runs).reshape((height, width), order="F")
    return Mask(np.ascontiguousarray(data))


def _pack(runs: list[int]) -> str:
    """COCO's string form: differences to the run before last, five bits and a continuation bit."""
    text: list[str] = []
    for i, run in enumerate(runs):
        value = run - runs[i - 2] if i > 2 else run
        more = True
        while more:
            chunk = value & 0x1F
            value >>= 5
            more = value != -1 if chunk & 0x10 else value != 0
            text.append(chr((chunk | 0x20 if more else chunk) + 48))
    return "".join(text)


def _unpack(counts: str) -> list[int]:
    runs: list[int] = []
    value, shift = 0, 0
    for character in counts:
        chunk = ord(character) - 48
        value |= (chunk & 0x1F) << shift
        shift += 5
        if not chunk & 0x20:
            if chunk & 0x10:
                value |= -1 << shift
            runs.append(value + runs[-2] if len(runs) > 2 else value)
            value, shift = 0, 0
    return runs
