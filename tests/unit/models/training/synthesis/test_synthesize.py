from collections.abc import Iterator
from functools import cache

import msgspec
import numpy as np
import pytest

from models.training.synthesis import (
    DEFAULT_SETTINGS,
    FigureKind,
    FigureLook,
    LabelledFigure,
    PaperKind,
    Sample,
    SynthesisSettings,
    synthesize,
)
from models.training.synthesis.clutter import CLUTTER, CLUTTER_NAMES
from models.training.synthesis.labels import COCO_KEYPOINTS
from models.training.synthesis.pens import PenKind
from models.training.synthesis.settings import (
    FootKind,
    HandKind,
    HeadShape,
    SpecialPose,
    ThingKind,
)

PLACE = {name: i for i, name in enumerate(COCO_KEYPOINTS)}
CALM_LOOK = FigureLook(special=0, profile=0, missing=0, held=0, worn=0)
CALM = SynthesisSettings(
    look=CALM_LOOK,
    empty=0,
    several=0,
    tiny=0,
    cropped=0,
    crowd=0,
    cut=0,
    lying=0,
    stretch=0,
    tilt=0,
    turned=0,
    perspective=0,
    surroundings=0,
)


def only(kind: FigureKind, settings: SynthesisSettings = CALM) -> SynthesisSettings:
    return msgspec.structs.replace(settings, figures={kind: 1.0})


@pytest.fixture(scope="module", autouse=True)
def drawn() -> Iterator[None]:
    yield
    _synthesize.cache_clear()


@cache
def _synthesize(seed: int, settings: bytes) -> Sample:
    return synthesize(seed, 192, msgspec.json.decode(settings, type=SynthesisSettings))


def draw(settings: SynthesisSettings, count: int = 12) -> list[Sample]:
    """Samples that the tests share, to look at alone; many ask for the same."""
    written = msgspec.json.encode(settings)
    return [_synthesize(seed, written) for seed in range(count)]


def figures(settings: SynthesisSettings, count: int = 12) -> list[LabelledFigure]:
    return [figure for sample in draw(settings, count) for figure in sample.figures]


def test_same_seed_gives_the_same_picture_and_labels() -> None:
    first, other = synthesize(7, 192), synthesize(8, 192)
    again = synthesize(7, 192)
    np.testing.assert_array_equal(first.image, again.image)
    assert first.tags == again.tags
    assert len(first.figures) == len(again.figures)
    for one, two in zip(first.figures, again.figures, strict=True):
        np.testing.assert_array_equal(one.mask, two.mask)
        np.testing.assert_array_equal(one.keypoints, two.keypoints)
    assert first.image.shape != other.image.shape or (first.image != other.image).any()


@pytest.mark.parametrize("size", [192, 320, 640])
def test_longer_side_has_the_size_asked_for(size: int) -> None:
    for seed in range(8):
        height, width, channels = synthesize(seed, size).image.shape
        assert max(height, width) == size
        assert channels == 3
        assert 0.59 <= width / height <= 1.71


@pytest.mark.parametrize("size", [0, 191, 641])
def test_size_out_of_range_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=r"192\.\.640"):
        synthesize(0, size)


def test_box_is_tight_around_the_mask() -> None:
    for sample in draw(DEFAULT_SETTINGS, 40):
        for figure in sample.figures:
            assert figure.mask.shape == sample.image.shape[:2]
            rows, columns = np.nonzero(figure.mask)
            expected = columns.min(), rows.min(), columns.max() + 1, rows.max() + 1
            assert tuple(figure.box) == expected


def test_keypoints_lie_inside_the_picture_or_are_absent() -> None:
    for sample in draw(DEFAULT_SETTINGS, 40):
        height, width = sample.image.shape[:2]
        for figure in sample.figures:
            x, y, v = figure.keypoints.T
            assert figure.keypoints.shape == (17, 3)
            assert set(np.unique(v)) <= {0.0, 1.0, 2.0}
            known = v > 0
            assert ((x >= 0) & (x < width) & (y >= 0) & (y < height))[known].all()
            assert (figure.keypoints[~known] == 0).all()


