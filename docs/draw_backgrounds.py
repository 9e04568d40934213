"""Draw the picture that shows what can lie behind figures, and over them, with the product itself.

make docs
"""

import argparse
from pathlib import Path

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from animator import pipeline
from animator.core.documents import AnimationRequest
from animator.core.drawing import Drawing
from animator.core.scene import Background
from animator.directing import Props
from animator.ingest import decode_image
from animator.render import rasterize
from serving.local import LocalPredictor

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "pictures" / "backgrounds.jpg"
SIDE = 360
FRAME = 24

Picture = NDArray[np.uint8]

ROW = (
    AnimationRequest(background=Background(kind="paper")),
    AnimationRequest(background=Background(kind="picture", shadow=True)),
    AnimationRequest(background=Background(colour=(32, 48, 72))),
    AnimationRequest(overlays=("bones", "mesh")),
    AnimationRequest(overlays=("weights",)),
)


def meadow() -> Drawing:
    """A sky over a meadow, (480, 640)."""
    rows = np.linspace(0, 1, 480)[:, None, None]
    sky = (1 - rows) * np.array([120, 180, 240]) + rows * np.array([225, 240, 250])
    grass = (1 - rows) * np.array([150, 200, 100]) + rows * np.array([70, 130, 60])
    picture = np.where(rows < 0.72, sky, grass)
    return Drawing(id="meadow", image=np.tile(picture, (1, 640, 1)).astype(np.uint8))


def draw_row(file: Path, predictor: LocalPredictor) -> Picture:
    """One drawing with all that `ROW` asks for, side by side, each SIDE pixels high."""
    drawing = decode_image(file.read_bytes())
    annotation = pipeline.annotate(drawing, predictor, pipeline.say_nothing)
    cells = []
    for wish in ROW:
        request = msgspec.structs.replace(wish, motion="wave", side=SIDE)
        stage = pipeline.stage_figures(
            drawing, annotation, request, pipeline.say_nothing, Props(picture=meadow())
        )
        frame = next(rasterize(stage, [FRAME]))
        room = (SIDE - frame.shape[0], SIDE * 4 // 5 - frame.shape[1])
        edges = ((room[0], 0), (room[1] // 2, room[1] - room[1] // 2), (0, 0))
        cells.append(np.pad(frame[..., :3], edges, constant_values=255))
    return np.hstack(cells)


def main() -> None:
    """Make the picture anew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, default=ROOT / "models", help="their folder")
    predictor = LocalPredictor(parser.parse_args().models)
    row = draw_row(ROOT / "web" / "samples" / "dancer.jpg", predictor)
    cv2.imwrite(str(PICTURE), row[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 85])


if __name__ == "__main__":
    main()
