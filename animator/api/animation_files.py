"""The files of animations as answers: one by its format, or everything of a drawing."""

from pathlib import PurePath
from typing import Any

import msgspec
from litestar import Request, Response

from animator.api.contents import PRIVATE_CACHE, Content, respond_with
from animator.api.packing import Packed
from animator.api.services import ApiServices
from animator.core.animation import FORMATS, Animation
from animator.core.annotation import Annotation
from animator.core.documents import (
    AnimationDocument,
    DrawingDocument,
    MotionDocument,
    own_motion_id,
)
from animator.core.errors import NotFound
from animator.store import OpenBlob

__all__ = ("list_everything", "send_file")


def send_file(
    services: ApiServices,
    request: Request[Any, Any, Any],
    animation: AnimationDocument,
    file_name: str,
    save: bool = False,
) -> Response[Any]:
    """A file of an animation by its format; with a name for saving when that is wanted.

    Raises:
        NotFound: when it has no such file (yet).
    """
    file = _find_file(animation, file_name)
    content = Content(
        data=services.blobs.open(file.blob),
        media_type=FORMATS[file.format].media_type,
        etag=file.blob,
        cache=PRIVATE_CACHE,
        save_as=_name_for_saving(services, animation, file) if save else None,
    )
    return respond_with(request, content)


def _name_for_saving(services: ApiServices, animation: AnimationDocument, file: Animation) -> str:
    """A file name that says which drawing does what."""
    drawing = services.documents.get(DrawingDocument, animation.drawing)
    motion = _motion_word(services, animation)
    return f"{PurePath(drawing.name).stem}-{motion}.{file.format.suffix}"


def _motion_word(services: ApiServices, animation: AnimationDocument) -> str:
    """What a motion is called in the name of a file; one that was handed in, as its file was."""
    name = animation.request.motion
    id = own_motion_id(name)
    if id is None:
        return name
    try:
        return services.documents.get(MotionDocument, id).title
    except NotFound:  # it was deleted meanwhile
        return "motion"


def list_everything(services: ApiServices, drawing: DrawingDocument) -> list[Packed]:
    """The picture, what was found in it, and every file that is ready, to be packed.

    Raises:
        NotFound: when the drawing has not been read yet.
    """
    if drawing.picture is None:
        msg = "The drawing has not been read yet."
        raise NotFound(msg)
    found = msgspec.json.encode(services.documents.get(Annotation, drawing.id))
    files = [
        Packed("drawing.jpg", services.blobs.open(drawing.picture)),
        Packed("annotation.json", OpenBlob(len(found), lambda _: iter((found,)))),
    ]
    taken: set[str] = set()
    for animation in services.documents.animations_of(drawing.id):
        motion = _motion_word(services, animation)
        folder = _free_name(motion, taken)
        for file in animation.files:
            name = f"{folder}/{motion}.{file.format.suffix}"
            files.append(Packed(name, services.blobs.open(file.blob)))
    return files


def _find_file(animation: AnimationDocument, file_name: str) -> Animation:
    for file in animation.files:
        if file_name == f"file.{file.format.suffix}":
            return file
    msg = f"This animation has no {file_name} (yet)."
    raise NotFound(msg)


def _free_name(name: str, taken: set[str]) -> str:
    """The name, or the name with the first number that makes it a new one."""
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    taken.add(free)
    return free
