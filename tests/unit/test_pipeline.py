"""The whole walk, with a predictor that needs no models."""

from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest
from PIL import Image, ImageSequence

from animator.core.animation import AnimationFormat
from animator.core.annotation import Annotation
from animator.core.documents import AnimationRequest
from animator.core.drawing import Drawing
from animator.core.errors import InvalidImage, NoFigureFound, UnknownMotion
from animator.core.job import STEPS, Step
from animator.core.scene import Background, BackgroundKind
from animator.pipeline import animate, annotate, stage_figures
from tests.support_bad_images import black_page, blank_page
from tests.support_drawings import HEAD, stick_figure
from tests.support_predictor import DarkPredictor, RedHeadPredictor


class Listener:
    """Remembers the progress it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[Step, float]] = []

    def __call__(self, step: Step, share: float) -> None:
        self.told.append((step, share))

    @property
    def steps(self) -> list[Step]:
        """Each step once, in the order in which it was told first."""
        return list(dict.fromkeys(step for step, _ in self.told))


@pytest.fixture(scope="module")
def drawing() -> Drawing:
    return Drawing(id="stick", image=stick_figure())


@pytest.fixture(scope="module")
def annotation(drawing: Drawing) -> Annotation:
    return annotate(drawing, DarkPredictor(), Listener())


def request_for(motion: str) -> AnimationRequest:
    return AnimationRequest(
        motion=motion,
        side=96,
        background=Background(kind="transparent"),
        formats=(AnimationFormat.GIF,),
    )


def test_figure_is_annotated_in_full(annotation: Annotation) -> None:
    (figure,) = annotation.figures
    assert (annotation.width, annotation.height) == (200, 300)
    assert figure.mask is not None
    assert figure.skeleton is not None
    assert figure.mask.size == (figure.box.height, figure.box.width)


def test_annotation_survives_the_wire(annotation: Annotation) -> None:
    data = msgspec.json.encode(annotation)
    assert msgspec.json.decode(data, type=Annotation) == annotation


@pytest.mark.parametrize("page", [blank_page(), black_page()], ids=["blank", "black"])
def test_page_without_figure_gives_an_empty_annotation(page: np.ndarray) -> None:
    assert annotate(Drawing(id="p", image=page), DarkPredictor(), Listener()).figures == ()


def test_steps_are_told_in_order_and_never_fall(drawing: Drawing) -> None:
    listener = Listener()
    annotate(drawing, DarkPredictor(), listener)
    assert listener.steps == ["detecting", "outlining"]
    shares = [share for _, share in listener.told]
    assert shares == sorted(shares)
    assert 0.0 <= shares[0] <= shares[-1] <= 1.0


def test_what_is_found_is_shown_before_all_is_known(drawing: Drawing) -> None:
    shown: list[Annotation] = []
    annotation = annotate(drawing, DarkPredictor(), Listener(), shown.append)
    first, (figure,) = shown[0], shown[0].figures
    assert (first.width, first.height) == (annotation.width, annotation.height)
    assert (figure.mask, figure.skeleton) == (None, None)
    found = annotation.figures[0].box
    assert figure.box.x1 < found.x2
    assert found.x1 < figure.box.x2


def test_figure_moves_inside_the_picture(
    drawing: Drawing, annotation: Annotation, tmp_path: Path
) -> None:
    listener = Listener()
    (animation,) = animate(drawing, annotation, request_for("wave"), tmp_path, listener)
    with Image.open(tmp_path / animation.blob) as film:
        assert film.size == (animation.width, animation.height)
        frames = [np.array(f.convert("RGBA"))[:, :, 3] > 0 for f in ImageSequence.Iterator(film)]
    assert len(frames) == animation.frame_count > 10
    assert any((frame != frames[0]).sum() > 20 for frame in frames)
    for frame in frames:
        assert 50 < frame.sum() < 0.9 * frame.size
        assert not (frame[0].any() or frame[-1].any() or frame[:, 0].any() or frame[:, -1].any())
    assert listener.steps == ["rigging", "moving", "drawing"]
    assert all(step in STEPS for step in listener.steps)


def test_each_format_is_written_beside_the_other(
    drawing: Drawing, annotation: Annotation, tmp_path: Path
) -> None:
    both = msgspec.structs.replace(
        request_for("jump"),
        background=Background(),
        formats=(AnimationFormat.GIF, AnimationFormat.MP4),
    )
    animations = animate(drawing, annotation, both, tmp_path, Listener())
    assert [animation.blob for animation in animations] == ["animation.gif", "animation.mp4"]
    assert all((tmp_path / animation.blob).stat().st_size > 1000 for animation in animations)


def test_every_kind_of_format_comes_in_the_order_asked_for(
    drawing: Drawing, annotation: Annotation, tmp_path: Path
) -> None:
    forms = (AnimationFormat.JOINTS, AnimationFormat.WEBP, AnimationFormat.PNG)
    asked = msgspec.structs.replace(request_for("wave"), formats=forms, still=5)
    animations = animate(drawing, annotation, asked, tmp_path, Listener())
    assert [animation.format for animation in animations] == list(forms)
    assert [animation.blob for animation in animations] == [
        "animation.joints.json",
        "animation.webp",
        "animation.png",
    ]
    joints, film, still = (animation.frame_count for animation in animations)
    assert joints == film > 10
    assert still == 1
    told = msgspec.json.decode((tmp_path / "animation.joints.json").read_bytes())
    (figure,) = told["figures"]
    assert len(figure["output"]) == film
    places = np.array(figure["output"])
    assert (places > 0).all() and (places < (told["width"], told["height"])).all()


def test_no_figure_to_move_is_an_error_with_advice(drawing: Drawing, tmp_path: Path) -> None:
    empty = Annotation(width=200, height=300, figures=())
    with pytest.raises(NoFigureFound, match="bright"):
        animate(drawing, empty, request_for("wave"), tmp_path, Listener())


def test_picture_that_was_not_handed_in_is_an_error(
    drawing: Drawing, annotation: Annotation, tmp_path: Path
) -> None:
    asked = msgspec.structs.replace(request_for("wave"), background=Background(kind="picture"))
    with pytest.raises(InvalidImage, match="none was handed in"):
        animate(drawing, annotation, asked, tmp_path, Listener())


def test_figure_yet_to_be_outlined_is_not_moved(
    drawing: Drawing, annotation: Annotation, tmp_path: Path
) -> None:
    bare = msgspec.structs.replace(annotation.figures[0], mask=None)
    pending = msgspec.structs.replace(annotation, figures=(bare,))
    with pytest.raises(NoFigureFound):
        animate(drawing, pending, request_for("wave"), tmp_path, Listener())


def test_unknown_motion_is_refused_before_any_work(
    drawing: Drawing, annotation: Annotation, tmp_path: Path
) -> None:
    listener = Listener()
    with pytest.raises(UnknownMotion):
        animate(drawing, annotation, request_for("levitate"), tmp_path, listener)
    assert listener.told == []


@pytest.mark.parametrize(
    ("kind", "level"),
    [("colour", 252), ("transparent", 252), ("paper", 225)],  # the light falls from 235 to 215
)
def test_paper_inside_a_figure_is_white_unless_it_stays_on_it(
    drawing: Drawing, annotation: Annotation, kind: BackgroundKind, level: int
) -> None:
    request = msgspec.structs.replace(request_for("wave"), background=Background(kind=kind))
    (moved,) = stage_figures(drawing, annotation, request, Listener()).moved
    texture = moved.rig.texture
    inside = texture[texture[..., 3] == 255][:, :3].astype(int)
    assert abs(np.median(inside[inside.min(axis=1) > 200]) - level) <= 2


def test_sideways_drawing_is_animated_upright(tmp_path: Path) -> None:
    image = stick_figure()
    cv2.circle(image, HEAD[0], 8, (200, 20, 20), -1)
    gifs = []
    for turns in range(2):
        drawing = Drawing(id="red", image=np.ascontiguousarray(np.rot90(image, turns)))
        annotation = annotate(drawing, RedHeadPredictor(), Listener())
        assert (annotation.width, annotation.height) == (200, 300)
        assert annotation.rotation == 90 * turns
        folder = tmp_path / str(turns)
        folder.mkdir()
        animate(drawing, annotation, request_for("wave"), folder, Listener())
        gifs.append((folder / "animation.gif").read_bytes())
    assert gifs[0] == gifs[1]
