"""Draw the pictures of the documentation with the product itself.

    make docs

Each sample drawing is walked through; what was found is drawn over it, and one clip is kept.
"""

import argparse
import tempfile
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from animator import pipeline
from animator.core.animation import AnimationFormat
from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.documents import AnimationRequest
from animator.core.drawing import Drawing
from animator.core.mask import mask_from_run_lengths
from animator.core.pose import joint_positions
from animator.core.skeleton import Skeleton
from animator.core.spaces import figure_to_drawing
from animator.ingest import decode_image
from serving.local import LocalPredictor

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "web" / "samples"
PICTURES = ROOT / "docs" / "pictures"
SIDE = 288
CLIP = "dancer"  # the one sample whose clip is kept: each is about a megabyte
_OUTLINE, _BONE, _JOINT = (226, 88, 34), (37, 99, 235), (255, 255, 255)

Picture = NDArray[np.uint8]


def draw_findings(drawing: Drawing, annotation: Annotation) -> Picture:
    """The drawing with outline and skeleton of every figure over it, (H, W, 3) uint8 RGB."""
    picture = drawing.image.copy()
    width = max(2, drawing.width // 150)
    for figure in annotation.figures:
        if figure.mask is not None and figure.skeleton is not None:
            _draw_outline(picture, figure, width)
            _draw_skeleton(picture, figure, figure.skeleton, width)
    return picture


def _draw_outline(picture: Picture, figure: FigureAnnotation, width: int) -> None:
    if figure.mask is None:
        return
    inside = mask_from_run_lengths(figure.mask).data.astype(np.uint8)
    corner = (int(figure.box.x1), int(figure.box.y1))
    contours, _ = cv2.findContours(
        inside, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE, offset=corner
    )
    cv2.drawContours(picture, contours, -1, _OUTLINE, width, cv2.LINE_AA)


def _draw_skeleton(
    picture: Picture, figure: FigureAnnotation, skeleton: Skeleton, width: int
) -> None:
    points = figure_to_drawing(joint_positions(skeleton), figure.box)
    pixels = [(round(float(x)), round(float(y))) for x, y in points]
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0:
            cv2.line(picture, pixels[parent], pixels[joint], _BONE, width, cv2.LINE_AA)
    for pixel in pixels:
        cv2.circle(picture, pixel, width * 2, _BONE, -1, cv2.LINE_AA)
        cv2.circle(picture, pixel, width, _JOINT, -1, cv2.LINE_AA)


def fit(picture: Picture, side: int) -> Picture:
    """Scale a picture (H, W, 3) into a white square of `side` pixels."""
    height, width = picture.shape[:2]
    scale = side / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    square = np.full((side, side, 3), 255, dtype=np.uint8)
    top, left = (side - size[1]) // 2, (side - size[0]) // 2
    square[top : top + size[1], left : left + size[0]] = small
    return square


def frames_of(file: Path, count: int) -> list[Picture]:
    """`count` frames, evenly taken from a video, each (H, W, 3) uint8 RGB."""
    video = cv2.VideoCapture(str(file))
    frames = []
    while True:
        more, frame = video.read()
        if not more:
            break
        frames.append(np.asarray(frame[:, :, ::-1], dtype=np.uint8))
    return [frames[i * len(frames) // count] for i in range(count)]


def picture_walk(file: Path, motion: str, predictor: LocalPredictor) -> Picture:
    """One row: the drawing, what was found in it, three frames of the clip."""
    drawing = decode_image(file.read_bytes())
    annotation = pipeline.annotate(drawing, predictor, pipeline.say_nothing)
    with tempfile.TemporaryDirectory() as folder:
        request = AnimationRequest(motion=motion, side=SIDE)
        pipeline.animate(drawing, annotation, request, Path(folder), pipeline.say_nothing)
        if file.stem == CLIP:
            clip = Path(folder, f"animation.{AnimationFormat.GIF}")
            (PICTURES / f"{CLIP}.gif").write_bytes(clip.read_bytes())
        moved = frames_of(Path(folder, f"animation.{AnimationFormat.MP4}"), 3)
    row = [drawing.image, draw_findings(drawing, annotation), *moved]
    return np.hstack([fit(picture, SIDE) for picture in row])


def main() -> None:
    """Make all pictures anew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, default=ROOT / "models", help="their folder")
    predictor = LocalPredictor(parser.parse_args().models)
    PICTURES.mkdir(exist_ok=True)
    samples = sorted(SAMPLES.glob("*.jpg"))
    motions = ("dance", "wave", "jump")
    rows = [picture_walk(f, motions[i % 3], predictor) for i, f in enumerate(samples)]
    walk = np.ascontiguousarray(np.vstack(rows)[:, :, ::-1])
    cv2.imwrite(str(PICTURES / "walk.jpg"), walk, [cv2.IMWRITE_JPEG_QUALITY, 82])


if __name__ == "__main__":
    main()
