"""The player of the page, in a real browser: what it draws, against what the server draws."""

import base64
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.support_pages import JOB_MS
from tests.support_serve import App

pytestmark = pytest.mark.browser

DRAW = """async ([url, frame, next]) => {
  const { readTrack } = await import("/track.js");
  const { decodeTextures, TrackPainter } = await import("/track-painter.js");
  const answer = await fetch(url);
  const clip = await readTrack(new Uint8Array(await answer.arrayBuffer()));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [clip.width, clip.height];
  const painter = new TrackPainter(canvas, clip, await decodeTextures(clip));
  painter.draw(frame, next);
  const { gl } = painter;
  const pixels = new Uint8Array(4 * clip.width * clip.height);
  gl.readPixels(0, 0, clip.width, clip.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  const error = gl.getError();
  painter.release();
  const letters = Array.from(pixels, (level) => String.fromCharCode(level));
  return { size: [clip.height, clip.width], pixels: btoa(letters.join("")), error };
}"""


@dataclass(frozen=True)
class Made:
    """An animation: where its track is, and the server's frames, RGBA with straight alpha."""

    track: str
    frames: NDArray[np.uint8]


@pytest.fixture(scope="module")
def made(app: App) -> Made:
    """A sample that turns cartwheels, over nothing."""
    picture = app.http.get("/samples/dancer.jpg").content
    drawing = app.upload(picture)
    assert app.wait_for_job(drawing["job"], within=60)["state"] == "done"
    wish = {
        "motion": "cartwheel",
        "background": {"kind": "transparent"},
        "formats": ["track", "frames"],
    }
    animation = app.http.post(f"/api/drawings/{drawing['id']}/animations", json=wish).json()
    assert app.wait_for_job(animation["job"], within=60)["state"] == "done"
    folder = f"/api/animations/{animation['id']}"
    packed = app.http.get(f"{folder}/file.frames.zip").content
    frames = []
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        for name in sorted(archive.namelist()):
            with Image.open(io.BytesIO(archive.read(name))) as frame:
                frames.append(np.array(frame.convert("RGBA")))
    return Made(f"{folder}/file.track", np.array(frames))


@pytest.fixture(scope="module")
def page(browser: Browser, app: App, made: Made) -> Iterator[Page]:
    page = browser.new_page(storage_state=app.owner)
    page.goto(app.url)
    yield page
    page.close()


def draw(page: Page, made: Made, frame: float, following: int) -> NDArray[np.float64]:
    """What the player draws: (H, W, 4), premultiplied alpha, 0 to 255."""
    drawn = page.evaluate(DRAW, [made.track, frame, following])
    assert drawn["error"] == 0
    levels = np.frombuffer(base64.b64decode(drawn["pixels"]), np.uint8)
    pixels = levels.reshape(*drawn["size"], 4)
    return pixels[::-1].astype(np.float64)


def premultiply(frame: NDArray[np.uint8]) -> NDArray[np.float64]:
    levels = frame.astype(np.float64)
    levels[..., :3] *= levels[..., 3:] / 255
    return levels


@pytest.mark.parametrize("share", [0.0, 0.35, 0.7])
def test_frame_of_the_player_is_the_frame_of_the_server(
    page: Page, made: Made, share: float
) -> None:
    frame = round(share * len(made.frames))
    drawn = draw(page, made, frame, frame)
    expected = premultiply(made.frames[frame])
    assert drawn.shape == expected.shape
    figure = (expected[..., 3] > 0) | (drawn[..., 3] > 0)
    assert figure.mean() > 0.03
    assert np.abs(drawn - expected)[figure].mean() <= 2.0
    other = premultiply(made.frames[(frame + 3) % len(made.frames)])
    assert np.abs(drawn - other)[figure].mean() > 4.0, "another frame is told apart"


def test_between_two_frames_the_figure_is_between_them(page: Page, made: Made) -> None:
    first, half, last = (draw(page, made, time, 11)[..., 3] > 127 for time in (10.0, 10.5, 11.0))
    apart = np.count_nonzero(first != last)
    assert 0 < np.count_nonzero(first != half) < apart
    assert 0 < np.count_nonzero(half != last) < apart


@dataclass(frozen=True)
class Stage:
    """The page of a drawing whose figure moves."""

    page: Page

    def look(self) -> NDArray[np.int16]:
        """What the player shows just now: (h, w, 3)."""
        shot = self.page.locator(".player").screenshot()
        with Image.open(io.BytesIO(shot)) as picture:
            return np.array(picture.convert("RGB")).astype(np.int16)

    def is_moving(self) -> bool:
        first = self.look()
        self.page.wait_for_timeout(150)
        return bool(np.abs(first - self.look()).max() > 60)

    def wait_for(self, background: str) -> None:
        shown = self.page.locator(f".player[data-background={background}] canvas")
        expect(shown).to_be_visible(timeout=JOB_MS)