@pytest.mark.parametrize("kind", list(FigureKind))
def test_every_plan_has_a_face_and_arms_whose_right_is_on_the_left_of_the_picture(
    kind: FigureKind,
) -> None:
    found = figures(only(kind), 10)
    assert len(found) == 10
    for figure in found:
        joints = figure.keypoints
        x1, y1, x2, y2 = figure.box
        assert joints[PLACE["nose"], 2] > 0
        assert x1 <= joints[PLACE["nose"], 0] <= x2
        assert y1 <= joints[PLACE["nose"], 1] <= y2
        for pair in ("eye", "ear", "shoulder", "hip"):
            right, left = joints[PLACE[f"right_{pair}"]], joints[PLACE[f"left_{pair}"]]
            assert right[0] <= left[0] + 3, pair  # lens, lean and page may swap what is one point


def test_limbs_of_a_calm_stick_figure_reach_to_their_own_sides() -> None:
    for figure in figures(only(FigureKind.STICK)):
        joints = figure.keypoints
        assert (joints[PLACE["left_shoulder"] :, 2] > 0).all()
        slack = 0.1 * (figure.box[3] - figure.box[1])
        assert joints[PLACE["right_wrist"], 0] < joints[PLACE["left_wrist"], 0] + slack
        assert joints[PLACE["right_ankle"], 0] < joints[PLACE["left_ankle"], 0] + slack


def test_hips_of_a_stick_figure_are_one_point() -> None:
    for figure in figures(only(FigureKind.STICK)):
        hips = figure.keypoints[[PLACE["right_hip"], PLACE["left_hip"]]]
        np.testing.assert_allclose(hips[0], hips[1], atol=1e-3)


def test_hips_under_a_dress_are_implied() -> None:
    for figure in figures(only(FigureKind.DRESS)):
        assert figure.keypoints[PLACE["right_hip"], 2] == 1
        assert figure.keypoints[PLACE["left_ankle"], 2] == 2


def test_legless_beings_have_implied_hips_and_no_knees_that_show() -> None:
    legs = []
    for figure in figures(only(FigureKind.LEGLESS), 24):
        for side in ("right", "left"):
            assert figure.keypoints[PLACE[f"{side}_hip"], 2] == 1
            assert figure.keypoints[PLACE[f"{side}_knee"], 2] < 2
            legs.append(figure.keypoints[PLACE[f"{side}_ankle"], 2] > 0)
    assert np.mean(legs) < 0.3  # an angel's feet may show under its gown


def test_head_and_torso_joints_lie_in_the_silhouette_of_an_outlined_body() -> None:
    look = msgspec.structs.replace(CALM_LOOK, detached=0)
    settings = msgspec.structs.replace(only(FigureKind.SILHOUETTE), look=look)
    for figure in figures(settings):
        nose = figure.keypoints[PLACE["nose"]].astype(int)
        assert figure.mask[nose[1], nose[0]]
        pair = figure.keypoints[[PLACE["right_hip"], PLACE["left_hip"], 5, 6], :2]
        middle = pair.mean(0).astype(int)
        assert figure.mask[middle[1], middle[0]]


def test_empty_pages_have_no_figures() -> None:
    for sample in draw(SynthesisSettings(empty=1)):
        assert sample.figures == ()
        assert "empty" in sample.tags


def test_groups_have_more_than_one_figure() -> None:
    settings = msgspec.structs.replace(CALM, several=1.0)
    counts = [len(sample.figures) for sample in draw(settings)]
    assert max(counts) >= 3
    assert min(counts) >= 1
    assert np.mean(counts) >= 2


