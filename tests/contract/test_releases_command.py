"""`serving releases` against a running server: what it shows, and what its exit codes say."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from serving.__main__ import main
from tests.support_contract import Server, start_server, stop_server, wait_for_server
from tests.support_watch import put

FAST = ("--step-time", "0s", "--step-requests", "3")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("releases")
    for version in ("1", "2", "3"):
        put(folder / "tag" / version, version, f"word {version}")
    with start_server(folder, SERVING_LOG_LEVEL="warning") as process:
        try:
            found = wait_for_server(process)
            httpx.put(f"{found.management}/models/tag/1/set-default")
            yield found
        finally:
            stop_server(process)


class Console:
    """The command, and what it says."""

    def __init__(self, server: Server, capsys: pytest.CaptureFixture[str]) -> None:
        self._url = f"--url={server.management}"
        self._capsys = capsys
        self.error = ""

    def run(self, *words: str, code: int = 0) -> str:
        assert main(["releases", *words, self._url]) == code
        out, self.error = self._capsys.readouterr()
        return out

    def report(self, *words: str) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.run(*words, "--json"))
        return told


@pytest.fixture
def console(server: Server, capsys: pytest.CaptureFixture[str]) -> Console:
    return Console(server, capsys)


@contextmanager
def asked(server: Server) -> Iterator[None]:
    """Keep a client asking."""
    is_over = threading.Event()

    def ask() -> None:
        with httpx.Client(base_url=server.inference) as client:
            while not is_over.is_set():
                assert client.post("/predictions/tag", content=b"x").is_success

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def test_release_is_begun_steered_and_shown(server: Server, console: Console) -> None:
    assert "there was no release" in console.run("list")
    console.run("show", "tag", code=1)
    assert console.error == "serving: there was no release of tag: begin one\n"
    plan = '{"guard": {"false_alarms": 0.05}}'
    told = console.run(
        "begin", "canary", "tag", "2", "--steps", "10%,50%", "--step-time", "1h",
        "--sticky", "cookie:who", "--plan", plan,
    )  # fmt: skip
    assert told.splitlines()[0] == "tag: canary of 2 beside 1, running"
    report = console.report("show", "tag")
    assert report["plan"]["guard"]["false_alarms"] == 0.05
    assert report["plan"]["sticky"] == {"by": "cookie", "name": "who"}
    assert (report["share"], report["plan"]["step_s"]) == (0.1, 3600.0)
    console.run("begin", "canary", "tag", "3", code=1)
    assert "a release of tag is on" in console.error
    assert console.report("pause", "tag")["state"] == "paused"
    assert console.report("resume", "tag")["state"] == "running"
    assert console.report("step", "tag", "--share", "30%")["share"] == 0.3
    assert console.report("step", "tag")["share"] == 0.5
    head, row = console.run("list").splitlines()
    assert head.startswith("MODEL  KIND    STATE    STABLE  NEW  SHARE")
    assert row.split()[:7] == ["tag", "canary", "running", "1", "2", "50", "%"]
    ended = console.run("abort", "tag", "--reason", "not before Monday")
    assert "not before Monday" in ended
    console.run("promote", "tag", code=1)
    assert "is over" in console.error


def test_followed_canary_ends_with_0_when_it_has_everything(
    server: Server, console: Console
) -> None:
    with asked(server):
        told = console.run("begin", "canary", "tag", "2", "--steps", "50%", *FAST, "--follow")
    lines = told.splitlines()
    assert lines[0].endswith("begun by management, 50 %")
    assert lines[1].endswith("completed by itself, 100 %") or "stepped by itself" in lines[1]
    assert "tag: canary of 2 beside 1, completed" in lines


def test_followed_canary_ends_with_3_when_it_is_aborted(server: Server, console: Console) -> None:
    url = f"{server.management}/releases/tag/abort"
    timer = threading.Timer(1.0, lambda: httpx.post(url, json={}))
    timer.start()
    told = console.run("begin", "canary", "tag", "3", "--follow", "--json", code=3)
    timer.join()
    *events, last = map(json.loads, told.splitlines())
    assert [event["kind"] for event in events] == ["begun", "aborted"]
    assert last["state"] == "aborted"


def test_split_and_shadow_are_begun_with_their_own_words(console: Console) -> None:
    split = console.report("begin", "split", "tag", "2=80", "3=20")
    assert (split["kind"], split["plan"]["weights"]) == ("split", {"2": 80.0, "3": 20.0})
    console.run("abort", "tag")
    shadow = console.report("begin", "shadow", "tag", "3", "--share", "25%")
    assert (shadow["kind"], shadow["plan"]["share"]) == ("shadow", 0.25)
    assert "copies: 0 agreed" in console.run("abort", "tag")


@pytest.mark.parametrize(
    "words",
    [
        ("begin", "canary", "tag", "2", "--steps", "10%,200%"),
        ("begin", "canary", "tag", "2", "--step-time", "soon"),
        ("begin", "canary", "tag", "2", "--sticky", "colour:red"),
        ("begin", "split", "tag", "2:80"),
        ("step", "tag", "--share", "0"),
    ],
    ids=lambda words: words[-1],
)
def test_wrong_words_are_told_before_the_server_is_asked(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["releases", *words])
    assert ended.value.code == 2
    assert "is no" in capsys.readouterr().err


def test_plan_that_is_no_json_is_told(console: Console) -> None:
    console.run("begin", "canary", "tag", "2", "--plan", "guard", code=1)
    assert "--plan is no JSON object" in console.error


def test_help_comes_at_once_and_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["releases", "--help"])
    told = capsys.readouterr().out
    assert "serving releases begin canary echo 2.0 --follow" in told
    assert "Exit codes: 0 done" in told
