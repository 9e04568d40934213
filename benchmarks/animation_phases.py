"""What each step of rendering a scene costs, in this very process."""

import importlib
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
import numpy as np
from numpy.typing import NDArray

from animator.cli.casting import cast_role
from animator.core.animation import AnimationFormat
from animator.core.scene import Background
from animator.core.stage import Stage
from animator.ingest import read_scene
from animator.render import WRITERS, draw_for
from animator.staging import stage_script

__all__ = ("SETUP", "draw_and_encode", "measure_phases", "watched")

STEPS = (
    ("animator.cli.casting", "read_character", "read"),
    ("animator.cli.casting", "read_bvh", "motion"),
    ("animator.staging", "retarget", "motion"),
    ("animator.staging", "build_rig", "rig"),
    ("animator.rigging.build", "silhouette_from_mask", "mesh"),
    ("animator.rigging.build", "triangulate", "mesh"),
    ("animator.rigging.build", "cut_texture", "paint"),
    ("animator.staging", "deform", "solve"),
    ("animator.rigging.deform", "motor_of", "factorise"),
)
"""Module, function, and the step that its own time is booked on, without that of those below."""

SETUP = ("rig", "mesh", "paint", "factorise")
"""The steps that a figure needs once, whatever it does."""


class NoModels:
    """Characters need none."""

    def infer(self, model: str, inputs: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
        """Refuse to be asked."""
        raise AssertionError(model)


class Watch:
    """CPU seconds of each step, each without the steps that it walks itself.

    Attributes:
        seconds: by step.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._inside = [0.0]

    def timed(self, function: Callable[..., Any], step: str) -> Callable[..., Any]:
        """The same function; its time is booked on the step."""

        def call(*args: Any, **options: Any) -> Any:
            began = time.process_time()
            self._inside.append(0.0)
            try:
                return function(*args, **options)
            finally:
                spent = time.process_time() - began
                self.seconds[step] += spent - self._inside.pop()
                self._inside[-1] += spent

        return call


@contextmanager
def watched() -> Iterator[dict[str, float]]:
    """CPU seconds of each step of `STEPS` that is walked meanwhile."""
    watch = Watch()
    with ExitStack() as patches:
        for module, name, step in STEPS:
            place = importlib.import_module(module)
            timed = watch.timed(getattr(place, name), step)
            patches.enter_context(mock.patch.object(place, name, timed))
        yield watch.seconds


def measure_phases(scene: Path, form: AnimationFormat) -> tuple[dict[str, float], int]:
    """CPU seconds of each step, and the number of frames."""
    began = time.process_time()
    with watched() as seconds:
        script = read_scene(scene)
        kind: Any = "transparent" if form is AnimationFormat.GIF else "colour"
        script = msgspec.structs.replace(
            script, background=Background(kind=kind), moves_camera=False
        )
        cast = [cast_role(role, NoModels()) for role in script.roles]
        stage = stage_script(script, cast, None)
    seconds["other"] = time.process_time() - began - sum(seconds.values())
    seconds |= draw_and_encode(stage, form)
    return seconds, stage.scene.frame_count


def draw_and_encode(stage: Stage, form: AnimationFormat) -> dict[str, float]:
    """CPU seconds of drawing all frames of a stage, and of writing them as a file."""
    draw = encode = 0.0
    with tempfile.TemporaryDirectory() as folder:
        writer = WRITERS[form](Path(folder) / "film", stage.scene.fps, 0)
        frames = draw_for(stage, [form])
        for _ in range(stage.scene.frame_count):
            marks = [time.process_time()]
            frame: NDArray[np.uint8] = next(frames)
            marks.append(time.process_time())
            writer.write(frame)
            draw += marks[1] - marks[0]
            encode += time.process_time() - marks[1]
        began = time.process_time()
        writer.close()
        encode += time.process_time() - began
    return {"draw": draw, "encode": encode}
