"""The tasks, run by job workers, by dotted name.

Read and annotate a drawing; find what its figures lack; make an animation; read a motion file. And
chores that nobody asks for: forget what is over, hand in again what the queue lost.

Each may be done twice, for a job is begun again when its worker died: what was finished before is
not done anew, and writing replaces.
"""

import functools
import logging
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
from rq.timeouts import JobTimeoutException

from animator.core.animation import Animation
from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.documents import (
    AcceptedJob,
    AnimationDocument,
    DrawingDocument,
    MotionDocument,
    background_blob,
)
from animator.core.drawing import Drawing
from animator.core.errors import (
    AnimatorError,
    Conflict,
    EncodingFailed,
    JobFailed,
    NotFound,
    StorageUnavailable,
)
from animator.core.job import JobProblem, Step, problem_from_error
from animator.core.rotation import rotate_drawing
from animator.core.tracing import note, outgoing, part
from animator.directing import Props
from animator.ingest import encode_picture
from animator.jobs.accounts import Accounts
from animator.jobs.completing import complete_annotation
from animator.jobs.connection import connect
from animator.jobs.motions import inspect_motion, read_motions
from animator.jobs.predictor import PatientPredictor
from animator.jobs.progress import JobEvents, JobProgress
from animator.jobs.queue import JobQueue
from animator.jobs.reading import read_upload
from animator.jobs.recall import Recall
from animator.jobs.sweeper import Sweeper
from animator.pipeline import Progress, annotate, complete, film, stage_figures
from animator.settings import load_settings
from animator.store import JOB, BlobStore, Document, DocumentStore, open_stores
from serving.client import Client

__all__ = (
    "animate_drawing",
    "annotate_drawing",
    "complete_figures",
    "open_workshop",
    "read_motion",
    "recall",
    "sweep",
)

logger = logging.getLogger(__name__)

_REDIS_PATIENCE = 20.0
_MODEL_PATIENCE = 20.0
_COUNTING_PATIENCE = 1.0
_LOOK_AGAIN = 0.5
"""Seconds between two looks whether what is made is still wanted."""

_TOO_LONG = JobProblem(code=JobFailed.code, message="This took too long, so it was given up.")


@dataclass(frozen=True, slots=True, eq=False)
class Workshop:
    """What the tasks work with."""

    documents: DocumentStore
    blobs: BlobStore
    events: JobEvents
    predictor: PatientPredictor
    accounts: Accounts
    scratch: Path


def annotate_drawing(job: str, drawing_id: str) -> None:
    """Read an upload, find the figures in it, and store it upright, as browsers can show it."""
    shop = open_workshop()
    with _attend(shop, job) as progress:
        if progress.is_over or _is_annotated(shop, drawing_id):
            return
        progress("reading", 0.0)
        document = shop.documents.get(DrawingDocument, drawing_id)
        with part("read"):
            drawing = read_upload(shop.blobs, document.upload)
        annotation = annotate(drawing, shop.predictor, progress, progress.show)
        with part("store"):
            _store_picture(shop, document, rotate_drawing(drawing, annotation.rotation))
            # An attempt that was thought dead, and people since then, may have been faster.
            with suppress(Conflict):
                shop.documents.put(drawing_id, annotation)


def complete_figures(job: str, drawing_id: str) -> None:
    """Find the mask or skeleton of each figure that has none, as people left it."""
    shop = open_workshop()
    with _attend(shop, job) as progress:
        if progress.is_over:
            return
        progress("reading", 0.0)
        upload = shop.documents.get(DrawingDocument, drawing_id).upload
        with part("read"):
            drawing = read_upload(shop.blobs, upload)

        def find(annotation: Annotation) -> dict[str, FigureAnnotation]:
            return complete(drawing, annotation, shop.predictor, progress)

        complete_annotation(shop.documents, drawing_id, find)


def animate_drawing(job: str, animation_id: str) -> None:
    """Make the animation that a document asks for, in each of its formats."""
    shop = open_workshop()
    with _attend(shop, job) as progress:
        if progress.is_over:
            return
        progress("reading", 0.0)
        document = shop.documents.get(AnimationDocument, animation_id)
        annotation = shop.documents.get(Annotation, document.drawing)
        upload = shop.documents.get(DrawingDocument, document.drawing).upload
        with part("read"):
            drawing = read_upload(shop.blobs, upload)
        request = document.request
        tell = _while_wanted(shop, animation_id, progress)
        stage = stage_figures(drawing, annotation, request, tell, _props(shop, document))
        with _scratch_folder(shop.scratch / job) as folder:
            targets = {form: folder / f"animation.{form.suffix}" for form in request.formats}
            files = film(stage, targets, tell, request.finish)
            made = msgspec.structs.replace(document, revision=annotation.revision)
            with part("store"):
                _store_files(shop, made, files, folder)


def read_motion(job: str, motion_id: str) -> None:
    """Read a motion file, find out which joint is which, and tell the gallery of it."""
    shop = open_workshop()
    with _attend(shop, job) as progress:
        if progress.is_over:
            return
        progress("reading", 0.0)
        motion = shop.documents.get(MotionDocument, motion_id)
        with part("read"):
            info = inspect_motion(shop.blobs, motion)
        shop.documents.put(motion_id, msgspec.structs.replace(motion, info=info))


