"""Draw the sample drawings of the web page: `python -m docs.draw_samples web/samples`.

Each sample is a list of strokes and scribbled patches, laid down as a child would: wobbly, a
little past the line, with a waxy crayon, a felt pen or a ballpoint on paper.
"""

import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

from docs.sample_sheet import Pen, Sheet

JPEG = [
    *(cv2.IMWRITE_JPEG_QUALITY, 72),
    *(cv2.IMWRITE_JPEG_OPTIMIZE, 1),
    *(cv2.IMWRITE_JPEG_PROGRESSIVE, 1),
]

RED, BLUE, GREEN = (206, 52, 48), (42, 92, 176), (70, 148, 72)
YELLOW, ORANGE, PINK = (240, 190, 40), (232, 120, 40), (226, 96, 148)
BROWN, BLACK, GREY, PURPLE = (120, 76, 44), (44, 42, 46), (128, 132, 140), (126, 84, 168)

CRAYON, FELT, BALLPOINT = Pen(11.0, 0.92, 0.62), Pen(7.0, 0.88, 0.08), Pen(4.2, 0.9, 0.25)


def ring(
    x: float, y: float, rx: float, ry: float, start: float = -1.6
) -> list[tuple[float, float]]:
    """An oval drawn in one go, whose end does not quite meet its beginning."""
    angles = np.linspace(start, start + 2 * np.pi * 1.03, 14)
    growth = np.linspace(1.0, 1.05, 14)
    pairs = zip(x + rx * growth * np.cos(angles), y + ry * growth * np.sin(angles), strict=True)
    return [(float(px), float(py)) for px, py in pairs]


def draw_dancer(sheet: Sheet) -> None:
    """A girl in a pink dress, felt pen."""
    dress = [(330, 372), (398, 372), (470, 610), (360, 632), (246, 604)]
    sheet.scribble(dress, PINK, Pen(13, 0.7, 0.1), 0.35)
    for line in (
        dress[:1] + dress[4:],
        dress[1:3],
        [dress[4], (300, 626), dress[3], (424, 628), dress[2]],
    ):
        sheet.stroke(line, RED, FELT)
    sheet.scribble(ring(362, 226, 70, 74), (250, 216, 176), Pen(13, 0.75, 0.1), -0.5)
    for x in (-70, -56, -42, 42, 56, 70):
        sheet.stroke([(362 + x * 0.62, 160), (362 + x * 1.25, 236 + abs(x) * 0.9)], BROWN, FELT)
    sheet.stroke(
        [(296, 196), (310, 160), (362, 140), (416, 160), (430, 198)], BROWN, Pen(15, 0.9, 0.1)
    )
    sheet.stroke(ring(362, 226, 72, 78), BLACK, FELT)
    face(sheet, 362, 222, 1.0, FELT)
    sheet.stroke([(362, 306), (364, 374)], BLACK, FELT)
    sheet.stroke([(334, 384), (262, 366), (186, 300)], BLACK, FELT)
    sheet.stroke([(396, 384), (470, 372), (548, 316)], BLACK, FELT)
    for x, y, side in ((186, 300, -1), (548, 316, 1)):
        for dx, dy in ((-4, -34), (26, -28), (36, -2)):
            sheet.stroke([(x, y), (x + side * dx, y + dy)], BLACK, FELT)
    sheet.stroke([(318, 628), (308, 720), (306, 806)], BLACK, FELT)
    sheet.stroke([(406, 628), (420, 720), (424, 806)], BLACK, FELT)
    sheet.scribble([(310, 800), (318, 826), (256, 832), (262, 808)], RED, FELT, 0.1)
    sheet.scribble([(416, 800), (412, 826), (482, 830), (474, 806)], RED, FELT, 0.1)


def face(sheet: Sheet, x: float, y: float, size: float, pen: Pen) -> None:
    """Two eyes and a smile around a point."""
    for side in (-1, 1):
        sheet.stroke(ring(x + side * 26 * size, y - 12 * size, 5 * size, 6 * size), BLACK, pen)
    smile = [(-34, 20), (-16, 36), (4, 40), (22, 34), (36, 16)]
    sheet.stroke([(x + a * size, y + b * size) for a, b in smile], RED, pen)


def draw_robot(sheet: Sheet) -> None:
    """A robot of boxes, crayon."""
    body = [(256, 366), (470, 358), (478, 604), (250, 612), (256, 366)]
    head = [(284, 166), (442, 160), (446, 308), (280, 312), (284, 166)]
    sheet.scribble(body[:4], BLUE, CRAYON, -0.6)
    sheet.scribble(head[:4], YELLOW, CRAYON, 0.5)
    for line in (body, head):
        for a, b in pairwise(line):
            sheet.stroke([a, b], BLACK, CRAYON)
    sheet.stroke([(362, 160), (366, 104)], BLACK, CRAYON)
    sheet.scribble(ring(367, 88, 18, 18), RED, CRAYON, 0.2)
    for x in (324, 404):
        sheet.stroke(ring(x, 220, 17, 17), BLACK, CRAYON)
    sheet.stroke([(312, 274), (414, 270)], RED, CRAYON)
    for x in (334, 362, 390):
        sheet.stroke([(x, 262), (x, 284)], BLACK, Pen(6, 0.9, 0.5))
    sheet.stroke([(346, 312), (346, 362)], BLACK, CRAYON)
    sheet.stroke([(384, 312), (384, 362)], BLACK, CRAYON)
    for side, x in ((-1, 252), (1, 474)):
        sheet.stroke(
            [(x, 402), (x + side * 74, 428), (x + side * 136, 376)], GREY, Pen(20, 0.9, 0.5)
        )
        sheet.stroke(
            [(x + side * 172, 384), (x + side * 140, 370), (x + side * 148, 330)], RED, CRAYON
        )
    for x in (288, 442):
        sheet.stroke([(x, 612), (x - 3, 700), (x, 784)], GREY, Pen(22, 0.9, 0.5))
        foot = [(x - 38, 790), (x + 32, 786), (x + 36, 826), (x - 42, 828)]
        sheet.scribble(foot, GREEN, CRAYON, 0.1)
        sheet.stroke([*foot, foot[0]], BLACK, CRAYON)
    for x, y, colour in ((320, 440, RED), (366, 438, YELLOW), (412, 436, GREEN)):
        sheet.scribble(ring(x, y, 14, 14), colour, Pen(9, 1.0, 0.3), 0.4)
    sheet.stroke([(304, 540), (340, 510), (362, 556), (396, 506), (424, 538)], YELLOW, CRAYON)


