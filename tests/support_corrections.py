"""A data folder as `animator serve` leaves it, with drawings that people corrected."""

from pathlib import Path

import cv2
import msgspec
import numpy as np

from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.documents import Consent, DrawingDocument
from animator.core.geometry import Box
from animator.core.mask import Mask, run_lengths_from_mask
from animator.core.rotation import Rotation, rotate_image, undo
from animator.core.skeleton import BIPED_PARENTS, Joint, Skeleton
from animator.store import FileBlobs, FileDocuments
from models.training.looking import JOINTS
from models.training.synthesis import LabelledFigure, Sample, synthesize


def one_figure_samples(count: int, side: int = 240) -> list[Sample]:
    """Made-up drawings of one whole figure each."""
    samples: list[Sample] = []
    seed = 0
    while len(samples) < count:
        sample = synthesize(seed, side)
        if len(sample.figures) == 1 and sample.figures[0].mask.sum() > 400:
            samples.append(sample)
        seed += 1
    return samples


def figure_of(labelled: LabelledFigure, id: str = "figure-1") -> FigureAnnotation:
    """A figure as a person leaves it who mends everything."""
    x1, y1, x2, y2 = (int(value) for value in labelled.box)
    places = {
        name: labelled.keypoints[list(rows), :2].mean(axis=0).tolist()
        for name, rows in JOINTS.items()
    }
    places["hip"] = places["root"]
    return FigureAnnotation(
        id=id,
        box=Box(x1, y1, x2, y2),
        mask=run_lengths_from_mask(Mask(np.ascontiguousarray(labelled.mask[y1:y2, x1:x2]))),
        skeleton=Skeleton(
            joints=tuple(
                Joint(name=name, parent=parent, x=places[name][0] - x1, y=places[name][1] - y1)
                for name, parent in BIPED_PARENTS.items()
            )
        ),
    )


def store_drawing(
    data_dir: Path,
    id: str,
    sample: Sample,
    *,
    corrected: bool = True,
    allowed: bool = True,
    rotation: Rotation = 0,
) -> None:
    """Hand a drawing in, annotate it, and at will correct it and allow to learn from it.

    rotation: how far what is handed in must be turned clockwise to be upright.
    """
    documents, blobs = FileDocuments(data_dir / "documents"), FileBlobs(data_dir / "blobs")
    lying = rotate_image(sample.image, undo(rotation))
    _, data = cv2.imencode(".png", cv2.cvtColor(lying, cv2.COLOR_RGB2BGR))
    blobs.put(f"{id}.upload", data.tobytes())
    drawing = DrawingDocument(id=id, name="a.png", upload=f"{id}.upload", job="job", created=1.0)
    documents.put(id, drawing)
    height, width = sample.image.shape[:2]
    figures = tuple(figure_of(f, f"figure-{n}") for n, f in enumerate(sample.figures, 1))
    annotation = Annotation(width=width, height=height, figures=figures, rotation=rotation)
    for revision in range(1 + corrected):
        documents.put(id, msgspec.structs.replace(annotation, revision=revision))
    if allowed:
        documents.put(id, Consent(given=5.0))
