"""Settings: every factor of a synthetic picture with its switch (a share, 0 is off) and range."""

from enum import StrEnum

import msgspec

from models.training.synthesis.dice import Spread
from models.training.synthesis.pens import PenKind

__all__ = (
    "DEFAULT_SETTINGS",
    "FigureKind",
    "FigureLook",
    "FootKind",
    "HandKind",
    "HeadShape",
    "PaperKind",
    "SpecialPose",
    "SynthesisSettings",
    "ThingKind",
    "WornKind",
)

Range = tuple[float, float]


class FigureKind(StrEnum):
    """Body plans."""

    STICK = "stick"
    OUTLINED = "outlined"
    FILLED = "filled"
    SILHOUETTE = "silhouette"
    DRESS = "dress"
    TADPOLE = "tadpole"
    BLOB = "blob"
    ANIMAL = "animal"
    QUADRUPED = "quadruped"
    ROBOT = "robot"
    LEGLESS = "legless"


class PaperKind(StrEnum):
    """Grounds to draw on; WHITE is a digital ground, without texture or camera."""

    PLAIN = "plain"
    LINED = "lined"
    SQUARED = "squared"
    WHITE = "white"


class HandKind(StrEnum):
    """What is drawn beyond a wrist."""

    NONE = "none"
    FORK = "fork"
    RAKE = "rake"
    CLAW = "claw"
    BALL = "ball"
    MITTEN = "mitten"
    FLOWER = "flower"


class FootKind(StrEnum):
    """What is drawn beyond an ankle."""

    NONE = "none"
    FORK = "fork"
    OVAL = "oval"
    SHOE = "shoe"
    DASH = "dash"


class HeadShape(StrEnum):
    """Outlines of heads."""

    ELLIPSE = "ellipse"
    EGG = "egg"
    BOX = "box"
    POLYGON = "polygon"
    DIAMOND = "diamond"
    BUN = "bun"


class SpecialPose(StrEnum):
    """Poses beside standing."""

    HANDS_ON_HIPS = "hands-on-hips"
    WAVING = "waving"
    ARMS_UP = "arms-up"
    BESIDE_HEAD = "beside-head"
    TREE = "tree"
    LEG_UP = "leg-up"
    RUNNING = "running"
    KNEELING = "kneeling"
    SITTING = "sitting"
    CROSS_LEGGED = "cross-legged"
    ARM_ACROSS = "arm-across"
    DOWNWARD_DOG = "downward-dog"


class WornKind(StrEnum):
    """What grows from a back or hangs on it."""

    WINGS = "wings"
    CAPE = "cape"
    TAIL = "tail"


class ThingKind(StrEnum):
    """Groups of things that are no figures."""

    FACES = "faces"
    HOUSES = "houses"
    TREES = "trees"
    FLOWERS = "flowers"
    HEAVENS = "heavens"
    CLOTHES = "clothes"
    HANDS = "hands"
    VEHICLES = "vehicles"
    WRITING = "writing"
    ABSTRACT = "abstract"
    CREATURES = "creatures"
    SHAPES = "shapes"


