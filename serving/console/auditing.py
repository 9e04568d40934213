"""What the command `audit` does: tells entries of a server, and follows the chain of a file."""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from serving.audit.entry import AuditEntry
from serving.audit.reading import AuditPage, verify
from serving.console.management import ManagementPort, open_port
from serving.console.table import cut, render_table
from serving.errors import BadInput

__all__ = ("describe_change", "list_entries", "verify_chain")

_FOLLOW_S = 1.0
_PAGE = 1000
_CELL = 70


def list_entries(options: argparse.Namespace) -> int:
    """Tell what happened, the latest last."""
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
        if _page(port, {"limit": 1}).head_sequence == last:
            continue
        page = _page(port, {**asked, "limit": _PAGE})
        fresh = [each for each in reversed(page.entries) if each.sequence > last]
        last = page.head_sequence
        if fresh:
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
    return place, who, entry.what, model, entry.result, cut(told, _CELL)


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


def verify_chain(options: argparse.Namespace) -> int:
    """Follow the chain; 1 when it is broken, or does not come by the head that was asked for."""
    path = options.file or Path(os.environ.get("SERVING_AUDIT_FILE", ""))
    if not path.name:
        raise BadInput("name the file of the audit log, or set SERVING_AUDIT_FILE")
    try:
        found = verify(path, options.head)
    except OSError as error:
        msg = f"the audit log {path} cannot be read: {error.strerror}"
        raise BadInput(msg) from error
    for note in found.notes:
        print(f"note: {note}")
    for fault in found.faults:
        sys.stderr.write(f"BROKEN: {fault}\n")
    if not found.faults:
        print(f"the chain holds: {found.entries} entries, the last is {found.sequence}")
        print(f"head {found.head}")
    return 1 if found.faults else 0
