"""Figures: mend one that was found wrongly, add one that was missed, take one away."""

import secrets

from litestar import Controller, Response, delete, patch, post
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_200_OK

from animator.api.revisions import MOST_BYTES, TAGGED, ChangedRevision, respond, save, take_up
from animator.api.services import Services
from animator.core.annotation import Annotation
from animator.core.correction import (
    FigureChange,
    NewFigure,
    add_figure,
    change_figure,
    remove_figure,
)

__all__ = ("FigureController",)


class FigureController(Controller):
    """Routes under /api/drawings/{id}/figures; each answers with the whole new annotation.

    `If-Match` says which revision is changed. What a figure lacks then is found by the annotation's
    `job`.
    """

    path = "/api/drawings/{drawing_id:str}/figures"
    tags = ("figures",)
    response_headers = TAGGED
    request_max_body_size = MOST_BYTES

    @post(sync_to_thread=True)
    def add_figure(
        self,
        drawing_id: FromPath[str],
        data: JSONBody[NewFigure],
        services: Services,
        if_match: ChangedRevision = "",
    ) -> Response[Annotation]:
        """Add a figure that was missed, by its box; its mask and skeleton are then found."""
        before = take_up(services, drawing_id, if_match)
        after = add_figure(before, data.box, f"figure-{secrets.token_hex(4)}")
        return respond(save(services, drawing_id, before, after), 201)

    @patch("/{figure_id:str}", sync_to_thread=True)
    def change_figure(
        self,
        drawing_id: FromPath[str],
        figure_id: FromPath[str],
        data: JSONBody[FigureChange],
        services: Services,
        if_match: ChangedRevision = "",
    ) -> Response[Annotation]:
        """Change box, mask, skeleton, draw order, or whether the figure is one at all.

        Another box drops mask and skeleton unless they come with it; they are then found again, as
        is what is given as null.
        """
        before = take_up(services, drawing_id, if_match)
        after = change_figure(before, figure_id, data)
        return respond(save(services, drawing_id, before, after))

    @delete("/{figure_id:str}", status_code=HTTP_200_OK, sync_to_thread=True)
    def remove_figure(
        self,
        drawing_id: FromPath[str],
        figure_id: FromPath[str],
        services: Services,
        if_match: ChangedRevision = "",
    ) -> Response[Annotation]:
        """Take a figure away; its ink stays on the paper."""
        before = take_up(services, drawing_id, if_match)
        after = remove_figure(before, figure_id)
        return respond(save(services, drawing_id, before, after))