def test_turned_page_turns_the_figure() -> None:
    settings = msgspec.structs.replace(only(FigureKind.STICK), turned=1.0)
    for sample in draw(settings):
        (tag,) = (tag for tag in sample.tags if tag.startswith("turned-"))
        joints = sample.figures[0].keypoints
        spine = joints[PLACE["nose"], :2] - joints[PLACE["right_hip"], :2]
        up = {"90": (1, 0), "180": (0, 1), "270": (-1, 0)}[tag.removeprefix("turned-")]
        assert spine @ up > 0.5 * np.hypot(*spine)


SWITCHES = [
    "surroundings",
    "perspective",
    "shadow",
    "show_through",
    "several",
    "tiny",
    "cropped",
    "lying",
]


@pytest.mark.parametrize("switch", SWITCHES)
def test_switch_of_the_scene_turns_its_factor_off_and_on(switch: str) -> None:
    photos = msgspec.structs.replace(CALM, papers={PaperKind.PLAIN: 1.0}, shadow=0, show_through=0)
    tag = switch.replace("_", "-")
    off = msgspec.structs.replace(photos, **{switch: 0.0})
    on = msgspec.structs.replace(photos, **{switch: 1.0})
    assert not any(tag in sample.tags for sample in draw(off, 6))
    assert all(tag in sample.tags for sample in draw(on, 6))


LOOKS = [
    "face",
    "hair",
    "headgear",
    "worn",
    "held",
    "missing",
    "detached",
    "special",
    "profile",
    "dressing",
]


@pytest.mark.parametrize("switch", LOOKS)
def test_switch_of_the_look_turns_its_factor_off_and_on(switch: str) -> None:
    bare = msgspec.structs.replace(CALM_LOOK, detached=0, hair=0, headgear=0, face=0, dressing=0)
    settings = only(FigureKind.OUTLINED)
    off = msgspec.structs.replace(settings, look=bare)
    on = msgspec.structs.replace(settings, look=msgspec.structs.replace(bare, **{switch: 1.0}))
    assert not any(switch in sample.tags for sample in draw(off, 6))
    assert all(switch in sample.tags for sample in draw(on, 6))


def test_switch_of_clutter_turns_things_off_and_on() -> None:
    off, on = (msgspec.structs.replace(CALM, clutter=share, tiny=1.0) for share in (0.0, 1.0))
    assert not any(set(CLUTTER_NAMES) & set(sample.tags) for sample in draw(off, 8))
    assert all(set(CLUTTER_NAMES) & set(sample.tags) for sample in draw(on, 8))


@pytest.mark.parametrize("kind", list(ThingKind))
def test_only_things_with_weight_appear_on_an_empty_page(kind: ThingKind) -> None:
    settings = msgspec.structs.replace(
        CALM, empty=1.0, filling=1.0, things={kind: 1.0}, show_through=0
    )
    for sample in draw(settings, 4):
        drawn = set(CLUTTER_NAMES) & set(sample.tags)
        assert drawn
        assert drawn <= set(CLUTTER[kind])
        assert sample.figures == ()


def test_things_are_boxed_on_pages_without_a_figure_alone() -> None:
    settings = msgspec.structs.replace(
        CALM, empty=1.0, filling=1.0, papers={PaperKind.WHITE: 1.0}, jpeg=0
    )
    for sample in draw(settings, 8):
        height, width = sample.image.shape[:2]
        assert sample.things
        boxed = np.zeros((height, width), bool)
        for x1, y1, x2, y2 in np.array(sample.things):
            assert 0 <= x1 < x2 <= width
            assert 0 <= y1 < y2 <= height
            boxed[max(int(y1) - 8, 0) : int(y2) + 8, max(int(x1) - 8, 0) : int(x2) + 8] = True
        ink = np.abs(sample.image - np.median(sample.image, axis=(0, 1))).max(2) > 60
        assert ink[boxed].sum() >= 0.98 * ink.sum()
    beside = msgspec.structs.replace(CALM, clutter=1.0)
    assert all(not sample.things for sample in draw(beside, 4) if sample.figures)


