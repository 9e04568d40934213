"""What each step of rendering a scene costs, in this very process."""

import importlib
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from animator.cli.casting import cast_role
from animator.core.animation import AnimationFormat
from animator.core.scene import Background
from animator.core.stage import Stage
from animator.ingest import read_scene
from animator.render import WRITERS, rasterize
from animator.staging import stage_script

__all__ = ("SETUP", "draw_and_encode", "measure_phases", "watched")

STEPS = (
    ("animator.cli.casting", "read_character", "read"),
    ("animator.cli.casting", "read_bvh", "motion"),
    ("animator.staging", "retarget", "motion"),
    ("animator.rigging.build", "clean_mask", "mesh"),
    ("animator.rigging.build", "silhouette_from_mask", "mesh"),
    ("animator.rigging.build", "triangulate", "mesh"),
    ("animator.rigging.build", "measure_bones", "bones"),
    ("animator.rigging.build", "assign_bones", "bones"),
    ("animator.rigging.build", "cut_texture", "paint"),
    ("animator.rigging.deform", "precompute", "factorise"),
    ("animator.rigging.deform", "solve", "solve"),
)
"""Module, function, and the step that its time is booked on."""

SETUP = ("mesh", "bones", "paint", "factorise")
"""The steps that a figure needs once, whatever it does."""


class NoModels:
    """Characters need none."""

    def infer(self, model: str, inputs: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
        """Refuse to be asked."""
        raise AssertionError(model)


@contextmanager
def watched() -> Iterator[dict[str, float]]:
    """CPU seconds of each step of `STEPS` that is walked meanwhile."""
    seconds: dict[str, float] = defaultdict(float)

    def timed(function: Callable[..., Any], step: str) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            began = time.process_time()
            try:
                return function(*args, **options)
            finally:
                seconds[step] += time.process_time() - began

        return call

    originals = [(importlib.import_module(module), name, step) for module, name, step in STEPS]
    kept = [getattr(module, name) for module, name, _ in originals]
    for (module, name, step), function in zip(originals, kept, strict=True):
        setattr(module, name, timed(function, step))
    try:
        yield seconds
    finally:
        for (module, name, _), function in zip(originals, kept, strict=True):
            setattr(module, name, function)


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
        writer = WRITERS[form](Path(folder) / "film", stage.scene.fps)
        frames = rasterize(stage)
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
