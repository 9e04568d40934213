"""What the command `releases` does: asks a running server, and shows what it says."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

import msgspec

from serving.console.following import follow
from serving.console.management import ManagementPort, open_port
from serving.console.release_text import RELEASE_HEADS, release_row, release_text
from serving.console.table import render_table
from serving.errors import BadInput
from serving.releases.report import ReleaseList, ReleaseReport

__all__ = ("begin_release", "change_release", "list_releases", "show_release")

_TAKEN_BACK = 3
_INTERRUPTED = 130


def list_releases(options: argparse.Namespace) -> int:
    """One line a release."""
    with open_port(options) as port:
        told = port.ask("GET", "/releases")
    if options.json:
        _print_json(told)
        return 0
    releases = msgspec.convert(told, ReleaseList).releases
    if releases:
        print(render_table(RELEASE_HEADS, map(release_row, releases)))
    else:
        print("there was no release; `releases begin --help` tells how to begin one")
    return 0


def show_release(options: argparse.Namespace) -> int:
    """How the last release of a model stands."""
    return _tell(options, lambda port: port.ask("GET", _path(options.model)))


def begin_release(options: argparse.Namespace) -> int:
    """Begin a release as the flags say."""
    plan = _plan(options)
    again = {"again": "true"} if options.again else None
    return _tell(options, lambda port: port.ask("POST", "/releases", again, plan))


def change_release(options: argparse.Namespace) -> int:
    """Step, promote, pause, resume or abort."""
    body: dict[str, Any] = {}
    if getattr(options, "share", None) is not None:
        body["share"] = options.share
    if getattr(options, "reason", ""):
        body["reason"] = options.reason
    path = f"{_path(options.model)}/{options.release_verb}"
    return _tell(options, lambda port: port.ask("POST", path, body=body))


def _tell(options: argparse.Namespace, ask: Callable[[ManagementPort], Any]) -> int:
    """Ask, and show the release that the answer is about; with --follow until it is over."""
    with open_port(options) as port:
        told = ask(port)
        report = msgspec.convert(told, ReleaseReport)
        if options.follow:
            try:
                report = follow(port, _path(report.model), report, is_json=options.json)
            except KeyboardInterrupt:
                sys.stderr.write("\nthe release goes on\n")
                return _INTERRUPTED
        elif options.json:
            _print_json(told)
        else:
            print(release_text(report))
    is_lost = options.follow and report.state in {"rolled_back", "aborted"}
    return _TAKEN_BACK if is_lost else 0


def _plan(options: argparse.Namespace) -> dict[str, Any]:
    """What the flags say, and over it what `--plan` does; the server knows the rest.

    Raises:
        BadInput: when the latter is no JSON object.
    """
    said: Mapping[str, Any] = {
        "kind": options.kind,
        "model": options.model,
        "version": getattr(options, "version", None),
        "stable": options.stable,
        "steps": getattr(options, "steps", None),
        "step_s": getattr(options, "step_time", None),
        "step_requests": getattr(options, "step_requests", None),
        "weights": dict(getattr(options, "weights", ())) or None,
        "share": getattr(options, "share", None),
        "sticky": getattr(options, "sticky", None),
    }
    try:
        more = msgspec.json.decode(options.plan or "{}", type=dict[str, Any])
    except msgspec.DecodeError as error:
        msg = f"--plan is no JSON object: {error}"
        raise BadInput(msg) from error
    return {**{name: value for name, value in said.items() if value is not None}, **more}


def _path(model: str) -> str:
    return f"/releases/{quote(model, safe='')}"


def _print_json(told: object) -> None:
    print(json.dumps(told, indent=2, ensure_ascii=False))
