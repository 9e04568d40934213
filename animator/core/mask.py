"""Mask: the silhouette of one figure, and its run-length form."""

from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from animator.core.errors import InvalidMask

__all__ = (
    "Mask",
    "RunLengths",
    "count_pixels",
    "mask_from_run_lengths",
    "run_lengths_from_mask",
)

_LONGEST_RUN = 6
"""Characters; 30 bits are more pixels than any picture that is read has."""


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
        InvalidMask: when the runs cannot be read, or do not fill the stated size.
    """
    runs = _runs_of(lengths)
    values = np.arange(len(runs)) % 2 == 1
    data = np.repeat(values, runs).reshape(lengths.size, order="F")
    return Mask(np.ascontiguousarray(data))


def count_pixels(lengths: RunLengths) -> int:
    """How many pixels are true, without making the mask.

    Raises:
        InvalidMask: when the runs cannot be read, or do not fill the stated size.
    """
    return int(_runs_of(lengths)[1::2].sum())


def _runs_of(lengths: RunLengths) -> NDArray[np.int64]:
    """The runs of a mask, zeros first; they fill its size."""
    runs = _unpack(lengths.counts)
    height, width = lengths.size
    if min(height, width) < 0 or runs.min(initial=0) < 0 or runs.sum() != height * width:
        msg = f"run lengths cover {runs.sum()} pixels of {height} x {width}"
        raise InvalidMask(msg)
    return runs


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


def _unpack(counts: str) -> NDArray[np.int64]:
    """The runs (N,), all characters at once: a correction's mask is read while somebody waits."""
    chunks = np.frombuffer(counts.encode("utf-8", "surrogatepass"), np.uint8).astype(np.int64) - 48
    if not len(chunks):
        return chunks
    ends = np.flatnonzero((chunks & 0x20) == 0)
    starts = np.concatenate(([0], ends[:-1] + 1))
    sizes = np.diff(np.append(starts, len(chunks)))
    if chunks.min() < 0 or chunks.max() > 0x3F or chunks[-1] & 0x20 or sizes.max() > _LONGEST_RUN:
        msg = "the mask's counts are no run lengths as COCO packs them"
        raise InvalidMask(msg)
    shifts = 5 * (np.arange(len(chunks)) - np.repeat(starts, sizes))
    values = np.add.reduceat((chunks & 0x1F) << shifts, starts)
    values -= np.where(chunks[ends] & 0x10, 1 << 5 * sizes, 0)
    # each is the difference to the run before last, from the fourth on
    values[1::2] = np.cumsum(values[1::2])
    values[2::2] = np.cumsum(values[2::2])
    return values
