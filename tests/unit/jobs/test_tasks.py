import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from redis import Redis
from rq.timeouts import JobTimeoutException

from animator.core.animation import Animation, AnimationFormat
from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.documents import (
    AnimationDocument,
    AnimationRequest,
    DrawingDocument,
    MotionDocument,
    Part,
)
from animator.core.drawing import Drawing
from animator.core.errors import EncodingFailed, ModelUnavailable, NotFound
from animator.core.geometry import Box
from animator.core.job import JobEvent
from animator.core.mask import RunLengths
from animator.core.rigging import lay_out
from animator.core.scene import Background
from animator.ingest import decode_image
from animator.jobs import tasks
from animator.jobs.progress import JobEvents
from animator.motion import load_motion, write_bvh
from animator.store import FileBlobs, FileDocuments
from tests.support_redis import PrivateRedis
from tests.support_serve import draw_doll

DRAWING = DrawingDocument(id="d1", name="doll.png", upload="d1.upload", job="j", created=1.0)
ANIMATION = AnimationDocument(
    id="a1", drawing="d1", request=AnimationRequest(), job="j", created=2.0
)
FOUND = Annotation(width=300, height=400, figures=())
Progress = Callable[[str, float], None]


class Shop:
    """The stores and the news that the tasks use, as a test sees them."""

    def __init__(self, folder: Path, client: Redis) -> None:
        self.documents = FileDocuments(folder / "documents")
        self.blobs = FileBlobs(folder / "blobs")
        self.events = JobEvents(client)
        self.scratch = folder / "scratch"
        self.blobs.put("d1.upload", draw_doll())
        self.documents.put("d1", DRAWING)
        self.events.tell(JobEvent(job="j", state="queued", step="waiting", progress=0.0))

    def files(self) -> set[str]:
        return {path.name for path in (self.scratch.parent / "blobs").iterdir()}


