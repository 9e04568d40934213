"""The command `audit`: who changed what on a running server, and whether its log is whole."""

import argparse
from pathlib import Path
from typing import Any

from serving.console.flags import add_port_flags, moment

__all__ = ("add_audit_command",)

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
    add("--what", metavar="WHAT", help="such as register, scale, deploy, roll_back_release")
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


def _run_list(options: argparse.Namespace) -> int:
    from serving.console.auditing import list_entries

    return list_entries(options)


def _run_verify(options: argparse.Namespace) -> int:
    from serving.console.auditing import verify_chain

    return verify_chain(options)
