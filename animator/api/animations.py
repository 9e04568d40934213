"""Animations: ask for one of a drawing, see how it stands, fetch its files."""

import secrets
import time
from contextlib import suppress
from typing import Any

from litestar import Controller, Request, Response, delete, get, post
from litestar.params import FromPath, FromQuery, JSONBody
from litestar.status_codes import HTTP_202_ACCEPTED

from animator.api.animation_files import send_file
from animator.api.motions import motions_for
from animator.api.owners import CurrentOwner, Owner
from animator.api.pagination import After, Limit, cut_part, link_next
from animator.api.rates import RATE
from animator.api.services import ApiServices, Services
from animator.core.animation import AnimationFormat
from animator.core.annotation import Annotation
from animator.core.documents import (
    AnimationDocument,
    AnimationRequest,
    DrawingDocument,
    background_blob,
)
from animator.core.errors import (
    InvalidImage,
    JobFailed,
    NoFigureFound,
    NotFound,
    NotReady,
    UnknownMotion,
)
from animator.core.job import new_job
from animator.store import forget_animation

__all__ = ("AnimationController",)


class AnimationController(Controller):
    """Routes of animations, under the drawing that they are made of and by their own id."""

    path = "/api"
    tags = ("animations",)

    @post(
        "/drawings/{drawing_id:str}/animations",
        status_code=HTTP_202_ACCEPTED,
        sync_to_thread=True,
        opt={RATE: "animations"},
    )
    def create_animation(
        self,
        drawing_id: FromPath[str],
        data: JSONBody[AnimationRequest],
        owner: CurrentOwner,
        services: Services,
    ) -> Response[AnimationDocument]:
        """Ask for an animation of a drawing whose figures have been found, all of them."""
        _check_motions(services, owner, data)
        _check_request(services, drawing_id, data)
        annotation = _movable(services, drawing_id)
        animation = AnimationDocument(
            id=secrets.token_urlsafe(16),
            drawing=drawing_id,
            request=data,
            job=new_job(drawing_id),
            created=time.time(),
            revision=annotation.revision,
        )
        services.documents.put(animation.id, animation)
        try:
            _enqueue(services, animation)
        except JobFailed:
            services.documents.delete(AnimationDocument, animation.id)
            raise
        return Response(animation, headers={"Location": f"/api/animations/{animation.id}"})

    @get("/drawings/{drawing_id:str}/animations", sync_to_thread=True)
    def list_animations(
        self,
        drawing_id: FromPath[str],
        request: Request[Any, Any, Any],
        services: Services,
        limit: Limit = 20,
        after: After = None,
    ) -> Response[tuple[AnimationDocument, ...]]:
        """Animations asked for of a drawing, newest first; the header `Link` leads to more."""
        services.documents.get(DrawingDocument, drawing_id)
        found = {made.id: made for made in reversed(services.documents.animations_of(drawing_id))}
        part, has_more = cut_part(tuple(found), after, limit)
        headers = link_next(request, limit, part[-1]) if has_more else {}
        return Response(tuple(found[id] for id in part), headers=headers)

    @get("/animations/{animation_id:str}", sync_to_thread=True)
    def get_animation(self, animation_id: FromPath[str], services: Services) -> AnimationDocument:
        """What was asked for, and the files that are ready."""
        return services.documents.get(AnimationDocument, animation_id)

    @delete("/animations/{animation_id:str}", sync_to_thread=True)
    def delete_animation(self, animation_id: FromPath[str], services: Services) -> None:
        """Forget an animation and its files; one that is still being made is given up."""
        services.documents.get(AnimationDocument, animation_id)
        forget_animation(services.documents, services.blobs, animation_id)

    @get("/animations/{animation_id:str}/{file_name:str}", sync_to_thread=True)
    def get_file(
        self,
        animation_id: FromPath[str],
        file_name: FromPath[str],
        request: Request[Any, Any, Any],
        services: Services,
        download: FromQuery[bool] = False,
    ) -> Response[bytes]:
        """A file by its format: `file.gif`, `file.mp4`; `?download=1` offers it for saving."""
        animation = services.documents.get(AnimationDocument, animation_id)
        return send_file(services, request, animation, file_name, save=download)


def _enqueue(services: ApiServices, animation: AnimationDocument) -> None:
    """Nobody waits for previews: the first animation is to be seen before them."""
    if animation.request.formats == (AnimationFormat.PREVIEWS,):
        services.queue.enqueue_previews(animation.job, animation.id)
    else:
        services.queue.enqueue_animation(animation.job, animation.id)


def _check_motions(services: ApiServices, owner: Owner, request: AnimationRequest) -> None:
    library = {motion.name for motion in services.motions}
    missing = set(request.playback.library) - library
    if request.motions - library:
        missing |= request.motions - {motion.name for motion in motions_for(services, owner)}
    if missing:
        msg = f"There is no motion called {min(missing)!r:.120}."
        raise UnknownMotion(msg)


def _check_request(services: ApiServices, drawing_id: str, request: AnimationRequest) -> None:
    services.documents.get(DrawingDocument, drawing_id)
    if request.background.kind == "picture" and not _has_background(services, drawing_id):
        msg = f"Hand in the picture first: PUT /api/drawings/{drawing_id}/background."
        raise InvalidImage(msg)


def _movable(services: ApiServices, drawing_id: str) -> Annotation:
    """The annotation, when there is a figure to move and nothing is still being sought."""
    annotation = services.documents.get(Annotation, drawing_id)
    if all(figure.hidden for figure in annotation.figures):
        msg = "No figure was found in this drawing, or none is shown."
        raise NoFigureFound(msg)
    if annotation.is_pending:
        msg = f"Figures are still being sought. Follow job {annotation.job}, then ask again."
        raise NotReady(msg)
    return annotation


def _has_background(services: ApiServices, drawing_id: str) -> bool:
    with suppress(NotFound):
        services.blobs.open(background_blob(drawing_id))
        return True
    return False