def test_thing_that_fills_an_empty_page_leaves_ink_on_much_of_it() -> None:
    def share(filling: float) -> float:
        settings = msgspec.structs.replace(
            CALM,
            empty=1.0,
            filling=filling,
            things={ThingKind.HOUSES: 1.0},
            papers={PaperKind.WHITE: 1.0},
            jpeg=0,
        )
        pages = [s for s in draw(settings, 60) if len(set(CLUTTER_NAMES) & set(s.tags)) == 1]
        inked = [np.abs(p.image - np.median(p.image, axis=(0, 1))).max(2) > 60 for p in pages]
        return float(np.median([np.ptp(np.nonzero(page)[1]) for page in inked if page.any()]))

    assert share(1.0) > 1.1 * share(0.0)


def test_crowded_figures_stand_close_and_hide_each_other() -> None:
    def gap(crowd: float) -> float:
        settings = msgspec.structs.replace(CALM, several=1.0, crowd=crowd)
        samples = [s for s in draw(settings, 12) if len(s.figures) > 1]
        centres = [sorted((f.box[0] + f.box[2]) / 2 for f in s.figures) for s in samples]
        return float(np.mean([np.diff(c).min() / 192 for c in centres]))

    assert gap(1.0) < gap(0.0)
    tags = [s.tags for s in draw(msgspec.structs.replace(CALM, several=1.0, crowd=1.0), 4)]
    assert all("crowd" in t for t in tags)


def test_cut_figures_touch_the_edge_of_the_picture() -> None:
    settings = msgspec.structs.replace(
        CALM, cropped=1.0, cut=1.0, figures={FigureKind.FILLED: 1.0}, papers={PaperKind.WHITE: 1.0}
    )
    touching = []
    for sample in draw(settings, 16):
        height, width = sample.image.shape[:2]
        for figure in sample.figures:
            x1, y1, x2, y2 = figure.box
            touching.append(bool(x1 == 0 or y1 == 0 or x2 == width or y2 == height))
    assert len(touching) >= 12
    assert np.mean(touching) > 0.7


def test_lying_figure_lies_and_says_nothing_of_the_page() -> None:
    settings = msgspec.structs.replace(only(FigureKind.STICK), lying=1.0)
    for figure in figures(settings):
        spine = figure.keypoints[PLACE["nose"], :2] - figure.keypoints[PLACE["right_hip"], :2]
        assert abs(spine[0]) > abs(spine[1])
        assert figure.turn is None


def test_figure_knows_how_far_its_page_is_turned() -> None:
    settings = msgspec.structs.replace(only(FigureKind.STICK), turned=1.0)
    for sample in draw(settings):
        (tag,) = (tag for tag in sample.tags if tag.startswith("turned-"))
        assert sample.figures[0].turn == int(tag.removeprefix("turned-")) // 90
    assert all(figure.turn == 0 for figure in figures(only(FigureKind.STICK)))


def test_legs_of_a_quadruped_stand_under_its_body() -> None:
    for figure in figures(only(FigureKind.QUADRUPED)):
        joints = figure.keypoints
        for top, end in (("shoulder", "wrist"), ("hip", "ankle")):
            assert joints[PLACE[f"left_{top}"], 1] < joints[PLACE[f"left_{end}"], 1]
        hands, feet = joints[[PLACE["left_wrist"], PLACE["right_wrist"]]], joints[[15, 16]]
        assert abs(hands[:, 0].mean() - feet[:, 0].mean()) > 0.2 * np.ptp(figure.box[[0, 2]])


def test_room_between_a_raised_arm_and_the_head_is_not_the_figure() -> None:
    look = msgspec.structs.replace(
        CALM_LOOK, special=1, poses={SpecialPose.BESIDE_HEAD: 1.0}, hair=0, headgear=0
    )
    settings = msgspec.structs.replace(only(FigureKind.STICK), look=look)
    outside = []
    for figure in figures(settings, 20):
        for side in ("right", "left"):
            ear = figure.keypoints[PLACE[f"{side}_ear"]]
            elbow = figure.keypoints[PLACE[f"{side}_elbow"]]
            wrist = figure.keypoints[PLACE[f"{side}_wrist"]]
            if min(ear[2], elbow[2], wrist[2]) and wrist[1] < ear[1] < elbow[1]:
                between = np.linspace(ear[:2], (elbow[:2] + wrist[:2]) / 2, 12)[2:-2].astype(int)
                outside.append(not figure.mask[between[:, 1], between[:, 0]].all())
    assert len(outside) > 15
    assert np.mean(outside) > 0.7


