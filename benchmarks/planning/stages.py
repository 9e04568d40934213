"""What each stage of a drawing's way costs, in processor seconds of one thread, in this process."""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from numpy.typing import NDArray

from animator.core.animation import AnimationFormat
from animator.core.annotation import Annotation
from animator.core.documents import AnimationRequest
from animator.core.drawing import Drawing
from animator.core.rotation import rotate_drawing
from animator.core.tracing import PRESENT, Attribute, Kind
from animator.ingest import decode_image, encode_picture
from animator.pipeline import annotate, film, say_nothing, stage_figures
from animator.render import draw_for
from animator.vision.detect import DETECTOR
from serving.local import LocalPredictor

__all__ = ("STAGES", "measure_drawing")

STAGES = (
    "decode",
    "model: detector",
    "model: pose and mask",
    "detect, turn",
    "outline",
    "segment",
    "picture",
    "rig",
    "retarget",
    "deform",
    "live track",
    "previews",
    "render",
    "encode MP4",
    "encode GIF",
)
"""In the order of the walk; each without the others that it contains."""

LIVE = (AnimationFormat.TRACK, AnimationFormat.BACKDROP)
"""What the page asks for first."""

_PARTS = {"detect": "detect, turn", "export": "other", "rehearse": "other", "encode": "other"}


class Book:
    """Processor seconds by stage, each without those of the stages inside it.

    Attributes:
        seconds: by stage.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._inside = [0.0]

    def begin(self) -> float:
        """Open a stage; its beginning."""
        self._inside.append(0.0)
        return time.process_time()

    def end(self, stage: str, begun: float) -> None:
        """Close the stage that was opened last."""
        spent = time.process_time() - begun
        self.seconds[stage] += spent - self._inside.pop()
        self._inside[-1] += spent


class BookedPart:
    """A part of the work as traces show it, booked by processor time.

    Args:
        book: where.
        name: of the part.
    """

    is_recording = True
    headers: Mapping[str, str] = {}

    def __init__(self, book: Book, name: str) -> None:
        self._book = book
        self._name = name
        self._begun = book.begin()

    def child(
        self, name: str, *, kind: Kind = "internal", begun: float | None = None
    ) -> "BookedPart":
        """A part of this part."""
        return BookedPart(self._book, name)

    def rename(self, name: str) -> None:
        """Names do not change here."""

    def note(self, attributes: Mapping[str, Attribute]) -> None:
        """Nothing else is booked."""

    def end(self, error: str = "", at: float | None = None) -> None:
        """Book it."""
        self._book.end(_PARTS.get(self._name, self._name), self._begun)


class BookedPredictor:
    """Asks the models, and books their time.

    Attributes:
        tensor_bytes: what went to the models and came back.
    """

    def __init__(self, predictor: LocalPredictor, book: Book) -> None:
        self._predictor = predictor
        self._book = book
        self.tensor_bytes = 0

    def infer(self, model: str, inputs: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
        """Run a model on one item."""
        begun = self._book.begin()
        answer = self._predictor.infer(model, inputs)
        name = "detector" if model == DETECTOR else "pose and mask"
        self._book.end(f"model: {name}", begun)
        self.tensor_bytes += sum(array.nbytes for array in (*inputs.values(), *answer.values()))
        return answer


def measure_drawing(
    file: Path, predictor: LocalPredictor, motion: str
) -> tuple[dict[str, float], int]:
    """Processor seconds of each stage for one drawing, and the bytes that went to the models.

    Raises:
        AnimatorError: when no animation comes of it.
    """
    book = Book()
    data = file.read_bytes()
    begun = book.begin()
    drawing = decode_image(data)
    book.end("decode", begun)
    token = PRESENT.set(BookedPart(book, "other"))
    try:
        models = BookedPredictor(predictor, book)
        found = annotate(drawing, models, say_nothing)
        begun = book.begin()
        encode_picture(rotate_drawing(drawing, found.rotation))
        book.end("picture", begun)
        _measure_animations(book, drawing, found, motion)
    finally:
        PRESENT.reset(token)
    seconds = {stage: book.seconds.get(stage, 0.0) for stage in STAGES}
    # A pose is asked for in the midst of outlining: what is not the model belongs to that.
    seconds["outline"] += book.seconds.get("pose", 0.0)
    return seconds, models.tensor_bytes


def _measure_animations(book: Book, drawing: Drawing, found: Annotation, motion: str) -> None:
    """Each kind by itself; only the first one's stage is booked step by step."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        request = AnimationRequest(motion=motion, formats=LIVE)
        stage = stage_figures(drawing, found, request, say_nothing)
        _book_film(book, "live track", lambda: film(stage, _targets(folder, LIVE), say_nothing))
        shows = AnimationRequest(formats=(AnimationFormat.PREVIEWS,))
        _book_film(
            book,
            "previews",
            lambda: film(
                stage_figures(drawing, found, shows, say_nothing),
                _targets(folder, shows.formats),
                say_nothing,
            ),
        )
        request = AnimationRequest(motion=motion)
        token = PRESENT.set(None)
        stage = stage_figures(drawing, found, request, say_nothing)
        begun = book.begin()
        for _ in draw_for(stage, [AnimationFormat.MP4]):
            pass
        book.end("render", begun)
        drawn = book.seconds["render"]
        for form in (AnimationFormat.MP4, AnimationFormat.GIF):
            begun = book.begin()
            film(stage, _targets(folder, (form,)), say_nothing)
            stage_name = f"encode {form.name}"
            book.end(stage_name, begun)
            book.seconds[stage_name] = max(book.seconds[stage_name] - drawn, 0.0)
        PRESENT.reset(token)


def _book_film(book: Book, stage: str, make: Callable[[], object]) -> None:
    """Book all that is made, whatever parts it has."""
    token = PRESENT.set(None)
    begun = book.begin()
    make()
    book.end(stage, begun)
    PRESENT.reset(token)


def _targets(folder: Path, formats: tuple[AnimationFormat, ...]) -> dict[AnimationFormat, Path]:
    return {form: folder / f"animation.{form.name}" for form in formats}