_HANDS = {
    HandKind.NONE: 3.5,
    HandKind.FORK: 4.5,
    HandKind.BALL: 0.8,
    HandKind.MITTEN: 0.8,
    HandKind.FLOWER: 0.4,
    HandKind.RAKE: 1.0,
    HandKind.CLAW: 0.4,
}
_FEET = {
    FootKind.NONE: 3.5,
    FootKind.FORK: 2.0,
    FootKind.OVAL: 1.5,
    FootKind.SHOE: 0.8,
    FootKind.DASH: 1.2,
}
_HEADS = {
    HeadShape.ELLIPSE: 6.0,
    HeadShape.EGG: 2.0,
    HeadShape.BOX: 0.8,
    HeadShape.POLYGON: 0.8,
    HeadShape.DIAMOND: 0.2,
    HeadShape.BUN: 1.0,
}
_FIGURES = {
    FigureKind.STICK: 5.5,
    FigureKind.OUTLINED: 1.5,
    FigureKind.FILLED: 1.3,
    FigureKind.SILHOUETTE: 1.0,
    FigureKind.DRESS: 1.2,
    FigureKind.TADPOLE: 0.7,
    FigureKind.BLOB: 0.7,
    FigureKind.ANIMAL: 0.6,
    FigureKind.QUADRUPED: 0.4,
    FigureKind.ROBOT: 0.4,
    FigureKind.LEGLESS: 0.8,
}
_POSES = {
    SpecialPose.HANDS_ON_HIPS: 1.5,
    SpecialPose.WAVING: 1.0,
    SpecialPose.ARMS_UP: 1.2,
    SpecialPose.BESIDE_HEAD: 2.0,
    SpecialPose.TREE: 1.0,
    SpecialPose.LEG_UP: 0.8,
    SpecialPose.RUNNING: 1.0,
    SpecialPose.KNEELING: 0.7,
    SpecialPose.SITTING: 0.8,
    SpecialPose.CROSS_LEGGED: 0.8,
    SpecialPose.ARM_ACROSS: 1.0,
    SpecialPose.DOWNWARD_DOG: 0.5,
}
_WORN = {WornKind.WINGS: 2.0, WornKind.CAPE: 1.0, WornKind.TAIL: 1.0}
_ALONE = {
    ThingKind.FACES: 3.0,
    ThingKind.HOUSES: 2.5,
    ThingKind.TREES: 2.5,
    ThingKind.FLOWERS: 1.0,
    ThingKind.HEAVENS: 2.0,
    ThingKind.CLOTHES: 2.5,
    ThingKind.HANDS: 0.7,
    ThingKind.VEHICLES: 1.5,
    ThingKind.WRITING: 1.5,
    ThingKind.ABSTRACT: 1.5,
    ThingKind.CREATURES: 1.5,
    ThingKind.SHAPES: 1.5,
}
_BESIDE = {
    ThingKind.FACES: 0.2,
    ThingKind.HOUSES: 1.2,
    ThingKind.TREES: 1.2,
    ThingKind.FLOWERS: 1.2,
    ThingKind.HEAVENS: 2.5,
    ThingKind.CLOTHES: 0.3,
    ThingKind.HANDS: 0.1,
    ThingKind.VEHICLES: 0.6,
    ThingKind.WRITING: 1.5,
    ThingKind.ABSTRACT: 0.4,
    ThingKind.CREATURES: 0.6,
    ThingKind.SHAPES: 1.6,
}
_PENS = {
    PenKind.FELT: 4.0,
    PenKind.BALL: 1.0,
    PenKind.PENCIL: 1.6,
    PenKind.CRAYON: 1.0,
    PenKind.BRUSH: 0.5,
    PenKind.DIGITAL: 2.2,
}
_PAPERS = {
    PaperKind.PLAIN: 6.0,
    PaperKind.LINED: 1.2,
    PaperKind.SQUARED: 0.6,
    PaperKind.WHITE: 2.8,
}


