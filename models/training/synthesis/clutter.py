"""Clutter: the kinds of things on a page that are no figures, by name."""

from collections.abc import Callable, Mapping

from models.training.synthesis.dice import Dice
from models.training.synthesis.scenery import (
    draw_bare_tree,
    draw_cloud,
    draw_flower,
    draw_horizon,
    draw_house,
    draw_rain,
    draw_rainbow,
    draw_sun,
    draw_tree,
)
from models.training.synthesis.sketch import Sketch
from models.training.synthesis.things import (
    draw_animal_in_profile,
    draw_arrow,
    draw_balloon,
    draw_bubble,
    draw_car,
    draw_fish,
    draw_heart,
    draw_hung_dress,
    draw_lollipop,
    draw_lone_face,
    draw_plain_shape,
    draw_scribble,
    draw_shirt,
    draw_star,
    draw_text,
    draw_trousers,
    draw_umbrella,
)

__all__ = ("CLUTTER_KINDS", "choose_clutter", "draw_clutter")

_THINGS: Mapping[str, Callable[[Sketch], None]] = {
    "animal": draw_animal_in_profile,
    "arrow": draw_arrow,
    "balloon": draw_balloon,
    "bare-tree": draw_bare_tree,
    "bubble": draw_bubble,
    "car": draw_car,
    "cloud": draw_cloud,
    "dress-alone": draw_hung_dress,
    "fish": draw_fish,
    "flower": draw_flower,
    "heart": draw_heart,
    "horizon": draw_horizon,
    "house": draw_house,
    "lollipop": draw_lollipop,
    "lone-face": draw_lone_face,
    "rain": draw_rain,
    "rainbow": draw_rainbow,
    "scribble": draw_scribble,
    "shape": draw_plain_shape,
    "shirt": draw_shirt,
    "star": draw_star,
    "sun": draw_sun,
    "text": draw_text,
    "tree": draw_tree,
    "trousers": draw_trousers,
    "umbrella": draw_umbrella,
}
CLUTTER_KINDS = tuple(_THINGS)
_BESIDE = {
    **dict.fromkeys(CLUTTER_KINDS, 0.3),
    **dict.fromkeys(("sun", "cloud", "house", "tree", "flower", "heart", "star", "text"), 1.5),
    "lone-face": 0.15,
    "animal": 0.15,
}
_ALONE = {**dict.fromkeys(CLUTTER_KINDS, 1.0), "lone-face": 4.0, "text": 2.0, "shirt": 1.5}


def choose_clutter(dice: Dice, alone: bool) -> str:
    """A kind of thing; pages without figures get more of what looks like one."""
    return dice.weighted(_ALONE if alone else _BESIDE)


def draw_clutter(sketch: Sketch, kind: str) -> None:
    """Draw a thing of this kind, about one unit large."""
    _THINGS[kind](sketch)
