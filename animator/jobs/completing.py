"""Completing figures: what is found goes into the newest annotation, whoever changed that."""

from collections.abc import Callable

import msgspec

from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.errors import Conflict, JobFailed
from animator.store import DocumentStore

__all__ = ("complete_annotation",)

_ROUNDS = 20
"""How often others may be faster before the job is given up."""

Finder = Callable[[Annotation], dict[str, FigureAnnotation]]
"""Completes the pending figures of an annotation; the completed ones by id."""


def complete_annotation(documents: DocumentStore, drawing_id: str, find: Finder) -> None:
    """Store an annotation none of whose figures lacks anything; figures are sought once each.

    A figure that somebody changed while it was sought is sought anew, as it is then; what was not
    sought (draw order, other figures) is kept as it is stored.

    Raises:
        NotFound: when the drawing is gone.
        ModelUnavailable: when a model does not answer.
        JobFailed: when the figures are changed faster than they can be found.
    """
    found: dict[str, tuple[FigureAnnotation, FigureAnnotation]] = {}
    for _ in range(_ROUNDS):
        annotation = documents.get(Annotation, drawing_id)
        if not annotation.is_pending:
            return
        rest = _fill(annotation, found)
        if rest.is_pending:
            sought = find(rest)
            before = {figure.id: figure for figure in annotation.figures}
            found |= {id: (before[id], completed) for id, completed in sought.items()}
        after = msgspec.structs.replace(
            _fill(annotation, found), revision=annotation.revision + 1, job=None
        )
        try:
            documents.put(drawing_id, after)
        except Conflict:
            continue
        return
    msg = "The figures were changed again and again while they were sought. Please try again."
    raise JobFailed(msg)


def _fill(
    annotation: Annotation, found: dict[str, tuple[FigureAnnotation, FigureAnnotation]]
) -> Annotation:
    """An annotation with what was found of figures that are as they were when they were sought."""
    return msgspec.structs.replace(
        annotation, figures=tuple(_filled(figure, found) for figure in annotation.figures)
    )


def _filled(
    figure: FigureAnnotation, found: dict[str, tuple[FigureAnnotation, FigureAnnotation]]
) -> FigureAnnotation:
    if figure.id not in found:
        return figure
    before, after = found[figure.id]
    if (figure.box, figure.mask, figure.skeleton) != (before.box, before.mask, before.skeleton):
        return figure
    return msgspec.structs.replace(figure, mask=after.mask, skeleton=after.skeleton)