class FigureLook(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of what parts figures are made; numbers are shares of the figures, dicts hold weights.

    Attributes:
        hands: weight of each kind of hand.
        feet: weight of each kind of foot.
        heads: weight of each head shape.
        face: heads with a face; empty heads otherwise.
        hair: heads with hair.
        headgear: heads with a crown, a hat, ears, antennae or a halo.
        worn: figures with something on their back.
        worn_kinds: weight of each such thing.
        held: figures that hold a stick, a sword, a balloon or a bag.
        missing: figures without an arm, a leg or both legs, or with both legs in one.
        detached: figures with limbs that do not reach the trunk.
        special: figures in a special pose: yoga, running, hands on hips, kneeling, waving.
        poses: weight of each special pose.
        profile: figures with all limbs on one side.
        dressing: bodies with stripes, buttons, a belt or a pattern.
    """

    hands: dict[HandKind, float] = msgspec.field(default_factory=_HANDS.copy)
    feet: dict[FootKind, float] = msgspec.field(default_factory=_FEET.copy)
    heads: dict[HeadShape, float] = msgspec.field(default_factory=_HEADS.copy)
    face: float = 0.68
    hair: float = 0.3
    headgear: float = 0.12
    worn: float = 0.06
    worn_kinds: dict[WornKind, float] = msgspec.field(default_factory=_WORN.copy)
    held: float = 0.07
    missing: float = 0.05
    detached: float = 0.08
    special: float = 0.15
    poses: dict[SpecialPose, float] = msgspec.field(default_factory=_POSES.copy)
    profile: float = 0.05
    dressing: float = 0.5


class SynthesisSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What may appear in a picture, how often, and how far it varies.

    Attributes:
        figures: weight (>= 0) of each body plan; what is left out never appears.
        look: the parts of figures.
        pens: weight of each tool.
        papers: weight of each ground.
        empty: share of pictures without any figure.
        filling: share of those on which one thing fills the page.
        things: weight of each group of things on pages without a figure.
        several: share of the other pictures with 2 to 5 figures.
        crowd: share of those whose figures stand shoulder to shoulder, cut by the page's sides.
        height: of a lone figure, share of the picture's height.
        tiny: share of lone figures that are far smaller than that.
        cropped: share of lone figures that fill the picture or are cut by its edge.
        cut: share of those of which a good part lies beyond one edge.
        lying: share of lone figures that lie on the ground of an upright page.
        stretch: largest change of the aspect (0.3: +-30 %).
        tilt: largest free turn of a figure, degrees.
        turned: share of pages turned by 90, 180 or 270 degrees.
        perspective: share of photos taken at a slant.
        surroundings: share of photos that show a desk, cloth or fingers around the page.
        light: range of the fall-off of light over a photo, levels.
        shadow: share of photos with a shadow.
        clutter: share of pictures with things beside the figures.
        beside: weight of each group of such things.
        show_through: share of photos in which the back of the page shines through.
        wobble: tremor of the hand, share of the figure's height.
        gap: largest gap or overshoot where strokes meet, share of the figure's height.
        blur: largest blur, pixels of a 320 pixel picture.
        noise: largest sensor noise, levels.
        jpeg: share of photos that went through JPEG.
    """

    figures: dict[FigureKind, float] = msgspec.field(default_factory=_FIGURES.copy)
    look: FigureLook = msgspec.field(default_factory=FigureLook)
    pens: dict[PenKind, float] = msgspec.field(default_factory=_PENS.copy)
    papers: dict[PaperKind, float] = msgspec.field(default_factory=_PAPERS.copy)
    empty: float = 0.3
    filling: float = 0.55
    things: dict[ThingKind, float] = msgspec.field(default_factory=_ALONE.copy)
    several: float = 0.17
    crowd: float = 0.3
    height: Spread = (0.3, 0.88, 0.98)
    tiny: float = 0.07
    cropped: float = 0.13
    cut: float = 0.4
    lying: float = 0.03
    stretch: float = 0.3
    tilt: float = 10.0
    turned: float = 0.05
    perspective: float = 0.4
    surroundings: float = 0.16
    light: Range = (5.0, 80.0)
    shadow: float = 0.25
    clutter: float = 0.3
    beside: dict[ThingKind, float] = msgspec.field(default_factory=_BESIDE.copy)
    show_through: float = 0.1
    wobble: Spread = (0.001, 0.004, 0.012)
    gap: float = 0.05
    blur: float = 1.0
    noise: float = 4.0
    jpeg: float = 0.6


DEFAULT_SETTINGS = SynthesisSettings()
"""The mix that the models are trained on."""