@pytest.fixture
def shop(
    tmp_path: Path, client: Redis, server: PrivateRedis, monkeypatch: pytest.MonkeyPatch
) -> Shop:
    monkeypatch.setenv("ANIMATOR_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("ANIMATOR_REDIS_URL", server.url)
    tasks.open_workshop.cache_clear()
    return Shop(tmp_path, client)


def write_gif(
    _stage: object, targets: dict[AnimationFormat, Path], progress: Progress, *_wishes: Any
) -> tuple[Animation, ...]:
    progress("drawing", 0.5)
    targets[AnimationFormat.GIF].write_bytes(b"GIF")
    file = Animation(
        blob="animation.gif",
        format=AnimationFormat.GIF,
        width=64,
        height=64,
        fps=30.0,
        frame_count=2,
    )
    return (file,)


def stage_nothing(*_arguments: Any) -> object:
    return object()


def find_none(_drawing: Drawing, _predictor: Any, progress: Progress, show: Any) -> Annotation:
    progress("detecting", 0.4)
    show(FOUND)
    return FOUND


def refuse(*_arguments: Any) -> Any:
    msg = "must not be called"
    raise ZeroDivisionError(msg)


def test_upload_becomes_a_picture_and_an_annotation(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "annotate", find_none)
    tasks.annotate_drawing("j", "d1")
    drawing = shop.documents.get(DrawingDocument, "d1")
    assert (drawing.picture, drawing.width, drawing.height) == ("d1.jpg", 300, 400)
    assert shop.blobs.get("d1.jpg").startswith(b"\xff\xd8")
    assert shop.documents.get(Annotation, "d1") == FOUND
    assert shop.events.last("j") == JobEvent(job="j", state="done", step="done", progress=1.0)


def test_sideways_upload_becomes_an_upright_picture(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = msgspec.structs.replace(FOUND, width=400, height=300, rotation=90)
    monkeypatch.setattr(tasks, "annotate", lambda *_: found)
    tasks.annotate_drawing("j", "d1")
    drawing = shop.documents.get(DrawingDocument, "d1")
    assert (drawing.width, drawing.height) == (400, 300)
    picture = decode_image(shop.blobs.get("d1.jpg")).image
    # the doll's orange head is at the top of the upload, hence on the right when turned clockwise
    red, _, blue = (picture[150, 400 - 75].astype(int)).tolist()
    assert red - blue > 150


def test_second_attempt_does_not_overwrite_what_the_first_finished(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.documents.put("d1", FOUND)
    shop.documents.put("d1", msgspec.structs.replace(FOUND, revision=1))
    monkeypatch.setattr(tasks, "annotate", refuse)
    tasks.annotate_drawing("j", "d1")
    assert shop.documents.get(Annotation, "d1").revision == 1
    assert shop.events.last("j").state == "done"


def test_attempt_that_another_overtook_leaves_what_that_found(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its worker was cut off, and taken for dead; it comes back when the other is done."""

    def slowly(*_: Any) -> Annotation:
        shop.documents.put("d1", FOUND)
        return FOUND

    monkeypatch.setattr(tasks, "annotate", slowly)
    tasks.annotate_drawing("j", "d1")
    assert shop.documents.get(Annotation, "d1") == FOUND
    assert shop.events.last("j").state == "done"


def test_bad_upload_fails_at_once_with_its_code(shop: Shop) -> None:
    shop.blobs.put("d1.upload", b"no picture")
    tasks.annotate_drawing("j", "d1")
    last = shop.events.last("j")
    assert (last.state, last.problem and last.problem.code) == ("failed", "unsupported_image")


def test_deleted_drawing_leaves_no_picture_behind(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def delete_meanwhile(drawing: Drawing) -> bytes:
        shop.documents.delete(DrawingDocument, "d1")
        return b"JPEG"

    monkeypatch.setattr(tasks, "annotate", find_none)
    monkeypatch.setattr(tasks, "encode_picture", delete_meanwhile)
    tasks.annotate_drawing("j", "d1")
    assert shop.files() == {"d1.upload"}
    with pytest.raises(NotFound):
        shop.documents.get(DrawingDocument, "d1")
    problem = shop.events.last("j").problem
    assert problem is not None
    assert problem.code == "not_found"


def test_animation_is_stored_under_its_own_name(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.documents.put("d1", FOUND)
    shop.documents.put("a1", ANIMATION)
    monkeypatch.setattr(tasks, "stage_figures", stage_nothing)
    monkeypatch.setattr(tasks, "film", write_gif)
    tasks.animate_drawing("j", "a1")
    (file,) = shop.documents.get(AnimationDocument, "a1").files
    assert (file.blob, shop.blobs.get(file.blob)) == ("a1.gif", b"GIF")
    assert shop.events.last("j").state == "done"
    assert list(shop.scratch.iterdir()) == []


@pytest.mark.parametrize("kind", ["picture", "paper"])
def test_background_is_handed_on_when_it_is_to_be_a_picture(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    background = msgspec.convert({"kind": kind}, Background)
    request = AnimationRequest(background=background)
    shop.documents.put("d1", FOUND)
    shop.documents.put("a1", msgspec.structs.replace(ANIMATION, request=request))
    shop.blobs.put("d1.background", draw_doll())
    given: list[Any] = []
    monkeypatch.setattr(
        tasks, "stage_figures", lambda *arguments: given.append(arguments[4].picture)
    )
    monkeypatch.setattr(tasks, "film", write_gif)
    tasks.animate_drawing("j", "a1")
    (picture,) = given
    assert (picture is not None) == (kind == "picture")
    assert picture is None or picture.image.shape == (400, 300, 3)


def test_animation_of_a_drawing_deleted_meanwhile_leaves_no_file(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.documents.put("d1", FOUND)
    shop.documents.put("a1", ANIMATION)

    def delete_meanwhile(*arguments: Any) -> tuple[Animation, ...]:
        shop.documents.delete(DrawingDocument, "d1")
        return write_gif(*arguments)

    monkeypatch.setattr(tasks, "stage_figures", stage_nothing)
    monkeypatch.setattr(tasks, "film", delete_meanwhile)
    tasks.animate_drawing("j", "a1")
    assert shop.files() == {"d1.upload"}
    assert shop.events.last("j").state == "failed"


def test_animation_that_is_deleted_while_it_is_made_is_given_up(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.documents.put("d1", FOUND)
    shop.documents.put("a1", ANIMATION)
    shares: list[float] = []

    def draw(_stage: object, _targets: object, progress: Progress, *_wishes: Any) -> Any:
        for share in (0.3, 0.5, 0.7, 0.9):
            progress("drawing", share)
            shares.append(share)
            if share == 0.5:
                shop.documents.delete(AnimationDocument, "a1")

    monkeypatch.setattr(tasks, "_LOOK_AGAIN", 0.0)
    monkeypatch.setattr(tasks, "stage_figures", stage_nothing)
    monkeypatch.setattr(tasks, "film", draw)
    tasks.animate_drawing("j", "a1")
    assert shares == [0.3, 0.5]
    assert shop.documents.animations_of("d1") == ()
    last = shop.events.last("j")
    assert (last.state, last.problem and last.problem.code) == ("failed", "not_found")


def test_animation_that_is_deleted_at_the_very_end_does_not_come_back(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.documents.put("d1", FOUND)
    shop.documents.put("a1", ANIMATION)

    def delete_after(*arguments: Any) -> tuple[Animation, ...]:
        files = write_gif(*arguments)
        shop.documents.delete(AnimationDocument, "a1")
        return files

    monkeypatch.setattr(tasks, "stage_figures", stage_nothing)
    monkeypatch.setattr(tasks, "film", delete_after)
    tasks.animate_drawing("j", "a1")
    assert shop.documents.animations_of("d1") == ()
    assert shop.files() == {"d1.upload"}


def test_attempt_begins_in_an_empty_folder(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.documents.put("d1", FOUND)
    shop.documents.put("a1", ANIMATION)
    (shop.scratch / "j").mkdir(parents=True)
    (shop.scratch / "j" / "animation.gif").write_bytes(b"half a GIF of a killed attempt")
    seen: list[Path] = []

    def look(*arguments: Any) -> tuple[Animation, ...]:
        seen.extend(arguments[1][AnimationFormat.GIF].parent.iterdir())
        return write_gif(*arguments)

    monkeypatch.setattr(tasks, "stage_figures", stage_nothing)
    monkeypatch.setattr(tasks, "film", look)
    tasks.animate_drawing("j", "a1")
    assert seen == []


DRAWN = Annotation(
    width=300,
    height=400,
    figures=(FigureAnnotation(id="f", box=Box(50, 20, 250, 380)),),
    revision=1,
    job="j",
)


def fill(
    _drawing: Drawing, annotation: Annotation, _predictor: Any, progress: Progress
) -> dict[str, FigureAnnotation]:
    progress("outlining", 0.4)
    (figure,) = annotation.figures
    mask = RunLengths(size=(360, 200), counts="0PZV2")
    skeleton = lay_out("biped", (0.0, 0.0, 200.0, 360.0))
    return {"f": msgspec.structs.replace(figure, mask=mask, skeleton=skeleton)}


def test_what_a_figure_lacks_is_found_once(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.documents.put("d1", DRAWN)
    monkeypatch.setattr(tasks, "complete", fill)
    tasks.complete_figures("j", "d1")
    after = shop.documents.get(Annotation, "d1")
    assert (after.revision, after.job, after.is_pending) == (2, None, False)
    assert shop.events.last("j").state == "done"
    monkeypatch.setattr(tasks, "complete", refuse)
    tasks.complete_figures("j", "d1")
    # and when its worker died after it was stored, before that was told
    shop.events.tell(JobEvent(job="j", state="running", step="outlining", progress=0.4))
    tasks.complete_figures("j", "d1")
    assert shop.documents.get(Annotation, "d1") == after
    assert shop.events.last("j").state == "done"


def test_figure_stays_as_it_is_when_the_models_are_away(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: Any) -> Any:
        msg = "Away."
        raise ModelUnavailable(msg)

    shop.documents.put("d1", DRAWN)
    monkeypatch.setattr(tasks, "complete", fail)
    tasks.complete_figures("j", "d1")
    assert shop.documents.get(Annotation, "d1") == DRAWN
    problem = shop.events.last("j").problem
    assert problem is not None
    assert problem.code == "model_unavailable"


def test_animation_tells_the_revision_that_it_was_made_of(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.documents.put("d1", msgspec.structs.replace(FOUND, revision=7))
    shop.documents.put("a1", msgspec.structs.replace(ANIMATION, revision=6))
    monkeypatch.setattr(tasks, "stage_figures", stage_nothing)
    monkeypatch.setattr(tasks, "film", write_gif)
    tasks.animate_drawing("j", "a1")
    assert shop.documents.get(AnimationDocument, "a1").revision == 7


def test_job_that_is_over_is_not_done_again(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.documents.put("d1", FOUND)
    shop.documents.put("a1", ANIMATION)
    shop.events.tell(JobEvent(job="j", state="done", step="done", progress=1.0))
    monkeypatch.setattr(tasks, "stage_figures", refuse)
    tasks.animate_drawing("j", "a1")
    assert shop.events.last("j").state == "done"


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (EncodingFailed("No room."), "encoding_failed", "No room."),
        (JobTimeoutException("60 s"), "job_failed", "This took too long, so it was given up."),
    ],
    ids=["known error", "too long"],
)
def test_error_that_can_be_told_ends_the_job(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, error: Exception, code: str, text: str
) -> None:
    def fail(*_arguments: Any) -> Any:
        raise error

    monkeypatch.setattr(tasks, "annotate", fail)
    tasks.annotate_drawing("j", "d1")
    problem = shop.events.last("j").problem
    assert problem is not None
    assert (problem.code, problem.message) == (code, text)


def test_unexpected_error_is_left_to_the_worker(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "annotate", refuse)
    with pytest.raises(ZeroDivisionError):
        tasks.annotate_drawing("j", "d1")
    assert shop.events.last("j").state == "running"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.ENOMEM])
def test_file_for_which_this_machine_has_no_room_now_is_tried_again(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fail(*_arguments: Any) -> Any:
        msg = "The animation could not be written."
        raise EncodingFailed(msg) from OSError(number, os.strerror(number))

    shop.documents.put("d1", FOUND)
    shop.documents.put("a1", ANIMATION)
    monkeypatch.setattr(tasks, "stage_figures", stage_nothing)
    monkeypatch.setattr(tasks, "film", fail)
    with pytest.raises(EncodingFailed):
        tasks.animate_drawing("j", "a1")
    assert shop.events.last("j").state == "running"


TURNS = "CHANNELS 3 Xrotation Yrotation Zrotation"
END = "End Site\n{\nOFFSET 0 1 0\n}"
TAIL = f"""HIERARCHY
ROOT tail
{{
OFFSET 0 0 0
{TURNS}
JOINT tip
{{
OFFSET 0 1 0
{TURNS}
{END}
}}
}}
MOTION
Frames: 2
Frame Time: 0.1
0 0 0 0 0 0
0 0 0 0 0 0
""".encode()
"""A motion of something without arms and legs."""


def put_motion(shop: Shop, data: bytes) -> None:
    shop.blobs.put("m1.bvh", data)
    document = MotionDocument(id="m1", owner="o", title="Hop", job="j", created=1.0)
    shop.documents.put("m1", document)


def test_motion_file_is_read_and_can_then_be_animated(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_motion(shop, write_bvh(load_motion("hop")[0]).encode())
    tasks.read_motion("j", "m1")
    assert shop.events.last("j").state == "done"
    (motion,) = shop.documents.motions_of("o")
    assert motion.info is not None
    assert (motion.info.name, motion.info.title, motion.info.tags) == ("own-m1", "Hop", ("own",))
    assert motion.info.duration == pytest.approx(len(load_motion("hop")[0].root) / 30)

    request = AnimationRequest(figures={"f": Part(motion="own-m1")})
    shop.documents.put("d1", FOUND)
    shop.documents.put("a1", msgspec.structs.replace(ANIMATION, request=request))
    shop.events.tell(JobEvent(job="k", state="queued", step="waiting", progress=0.0))
    given: list[Any] = []
    monkeypatch.setattr(tasks, "stage_figures", lambda *arguments: given.append(arguments[4]))
    monkeypatch.setattr(tasks, "film", write_gif)
    tasks.animate_drawing("k", "a1")
    assert [*given[0].motions] == ["own-m1"]


@pytest.mark.parametrize(
    ("data", "code", "words", "about"),
    [
        (b"HIERARCHY\nROOT hips\n{\nOFFSET 0 zero 0", "invalid_motion", "line 4", ()),
        (b"\x00\xff", "invalid_motion", "", ()),
        (TAIL, "unmapped_motion", "left_hand", ("left_hand", "right_foot")),
    ],
    ids=["broken in line 4", "no motion", "no left hand"],
)
def test_what_is_wrong_with_a_motion_file_is_told(
    shop: Shop, data: bytes, code: str, words: str, about: tuple[str, ...]
) -> None:
    put_motion(shop, data)
    tasks.read_motion("j", "m1")
    event = shop.events.last("j")
    assert (event.state, event.problem and event.problem.code) == ("failed", code)
    assert event.problem is not None
    assert words in event.problem.message
    assert set(about) <= set(event.problem.about)
    (motion,) = shop.documents.motions_of("o")
    assert motion.info is None


def test_motion_that_was_deleted_meanwhile_does_not_come_back(shop: Shop) -> None:
    put_motion(shop, write_bvh(load_motion("hop")[0]).encode())
    (motion,) = shop.documents.motions_of("o")
    shop.documents.delete(MotionDocument, "m1")
    assert motion.info is None
    tasks.read_motion("j", "m1")
    assert shop.events.last("j").state == "failed"
    assert shop.documents.motions_of("o") == ()
