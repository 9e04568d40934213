"""Films with alpha in a real browser: what is clear stays clear."""

import base64
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser

from animator.render.apng import apng_writer
from animator.render.films import webm_writer
from animator.render.webp import webp_writer
from animator.render.writer import FrameWriter

Make = Callable[[Path, float], FrameWriter]

PIXELS = """async ([tag, source]) => {
  const film = document.createElement(tag);
  film.muted = true;
  film.src = source;
  await new Promise((ready, failed) => {
    film.onerror = () => failed(new Error("the film does not play"));
    film.onload = ready;
    film.requestVideoFrameCallback?.(ready);
    film.play?.();
  });
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [64, 48];
  const paint = canvas.getContext("2d");
  paint.drawImage(film, 0, 0);
  const at = (x, y) => Array.from(paint.getImageData(x, y, 1, 1).data);
  return [film.duration ?? 1, at(4, 4), at(20, 24), at(44, 24)];
}"""


@pytest.mark.parametrize(
    ("make", "tag", "media_type"),
    [
        (webm_writer, "video", "video/webm"),
        (webp_writer, "img", "image/webp"),
        (apng_writer, "img", "image/apng"),
    ],
    ids=["webm", "webp", "apng"],
)
def test_clear_half_clear_and_solid_paint_look_so_in_a_browser(
    make: Make, tag: str, media_type: str, browser: Browser, tmp_path: Path
) -> None:
    frame = np.zeros((48, 64, 4), np.uint8)
    frame[12:36, 12:32] = (200, 30, 60, 255)
    frame[12:36, 36:56] = (20, 40, 160, 128)
    writer = make(tmp_path / "film", 10.0)
    for _ in range(10):
        writer.write(frame)
    writer.close()
    packed = base64.b64encode((tmp_path / "film").read_bytes()).decode()
    page = browser.new_page()
    found = page.evaluate(PIXELS, [tag, f"data:{media_type};base64,{packed}"])
    page.close()
    duration, clear, solid, half = found
    assert duration == pytest.approx(1.0, abs=0.001)
    assert clear[3] == 0
    np.testing.assert_allclose(solid, (200, 30, 60, 255), atol=6)
    np.testing.assert_allclose(half, (20, 40, 160, 128), atol=8)


SHOWN = """async (source) => {
  document.body.style.cssText = "margin: 0; background: rgb(20, 160, 90)";
  const film = document.createElement("video");
  film.muted = true;
  film.src = source;
  document.body.append(film);
  await new Promise((ready, failed) => {
    film.onerror = () => failed(new Error("the film does not play"));
    film.requestVideoFrameCallback(ready);
    film.play();
  });
}"""


def test_page_shines_through_where_a_film_is_clear(browser: Browser, tmp_path: Path) -> None:
    frame = np.zeros((48, 64, 4), np.uint8)
    frame[12:36, 12:32] = (200, 30, 60, 255)
    frame[12:36, 36:56] = (20, 40, 160, 128)
    writer = webm_writer(tmp_path / "film", 10.0)
    for _ in range(20):
        writer.write(frame)
    writer.close()
    packed = base64.b64encode((tmp_path / "film").read_bytes()).decode()
    page = browser.new_page(viewport={"width": 64, "height": 48})
    page.evaluate(SHOWN, f"data:video/webm;base64,{packed}")
    with Image.open(BytesIO(page.screenshot())) as picture:
        shown = np.array(picture.convert("RGB")).astype(int)
    page.close()
    np.testing.assert_allclose(shown[4, 4], (20, 160, 90), atol=2)
    np.testing.assert_allclose(shown[24, 22], (200, 30, 60), atol=8)
    np.testing.assert_allclose(shown[24, 46], (20, 100, 125), atol=10)  # half and half
