"""How fast the live player of an open page draws."""

from dataclasses import dataclass

from playwright.sync_api import Page

__all__ = ("Pace", "measure_player")

_FRAMES = 300

# How many frames the player draws, and how many the browser asks for, in five seconds.
_COUNT = """async () => {
  const [draws, begun] = [window.draws, performance.now()];
  let offered = 0;
  while (performance.now() - begun < 5000) {
    await new Promise(requestAnimationFrame);
    offered += 1;
  }
  const seconds = (performance.now() - begun) / 1000;
  return [(window.draws - draws) / seconds, offered / seconds];
}"""

# The same track again on a canvas of the same size, each frame until its pixels can be read.
_DRAW = """async ([url, frames]) => {
  const { readTrack } = await import("/track.js");
  const { decodeTextures, TrackPainter } = await import("/track-painter.js");
  const clip = await readTrack(new Uint8Array(await (await fetch(url)).arrayBuffer()));
  const textures = await decodeTextures(clip);
  const seen = document.querySelector(".player canvas[role=img]");
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [seen.width, seen.height];
  const pixel = new Uint8Array(4);
  const wait = ({ gl }) => gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
  const begun = performance.now();
  const painter = new TrackPainter(canvas, clip, textures);
  painter.draw(0, 1, null);
  wait(painter);
  const upload = performance.now() - begun;
  const times = Array.from({ length: frames }, (_, i) => {
    const from = performance.now();
    const time = (i / 2) % (clip.frames - 1);
    painter.draw(time, Math.floor(time) + 1, null);
    const called = performance.now() - from;
    wait(painter);
    return [called, performance.now() - from];
  });
  painter.release();
  const middle = (k) => times.map((one) => one[k]).sort((a, b) => a - b)[frames >> 1];
  const vertices = clip.figures.reduce((sum, figure) => sum + figure.vertices, 0);
  return { vertices, width: canvas.width, height: canvas.height,
    upload_ms: upload, call_ms: middle(0), frame_ms: middle(1) };
}"""

_TRACK = """() => performance.getEntriesByType("resource")
  .map(({ name }) => name).find((name) => name.endsWith("/file.track"))"""


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How fast it is.

    Attributes:
        fps: frames a second that the player draws.
        offered: frames a second that the browser asks for.
        vertices: of all figures.
        width: of the canvas, pixels.
        height: of the canvas, pixels.
        upload_ms: laying track and textures into the graphics memory, once, with the first frame.
        call_ms: drawing a frame, median, until the page goes on.
        frame_ms: drawing a frame, median, until its pixels are there.
    """

    fps: float
    offered: float
    vertices: int
    width: int
    height: int
    upload_ms: float
    call_ms: float
    frame_ms: float


def measure_player(page: Page) -> Pace:
    """Of a page whose figure moves."""
    page.wait_for_load_state("networkidle")
    fps, offered = page.evaluate(_COUNT)
    drawn = page.evaluate(_DRAW, [page.evaluate(_TRACK), _FRAMES])
    return Pace(fps=fps, offered=offered, **drawn)
