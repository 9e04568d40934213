"""Drawings: hand one in, look at it and at what was found in it, take it back."""

import asyncio
from pathlib import PurePath
from typing import Any

from litestar import Controller, Request, Response, delete, get, post, put
from litestar.params import FromPath
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED, HTTP_204_NO_CONTENT

from animator.api.animation_files import list_everything
from animator.api.contents import PRIVATE_CACHE, Content, offer_as, respond_with, stream
from animator.api.owners import CurrentOwner
from animator.api.packing import pack, size_of
from animator.api.pagination import After, Limit, cut_part, link_next
from animator.api.rates import RATE
from animator.api.schema import UploadOperation
from animator.api.services import ApiServices, Services
from animator.api.storing import store_upload
from animator.api.uploads import Upload, read_upload
from animator.core.documents import DrawingDocument, background_blob
from animator.core.errors import NotFound, UnsupportedImage
from animator.core.metadata import strip_metadata
from animator.store import forget_drawing

__all__ = ("DrawingController",)


class DrawingController(Controller):
    """Routes under /api/drawings."""

    path = "/api/drawings"
    tags = ("drawings",)

    @post(operation_class=UploadOperation, opt={RATE: "uploads"})
    async def create_drawing(
        self, request: Request[Any, Any, Any], owner: CurrentOwner, services: Services
    ) -> Response[DrawingDocument]:
        """Hand in a picture, as the form field `file` or as the body; figures are then sought.

        The same bytes again give the same drawing, with 200.
        """
        upload = await read_upload(request, services.limits.upload_bytes)
        drawing, is_new = await asyncio.to_thread(store_upload, services, owner, upload)
        return Response(
            drawing,
            status_code=HTTP_201_CREATED if is_new else HTTP_200_OK,
            headers={"Location": f"/api/drawings/{drawing.id}"},
        )

    @get(sync_to_thread=True)
    def list_drawings(
        self,
        request: Request[Any, Any, Any],
        owner: CurrentOwner,
        services: Services,
        limit: Limit = 20,
        after: After = None,
    ) -> Response[tuple[DrawingDocument, ...]]:
        """Your drawings, newest first; the header `Link` leads to more."""
        part, has_more = cut_part(services.documents.drawings_of(owner.id), after, limit)
        headers = link_next(request, limit, part[-1]) if has_more else {}
        return Response(services.documents.get_all(DrawingDocument, part), headers=headers)

    @get("/{drawing_id:str}", sync_to_thread=True)
    def get_drawing(self, drawing_id: FromPath[str], services: Services) -> DrawingDocument:
        """What is known of a drawing."""
        return services.documents.get(DrawingDocument, drawing_id)

    @delete("/{drawing_id:str}", sync_to_thread=True)
    def delete_drawing(self, drawing_id: FromPath[str], services: Services) -> None:
        """Forget a drawing and all that was made of it."""
        services.documents.get(DrawingDocument, drawing_id)
        forget_drawing(services.documents, services.blobs, drawing_id)

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
            data=services.blobs.open(drawing.picture),
            media_type="image/jpeg",
            etag=drawing.picture,
            cache=PRIVATE_CACHE,
        )
        return respond_with(request, content)

    @get("/{drawing_id:str}/everything.zip", sync_to_thread=True, media_type="application/zip")
    def get_everything(self, drawing_id: FromPath[str], services: Services) -> Response[Any]:
        """The picture, what was found in it, and every file that is ready, in one zip."""
        drawing = services.documents.get(DrawingDocument, drawing_id)
        files = list_everything(services, drawing)
        headers = offer_as(f"{PurePath(drawing.name).stem}.zip")
        return stream(pack(files), size_of(files), headers, media_type="application/zip")

    @put(
        "/{drawing_id:str}/background",
        operation_class=UploadOperation,
        opt={RATE: "uploads"},
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


def _store_background(services: ApiServices, drawing_id: str, upload: Upload) -> None:
    services.documents.get(DrawingDocument, drawing_id)
    data = strip_metadata(upload.data)
    if data is None:
        msg = "Save the background as JPEG, PNG or WebP and try again."
        raise UnsupportedImage(msg)
    services.blobs.put(background_blob(drawing_id), data)
    try:
        services.documents.get(DrawingDocument, drawing_id)
    except NotFound:
        # It was deleted in the meantime, and its files with it.
        services.blobs.delete(background_blob(drawing_id))
        raise
