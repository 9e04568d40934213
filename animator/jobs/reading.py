"""Uploads as drawings; what their files told beside the picture does not stay in the store."""

from animator.core.drawing import Drawing
from animator.core.errors import InvalidImage
from animator.core.metadata import strip_metadata
from animator.ingest import decode_apart, encode_lossless
from animator.store import BlobStore

__all__ = ("read_upload",)


def read_upload(blobs: BlobStore, name: str) -> Drawing:
    """Read a picture that was handed in.

    Where the web process could not take away what the file told (TIFF is one such), the picture is
    written anew, or, when it cannot be read, forgotten.

    Raises:
        InvalidImage: when it cannot be read.
        NotFound: when it is gone.
    """
    data = blobs.get(name)
    tells_nothing = strip_metadata(data) is not None
    try:
        drawing = decode_apart(data)
    except InvalidImage:
        if not tells_nothing:
            blobs.delete(name)
        raise
    if not tells_nothing:
        blobs.put(name, encode_lossless(drawing))
    return drawing
