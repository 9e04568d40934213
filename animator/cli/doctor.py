"""`animator doctor`: what is here, and what is missing."""

import argparse

from animator.cli import Subparsers

__all__ = ("add_parser", "run")

_MARKS = {"ok": "ok  ", "note": "note", "bad": "BAD "}


def add_parser(subparsers: Subparsers) -> None:
    """Add the parser of `doctor`."""
    parser = subparsers.add_parser(
        "doctor",
        help="say what is here and what is missing",
        description="Looks at the machine, the libraries, the queue and the models. "
        "The exit code is 1 when something must be mended.",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.add_argument("--data-dir", metavar="DIR", help="folder to look at")
    parser.add_argument("--models-dir", metavar="DIR", help="folder of model folders")


def run(args: argparse.Namespace) -> int:
    """Print one line a finding."""
    # Loads everything that is looked at; `--help` needs none of it.
    import msgspec

    from animator.launch.checkup import examine
    from animator.settings import load_settings

    flags = {"data_dir": args.data_dir, "models_dir": args.models_dir}
    findings = examine(load_settings(flags))
    if args.json:
        print(msgspec.json.format(msgspec.json.encode(findings)).decode())
    else:
        for finding in findings:
            print(f"{_MARKS[finding.state]}  {finding.name:32} {finding.text}")
    return int(any(finding.state == "bad" for finding in findings))
