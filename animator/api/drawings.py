"""Drawings: hand one in, look at it and at what was found in it, take it back."""

import asyncio
import secrets
import time
from typing import Any

from litestar import Controller, Request, Response, delete, get, post
from litestar.params import SkipValidation

from animator.api.contents import Content, respond_with
from animator.api.services import ApiServices
from animator.api.uploads import Upload, read_upload
from animator.core.annotation import Annotation
from animator.core.documents import AnimationDocument, DrawingDocument
from animator.core.errors import NotFound

__all__ = ("DrawingController",)

PRIVATE_CACHE = "private, max-age=3600"
"""Files never change under their name, and belong to one person."""


class DrawingController(Controller):
    """Routes under /api/drawings."""

    path = "/api/drawings"
    tags = ("drawings",)

    @post()
    async def create_drawing(
        self, request: Request[Any, Any, Any], services: SkipValidation[ApiServices]
    ) -> Response[DrawingDocument]:
        """Hand in a picture, as the form field `file` or as the body; figures are then sought."""
        upload = await read_upload(request, services.limits.upload_bytes)
        drawing = await asyncio.to_thread(_store_upload, services, upload)
        return Response(drawing, headers={"Location": f"/api/drawings/{drawing.id}"})

    @get("/{drawing_id:str}", sync_to_thread=True)
    def get_drawing(
        self, drawing_id: str, services: SkipValidation[ApiServices]
    ) -> DrawingDocument:
        """What is known of a drawing."""
        return services.documents.get(DrawingDocument, drawing_id)

    @delete("/{drawing_id:str}", sync_to_thread=True)
    def delete_drawing(self, drawing_id: str, services: SkipValidation[ApiServices]) -> None:
        """Forget a drawing and all that was made of it."""
        drawing = services.documents.get(DrawingDocument, drawing_id)
        for animation in services.documents.animations_of(drawing_id):
            _forget_animation(services, animation)
        for blob in (drawing.upload, drawing.picture):
            if blob is not None:
                services.blobs.delete(blob)
        services.documents.delete(Annotation, drawing_id)
        services.documents.delete(DrawingDocument, drawing_id)

    @get("/{drawing_id:str}/picture", sync_to_thread=True)
    def get_picture(
        self,
        drawing_id: str,
        request: Request[Any, Any, Any],
        services: SkipValidation[ApiServices],
    ) -> Response[bytes]:
        """The upright picture as JPEG, once it has been read."""
        drawing = services.documents.get(DrawingDocument, drawing_id)
        if drawing.picture is None:
            msg = "The drawing has not been read yet."
            raise NotFound(msg)
        content = Content(
            data=services.blobs.get(drawing.picture),
            media_type="image/jpeg",
            etag=drawing.picture,
            cache=PRIVATE_CACHE,
        )
        return respond_with(request, content)

    @get("/{drawing_id:str}/annotation", sync_to_thread=True)
    def get_annotation(self, drawing_id: str, services: SkipValidation[ApiServices]) -> Annotation:
        """The figures found in a drawing, once they have been sought."""
        return services.documents.get(Annotation, drawing_id)


def _store_upload(services: ApiServices, upload: Upload) -> DrawingDocument:
    drawing_id, job = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
    drawing = DrawingDocument(
        id=drawing_id,
        name=upload.name,
        upload=f"{drawing_id}.upload",
        job=job,
        created=time.time(),
    )
    services.blobs.put(drawing.upload, upload.data)
    services.documents.put(drawing_id, drawing)
    services.queue.enqueue_annotation(job, drawing_id)
    return drawing


def _forget_animation(services: ApiServices, animation: AnimationDocument) -> None:
    for file in animation.files:
        services.blobs.delete(file.blob)
    services.documents.delete(AnimationDocument, animation.id)
