"""Corrected drawings as data to learn from, and to test on, with where each came from.

    train/annotations.json, train/*.png            as `amateur.py` reads them
    held_back/annotations.json, held_back/*.png    as `annotated.py` reads them; never learned from
    provenance.json                                what each drawing is, by hash

Which drawings are held back depends on their own bytes alone, so that one that was held back once
is never learned from later.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.keypoints import COCO_KEYPOINTS
from animator.core.mask import Mask, RunLengths, mask_from_run_lengths, run_lengths_from_mask
from animator.core.skeleton import BIPED_PARENTS
from models.training.lineage import generator_revision, hash_file
from models.training.outlines import TrueOutline

__all__ = (
    "Correction",
    "TooFewCorrections",
    "held_back_outlines",
    "is_complete",
    "write_corrections",
)

_SIDE = 1024  # the models look at no more pixels than this on the longer side
_HELD_BACK = 0.2  # share of drawings
_SURE = 0.5  # a joint that nobody moved is believed from this score on
_REPEATED = "hip"  # the same point as `root`
_JOINTS = tuple(name for name in BIPED_PARENTS if name != _REPEATED)

_KEYPOINT_OF = {
    "neck": "nose",
    **{f"{s}_{part}": f"{s}_{part}" for s in ("left", "right") for part in ("shoulder", "elbow")},
    **{f"{s}_{part}": f"{s}_{part}" for s in ("left", "right") for part in ("hip", "knee")},
    **{f"{s}_hand": f"{s}_wrist" for s in ("left", "right")},
    **{f"{s}_foot": f"{s}_ankle" for s in ("left", "right")},
}
"""Joints that are one keypoint of COCO's; eyes and ears are none, so they stay unknown."""


class TooFewCorrections(ValueError):
    """There is not one drawing to learn from and another to test on."""


@dataclass(frozen=True, slots=True, eq=False)
class Correction:
    """A drawing that may be learned from.

    Attributes:
        sha256: of the bytes that were handed in, hexadecimal.
        given: when that was allowed, seconds since 1970, UTC.
        image: (H, W, 3) uint8 RGB, upright.
        annotation: as people left it; all its figures are complete.
    """

    sha256: str
    given: float
    image: NDArray[np.uint8]
    annotation: Annotation

    @property
    def name(self) -> str:
        """Of its picture; it does not tell the drawing's address."""
        return f"{self.sha256[:16]}.png"


def is_complete(annotation: Annotation) -> bool:
    """Whether people changed it and every figure has outline and joints; it may have none.

    One with a hidden figure is not: people hide what is none, and figures that are to keep still.
    """
    whole = all(
        f.mask is not None and f.skeleton is not None and not f.hidden for f in annotation.figures
    )
    return annotation.revision > 0 and whole


def write_corrections(folder: Path, corrections: Iterable[Correction]) -> None:
    """Write both parts and their provenance into an empty or new folder.

    Raises:
        TooFewCorrections: when there are not two different drawings.
    """
    unique = {one.sha256: one for one in corrections}
    ordered = [unique[sha256] for sha256 in sorted(unique)]
    if len(ordered) < 2:
        msg = f"two corrected drawings are needed, one to test on; there are {len(ordered)}"
        raise TooFewCorrections(msg)
    held = [one for one in ordered if _is_held_back(one.sha256)] or ordered[:1]
    if len(held) == len(ordered):
        held = held[:-1]
    learned = [one for one in ordered if one not in held]
    _write_part(folder / "train", learned, COCO_KEYPOINTS)
    _write_part(folder / "held_back", held, _JOINTS)
    _write_provenance(folder, ordered, {one.sha256 for one in held})


def held_back_outlines(folder: Path) -> Iterator[TrueOutline]:
    """The true masks of the figures that are held back, of a folder that was written here."""
    part = folder / "held_back"
    document = json.loads((part / "annotations.json").read_text(encoding="utf-8"))
    files = {image["id"]: image["file_name"] for image in document["images"]}
    for mark in document["annotations"]:
        lengths = msgspec.convert(mark["segmentation"], RunLengths)
        name = files[mark["image_id"]]
        yield TrueOutline(
            f"{name}, figure {mark['id']}", part / name, mask_from_run_lengths(lengths).data
        )


