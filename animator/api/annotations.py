"""Annotations: the figures of a drawing as one document."""

from typing import Any

from litestar import Controller, Request, Response, get, put
from litestar.params import FromPath, JSONBody

from animator.api.revisions import respond_with_revision, save, take_up
from animator.api.services import Services
from animator.core.annotation import Annotation
from animator.core.correction import replace_figures
from animator.core.errors import InvalidAnnotation

__all__ = ("AnnotationController",)


class AnnotationController(Controller):
    """Routes under /api/drawings/{id}/annotation."""

    path = "/api/drawings/{drawing_id:str}/annotation"
    tags = ("figures",)

    @get(sync_to_thread=True)
    def get_annotation(
        self, drawing_id: FromPath[str], request: Request[Any, Any, Any], services: Services
    ) -> Response[Annotation | None]:
        """The figures of a drawing, once they have been sought; the tag is their revision."""
        return respond_with_revision(request, services.documents.get(Annotation, drawing_id))

    @put(sync_to_thread=True)
    def put_annotation(
        self,
        drawing_id: FromPath[str],
        data: JSONBody[Annotation],
        request: Request[Any, Any, Any],
        services: Services,
    ) -> Response[Annotation | None]:
        """Take other figures in place of all; `If-Match` says of which revision.

        The picture's size and rotation must be what they are; revision and job go by themselves.
        """
        before = take_up(request, services, drawing_id)
        if _frame(data) != _frame(before):
            msg = f"These figures are of another picture, not of one of {_frame(before)}."
            raise InvalidAnnotation(msg)
        after = replace_figures(before, data.figures)
        return respond_with_revision(request, save(services, drawing_id, before, after))


def _frame(annotation: Annotation) -> str:
    return f"{annotation.width} x {annotation.height} pixels turned by {annotation.rotation}°"
