"""Every figure is inside every frame, whatever it does and whatever lies behind it."""

import numpy as np
import pytest

from animator.core.annotation import Annotation
from animator.core.documents import AnimationRequest
from animator.core.drawing import Drawing
from animator.core.scene import Background, BackgroundKind
from animator.core.stage import Stage
from animator.motion import list_motions
from animator.pipeline import annotate, stage_figures
from animator.render import rasterize
from tests.support_drawings import stick_figure
from tests.support_predictor import DarkPredictor

WIDE = ("cartwheel", "fall", "jump", "walk")
"""Motions that go far, up, or down."""

REST = sorted({motion.name for motion in list_motions()} - set(WIDE))

DRAWING = Drawing(id="stick", image=stick_figure())


@pytest.fixture(scope="module")
def annotation() -> Annotation:
    return annotate(DRAWING, DarkPredictor(), lambda *_: None)


def stage_of(annotation: Annotation, motion: str, kind: BackgroundKind) -> Stage:
    request = AnimationRequest(motion=motion, side=96, background=Background(kind=kind))
    return stage_figures(DRAWING, annotation, request, lambda *_: None)


def check(stage: Stage) -> None:
    size = stage.scene.size
    for one, place in zip(stage.moved, stage.scene.placements, strict=True):
        shown = stage.scene.camera.apply(place.apply(one.track.vertices))
        assert shown.min() > 1
        assert shown[..., 0].max() < size.width - 1
        assert shown[..., 1].max() < size.height - 1


@pytest.mark.parametrize("kind", ["colour", "paper"])
@pytest.mark.parametrize("motion", WIDE)
def test_figure_is_inside_every_frame(
    annotation: Annotation, motion: str, kind: BackgroundKind
) -> None:
    check(stage_of(annotation, motion, kind))


@pytest.mark.slow
@pytest.mark.parametrize("motion", REST)
def test_figure_is_inside_every_frame_of_every_motion(annotation: Annotation, motion: str) -> None:
    check(stage_of(annotation, motion, "colour"))
    check(stage_of(annotation, motion, "paper"))


def test_nothing_is_drawn_at_the_edge_of_a_frame(annotation: Annotation) -> None:
    stage = stage_of(annotation, "cartwheel", "transparent")
    for frame in rasterize(stage, range(0, stage.scene.frame_count, 8)):
        alpha = frame[..., 3]
        edges = np.concatenate((alpha[0], alpha[-1], alpha[:, 0], alpha[:, -1]))
        assert not edges.any()
        assert alpha.any()
