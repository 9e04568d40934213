"""The line on the terminal: one at a time, cleared at the end, and nothing in a file."""

import sys
import time

import pytest

from animator.cli.progress_line import ProgressLine, counted


def use_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Called by the test itself: what is captured in it is not what a fixture sees."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)


def test_things_are_counted_with_the_time_that_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_terminal(monkeypatch)
    clock = iter(range(0, 1000, 30))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    assert list(counted(["a", "b", "c", "d"], "drawings")) == ["a", "b", "c", "d"]
    shown = capsys.readouterr().err.split("\r\x1b[K")
    # each took 30 seconds, and the clock was asked once before the first
    assert shown[1:] == [
        "drawings: [........................] 0 of 4   0%",
        "drawings: [######..................] 1 of 4, 3:00 left,  25%",
        "drawings: [############............] 2 of 4, 1:30 left,  50%",
        "drawings: [##################......] 3 of 4, 0:40 left,  75%",
        "",
    ]


def test_line_is_taken_away_when_the_work_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_terminal(monkeypatch)
    with pytest.raises(ZeroDivisionError):
        [1 / thing for thing in counted([1, 0], "drawings")]
    assert capsys.readouterr().err.endswith("\r\x1b[K")


def test_same_words_are_not_written_twice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_terminal(monkeypatch)
    line = ProgressLine("a.pth")
    for _ in range(3):
        line.show("reading", 0.0)
    line.clear()
    line.clear()
    assert capsys.readouterr().err == "\r\x1b[Ka.pth: reading   0%\r\x1b[K"


def test_nothing_is_written_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(counted([1, 2], "drawings")) == [1, 2]
    assert capsys.readouterr().err == ""
