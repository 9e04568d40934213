"""Draw a picture of every factor of the synthesis, and the tables of docs/synthesis.md.

python -m docs.draw_factors
"""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training.synthesis import synthesize
from models.training.synthesis.factors import Factor, all_factors

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "synthesis.md"
PICTURES = ROOT / "docs" / "pictures" / "synthesis"
BEGIN, END = "<!-- factors, drawn by docs/draw_factors.py -->", "<!-- end of factors -->"
SEED, COUNT, SIDE = 40, 4, 160
WEBP = [cv2.IMWRITE_WEBP_QUALITY, 72]


def draw_strip(factor: Factor) -> NDArray[np.uint8]:
    """Four pictures under a factor, side by side, RGB."""
    strip = np.full((SIDE, COUNT * (SIDE + 4) - 4, 3), 255, np.uint8)
    for place in range(COUNT):
        image = synthesize(SEED + place, 320, factor.shown).image
        scale = SIDE / max(image.shape[:2])
        size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        y, x = (SIDE - size[1]) // 2, place * (SIDE + 4) + (SIDE - size[0]) // 2
        strip[y : y + size[1], x : x + size[0]] = small
    return strip


def rows() -> Iterator[str]:
    """The lines of the tables; writes the pictures as it goes."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for field, group in groupby(all_factors(), key=lambda factor: factor.name.split("-")[0]):
        factors = list(group)
        yield from (f"\n### `{field}`\n", f"{factors[0].text[0].upper()}{factors[0].text[1:]}.\n")
        yield from ("| | by default | |", "| --- | --- | --- |")
        for factor in factors:
            file = PICTURES / f"{factor.name}.webp"
            cv2.imwrite(str(file), cv2.cvtColor(draw_strip(factor), cv2.COLOR_RGB2BGR), WEBP)
            name = factor.name.removeprefix(f"{field}-") if "-" in factor.name else "on"
            link = file.relative_to(PAGE.parent).as_posix()
            yield f"| {name} | {factor.weight} | ![{factor.name}]({link}) |"


def main() -> None:
    """Draw, and put the tables between their marks."""
    text = PAGE.read_text()
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    PAGE.write_text(before + BEGIN + "\n" + "\n".join(rows()) + "\n\n" + END + after)
    size = sum(file.stat().st_size for file in PICTURES.iterdir())
    print(f"{len(list(PICTURES.iterdir()))} pictures, {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
