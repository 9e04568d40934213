import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from animator.launch.problems import CannotStart
from animator.launch.service import Service
from animator.launch.supervisor import Supervisor
from tests.support_serve import is_running

LIVE = "import time; time.sleep(60)"


def service(name: str, code: str, is_ready: Callable[[], bool] | None = None) -> Service:
    command = (sys.executable, "-S", "-c", code)
    if is_ready is None:
        return Service(name=name, command=command)
    return Service(name=name, command=command, is_ready=is_ready)


def note(file: Path, word: str) -> str:
    return f"open({str(file)!r}, 'a').write('{word} ')"


def stop(times: int = 1) -> None:
    """What Ctrl-C does."""
    for _ in range(times):
        os.kill(os.getpid(), signal.SIGINT)


def test_stage_waits_for_the_one_before_and_stops_before_it(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("")
    tell = "\n".join(
        [
            "import signal, sys, time",
            "def end(*_):",
            "    {end}",
            "    sys.exit(0)",
            "signal.signal(signal.SIGTERM, end)",
            "{begin}",
            "time.sleep(60)",
        ]
    )

    def part(name: str) -> Service:
        code = tell.format(begin=note(log, f"+{name}"), end=note(log, f"-{name}"))
        return service(name, code, is_ready=lambda: f"+{name}" in log.read_text())

    Supervisor([[part("queue")], [part("web")]]).run(on_ready=stop)
    assert log.read_text().split() == ["+queue", "+web", "-web", "-queue"]


def test_dead_service_is_started_again(tmp_path: Path) -> None:
    births = tmp_path / "births"
    births.write_text("")
    code = f"{note(births, 'born')}\nimport os, time\n" + (
        f"time.sleep(60) if open({str(births)!r}).read().count('born') > 2 else os._exit(3)"
    )

    def is_ready() -> bool:
        return births.read_text().count("born") > 2

    Supervisor([[service("frail", code, is_ready)]]).run(on_ready=stop)
    assert births.read_text().count("born") == 3


def test_service_that_never_starts_ends_all_with_its_name(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    good = service("good", f"import os; open({str(pid)!r}, 'w').write(str(os.getpid())); {LIVE}")
    bad = service("bad", "raise SystemExit(1)", is_ready=lambda: False)
    ready: list[bool] = []
    with pytest.raises(CannotStart, match="bad does not start; read above why"):
        Supervisor([[good], [bad]]).run(on_ready=lambda: ready.append(True))
    assert ready == []
    assert not is_running(int(pid.read_text()))


def test_deaf_service_and_its_children_are_killed_within_five_seconds(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = "\n".join(
        [
            "import os, signal, time",
            "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
            "child = os.fork()",
            f"if child: open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child}}')",
            "time.sleep(60)",
        ]
    )

    def is_ready() -> bool:
        return pids.exists() and len(pids.read_text().split()) == 2

    begun: list[float] = []

    def begin_to_stop() -> None:
        begun.append(time.monotonic())
        stop()

    Supervisor([[service("deaf", code, is_ready)]]).run(on_ready=begin_to_stop)
    assert time.monotonic() - begun[0] < 5
    # The orphan belongs to init now, which may take a moment to bury it.
    for pid in map(int, pids.read_text().split()):
        deadline = time.monotonic() + 5
        while is_running(pid):
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_second_signal_stops_without_grace() -> None:
    code = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {LIVE}"
    begun = time.monotonic()
    Supervisor([[service("deaf", code)]]).run(on_ready=lambda: stop(times=2))
    assert time.monotonic() - begun < 2


def test_signal_while_starting_stops(tmp_path: Path) -> None:
    never = service("never", LIVE, is_ready=lambda: False)
    ready: list[bool] = []
    timer = threading.Timer(0.3, stop)
    timer.start()
    Supervisor([[never]]).run(on_ready=lambda: ready.append(True))
    timer.join()
    assert ready == []


def test_handlers_of_signals_are_given_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    Supervisor([[service("one", LIVE)]]).run(on_ready=stop)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.fixture
def hangup() -> Iterator[None]:
    """Gives back what the tests' own process does when its terminal is lost."""
    handler = signal.getsignal(signal.SIGHUP)
    yield
    signal.signal(signal.SIGHUP, handler)


@pytest.mark.usefixtures("hangup")
def test_lost_terminal_stops() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup the tests inherit SIG_IGN
    Supervisor([[service("one", LIVE)]]).run(on_ready=lambda: os.kill(os.getpid(), signal.SIGHUP))


@pytest.mark.usefixtures("hangup")
def test_lost_terminal_is_nothing_when_it_is_to_be_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    heard: list[bool] = []

    def lose_terminal_then_interrupt() -> None:
        os.kill(os.getpid(), signal.SIGHUP)
        heard.append(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN)
        stop()

    Supervisor([[service("one", LIVE)]]).run(on_ready=lose_terminal_then_interrupt)
    assert heard == [True]
