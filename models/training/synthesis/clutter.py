"""Clutter: the kinds of things on a page that are no figures, by name."""

from collections.abc import Callable, Mapping

from models.training.synthesis.abstract import (
    draw_arrow,
    draw_ball_model,
    draw_map,
    draw_plain_shape,
    draw_scribble,
    draw_spiral,
    draw_swatches,
    draw_tangle,
)
from models.training.synthesis.clothes import (
    draw_hand,
    draw_hat,
    draw_hung_dress,
    draw_mitten,
    draw_shirt,
    draw_shoe,
    draw_trousers,
)
from models.training.synthesis.creatures import (
    draw_bird,
    draw_butterfly,
    draw_fish,
    draw_snail,
    draw_spider,
)
from models.training.synthesis.dice import Dice
from models.training.synthesis.dwellings import (
    draw_big_house,
    draw_castle,
    draw_tent,
    draw_tower_block,
)
from models.training.synthesis.heavens import (
    draw_animal_head,
    draw_corner_sun,
    draw_faced_moon,
    draw_faced_sun,
    draw_faced_thing,
    draw_portrait,
    draw_smiley,
)
from models.training.synthesis.scenery import (
    draw_bare_tree,
    draw_cloud,
    draw_flower,
    draw_horizon,
    draw_house,
    draw_palm,
    draw_rain,
    draw_rainbow,
    draw_sun,
    draw_tree,
)
from models.training.synthesis.settings import ThingKind
from models.training.synthesis.sketch import Sketch
from models.training.synthesis.things import draw_balloon, draw_heart, draw_lollipop, draw_star
from models.training.synthesis.vehicles import (
    draw_boat,
    draw_bus,
    draw_car,
    draw_chair,
    draw_rocket,
    draw_umbrella,
)
from models.training.synthesis.writing import (
    draw_big_letter,
    draw_bubble,
    draw_grid,
    draw_page_of_text,
    draw_text,
)

__all__ = ("CLUTTER", "CLUTTER_NAMES", "choose_clutter", "draw_clutter")

Draw = Callable[[Sketch], None]

CLUTTER: Mapping[ThingKind, Mapping[str, Draw]] = {
    ThingKind.FACES: {
        "smiley": draw_smiley,
        "portrait": draw_portrait,
        "animal-head": draw_animal_head,
        "faced-thing": draw_faced_thing,
    },
    ThingKind.HOUSES: {
        "house": draw_house,
        "big-house": draw_big_house,
        "castle": draw_castle,
        "tower-block": draw_tower_block,
        "tent": draw_tent,
    },
    ThingKind.TREES: {"tree": draw_tree, "bare-tree": draw_bare_tree, "palm": draw_palm},
    ThingKind.FLOWERS: {"flower": draw_flower},
    ThingKind.HEAVENS: {
        "sun": draw_sun,
        "faced-sun": draw_faced_sun,
        "corner-sun": draw_corner_sun,
        "moon": draw_faced_moon,
        "cloud": draw_cloud,
        "rain": draw_rain,
        "rainbow": draw_rainbow,
    },
    ThingKind.CLOTHES: {
        "shirt": draw_shirt,
        "trousers": draw_trousers,
        "dress-alone": draw_hung_dress,
        "hat": draw_hat,
        "shoe": draw_shoe,
        "mitten": draw_mitten,
    },
    ThingKind.HANDS: {"hand": draw_hand},
    ThingKind.VEHICLES: {
        "car": draw_car,
        "bus": draw_bus,
        "boat": draw_boat,
        "rocket": draw_rocket,
        "chair": draw_chair,
        "umbrella": draw_umbrella,
    },
    ThingKind.WRITING: {
        "text": draw_text,
        "page-of-text": draw_page_of_text,
        "big-letter": draw_big_letter,
        "grid": draw_grid,
        "bubble": draw_bubble,
    },
    ThingKind.ABSTRACT: {
        "scribble": draw_scribble,
        "tangle": draw_tangle,
        "spiral": draw_spiral,
        "map": draw_map,
        "ball-model": draw_ball_model,
        "swatches": draw_swatches,
    },
    ThingKind.CREATURES: {
        "fish": draw_fish,
        "bird": draw_bird,
        "butterfly": draw_butterfly,
        "snail": draw_snail,
        "spider": draw_spider,
    },
    ThingKind.SHAPES: {
        "shape": draw_plain_shape,
        "heart": draw_heart,
        "star": draw_star,
        "balloon": draw_balloon,
        "lollipop": draw_lollipop,
        "arrow": draw_arrow,
        "horizon": draw_horizon,
    },
}
"""Every drawer by its name, in groups that have a weight in the settings."""

_BY_NAME = {name: draw for group in CLUTTER.values() for name, draw in group.items()}
CLUTTER_NAMES = tuple(_BY_NAME)


def choose_clutter(dice: Dice, weights: Mapping[ThingKind, float]) -> str:
    """The name of a thing from these groups."""
    return dice.pick(tuple(CLUTTER[dice.weighted(weights)]))


def draw_clutter(sketch: Sketch, name: str) -> None:
    """Draw a thing of this name, about one unit large."""
    _BY_NAME[name](sketch)
