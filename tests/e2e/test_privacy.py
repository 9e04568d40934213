"""Where a photo was taken is told nowhere: not on the disk, not by what is made of it."""

import io
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from animator.client import Client
from tests.support_serve import ROOT, App

SECRET = "Ahornweg-where-we-live"
PLACE = {1: "N", 2: (52.0, 31.0, 12.0), 3: "E", 4: (13.0, 24.0, 18.0)}
FORMATS = ("gif", "mp4", "webm", "webp", "apng", "png", "frames", "track", "backdrop", "character")


def photo(kind: str) -> bytes:
    """A drawing as a camera would write it, lying on its side."""
    told = Image.Exif()
    told[0x0112] = 6
    told[0x010F] = SECRET
    if kind == "JPEG":
        told[0x8825] = PLACE
    buffer = io.BytesIO()
    with Image.open(ROOT / "web" / "samples" / "dancer.jpg") as image:
        image.transpose(Image.Transpose.ROTATE_90).save(buffer, kind, exif=told)
    assert SECRET.encode() in buffer.getvalue()
    return buffer.getvalue()


def holding(folder: Path, secret: bytes) -> list[Path]:
    """Files, also packed ones, in which it stands."""
    return [file for file in folder.rglob("*") if file.is_file() and secret in file.read_bytes()]


@pytest.mark.parametrize("kind", ["JPEG", "TIFF"])
def test_nothing_that_a_photo_tells_is_left(app: App, tmp_path: Path, kind: str) -> None:
    with Client(app.url) as client:
        drawing = client.wait(client.upload(photo(kind), name="dancer.jpg"))
        assert (drawing.height or 0) > (drawing.width or 0), "it was set upright"
        made = client.wait(client.animate(drawing, motion="wave", formats=FORMATS, side=128))
        assert len(made.files) == len(FORMATS)
        with zipfile.ZipFile(client.save_everything(drawing, tmp_path / "all.zip")) as everything:
            everything.extractall(tmp_path)
    for packed in tmp_path.rglob("*.zip"):
        with zipfile.ZipFile(packed) as inside:
            inside.extractall(packed.with_suffix(".d"))
    for folder in (app.data_dir, tmp_path):
        assert holding(folder, SECRET.encode()) == []
    for picture in (*tmp_path.rglob("*.jpg"), *app.data_dir.rglob(f"{drawing.id}*.upload")):
        with Image.open(picture) as image:
            assert not image.getexif().get_ifd(0x8825)
