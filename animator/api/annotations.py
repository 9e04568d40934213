"""Annotations: the figures of a drawing as one document."""

from litestar import Controller, Response, get, put
from litestar.params import FromPath, JSONBody

from animator.api.revisions import (
    MOST_BYTES,
    TAGGED,
    ChangedRevision,
    KnownRevision,
    respond,
    save,
    take_up,
)
from animator.api.services import Services
from animator.core.annotation import Annotation
from animator.core.correction import replace_figures
from animator.core.errors import InvalidAnnotation

__all__ = ("AnnotationController",)


class AnnotationController(Controller):
    """Routes under /api/drawings/{id}/annotation."""

    path = "/api/drawings/{drawing_id:str}/annotation"
    tags = ("figures",)
    response_headers = TAGGED
    request_max_body_size = MOST_BYTES

    @get(sync_to_thread=True)
    def get_annotation(
        self, drawing_id: FromPath[str], services: Services, if_none_match: KnownRevision = ""
    ) -> Response[Annotation]:
        """The figures of a drawing, once they have been sought; the tag is their revision."""
        return respond(services.documents.get(Annotation, drawing_id), known=if_none_match)

    @put(sync_to_thread=True)
    def put_annotation(
        self,
        drawing_id: FromPath[str],
        data: JSONBody[Annotation],
        services: Services,
        if_match: ChangedRevision = "",
    ) -> Response[Annotation]:
        """Take other figures in place of all; `If-Match` says of which revision.

        The picture's size and rotation must be what they are; revision and job go by themselves.
        """
        before = take_up(services, drawing_id, if_match)
        if _frame(data) != _frame(before):
            msg = f"These figures are of another picture, not of one of {_frame(before)}."
            raise InvalidAnnotation(msg)
        after = replace_figures(before, data.figures)
        return respond(save(services, drawing_id, before, after))


def _frame(annotation: Annotation) -> str:
    return f"{annotation.width} x {annotation.height} pixels turned by {annotation.rotation}°"
