"""How the work grows with the number of frames and of vertices, and a plot of it."""

from collections.abc import Sequence
from pathlib import Path
from unittest import mock

import msgspec
import numpy as np

from animator.cli.casting import cast_role
from animator.core.animation import AnimationFormat
from animator.core.scene import Background
from animator.core.script import BvhClip, Script
from animator.ingest import read_scene
from animator.rigging import sizing
from animator.staging import stage_script
from benchmarks.animation_phases import NoModels, draw_and_encode, watched

__all__ = ("Points", "measure_growth", "plot_growth", "straightness")

Points = list[tuple[int, float]]
"""How many, and CPU seconds."""

FRAMES = (125, 250, 500, 1000)
FINENESS = (0.5, 1.0, 2.0, 3.0, 4.0)
WIDTH, HEIGHT, RIM = 420, 260, 48


def measure_growth(scene: Path) -> tuple[Points, Points]:
    """CPU seconds of solving, drawing and encoding by frames, and of solving by vertices."""
    # an MP4 holds no clear pixels
    script = msgspec.structs.replace(read_scene(scene), background=Background())
    by_frames, by_vertices = [], []
    for count in FRAMES:
        seconds, _ = _work(_cut(script, count), draws=True)
        by_frames.append((count, seconds))
    for fineness in FINENESS:
        # so many times the vertices: edges shorter by its root
        near, far = (side / fineness**0.5 for side in sizing.SPACING)
        with (
            mock.patch.object(sizing, "BUDGET", sizing.BUDGET * fineness),
            mock.patch.object(sizing, "PER_WIDTH", sizing.PER_WIDTH / fineness**0.5),
            mock.patch.object(sizing, "SPACING", (near, far)),
        ):
            runs = [_work(_cut(script, FRAMES[0]), draws=False) for _ in range(3)]
        seconds, vertices = min(runs)
        by_vertices.append((vertices, seconds))
    return by_frames, by_vertices


def _cut(script: Script, count: int) -> Script:
    (role,) = script.roles
    assert isinstance(role.clip, BvhClip)
    clip = msgspec.structs.replace(role.clip, end=role.clip.start + count)
    return msgspec.structs.replace(script, roles=(msgspec.structs.replace(role, clip=clip),))


def _work(script: Script, *, draws: bool) -> tuple[float, int]:
    """CPU seconds of what is done for each frame, and the number of vertices."""
    cast = [cast_role(role, NoModels()) for role in script.roles]
    with watched() as seconds:
        stage = stage_script(script, cast, None)
    spent = seconds["solve"]
    if draws:
        spent += sum(draw_and_encode(stage, AnimationFormat.MP4).values())
    return spent, len(stage.moved[0].rig.mesh.vertices)


def plot_growth(by_frames: Points, by_vertices: Points) -> str:
    """Two plots beside each other, as SVG: what was measured, and the straight line through it."""
    left = _plot(by_frames, "frames", "solve, draw, encode (H.264), CPU s", 0)
    right = _plot(by_vertices, "vertices", f"solve {FRAMES[0]} frames, CPU s", WIDTH)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {HEIGHT}"'
    style = 'font-family="sans-serif" font-size="12" fill="#333"'
    return (
        f'{head} {style}>\n<rect width="100%" height="100%" fill="white"/>\n{left}{right}</svg>\n'
    )


def _plot(points: Points, what: str, of: str, shift: int) -> str:
    most_x, most_y = max(x for x, _ in points) * 1.1, max(y for _, y in points) * 1.15
    wide, high = WIDTH - 2 * RIM, HEIGHT - 2 * RIM

    def at(x: float, y: float) -> tuple[float, float]:
        return shift + RIM + wide * x / most_x, HEIGHT - RIM - high * y / most_y

    numbers = np.array(points, np.float64)
    slope, start = np.polyfit(numbers[:, 0], numbers[:, 1], 1)
    x1, y1 = at(0, max(float(start), 0))
    x2, y2 = at(most_x, float(slope * most_x + start))
    parts = [
        f'<path d="M{shift + RIM} {RIM} V{HEIGHT - RIM} H{shift + WIDTH - RIM}" fill="none" '
        'stroke="#999"/>',
        f'<path d="M{x1:.1f} {y1:.1f} L{x2:.1f} {y2:.1f}" stroke="#c60" fill="none"/>',
        f'<text x="{shift + RIM}" y="{RIM - 14}">{of}</text>',
        f'<text x="{shift + WIDTH / 2}" y="{HEIGHT - 10}" text-anchor="middle">{what}</text>',
    ]
    for x, y in points:
        px, py = at(x, y)
        parts.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3.5" fill="#246"/>')
        parts.append(f'<text x="{px - 6:.1f}" y="{py - 8:.1f}" text-anchor="end">{y:.2f}</text>')
        parts.append(f'<text x="{px:.1f}" y="{HEIGHT - RIM + 16}" text-anchor="middle">{x}</text>')
    return "\n".join(parts) + "\n"


def straightness(points: Sequence[tuple[int, float]]) -> float:
    """Share of the variance that a straight line explains, 0..1."""
    x, y = np.array(points, float).T
    return float(np.corrcoef(x, y)[0, 1] ** 2)
