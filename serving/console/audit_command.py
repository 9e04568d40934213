"""The command `audit`: who changed what on a running server, and whether its log is whole."""

import argparse
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn, get_args

import msgspec

from serving.audit.entry import AuditAction, AuditEntry
from serving.audit.reading import AuditPage, verify
from serving.console.management import ManagementPort, add_port_flags, open_port
from serving.console.table import render_table
from serving.errors import BadInput

__all__ = ("add_audit_command", "describe_change", "moment")

_DESCRIPTION = """\
Tells who changed what is served, when, from what to what, and why; what failed and who was refused.
"""

_EPILOG = """\
  what happened lately, and to one model, and what failed since yesterday:
    serving audit list
    serving audit list --model echo --limit 20
    serving audit list --result failed --since 24h
  go on telling what happens (Ctrl-C ends it):
    serving audit list --follow
  for programs, an object a line:
    serving audit list --json | jq -r 'select(.what == "register") | .model'
  was the log tampered with? Each entry carries the hash of the one before:
    serving audit verify logs/audit.jsonl
  was its end cut off? Keep a head that `verify` or the server's log told, and ask for it:
    serving audit verify logs/audit.jsonl --head 5f2c...

Exit codes: 0 done, 1 the chain is broken or the server refuses, 130 interrupted.
"""

_FOLLOW_S = 1.0
_PAGE = 1000
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_CELL = 70


def add_audit_command(commands: Any, program: str = "serving") -> None:
    """Add the command to a parser's; it sets `run`, which is given what was parsed.

    Args:
        commands: what `ArgumentParser.add_subparsers` gave.
        program: what the command is called by, for the examples.
    """
    parser = commands.add_parser(
        "audit",
        help="who changed what on a running server",
        description=_DESCRIPTION,
        epilog=_EPILOG.replace("serving audit", f"{program} audit"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(dest="audit_verb", required=True, metavar="VERB")
    listing = verbs.add_parser("list", help="entries, the latest last")
    add = listing.add_argument
    add("--model", metavar="NAME", help="of this model")
    add("--version", metavar="VERSION", help="of this version")
    add("--what", choices=get_args(AuditAction), metavar="WHAT", help="such as register, scale")
    add("--who", metavar="WHO", help="such as 'management key', watcher, canary, start")
    add("--result", metavar="RESULT", help="ok, failed, or the code of an error")
    add("--since", type=moment, metavar="TIME", help="2026-01-31T12:00Z, or 30m, 24h, 7d ago")
    add("--until", type=moment, metavar="TIME", help="likewise")
    add("--limit", type=int, default=50, metavar="N", help="most entries (50)")
    add("--json", action="store_true", help="an entry a line, as it stands in the log")
    add("--follow", action="store_true", help="go on with what happens")
    add_port_flags(listing)
    listing.set_defaults(run=_run_list)
    checking = verbs.add_parser("verify", help="follow the chain of hashes through the files")
    add = checking.add_argument
    add("file", nargs="?", type=Path, metavar="FILE", help="(SERVING_AUDIT_FILE)")
    add("--head", default="", metavar="HASH", help="of an entry that was seen, and must be there")
    checking.set_defaults(run=_run_verify)


def moment(text: str) -> str:
    """Read a time in ISO 8601, or how long ago it was; ISO 8601 in UTC.

    Raises:
        ArgumentTypeError: when it is neither.
    """
    ago = re.fullmatch(r"(\d{1,6})([smhd])", text)
    try:
        if ago:
            found = datetime.now(UTC) - timedelta(seconds=int(ago[1]) * _UNITS[ago[2]])
        else:
            found = datetime.fromisoformat(text)
    except ValueError as error:
        msg = f"{text!r} is no time, such as 2026-01-31T12:00Z or 24h"
        raise argparse.ArgumentTypeError(msg) from error
    return found.astimezone(UTC).isoformat()


def _run_list(options: argparse.Namespace) -> int:
    asked = {
        name: getattr(options, name)
        for name in ("model", "version", "what", "who", "result", "since", "until")
    }
    with open_port(options) as port:
        entries = list(reversed(list(_latest(port, asked, options.limit))))
        _show(entries, is_json=options.json)
        if not options.follow:
            return 0
        try:
            _follow(port, asked, entries, is_json=options.json)
        except KeyboardInterrupt:
            return 130


def _latest(port: ManagementPort, asked: Mapping[str, Any], limit: int) -> Iterator[AuditEntry]:
    """The latest entries, the latest first, page by page."""
    token = None
    while limit > 0:
        page = _page(port, {**asked, "limit": min(limit, _PAGE), "next_page_token": token})
        yield from page.entries
        limit -= len(page.entries)
        token = page.next_page_token
        if token is None:
            return


def _page(port: ManagementPort, asked: Mapping[str, Any]) -> AuditPage:
    return msgspec.convert(port.ask("GET", "/audit", asked), AuditPage)


def _follow(
    port: ManagementPort, asked: Mapping[str, Any], seen: list[AuditEntry], *, is_json: bool
) -> NoReturn:
    last = seen[-1].sequence if seen else _page(port, {"limit": 1}).head_sequence
    while True:
        time.sleep(_FOLLOW_S)
        found = _page(port, {**asked, "limit": _PAGE}).entries
        fresh = [each for each in reversed(found) if each.sequence > last]
        if fresh:
            last = fresh[-1].sequence
            _show(fresh, is_json=is_json, has_heads=False)


def _show(entries: list[AuditEntry], *, is_json: bool, has_heads: bool = True) -> None:
    if is_json:
        for entry in entries:
            print(msgspec.json.encode(entry).decode(), flush=True)
        return
    if not entries and has_heads:
        print("nothing of that kind is in the audit log")
        return
    table = render_table(
        ("TIME (UTC)", "WHO", "WHAT", "MODEL", "RESULT", "CHANGE"), map(_row, entries)
    )
    print(table if has_heads else table.partition("\n")[2], flush=True)


def _row(entry: AuditEntry) -> tuple[str, ...]:
    who = f"{entry.who} {entry.key[:6]}".strip()
    model = f"{entry.model}@{entry.version}" if entry.version else entry.model
    told = "; ".join(filter(None, (describe_change(entry.before, entry.after), entry.reason)))
    place = f"{entry.time:%Y-%m-%d %H:%M:%S}"
    return place, who, entry.what, model, entry.result, _cut(told)


def describe_change(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> str:
    """Tell what differs between two states, in a few words."""
    if after is None:
        return ""
    old = before or {}
    changed = [name for name in after if after[name] != old.get(name)]
    return "; ".join(
        f"{name} {_short(old[name])} -> {_short(after[name])}"
        if name in old
        else f"{name} {_short(after[name])}"
        for name in changed
    )


def _short(value: object) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text.replace('"', "")


def _cut(text: str) -> str:
    return text if len(text) <= _CELL else f"{text[: _CELL - 3]}..."


def _run_verify(options: argparse.Namespace) -> int:
    """Follow the chain; 1 when it is broken, or does not come by the head that was asked for."""
    path = options.file or Path(os.environ.get("SERVING_AUDIT_FILE", ""))
    if not path.name:
        raise BadInput("name the file of the audit log")
    try:
        found = verify(path, options.head)
    except OSError as error:
        msg = f"the audit log cannot be read: {error}"
        raise BadInput(msg) from error
    for note in found.notes:
        print(f"note: {note}")
    for fault in found.faults:
        sys.stderr.write(f"BROKEN: {fault}\n")
    if not found.faults:
        print(f"the chain holds: {found.entries} entries, the last is {found.sequence}")
        print(f"head {found.head}")
    return 1 if found.faults else 0
