"""Drawings: hand one in, look at it and at what was found in it, take it back."""

import asyncio
import secrets
import time
from typing import Any

from litestar import Controller, Request, Response, delete, get, post, put
from litestar.params import FromPath
from litestar.status_codes import HTTP_204_NO_CONTENT

from animator.api.contents import PRIVATE_CACHE, Content, respond_with
from animator.api.schema import UploadOperation
from animator.api.services import ApiServices, Services
from animator.api.uploads import Upload, read_upload
from animator.core.documents import DrawingDocument, background_blob
from animator.core.errors import JobFailed, NotFound

__all__ = ("DrawingController",)


class DrawingController(Controller):
    """Routes under /api/drawings."""

    path = "/api/drawings"
    tags = ("drawings",)

    @post(operation_class=UploadOperation)
    async def create_drawing(
        self, request: Request[Any, Any, Any], services: Services
    ) -> Response[DrawingDocument]:
        """Hand in a picture, as the form field `file` or as the body; figures are then sought."""
        upload = await read_upload(request, services.limits.upload_bytes)
        drawing = await asyncio.to_thread(_store_upload, services, upload)
        return Response(drawing, headers={"Location": f"/api/drawings/{drawing.id}"})

    @get("/{drawing_id:str}", sync_to_thread=True)
    def get_drawing(self, drawing_id: FromPath[str], services: Services) -> DrawingDocument:
        """What is known of a drawing."""
        return services.documents.get(DrawingDocument, drawing_id)

    @delete("/{drawing_id:str}", sync_to_thread=True)
    def delete_drawing(self, drawing_id: FromPath[str], services: Services) -> None:
        """Forget a drawing and all that was made of it."""
        drawing = services.documents.get(DrawingDocument, drawing_id)
        _forget(services, drawing)

    @get("/{drawing_id:str}/picture", sync_to_thread=True)
    def get_picture(
        self,
        drawing_id: FromPath[str],
        request: Request[Any, Any, Any],
        services: Services,
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

    @put(
        "/{drawing_id:str}/background",
        operation_class=UploadOperation,
        status_code=HTTP_204_NO_CONTENT,
    )
    async def put_background(
        self, drawing_id: FromPath[str], request: Request[Any, Any, Any], services: Services
    ) -> None:
        """Hand in the picture that animations of this drawing show behind the figures.

        They do when their background is of the kind `picture`; one handed in before is forgotten.
        """
        upload = await read_upload(request, services.limits.upload_bytes)
        await asyncio.to_thread(_store_background, services, drawing_id, upload)


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
    try:
        services.queue.enqueue_annotation(job, drawing_id)
    except JobFailed:
        _forget(services, drawing)
        raise
    return drawing


def _store_background(services: ApiServices, drawing_id: str, upload: Upload) -> None:
    services.documents.get(DrawingDocument, drawing_id)
    services.blobs.put(background_blob(drawing_id), upload.data)
    try:
        services.documents.get(DrawingDocument, drawing_id)
    except NotFound:
        # It was deleted in the meantime, and its files with it.
        services.blobs.delete(background_blob(drawing_id))
        raise


def _forget(services: ApiServices, drawing: DrawingDocument) -> None:
    """Delete the files first: what is left by a fault in between can still be found by its id."""
    animations = services.documents.animations_of(drawing.id)
    blobs = [file.blob for animation in animations for file in animation.files]
    for blob in (*blobs, background_blob(drawing.id), drawing.picture, drawing.upload):
        if blob is not None:
            services.blobs.delete(blob)
    services.documents.delete(DrawingDocument, drawing.id)
