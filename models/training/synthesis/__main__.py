"""Write a contact sheet: `python -m models.training.synthesis --seed 0 --count 24 -o sheet.png`."""

import argparse
from pathlib import Path

import cv2
import msgspec

from models.training.synthesis.scene import synthesize
from models.training.synthesis.settings import SynthesisSettings
from models.training.synthesis.sheet import contact_sheet

__all__ = ("main",)


def main() -> None:
    """Read the command line, draw, write the sheet."""
    parser = argparse.ArgumentParser(prog="models.training.synthesis", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="seed of the first picture")
    parser.add_argument("--count", type=int, default=24, help="number of pictures")
    parser.add_argument("--size", type=int, default=320, help="longer side, pixels, 192..640")
    parser.add_argument("--columns", type=int, default=6, help="pictures in a row")
    parser.add_argument("--plain", action="store_true", help="do not draw the labels over")
    parser.add_argument("-o", "--output", type=Path, required=True, help="PNG to write")
    parser.add_argument("--settings", default="{}", help="changed settings, as JSON")
    given = parser.parse_args()
    settings = msgspec.json.decode(given.settings, type=SynthesisSettings)
    samples = [synthesize(given.seed + i, given.size, settings) for i in range(given.count)]
    sheet = contact_sheet(samples, given.columns, not given.plain)
    given.output.write_bytes(cv2.imencode(".png", sheet[..., ::-1])[1].tobytes())


if __name__ == "__main__":
    main()