def open_drawing(browser: Browser, address: str, **context: Any) -> Iterator[Stage]:
    opened = browser.new_context(**context)
    page = opened.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda m: faults.append(m.text) if "Security Policy" in m.text else None)
    page.goto(address)
    stage = Stage(page)
    stage.wait_for("white")
    yield stage
    opened.close()
    assert faults == []


@pytest.fixture
def stage(browser: Browser, app: App, drawing: str) -> Iterator[Stage]:
    address = f"{app.url}/drawings/{drawing}?motion=wave"
    yield from open_drawing(browser, address, storage_state=app.owner)


@pytest.fixture
def still_stage(browser: Browser, app: App, drawing: str) -> Iterator[Stage]:
    address = f"{app.url}/drawings/{drawing}?motion=wave"
    yield from open_drawing(browser, address, reduced_motion="reduce", storage_state=app.owner)


def test_button_space_bar_and_figure_play_and_pause(stage: Stage) -> None:
    page = stage.page
    assert stage.is_moving()
    page.get_by_role("button", name="Pause").click()
    assert not stage.is_moving()
    page.get_by_role("main").focus()
    page.keyboard.press("Space")
    assert stage.is_moving()
    page.get_by_role("img", name="Your figure, moving: Wave").click()
    assert not stage.is_moving()
    page.get_by_role("button", name="Play", exact=True).press("Space")
    assert stage.is_moving(), "one press of the bar is one change, on the button as well"


def test_who_wants_less_motion_sees_a_still_that_can_be_played(still_stage: Stage) -> None:
    assert not still_stage.is_moving()
    assert still_stage.look().min() < 100, "the figure is to be seen"
    still_stage.page.get_by_role("button", name="Play", exact=True).click()
    assert still_stage.is_moving()


def test_clip_that_is_not_to_begin_again_stops_and_can_be_played_again(stage: Stage) -> None:
    stage.page.get_by_text("Fast", exact=True).click()
    stage.page.get_by_text("Over and over").click()
    play = stage.page.get_by_role("button", name="Play", exact=True)
    expect(play).to_be_visible(timeout=15_000)
    assert not stage.is_moving()
    play.click()
    assert stage.is_moving()


def test_lost_graphics_card_comes_back_with_the_figure(still_stage: Stage) -> None:
    before = still_stage.look()
    lose = """() => {
      const gl = document.querySelector("canvas").getContext("webgl2");
      window.lost = gl.getExtension("WEBGL_lose_context");
      window.lost.loseContext();
    }"""
    still_stage.page.evaluate(lose)
    still_stage.page.wait_for_timeout(100)
    still_stage.page.evaluate("window.lost.restoreContext()")
    expect(still_stage.page.locator(".player canvas")).to_be_visible()
    still_stage.page.wait_for_timeout(200)
    np.testing.assert_allclose(still_stage.look(), before, atol=2)


def test_figure_moves_on_its_paper_and_on_nothing(still_stage: Stage) -> None:
    page = still_stage.page
    white = still_stage.look()
    assert (white[:, :30] == 255).all()
    page.get_by_text("Nothing", exact=True).click()
    still_stage.wait_for("transparent")
    clear = still_stage.look()
    assert len(np.unique(clear[:, :30].reshape(-1, 3), axis=0)) >= 2, "squares show through"
    page.get_by_text("Its paper", exact=True).click()
    still_stage.wait_for("paper")
    expect(page.locator(".player-paper")).to_have_js_property("complete", value=True)
    paper = still_stage.look()
    assert paper[:, :30].mean() < 250, "the photo's paper is no pure white"
    assert paper.min() < 100, "the figure stands on it"


GROUND = """() => {
  return document.querySelector(".player-ground").toDataURL().split(",")[1];
}"""


def still_of(app: App, drawing: str, shadow: bool) -> NDArray[np.float64]:
    """The server's first frame over nothing: (H, W) alpha, 0 to 255."""
    background = {"kind": "transparent", "shadow": shadow}
    wish = {"motion": "wave", "background": background, "formats": ["png"]}
    animation = app.http.post(f"/api/drawings/{drawing}/animations", json=wish).json()
    assert app.wait_for_job(animation["job"], within=60)["state"] == "done"
    data = app.http.get(f"/api/animations/{animation['id']}/file.png").content
    with Image.open(io.BytesIO(data)) as picture:
        return np.array(picture.convert("RGBA"))[..., 3].astype(np.float64)


def test_shadow_lies_where_the_server_casts_it(still_stage: Stage, app: App, drawing: str) -> None:
    page = still_stage.page
    page.get_by_text("Shadow", exact=True).click()
    expect(page.locator(".player-ground")).to_be_visible()
    plain, shaded = still_of(app, drawing, False), still_of(app, drawing, True)
    with Image.open(io.BytesIO(base64.b64decode(page.evaluate(GROUND)))) as picture:
        size = (shaded.shape[1], shaded.shape[0])
        ours = np.array(picture.getchannel("A").resize(size)).astype(np.float64)
    free = plain == 0
    assert shaded[free].max() > 60, "there is a shadow"
    dark = free & ((shaded > 8) | (ours > 8))
    assert np.abs(ours - shaded)[dark].mean() < 8
