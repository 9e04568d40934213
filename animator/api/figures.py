"""Figures: mend one that was found wrongly, add one that was missed, take one away."""

import secrets
from typing import Any

from litestar import Controller, Request, Response, delete, patch, post
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_200_OK

from animator.api.revisions import respond_with_revision, save, take_up
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

    @post(sync_to_thread=True)
    def add_figure(
        self,
        drawing_id: FromPath[str],
        data: JSONBody[NewFigure],
        request: Request[Any, Any, Any],
        services: Services,
    ) -> Response[Annotation | None]:
        """Add a figure that was missed, by its box; its mask and skeleton are then found."""
        before = take_up(request, services, drawing_id)
        after = add_figure(before, data.box, f"figure-{secrets.token_hex(4)}")
        return respond_with_revision(request, save(services, drawing_id, before, after), 201)

    @patch("/{figure_id:str}", sync_to_thread=True)
    def change_figure(
        self,
        drawing_id: FromPath[str],
        figure_id: FromPath[str],
        data: JSONBody[FigureChange],
        request: Request[Any, Any, Any],
        services: Services,
    ) -> Response[Annotation | None]:
        """Change box, mask, skeleton, draw order, or whether the figure is one at all.

        Another box drops mask and skeleton unless they come with it; they are then found again, as
        is what is given as null.
        """
        before = take_up(request, services, drawing_id)
        after = change_figure(before, figure_id, data)
        return respond_with_revision(request, save(services, drawing_id, before, after))

    @delete("/{figure_id:str}", status_code=HTTP_200_OK, sync_to_thread=True)
    def remove_figure(
        self,
        drawing_id: FromPath[str],
        figure_id: FromPath[str],
        request: Request[Any, Any, Any],
        services: Services,
    ) -> Response[Annotation | None]:
        """Take a figure away; its ink stays on the paper."""
        before = take_up(request, services, drawing_id)
        after = remove_figure(before, figure_id)
        return respond_with_revision(request, save(services, drawing_id, before, after))
