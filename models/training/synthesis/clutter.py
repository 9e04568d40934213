"""Clutter: the kinds of things on a page that are no figures, by name."""

from collections.abc import Callable, Mapping

from models.training.synthesis import scenery, things
from models.training.synthesis.dice import Dice
from models.training.synthesis.sketch import Sketch

__all__ = ("CLUTTER_KINDS", "choose_clutter", "draw_clutter")

_THINGS: Mapping[str, Callable[[Sketch], None]] = {
    "animal": things.draw_animal_in_profile,
    "arrow": things.draw_arrow,
    "balloon": things.draw_balloon,
    "bare-tree": scenery.draw_bare_tree,
    "bubble": things.draw_bubble,
    "car": things.draw_car,
    "cloud": scenery.draw_cloud,
    "dress-alone": things.draw_hung_dress,
    "fish": things.draw_fish,
    "flower": scenery.draw_flower,
    "heart": things.draw_heart,
    "horizon": scenery.draw_horizon,
    "house": scenery.draw_house,
    "lollipop": things.draw_lollipop,
    "lone-face": things.draw_lone_face,
    "rain": scenery.draw_rain,
    "rainbow": scenery.draw_rainbow,
    "scribble": things.draw_scribble,
    "shape": things.draw_plain_shape,
    "shirt": things.draw_shirt,
    "star": things.draw_star,
    "sun": scenery.draw_sun,
    "text": things.draw_text,
    "tree": scenery.draw_tree,
    "trousers": things.draw_trousers,
    "umbrella": things.draw_umbrella,
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
