"""What a job finds goes into the newest annotation, whatever people did in the meantime."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.correction import (
    FigureChange,
    add_figure,
    change_figure,
    remove_figure,
)
from animator.core.documents import DrawingDocument
from animator.core.errors import JobFailed, NotFound
from animator.core.geometry import Box
from animator.core.mask import Mask, RunLengths, run_lengths_from_mask
from animator.core.rigging import lay_out
from animator.core.skeleton import Skeleton
from animator.jobs.completing import complete_annotation
from animator.store import FileDocuments

DRAWING = DrawingDocument(id="d", name="a.png", upload="u", job="j", created=1.0)
Meanwhile = Callable[[Annotation], Annotation]


def mask_in(box: Box) -> RunLengths:
    data = np.ones((round(box.height), round(box.width)), np.bool_)
    return run_lengths_from_mask(Mask(data))


def skeleton_in(box: Box) -> Skeleton:
    return lay_out("biped", (0.0, 0.0, box.width, box.height))


def bare(id: str, x: int = 0) -> FigureAnnotation:
    return FigureAnnotation(id=id, box=Box(x, 0, x + 10, 10))


def whole(id: str, x: int = 0) -> FigureAnnotation:
    figure = bare(id, x)
    return msgspec.structs.replace(
        figure, mask=mask_in(figure.box), skeleton=skeleton_in(figure.box)
    )


class Finder:
    """Fills each box; people change something each time it is at it, as long as they want to."""

    def __init__(self, documents: FileDocuments, *changes: Meanwhile) -> None:
        self._documents = documents
        self._changes = list(changes)
        self.sought: list[list[str]] = []

    def __call__(self, annotation: Annotation) -> dict[str, FigureAnnotation]:
        pending = [figure for figure in annotation.figures if figure.is_pending]
        self.sought.append([figure.id for figure in pending])
        if self._changes:
            stored = self._documents.get(Annotation, "d")
            self._documents.put("d", self._changes.pop(0)(stored))
        return {
            figure.id: msgspec.structs.replace(
                figure,
                mask=figure.mask or mask_in(figure.box),
                skeleton=figure.skeleton or skeleton_in(figure.box),
            )
            for figure in pending
        }


@pytest.fixture
def documents(tmp_path: Path) -> FileDocuments:
    documents = FileDocuments(tmp_path)
    documents.put("d", DRAWING)
    return documents


def complete(
    documents: FileDocuments, figures: tuple[FigureAnnotation, ...], *changes: Meanwhile
) -> tuple[Annotation, list[list[str]]]:
    """The annotation after the job, and which figures were sought each time."""
    begun = Annotation(width=40, height=30, figures=figures, revision=3, job="job")
    documents.put("d", begun)
    find = Finder(documents, *changes)
    complete_annotation(documents, "d", find)
    return documents.get(Annotation, "d"), find.sought


def test_what_lacks_is_filled_in_and_the_job_goes(documents: FileDocuments) -> None:
    half = msgspec.structs.replace(whole("b", 20), skeleton=None)
    after, sought = complete(documents, (bare("a"), half, whole("c", 10)))
    assert after.figures == (whole("a"), whole("b", 20), whole("c", 10))
    assert (after.revision, after.job) == (4, None)
    assert sought == [["a", "b"]]


def test_nothing_is_stored_when_nothing_lacks(documents: FileDocuments) -> None:
    hidden = msgspec.structs.replace(bare("b"), hidden=True)
    after, sought = complete(documents, (whole("a"), hidden))
    assert (after.revision, sought) == (3, [])


def test_job_that_is_begun_again_finds_nothing_to_do(documents: FileDocuments) -> None:
    after, _ = complete(documents, (bare("a"),))
    find = Finder(documents)
    complete_annotation(documents, "d", find)
    assert documents.get(Annotation, "d") == after
    assert find.sought == []


def test_other_changes_are_kept_and_nothing_is_sought_twice(documents: FileDocuments) -> None:
    after, sought = complete(
        documents,
        (bare("a"), whole("b", 20)),
        lambda stored: change_figure(stored, "b", FigureChange(hidden=True)),
    )
    a, b = after.figures
    assert a == whole("a")
    assert b.hidden
    assert (after.revision, after.job) == (5, None)
    assert sought == [["a"]]


def test_draw_order_of_the_figure_itself_is_kept(documents: FileDocuments) -> None:
    change = FigureChange(limbs={"left_shoulder": "back"})
    after, sought = complete(
        documents, (bare("a"),), lambda stored: change_figure(stored, "a", change)
    )
    assert after.figures == (msgspec.structs.replace(whole("a"), limbs=change.limbs),)
    assert sought == [["a"]]


def test_figure_whose_box_was_moved_is_sought_anew(documents: FileDocuments) -> None:
    box = Box(5, 5, 25, 25)
    after, sought = complete(
        documents, (bare("a"),), lambda stored: change_figure(stored, "a", FigureChange(box=box))
    )
    assert after.figures[0].mask == mask_in(box)
    assert after.figures[0].box == box
    assert sought == [["a"], ["a"]]


def test_mask_that_was_painted_meanwhile_is_kept(documents: FileDocuments) -> None:
    data = np.zeros((10, 10), np.bool_)
    data[2:5, 2:5] = True
    painted = run_lengths_from_mask(Mask(data))
    after, sought = complete(
        documents,
        (bare("a"),),
        lambda stored: change_figure(stored, "a", FigureChange(mask=painted)),
    )
    assert after.figures[0].mask == painted
    assert after.figures[0].skeleton is not None
    assert sought == [["a"], ["a"]]


def test_figure_that_was_removed_meanwhile_stays_away(documents: FileDocuments) -> None:
    after, _ = complete(
        documents, (bare("a"), whole("b", 20)), lambda stored: remove_figure(stored, "a")
    )
    assert after.figures == (whole("b", 20),)


def test_figure_that_was_added_meanwhile_is_sought_too(documents: FileDocuments) -> None:
    after, sought = complete(
        documents, (bare("a"),), lambda stored: add_figure(stored, Box(20, 0, 30, 10), "b")
    )
    assert after.figures == (whole("a"), whole("b", 20))
    assert sought == [["a"], ["b"]]


def test_job_is_given_up_when_people_are_faster_for_ever(documents: FileDocuments) -> None:
    def move(stored: Annotation) -> Annotation:
        x = 1 + stored.revision % 7
        return change_figure(stored, "a", FigureChange(box=Box(x, 0, x + 10, 10)))

    with pytest.raises(JobFailed, match="again and again"):
        complete(documents, (bare("a"),), *[move] * 100)
    assert documents.get(Annotation, "d").figures[0].mask is None


def test_drawing_that_was_deleted_is_not_found(documents: FileDocuments) -> None:
    def forget(stored: Annotation) -> Annotation:
        documents.delete(DrawingDocument, "d")
        return stored

    with pytest.raises(NotFound):
        complete(documents, (bare("a"),), forget)