def sweep() -> None:
    """Forget what is over, and files that belong to nothing."""
    shop = open_workshop()
    client = connect(load_settings().redis, patience=_REDIS_PATIENCE)
    Sweeper(client, shop.documents, shop.blobs).sweep()


def recall() -> None:
    """Hand in again what was accepted and lost."""
    settings = load_settings()
    shop = open_workshop()
    client = connect(settings.redis, patience=_REDIS_PATIENCE)
    queue = JobQueue(client, settings.job_timeout, settings.job_pauses, shop.documents)
    Recall(client, shop.documents, queue).walk()


@functools.cache
def open_workshop() -> Workshop:
    """Opened once; a worker does so before its first job. Connections are made when they are used.

    Thus each job, which runs in a fork, has its own.
    """
    settings = load_settings()
    stores = open_stores(settings.storage, JOB)
    stores.get_ready()
    return Workshop(
        documents=stores.documents,
        blobs=stores.blobs,
        events=JobEvents(connect(settings.redis, patience=_REDIS_PATIENCE)),
        predictor=PatientPredictor(
            Client(settings.model_server, headers=outgoing), patience=_MODEL_PATIENCE
        ),
        accounts=Accounts(connect(settings.redis, patience=_COUNTING_PATIENCE)),
        scratch=settings.scratch_dir,
    )


@contextmanager
def _attend(shop: Workshop, job: str) -> Iterator[JobProgress]:
    """Tell how the job ends; what the user can be told of ends it, the rest is tried again."""
    progress = JobProgress(shop.events, shop.events.last(job))
    was_over = progress.is_over
    try:
        yield progress
    except AnimatorError as error:
        if _may_pass(error):
            raise  # and then there is another attempt
        because = f" ({error.__cause__!r:.200})" if error.__cause__ else ""
        logger.info("job %s failed: %s: %s%s", job, error.code, error.message, because)
        note({"error.type": error.code})
        progress.fail(problem_from_error(error))
    except JobTimeoutException:
        logger.warning("job %s took too long", job)
        note({"error.type": "too_long"})
        progress.fail(_TOO_LONG)
    else:
        if not progress.is_over:
            progress.finish()
    finally:
        if not was_over:
            shop.accounts.attempted(progress)
        if progress.is_over:
            with suppress(StorageUnavailable):  # the recall sees to it
                shop.documents.delete(AcceptedJob, job)


def _may_pass(error: AnimatorError) -> bool:
    """Whether it is about this machine now and not about what was asked: a store, room, memory."""
    is_unwritten = isinstance(error, EncodingFailed) and isinstance(error.__cause__, OSError)
    return is_unwritten or isinstance(error, StorageUnavailable)


def _while_wanted(shop: Workshop, animation_id: str, progress: Progress) -> Progress:
    """Progress that raises NotFound soon after the animation was deleted: nobody waits for it."""
    look_at = 0.0

    def tell(step: Step, share: float) -> None:
        nonlocal look_at
        if time.monotonic() >= look_at:
            shop.documents.get(AnimationDocument, animation_id)
            look_at = time.monotonic() + _LOOK_AGAIN
        progress(step, share)

    return tell


@contextmanager
def _scratch_folder(folder: Path) -> Iterator[Path]:
    """An empty folder for one job; one that a killed attempt left behind is emptied."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _is_annotated(shop: Workshop, drawing_id: str) -> bool:
    with suppress(NotFound):
        shop.documents.get(Annotation, drawing_id)
        return True
    return False


def _props(shop: Workshop, document: AnimationDocument) -> Props:
    """What was handed in beside the drawing, as far as it is asked for."""
    request = document.request
    picture = None
    if request.background.kind == "picture":
        picture = read_upload(shop.blobs, background_blob(document.drawing))
    return Props(picture, read_motions(shop.documents, shop.blobs, request))


def _store_picture(shop: Workshop, document: DrawingDocument, drawing: Drawing) -> None:
    picture = f"{document.id}.jpg"
    document = msgspec.structs.replace(
        document, picture=picture, width=drawing.width, height=drawing.height
    )
    shop.blobs.put(picture, encode_picture(drawing))
    _put_or_take_back(shop, document.id, document, (picture,))


def _store_files(
    shop: Workshop, document: AnimationDocument, files: tuple[Animation, ...], folder: Path
) -> None:
    stored = []
    for file in files:
        blob = f"{document.id}.{file.format}"
        shop.blobs.put_file(blob, folder / file.blob)
        stored.append(msgspec.structs.replace(file, blob=blob))
    document = msgspec.structs.replace(document, files=tuple(stored))
    _put_or_take_back(shop, document.id, document, [file.blob for file in stored])


def _put_or_take_back(shop: Workshop, id: str, document: Document, blobs: Sequence[str]) -> None:
    """Store a document; when its drawing was deleted meanwhile, its blobs go as well."""
    try:
        shop.documents.put(id, document)
    except NotFound:
        for blob in blobs:
            shop.blobs.delete(blob)
        raise