def _is_held_back(sha256: str) -> bool:
    return int(sha256[:8], 16) < _HELD_BACK * 2**32


def _write_part(folder: Path, corrections: Sequence[Correction], keypoints: Sequence[str]) -> None:
    folder.mkdir(parents=True)
    images: list[dict[str, Any]] = []
    marks: list[dict[str, Any]] = []
    for number, one in enumerate(corrections):
        scale = min(1.0, _SIDE / max(one.image.shape[:2]))
        size = tuple(max(1, round(side * scale)) for side in one.image.shape[1::-1])
        small = cv2.resize(one.image, size, interpolation=cv2.INTER_AREA)
        cv2.imwrite(str(folder / one.name), cv2.cvtColor(small, cv2.COLOR_RGB2BGR))
        figures = one.annotation.figures
        images.append(
            {
                "id": number,
                "file_name": one.name,
                "width": size[0],
                "height": size[1],
                "tags": ["correction"],
                "annotated": "boxes+joints" if figures else "negative",
            }
        )
        for figure in figures:
            mark = _mark(figure, one.image.shape[:2], (size[0], size[1]), keypoints)
            marks.append({"id": len(marks), "image_id": number, "category_id": 1, **mark})
    category = {"id": 1, "name": "figure", "keypoints": list(keypoints)}
    document = {"images": images, "annotations": marks, "categories": [category]}
    (folder / "annotations.json").write_text(json.dumps(document), encoding="utf-8")


def _mark(
    figure: FigureAnnotation,
    shape: tuple[int, ...],
    size: tuple[int, int],
    keypoints: Sequence[str],
) -> dict[str, Any]:
    """One figure in pixels of the scaled picture of `size` (width, height)."""
    if figure.mask is None or figure.skeleton is None:
        msg = "only figures with outline and joints can be learned from"
        raise ValueError(msg)
    whole = np.zeros(shape[:2], np.uint8)
    x, y = int(figure.box.x1), int(figure.box.y1)
    part = mask_from_run_lengths(figure.mask).data
    whole[y : y + part.shape[0], x : x + part.shape[1]] = part
    mask = cv2.resize(whole, size, interpolation=cv2.INTER_AREA) > 0
    lengths = run_lengths_from_mask(Mask(np.asarray(mask, np.bool_)))
    x1, y1, width, height = cv2.boundingRect(mask.astype(np.uint8))
    factors = (size[0] / shape[1], size[1] / shape[0])
    joints = {
        joint.name: ((joint.x + figure.box.x1) * factors[0], (joint.y + figure.box.y1) * factors[1])
        for joint in figure.skeleton.joints
        if joint.score >= _SURE
    }
    numbers = _numbers(joints, keypoints)
    return {
        "bbox": [x1, y1, width, height],
        "area": int(mask.sum()),
        "iscrowd": 0,
        "segmentation": msgspec.to_builtins(lengths),
        "keypoints": numbers,
        "num_keypoints": sum(v > 0 for v in numbers[2::3]),
        "main": True,
    }


def _numbers(joints: dict[str, tuple[float, float]], keypoints: Sequence[str]) -> list[float]:
    """x, y, v of each keypoint, v = 2 or, where nothing is known, 0, 0, 0."""
    places = joints | {_KEYPOINT_OF[n]: joints[n] for n in joints if n in _KEYPOINT_OF}
    return [n for name in keypoints for n in ((*places[name], 2) if name in places else (0, 0, 0))]


def _write_provenance(folder: Path, corrections: Sequence[Correction], held: set[str]) -> None:
    document = {
        "revision": generator_revision(),
        "held_back": hash_file(folder / "held_back" / "annotations.json"),
        "train": hash_file(folder / "train" / "annotations.json"),
        "drawings": [
            {
                "sha256": one.sha256,
                "consent": one.given,
                "annotation": one.annotation.revision,
                "figures": len(one.annotation.figures),
                "held_back": one.sha256 in held,
            }
            for one in corrections
        ],
    }
    text = json.dumps(document, indent=2) + "\n"
    (folder / "provenance.json").write_text(text, encoding="utf-8")
