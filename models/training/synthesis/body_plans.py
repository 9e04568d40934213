"""Body plans: the kinds of figures by name."""

from collections.abc import Callable, Mapping

from models.training.synthesis.beings import draw_animal, draw_blob, draw_legless, draw_robot
from models.training.synthesis.bodies import (
    draw_dress,
    draw_filled,
    draw_outlined,
    draw_silhouette,
)
from models.training.synthesis.quadrupeds import draw_quadruped
from models.training.synthesis.settings import FigureKind
from models.training.synthesis.sketch import Sketch
from models.training.synthesis.sticks import draw_stick, draw_tadpole

__all__ = ("draw_figure",)

_PLANS: Mapping[FigureKind, Callable[[Sketch], None]] = {
    FigureKind.STICK: draw_stick,
    FigureKind.OUTLINED: draw_outlined,
    FigureKind.FILLED: draw_filled,
    FigureKind.SILHOUETTE: draw_silhouette,
    FigureKind.DRESS: draw_dress,
    FigureKind.TADPOLE: draw_tadpole,
    FigureKind.BLOB: draw_blob,
    FigureKind.ANIMAL: draw_animal,
    FigureKind.QUADRUPED: draw_quadruped,
    FigureKind.ROBOT: draw_robot,
    FigureKind.LEGLESS: draw_legless,
}


def draw_figure(sketch: Sketch, kind: FigureKind) -> None:
    """Draw a figure of this kind, face and all, and set its joints."""
    sketch.tags.append(kind.value)
    _PLANS[kind](sketch)
