"""The rehearsal of a job worker: what is loaded or reckoned on first use is there for every job.

Each job runs in a fork, so whatever it has to do first it does anew each time: formats of pictures
and motions are loaded, expressions compiled, tables of colours filled; a third of a second in all.
"""

import gc
import tempfile
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.core.animation import AnimationFormat
from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.documents import AnimationRequest
from animator.core.drawing import Drawing
from animator.core.geometry import Box
from animator.core.mask import Mask, run_lengths_from_mask
from animator.ingest import decode_image, encode_lossless
from animator.pipeline import animate, say_nothing
from animator.render import films  # noqa: F401 - it brings FFmpeg, which jobs load no sooner
from animator.rigging import fit_template

__all__ = ("rehearse",)

_HEIGHT, _WIDTH = 160, 120
_HEAD, _BODY, _ARMS = (10, 40, 40, 40), (45, 45, 60, 30), (52, 10, 14, 100)
_LEGS = ((100, 45, 50, 12), (100, 63, 50, 12))
"""Top, left, height and width, pixels."""

_FORMATS = (AnimationFormat.TRACK, AnimationFormat.BACKDROP, AnimationFormat.PREVIEWS)
"""What people wait for at the page."""


def rehearse() -> None:
    """Read and animate a little doll, once, and forget it."""
    threads = cv2.getNumThreads()
    # Threads would be lost to the jobs: a fork has none but its own.
    cv2.setNumThreads(1)
    try:
        _animate_doll()
    finally:
        cv2.setNumThreads(threads)
    # No fork need look for garbage among what it shares, and have it copied for that: a sixth of
    # the time of previews.
    gc.collect()
    gc.freeze()


def _animate_doll() -> None:
    paint = _doll()
    image = np.where(paint[..., None], np.array([200, 80, 40], np.uint8), np.uint8(250))
    drawing = decode_image(encode_lossless(Drawing(id="doll", image=image)))
    mask = Mask(paint)
    figure = FigureAnnotation(
        id="doll",
        box=Box(0.0, 0.0, float(_WIDTH), float(_HEIGHT)),
        mask=run_lengths_from_mask(mask),
        skeleton=fit_template("biped", mask),
    )
    annotation = Annotation(width=_WIDTH, height=_HEIGHT, figures=(figure,))
    with tempfile.TemporaryDirectory() as folder:
        request = AnimationRequest(formats=_FORMATS)
        animate(drawing, annotation, request, Path(folder), say_nothing)


def _doll() -> NDArray[np.bool_]:
    paint = np.zeros((_HEIGHT, _WIDTH), np.bool_)
    for top, left, height, width in (_HEAD, _BODY, _ARMS, *_LEGS):
        paint[top : top + height, left : left + width] = True
    return paint
