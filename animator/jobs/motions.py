"""Motion files that people handed in, out of the stores."""

from animator.core.documents import (
    AnimationRequest,
    MotionDocument,
    motion_blob,
    own_motion,
    own_motion_id,
)
from animator.core.motion import MotionInfo
from animator.directing import Clip, describe_motion, read_clip
from animator.store import BlobStore, DocumentStore

__all__ = ("inspect_motion", "read_motions")


def inspect_motion(blobs: BlobStore, motion: MotionDocument) -> MotionInfo:
    """What the gallery shows of a motion.

    Raises:
        UnmappedMotion: when it cannot be told which joints are which.
        InvalidMotion: when its file cannot be read, with the line, or lasts too long.
    """
    data = blobs.get(motion_blob(motion.id))
    return describe_motion(data, own_motion(motion.id), motion.title)


def read_motions(
    documents: DocumentStore, blobs: BlobStore, request: AnimationRequest
) -> dict[str, Clip]:
    """Those that a request asks for, by name, that are not of the library.

    Raises:
        NotFound: when one was deleted meanwhile.
    """
    found = {}
    for name in request.motions:
        id = own_motion_id(name)
        if id is not None:
            motion = documents.get(MotionDocument, id)
            found[name] = read_clip(blobs.get(motion_blob(id)), name=motion.title)
    return found
