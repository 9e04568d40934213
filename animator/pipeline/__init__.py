"""The walk from a drawing to its animations: which verb follows which."""

from animator.pipeline.animating import animate, set_stage, stage_figures
from animator.pipeline.filming import film
from animator.pipeline.moving import move_figures
from animator.pipeline.progress import Progress, Show, say_nothing
from animator.pipeline.reading import annotate, complete

__all__ = (
    "Progress",
    "Show",
    "animate",
    "annotate",
    "complete",
    "film",
    "move_figures",
    "say_nothing",
    "set_stage",
    "stage_figures",
)