def test_even_light_leaves_the_paper_even() -> None:
    def unevenness(settings: SynthesisSettings) -> float:
        pictures = [sample.image.mean(2) for sample in draw(settings, 6)]
        corners = [[p[:20, :20], p[:20, -20:], p[-20:, :20], p[-20:, -20:]] for p in pictures]
        return float(np.mean([np.ptp([np.median(c) for c in four]) for four in corners]))

    page = msgspec.structs.replace(
        CALM, empty=1.0, papers={PaperKind.PLAIN: 1.0}, shadow=0, show_through=0
    )
    even = unevenness(msgspec.structs.replace(page, light=(0.0, 0.0)))
    assert unevenness(msgspec.structs.replace(page, light=(80.0, 80.0))) > even + 10


@pytest.mark.parametrize("paper", list(PaperKind))
def test_only_the_papers_with_weight_appear(paper: PaperKind) -> None:
    settings = msgspec.structs.replace(CALM, papers={paper: 1.0})
    assert all(sample.tags[0] == paper for sample in draw(settings, 4))


@pytest.mark.parametrize("pen", [kind for kind in PenKind if kind is not PenKind.DIGITAL])
def test_only_the_pens_with_weight_appear(pen: PenKind) -> None:
    settings = msgspec.structs.replace(CALM, papers={PaperKind.PLAIN: 1.0}, pens={pen: 1.0})
    assert all(pen in sample.tags for sample in draw(settings, 4))


def test_a_white_ground_stays_white_around_the_figure() -> None:
    settings = msgspec.structs.replace(
        only(FigureKind.STICK), papers={PaperKind.WHITE: 1.0}, clutter=0, jpeg=0
    )
    for sample in draw(settings, 6):
        outside = sample.image[~sample.figures[0].mask]
        assert (np.ptp(outside, axis=0) < 256).all()
        assert np.median(outside) >= 215


def test_ink_lies_under_the_mask_of_a_digital_stick_figure() -> None:
    settings = msgspec.structs.replace(
        only(FigureKind.STICK),
        papers={PaperKind.WHITE: 1.0},
        pens={PenKind.DIGITAL: 1.0},
        clutter=0,
        jpeg=0,
    )
    for sample in draw(settings, 8):
        ground = np.median(sample.image.reshape(-1, 3), axis=0)
        ink = np.abs(sample.image - ground).max(axis=2) > 90
        assert ink.sum() > 50
        assert sample.figures[0].mask[ink].mean() > 0.93


@pytest.mark.parametrize(
    "look",
    [
        FigureLook(hands={HandKind.CLAW: 1.0}),
        FigureLook(feet={FootKind.SHOE: 1.0}),
        FigureLook(heads={HeadShape.BOX: 1.0}),
    ],
    ids=["hands", "feet", "heads"],
)
def test_a_look_of_one_kind_of_part_still_draws_every_plan(look: FigureLook) -> None:
    settings = msgspec.structs.replace(CALM, look=look)
    assert len(figures(settings, 8)) == 8


def test_stretch_changes_the_shape_of_the_same_figure() -> None:
    def width_over_height(stretch: float) -> float:
        settings = msgspec.structs.replace(only(FigureKind.STICK), stretch=stretch)
        boxes = [figure.box for figure in figures(settings, 8)]
        shapes = [(x2 - x1) / (y2 - y1) for x1, y1, x2, y2 in boxes]
        return float(np.ptp(np.log(shapes)))

    assert width_over_height(3.0) > width_over_height(0.0)
