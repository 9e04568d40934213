"""Reading a picture that was handed in leaves nothing of what else its file told."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from animator.core.errors import InvalidImage, NotFound
from animator.ingest import decode_image
from animator.jobs.reading import read_upload
from animator.store import FileBlobs
from tests import support_bad_images as bad
from tests.support_serve import draw_doll

SECRET = b"where-we-live"


@pytest.fixture
def blobs(tmp_path: Path) -> FileBlobs:
    return FileBlobs(tmp_path)


def tiff() -> bytes:
    told = Image.Exif()
    told[0x010F] = SECRET.decode()
    told[0x0112] = 6
    buffer = io.BytesIO()
    Image.open(io.BytesIO(draw_doll())).save(buffer, "TIFF", exif=told)
    assert SECRET in buffer.getvalue()
    return buffer.getvalue()


def test_picture_of_a_kind_that_cannot_be_stripped_is_written_anew(blobs: FileBlobs) -> None:
    data = tiff()
    blobs.put("d1.upload", data)
    read = read_upload(blobs, "d1.upload").image
    np.testing.assert_array_equal(read, decode_image(data).image)
    assert SECRET not in blobs.get("d1.upload")
    np.testing.assert_array_equal(read_upload(blobs, "d1.upload").image, read)


def test_other_pictures_stay_as_they_are(blobs: FileBlobs) -> None:
    blobs.put("d1.upload", draw_doll())
    read_upload(blobs, "d1.upload")
    assert blobs.get("d1.upload") == draw_doll()


def test_damage_that_ends_its_decoder_ends_no_job(blobs: FileBlobs) -> None:
    blobs.put("d1.upload", bad.ENDS_LIBHEIF)
    with pytest.raises(InvalidImage, match="damaged or incomplete"):
        read_upload(blobs, "d1.upload")


def test_what_can_neither_be_stripped_nor_read_is_forgotten(blobs: FileBlobs) -> None:
    blobs.put("d1.upload", tiff()[:200])
    with pytest.raises(InvalidImage):
        read_upload(blobs, "d1.upload")
    with pytest.raises(NotFound):
        blobs.get("d1.upload")
