"""Draw the pictures of docs/rig.md with the product itself: `python -m docs.draw_rigs`.

One shows how a drawing becomes a rig; the other has a creature drawn for each skeleton that can be
laid in, the skeleton over it, and two frames of a clip.
"""

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from animator import pipeline
from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.documents import AnimationRequest
from animator.core.drawing import Drawing
from animator.core.geometry import Box
from animator.core.mask import Mask, run_lengths_from_mask
from animator.core.rigging import TEMPLATES, RigOptions, lay_out
from animator.core.scene import Overlay
from animator.core.skeleton import Skeleton
from animator.ingest import decode_image
from animator.render import rasterize
from docs.draw_samples import BLACK, BLUE, CRAYON, GREEN, ORANGE, PURPLE, RED, YELLOW, face, ring
from docs.sample_sheet import Pen, Sheet
from serving.local import LocalPredictor

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
SIDE, LARGE = 250, 420

MOTIONS = {
    "biped": ("dance", 30, 60),
    "no-arms": ("skip", 6, 15),
    "six-arms": ("wave", 30, 45),
    "four-legs": ("walk", 8, 20),
    "tail": ("jump", 10, 30),
    "wings": ("fly", 5, 15),
}
COLOURS = (ORANGE, GREEN, PURPLE, BLUE, RED, YELLOW)
BOX = (90.0, 120.0, 630.0, 780.0)
LYING = (60.0, 300.0, 660.0, 660.0)

Picture = NDArray[np.uint8]


def draw_creature(name: str, colour: tuple[int, int, int], seed: int) -> Picture:
    """A creature with the limbs of a template, (H, W, 3) uint8 RGB."""
    sheet = Sheet(seed)
    skeleton = lay_out(name, LYING if name == "four-legs" else BOX)
    at = {joint.name: (joint.x, joint.y) for joint in skeleton.joints}
    for joint in skeleton.joints[1:]:
        if joint.parent is not None and joint.name not in {"hip", "torso", "neck"}:
            sheet.stroke([at[joint.parent], at[joint.name]], colour, Pen(34, 0.95, 0.15))
            sheet.stroke([at[joint.parent], at[joint.name]], BLACK, Pen(5, 0.9, 0.2))
    (x1, y1), (x2, y2) = at["root"], at["torso"]
    x, y = (x1 + x2) / 2, (y1 + y2) / 2
    size = (abs(x2 - x1) / 2 + 92, abs(y2 - y1) / 2 + 62)
    for place, radius in (((x, y), size), (at["neck"], (78.0, 80.0))):
        line = ring(*place, *radius)
        sheet.scribble(line, colour, Pen(15, 0.98, 0.1), 0.6)
        sheet.stroke(line, BLACK, CRAYON)
    face(sheet, *at["neck"], 0.9, Pen(6, 0.95, 0.2))
    return np.ascontiguousarray(sheet.finish()[..., ::-1])


def outline(picture: Picture) -> Mask:
    """All that is not paper, filled."""
    away = np.abs(picture.astype(int) - np.median(picture, axis=(0, 1))).max(axis=2)
    marks = cv2.morphologyEx(
        (away > 40).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8)
    )
    around, _ = cv2.findContours(marks, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    filled = np.zeros(marks.shape, np.uint8)
    cv2.drawContours(filled, [max(around, key=cv2.contourArea)], -1, (1.0,), cv2.FILLED)
    return Mask(filled > 0)


def annotation_of(picture: Picture, name: str) -> Annotation:
    """One figure that fills the picture."""
    height, width = picture.shape[:2]
    skeleton: Skeleton = lay_out(name, (0.0, 0.0, float(width), float(height)))
    figure = FigureAnnotation(
        id="creature",
        box=Box(0.0, 0.0, float(width), float(height)),
        mask=run_lengths_from_mask(outline(picture)),
        skeleton=skeleton,
    )
    return Annotation(width=width, height=height, figures=(figure,))


def frames(
    drawing: Drawing,
    annotation: Annotation,
    request: AnimationRequest,
    which: tuple[int, ...],
) -> list[Picture]:
    """Some frames of what a request gives, square, (side, side, 3) uint8 each."""
    stage = pipeline.stage_figures(drawing, annotation, request, pipeline.say_nothing)
    return [_square(frame[..., :3], request.side) for frame in rasterize(stage, which)]


def draw_templates() -> Picture:
    """A row for each pair of templates: drawing with skeleton, and two frames."""
    tiles = []
    for seed, (name, colour) in enumerate(zip(TEMPLATES, COLOURS, strict=True)):
        drawing = Drawing(id=name, image=draw_creature(name, colour, seed))
        motion, *which = MOTIONS[name]
        found = annotation_of(drawing.image, name)
        options = RigOptions(skeleton=name)
        still = AnimationRequest(motion="breathe", side=SIDE, rigging=options, overlays=("bones",))
        moving = AnimationRequest(motion=motion, side=SIDE, rigging=options)
        row = frames(drawing, found, still, (0,)) + frames(drawing, found, moving, tuple(which))
        cv2.putText(row[0], name, (8, 20), cv2.FONT_HERSHEY_SIMPLEX, 0.55, BLACK, 1, cv2.LINE_AA)
        tiles.append(np.hstack(row))
    return np.vstack([np.hstack(tiles[i : i + 2]) for i in range(0, len(tiles), 2)])


def draw_steps() -> Picture:
    """A sample drawing: its bones, its triangles, whose they are, and a frame of a clip."""
    drawing = decode_image((ROOT / "web" / "samples" / "dancer.jpg").read_bytes())
    found = pipeline.annotate(drawing, LocalPredictor(ROOT / "models"), pipeline.say_nothing)
    looks: tuple[tuple[tuple[Overlay, ...], str, int], ...] = (
        (("bones",), "breathe", 0),
        (("weights",), "breathe", 0),
        (("mesh",), "breathe", 0),
        (("mesh",), "kick", 22),
    )
    row = []
    for overlays, motion, frame in looks:
        request = AnimationRequest(motion=motion, side=LARGE, overlays=overlays)
        row += frames(drawing, found, request, (frame,))
    return np.hstack(row)


def _square(frame: NDArray[np.uint8], side: int) -> Picture:
    tile = np.full((side, side, 3), 255, np.uint8)
    height, width = frame.shape[:2]
    top, left = (side - height) // 2, (side - width) // 2
    tile[top : top + height, left : left + width] = frame
    return tile


def main() -> None:
    """Write both pictures."""
    for name, picture in (("rig_steps", draw_steps()), ("rig_templates", draw_templates())):
        quality = [cv2.IMWRITE_JPEG_QUALITY, 80, cv2.IMWRITE_JPEG_OPTIMIZE, 1]
        cv2.imwrite(str(PICTURES / f"{name}.jpg"), picture[..., ::-1], quality)


if __name__ == "__main__":
    main()
