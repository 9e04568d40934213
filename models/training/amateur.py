"""Real drawings with labels, in the format of the Amateur Drawings Dataset.

The format is COCO's: one annotation a picture, with `bbox`, one polygon in `segmentation`, and 17
`keypoints` (Smith et al. 2023, "A Method for Animating Children's Drawings of the Human Figure").
A `segmentation` may also be COCO's compressed run lengths, and a picture have several annotations,
or, where it is marked as `"annotated": "negative"`, none.
The folder holds one JSON file with the annotations, and the pictures: under the names in that file,
or one folder down. Pictures that are missing are passed over, so that a part of the set will do.
"""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from animator.core.mask import RunLengths, mask_from_run_lengths
from models.training.synthesis import COCO_KEYPOINTS, LabelledFigure, Sample

__all__ = ("AmateurDrawings", "BadDrawings", "open_drawings")

_TAG = "amateur"
_NOT_LABELLED, _UNKNOWN = 0, -1  # COCO's word for what nobody looked for, and the losses' own
_LEAST_POLYGON = 6  # numbers: three corners


class BadDrawings(ValueError):
    """A folder does not hold annotated drawings."""


class _Image(msgspec.Struct, frozen=True):
    """A picture; one that is "negative" has no figure, which somebody looked for."""

    id: int
    file_name: str
    annotated: str = ""


class _Mark(msgspec.Struct, frozen=True):
    """An annotation; its numbers stay text until they are needed: the set has 178,000."""

    image_id: int
    segmentation: msgspec.Raw = msgspec.Raw(b"[]")
    keypoints: msgspec.Raw = msgspec.Raw(b"[]")


class _Document(msgspec.Struct, frozen=True):
    images: list[_Image]
    annotations: list[_Mark]


class AmateurDrawings:
    """Annotated drawings of a folder, each read when it is asked for.

    Args:
        entries: picture and what is marked in it.
        sha256: hexadecimal hash of the annotations and of the pictures' names and sizes.
    """

    def __init__(self, entries: Sequence[tuple[Path, tuple[_Mark, ...]]], sha256: str) -> None:
        self._entries, self.sha256 = entries, sha256

    def __len__(self) -> int:
        return len(self._entries)

    def sample(self, place: int, side: int) -> Sample | None:
        """A picture with its labels, its longer side scaled to `side` pixels.

        None when the picture cannot be read, or one of its annotations is broken.
        """
        file, marks = self._entries[place]
        image = cv2.imread(str(file), cv2.IMREAD_COLOR_RGB)
        if image is None:
            return None
        scale = side / max(image.shape[:2])
        size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
        factors = np.array((size[0] / image.shape[1], size[1] / image.shape[0]), np.float32)
        how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        small = np.asarray(cv2.resize(image, size, interpolation=how), dtype=np.uint8)
        figures = [_figure(mark, factors, size) for mark in marks]
        good = tuple(figure for figure in figures if figure is not None)
        if len(good) < len(figures):  # half the truth would teach that a figure is none
            return None
        return Sample(image=small, figures=good, tags=(_TAG,))


def open_drawings(folder: Path) -> AmateurDrawings:
    """Open a folder of annotated drawings; pictures are not read yet.

    Raises:
        BadDrawings: when there is not one file of annotations, it cannot be read, or no picture
            that it names is there.
    """
    file = _find_annotations(folder)
    data = file.read_bytes()
    try:
        document = msgspec.json.decode(data, type=_Document)
    except msgspec.DecodeError as error:
        msg = f"{file} is no COCO file of annotations: {error}"
        raise BadDrawings(msg) from error
    entries = list(_entries(folder, document))
    if not entries:
        msg = f"none of the {len(document.images)} annotated pictures in {file} is in {folder}"
        raise BadDrawings(msg)
    digest = hashlib.sha256(data)
    for path, _ in entries:
        digest.update(f"\n{path.relative_to(folder)} {path.stat().st_size}".encode())
    return AmateurDrawings(entries, digest.hexdigest())


def _find_annotations(folder: Path) -> Path:
    files = sorted(folder.glob("*.json"))
    if len(files) != 1:
        found = f"{len(files)} such files" if files else "none"
        msg = f"{folder} must hold one JSON file of annotations, there is {found}"
        raise BadDrawings(msg)
    return files[0]


def _entries(folder: Path, document: _Document) -> Iterator[tuple[Path, tuple[_Mark, ...]]]:
    marks: dict[int, list[_Mark]] = {}
    for mark in document.annotations:
        marks.setdefault(mark.image_id, []).append(mark)
    places = (folder, *sorted(path for path in folder.iterdir() if path.is_dir()))
    for image in document.images:
        own = marks.get(image.id, [])
        if not (own or image.annotated == "negative") or ".." in Path(image.file_name).parts:
            continue
        files = (place / image.file_name for place in places)
        file = next((path for path in files if path.is_file()), None)
        if file is not None and file.is_relative_to(folder):
            yield file, tuple(own)


def _figure(
    mark: _Mark, factors: NDArray[np.float32], size: tuple[int, int]
) -> LabelledFigure | None:
    """Labels in pixels of the scaled picture of `size` (width, height); None when broken."""
    try:
        outline = msgspec.json.decode(mark.segmentation, type=list[list[float]] | RunLengths)
        numbers = msgspec.json.decode(mark.keypoints, type=list[float])
        mask = _fill(outline, factors, size)
    except (msgspec.DecodeError, ValueError):
        return None
    keypoints = np.array(numbers, np.float32)
    if keypoints.size != 3 * len(COCO_KEYPOINTS):
        return None
    keypoints = keypoints.reshape(-1, 3)
    keypoints[keypoints[:, 2] == _NOT_LABELLED, 2] = _UNKNOWN
    keypoints[:, :2] *= factors
    outside = ((keypoints[:, :2] < 0) | (keypoints[:, :2] > size)).any(axis=1)
    keypoints[outside & (keypoints[:, 2] > 0), 2] = 0
    if not mask.any():
        return None
    columns, rows = np.flatnonzero(mask.any(axis=0)), np.flatnonzero(mask.any(axis=1))
    corners = (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)
    return LabelledFigure(box=np.array(corners, np.float32), mask=mask, keypoints=keypoints)


def _fill(
    outline: Sequence[Sequence[float]] | RunLengths,
    factors: NDArray[np.float32],
    size: tuple[int, int],
) -> NDArray[np.bool_]:
    """The mask (height, width) of an outline in pixels of the unscaled picture.

    outline: polygons x, y, x, y ..., or run lengths over the whole picture.

    Raises:
        ValueError: when the run lengths are of another size.
    """
    mask = np.zeros((size[1], size[0]), np.uint8)
    if isinstance(outline, RunLengths):
        width, height = (round(side / float(f)) for side, f in zip(size, factors, strict=True))
        if outline.size != (height, width):
            msg = f"the mask is {outline.size}, the picture {(height, width)}"
            raise ValueError(msg)
        whole = mask_from_run_lengths(outline).data.astype(np.uint8)
        return np.asarray(cv2.resize(whole, size, interpolation=cv2.INTER_AREA) > 0)
    for numbers in outline:
        if len(numbers) < _LEAST_POLYGON or len(numbers) % 2:
            continue
        corners = np.array(numbers, np.float32).reshape(-1, 2) * factors
        # The middle of a pixel is at .5, OpenCV's at .0.
        cv2.fillPoly(mask, [np.round(corners - 0.5).astype(np.int32)], 1)
    return mask.astype(np.bool_)
