"""Following: how a release goes on, on one line of the terminal that is written over."""

import contextlib
import json
import sys
import time

import msgspec

from serving.console.management import ManagementPort
from serving.console.release_text import progress_line, release_text
from serving.errors import ServerUnavailable
from serving.releases.report import ReleaseReport

__all__ = ("follow",)

_PAUSE_S = 1.0
_PATIENCE = 20
"""Looks in a row that may fail."""

_GOING_ON = frozenset({"running", "paused"})


def follow(
    port: ManagementPort, path: str, report: ReleaseReport, *, is_json: bool
) -> ReleaseReport:
    """Show how a release goes until it is over; how it stands then.

    On a terminal one line is written over; elsewhere there is a line for each event. With JSON
    there is an event a line, and the report at the end.

    Args:
        port: of the server.
        path: of the release.
        report: as it stands now.
        is_json: whether a program reads it.

    Raises:
        ServingError: when the server is there no longer.
    """
    told = _tell_events(report, 0.0, is_json=is_json)
    is_watched = sys.stderr.isatty() and not is_json
    while report.state in _GOING_ON:
        if is_watched:
            sys.stderr.write(f"\r\x1b[K{progress_line(report, time.time())}")
            sys.stderr.flush()
        time.sleep(_PAUSE_S)
        found = _look(port, path)
        if found.id != report.id:
            # Another one has begun since: this one is over.
            break
        report = found
        if is_watched:
            sys.stderr.write("\r\x1b[K")
        told = _tell_events(report, told, is_json=is_json)
    if is_json:
        print(json.dumps(msgspec.to_builtins(report)), flush=True)
    else:
        print(f"\n{release_text(report)}", flush=True)
    return report


def _look(port: ManagementPort, path: str) -> ReleaseReport:
    """Ask how it stands, with patience: a release goes on after a restart of its server.

    Raises:
        ServerUnavailable: when the server does not come back.
    """
    for _ in range(_PATIENCE):
        with contextlib.suppress(ServerUnavailable):
            return msgspec.convert(port.ask("GET", path), ReleaseReport)
        time.sleep(_PAUSE_S)
    return msgspec.convert(port.ask("GET", path), ReleaseReport)


def _tell_events(report: ReleaseReport, told: float, *, is_json: bool) -> float:
    """Tell of the events after a time, seconds since 1970; when the last one was."""
    for event in report.events:
        if event.at <= told:
            continue
        told = event.at
        if is_json:
            print(json.dumps(msgspec.to_builtins(event)), flush=True)
        else:
            clock = time.strftime("%H:%M:%S", time.localtime(event.at))
            why = f": {event.reason}" if event.reason else ""
            what = f"{event.kind.replace('_', ' ')} by {event.by}"
            print(f"{clock} {what}, {100 * event.share:.3g} %{why}", flush=True)
    return told
