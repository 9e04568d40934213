"""Letters: a handwriting of strokes, for names and sentences beside figures."""

from collections.abc import Mapping

from models.training.synthesis.curves import Points, polyline
from models.training.synthesis.dice import Dice

__all__ = ("write",)

GLYPHS: Mapping[str, str] = {
    "A": "06 20 46/13 33",
    "B": "06 00 31 32 03/03 34 35 06",
    "C": "41 20 02 04 26 45",
    "D": "00 06 35 41 00",
    "E": "40 00 06 46/03 33",
    "F": "40 00 06/03 33",
    "G": "41 20 02 04 26 44 24",
    "H": "00 06/40 46/03 43",
    "I": "20 26",
    "J": "40 44 26 05",
    "K": "00 06/40 03 46",
    "L": "00 06 46",
    "M": "06 00 23 40 46",
    "N": "06 00 46 40",
    "O": "20 02 04 26 44 42 20",
    "P": "06 00 41 42 03",
    "R": "06 00 41 42 03 46",
    "S": "41 20 02 44 26 05",
    "T": "00 40/20 26",
    "U": "00 05 26 45 40",
    "V": "00 26 40",
    "W": "00 16 22 36 40",
    "X": "00 46/40 06",
    "Y": "00 23 40/23 26",
    "Z": "00 40 06 46",
    "a": "43 23 05 26 45/43 46",
    "e": "04 44 33 13 05 26 45",
    "i": "23 26/21 21",
    "l": "20 25 36",
    "m": "06 03 13 16/13 33 36",
    "n": "06 03 33 36",
    "o": "13 05 26 35 33 13",
    "t": "21 25 36/13 33",
    "1": "11 20 26",
    "2": "01 20 41 06 46",
    "3": "00 40 22 44 26 05",
    "4": "46 40 04 44",
    "5": "40 00 02 34 26 06",
    "7": "00 40 16",
    "?": "01 20 41 23 24/26 26",
}
"""Strokes on a grid 5 wide and 7 high: pairs of x and y, strokes parted by a slash."""


def write(dice: Dice, count: int) -> list[Points]:
    """Strokes of a made-up word of `count` letters, one unit wide, its corner at the origin."""
    size = 1 / max(count, 2)
    strokes: list[Points] = []
    for i in range(count):
        glyph = GLYPHS[dice.pick(tuple(GLYPHS))]
        at, scale = (i * size, dice.normal(0.04) * size), size * dice.uniform(0.7, 0.9)
        for stroke in glyph.split("/"):
            grid = polyline([(int(pair[0]), int(pair[1])) for pair in stroke.split()])
            strokes.append(grid / 5 * scale + at)
    return strokes
