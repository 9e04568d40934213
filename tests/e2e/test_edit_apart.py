"""Corrections outlive a reload, another tab and a server that goes away: nothing is lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support_mending import Mender
from tests.support_pages import new_visit
from tests.support_serve import TINY_MODELS, App, draw_doll, serving_app

pytestmark = pytest.mark.browser

WAIT_MS = 20_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    with serving_app(tmp_path_factory.mktemp("data"), models=TINY_MODELS) as app:
        yield app


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = new_visit(browser, "phone")
    yield context
    context.close()


@pytest.fixture
def mender(context: BrowserContext, server: App) -> Iterator[Mender]:
    mender = Mender(context, server.url, draw_doll())
    yield mender
    assert mender.faults == []


def nudge(page: Page, name: str, key: str) -> None:
    page.get_by_role("button", name=name, exact=True).press(key)


def place_of(mender: Mender, name: str) -> tuple[float, float]:
    skeleton = mender.figure().skeleton
    assert skeleton is not None
    joint = skeleton.joints[skeleton.index(name)]
    return joint.x, joint.y


def expect_state(page: Page, state: str) -> None:
    expect(page.locator(".edit-state")).to_have_text(state, timeout=WAIT_MS)


@pytest.mark.parametrize("choice", ["Keep mine", "Take theirs"])
def test_second_tab_is_told_of_and_nothing_is_lost(
    mender: Mender, context: BrowserContext, choice: str
) -> None:
    here, there = mender.page, mender.new_tab(context)
    mender.open("joints", here)
    mender.open("joints", there)
    hand, foot = place_of(mender, "left_hand"), place_of(mender, "left_foot")
    revision = mender.annotation().revision
    nudge(there, "left foot", "Shift+ArrowDown")
    mender.wait_until_saved(revision, there)
    theirs = (foot[0], foot[1] + 10)
    assert place_of(mender, "left_foot") == theirs
    nudge(here, "left hand", "Shift+ArrowRight")
    mine = (hand[0] + 10, hand[1])
    notice = here.get_by_role("alertdialog", name="Changed in another window")
    expect(notice).to_be_visible(timeout=WAIT_MS)
    assert mender.annotation().revision == revision + 1, "nothing is written over"
    mender.keep_picture("edit-conflict-phone")

    both = {"Keep mine": (mine, foot), "Take theirs": (hand, theirs)}
    notice.get_by_role("button", name=choice).click()
    expect(notice).to_be_hidden()
    expect_state(here, "Saved")
    assert (place_of(mender, "left_hand"), place_of(mender, "left_foot")) == both.pop(choice)
    revision = mender.annotation().revision
    here.get_by_role("button", name="Take back").click()
    mender.wait_until_saved(revision, here)
    [other] = both.values()
    assert (place_of(mender, "left_hand"), place_of(mender, "left_foot")) == other


def test_correction_made_while_the_server_is_gone_is_kept_and_sent_when_it_is_back(
    context: BrowserContext, tmp_path: Path
) -> None:
    with serving_app(tmp_path, models=TINY_MODELS) as app:
        mender = Mender(context, app.url, draw_doll())
        mender.open("joints")
        hand, foot = place_of(mender, "left_hand"), place_of(mender, "left_foot")
        revision = mender.annotation().revision
        nudge(mender.page, "left foot", "Shift+ArrowDown")
        mender.wait_until_saved(revision)
    nudge(mender.page, "left hand", "Shift+ArrowRight")
    expect_state(mender.page, "Kept here, sent later")
    mender.keep_picture("edit-offline-phone")
    port = int(app.url.rpartition(":")[2])
    with serving_app(tmp_path, models=TINY_MODELS, port=port):
        expect_state(mender.page, "Saved")
        assert place_of(mender, "left_foot") == (foot[0], foot[1] + 10), "it outlived the restart"
        assert place_of(mender, "left_hand") == (hand[0] + 10, hand[1])
        assert mender.faults == []


def test_correction_that_was_not_saved_is_taken_up_after_a_reload(mender: Mender) -> None:
    page = mender.page
    mender.open("joints")
    hand = place_of(mender, "left_hand")
    page.route("**/figures/*", lambda route: route.abort())
    nudge(page, "left hand", "Shift+ArrowRight")
    expect_state(page, "Kept here, sent later")
    assert place_of(mender, "left_hand") == hand
    page.unroute("**/figures/*")
    page.reload()
    expect_state(page, "Saved")
    assert place_of(mender, "left_hand") == (hand[0] + 10, hand[1])
    revision = mender.annotation().revision
    page.get_by_role("button", name="Take back").click()
    mender.wait_until_saved(revision, page)
    assert place_of(mender, "left_hand") == hand