def draw_monster(sheet: Sheet) -> None:
    """A green monster with horns and one tooth, crayon."""
    body = [
        (362, 190),
        (458, 240),
        (484, 380),
        (470, 540),
        (366, 592),
        (258, 544),
        (240, 384),
        (266, 242),
    ]
    sheet.scribble(body, GREEN, CRAYON, 0.8)
    sheet.scribble(ring(362, 470, 64, 70), YELLOW, CRAYON, -0.4)
    sheet.stroke([*body, body[0]], (30, 84, 44), CRAYON)
    for side in (-1, 1):
        horn = [(362 + side * 46, 214), (362 + side * 92, 128), (362 + side * 84, 236)]
        sheet.scribble(horn, ORANGE, CRAYON, 0.3)
        sheet.stroke(horn, BROWN, Pen(8, 0.9, 0.5))
        eye = ring(362 + side * 44, 300, 29, 32)
        sheet.scribble(eye, (252, 250, 244), Pen(14, 1.0, 0.0), 0.2)
        sheet.stroke(eye, BLACK, Pen(8, 0.9, 0.4))
        sheet.scribble(ring(362 + side * 40, 306, 9, 10), BLACK, Pen(8, 1.0, 0.2), 0.2)
        arm = [(362 + side * 118, 392), (362 + side * 184, 400), (362 + side * 238, 330)]
        sheet.stroke(arm, GREEN, Pen(30, 0.9, 0.5))
        for dx, dy in ((-22, -34), (8, -40), (34, -22)):
            sheet.stroke([arm[2], (arm[2][0] + side * dx, arm[2][1] + dy)], (30, 84, 44), CRAYON)
        leg = [(362 + side * 58, 584), (362 + side * 66, 680), (362 + side * 64, 762)]
        sheet.stroke(leg, GREEN, Pen(34, 0.9, 0.5))
        x = leg[2][0] + side * 16
        sheet.scribble(ring(x, 788, 52, 24), PURPLE, CRAYON, 0.1)
        sheet.stroke(ring(x, 788, 54, 26), (70, 40, 110), Pen(8, 0.9, 0.5))
    sheet.stroke([(304, 376), (334, 396), (366, 400), (400, 394), (424, 370)], BLACK, CRAYON)
    sheet.stroke([(352, 400), (358, 424), (372, 400)], BLACK, Pen(7, 0.9, 0.4))


def draw_stick_figure(sheet: Sheet) -> None:
    """A man of lines with a hat, ballpoint."""
    ink = (38, 58, 140)
    for offset in (0, 3):
        sheet.stroke(ring(362, 250, 66 + offset, 68), ink, BALLPOINT)
    face(sheet, 362, 250, 0.95, BALLPOINT)
    hat = [(318, 186), (322, 96), (404, 94), (410, 184)]
    sheet.scribble(hat, ink, BALLPOINT, 0.7)
    sheet.stroke(hat, ink, BALLPOINT)
    sheet.stroke([(276, 192), (362, 182), (450, 190)], ink, Pen(8, 0.9, 0.2))
    sheet.stroke([(362, 320), (366, 420), (362, 560)], ink, Pen(7, 0.9, 0.2))
    sheet.stroke([(363, 384), (282, 428), (204, 372)], ink, Pen(6, 0.9, 0.2))
    sheet.stroke([(363, 384), (446, 424), (522, 362)], ink, Pen(6, 0.9, 0.2))
    sheet.stroke([(362, 560), (308, 676), (272, 800), (228, 808)], ink, Pen(6.5, 0.9, 0.2))
    sheet.stroke([(362, 560), (420, 676), (452, 798), (500, 802)], ink, Pen(6.5, 0.9, 0.2))
    for x, y, side in ((204, 372, -1), (522, 362, 1)):
        for dx, dy in ((-4, -30), (22, -24), (30, 0)):
            sheet.stroke([(x, y), (x + side * dx, y + dy)], ink, BALLPOINT)
    for y in (430, 470, 510):
        sheet.stroke(ring(378, y, 4, 4), ink, BALLPOINT)


SAMPLES: dict[str, Callable[[Sheet], None]] = {
    "dancer": draw_dancer,
    "robot": draw_robot,
    "monster": draw_monster,
    "hat": draw_stick_figure,
}


def main(folder: Path) -> None:
    """Draw every sample into a folder."""
    for seed, (name, draw) in enumerate(SAMPLES.items()):
        sheet = Sheet(seed)
        draw(sheet)
        cv2.imwrite(str(folder / f"{name}.jpg"), sheet.finish(), JPEG)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
