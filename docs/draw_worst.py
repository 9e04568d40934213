"""Draw the pictures of docs/perception.md: the worst cases that may be shown.

    python docs/draw_worst.py --data DRAWINGS

Of the test drawings only those from Openclipart are in the public domain; the others are told of in
words. Made-up drawings are our own.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.cli.model_walk import walk_with
from models.training.annotated import read_annotated
from models.training.evaluate import evaluate, worst_of
from models.training.held_out import write_held_out

ROOT = Path(__file__).parents[1]
PICTURES = Path(__file__).parent / "pictures"
SIDE = 420
FREE = "openclipart-"
COUNT = 60


def tile(pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """One row of pictures (H, W, 3), each fitted into a white square."""
    squares = []
    for picture in pictures:
        scale = SIDE / max(picture.shape[:2])
        size = (round(picture.shape[1] * scale), round(picture.shape[0] * scale))
        square = np.full((SIDE, SIDE, 3), 255, np.uint8)
        square[: size[1], : size[0]] = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
        squares.append(square)
    return np.hstack(squares)


def save(name: str, picture: NDArray[np.uint8]) -> None:
    """Write a picture RGB as JPEG."""
    pixels = cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)
    cv2.imwrite(str(PICTURES / name), pixels, (cv2.IMWRITE_JPEG_QUALITY, 80))


def main() -> None:
    """Look at the drawings, and draw the worst."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the test drawings")
    drawings = parser.parse_args().data
    walk = walk_with(ROOT / "models")
    free = [one for one in read_annotated(drawings) if one.file.name.startswith(FREE)]
    worst = worst_of(evaluate(walk.look, free), 2)
    save("worst_public_domain.jpg", tile([one.draw() for one in worst]))
    with tempfile.TemporaryDirectory() as folder:
        write_held_out(Path(folder), COUNT)
        outcomes = evaluate(walk.look, read_annotated(Path(folder)))
        save("worst_made_up.jpg", tile([one.draw() for one in worst_of(outcomes, 4)]))


if __name__ == "__main__":
    main()
