"""The command `releases`: begin, look at and steer the releases of a running server."""

import argparse
from collections.abc import Callable
from typing import Any

from serving.console.flags import add_port_flags, duration, share

__all__ = ("add_releases_command",)

_DESCRIPTION = """\
A release lets a new version of a model answer some of the requests that name none, beside the
version before: more and more of them (canary), a fixed share (split, an A/B test), or only copies
(shadow). A canary that fails more, takes longer or says something else is taken back by itself.
"""

_EPILOG = """\
  a new version, 1 % first, then 5, 25, 50 and 100 %, five minutes each; and see how it goes:
    serving releases begin canary echo 2.0 --follow
  more careful, with shares and times of your own, each visitor always by the same version:
    serving releases begin canary echo 2.0 --steps 1%,10%,50% --step-time 1h --sticky cookie:who
  two versions beside one another, and what that shows:
    serving releases begin split echo 1.0=80 2.0=20 --sticky header:x-user
    serving releases show echo
  copies of a tenth of the requests, whose answers are compared and dropped:
    serving releases begin shadow echo 2.0 --share 10%
  steer it:
    serving releases pause echo          no larger share; it is still taken back if it must be
    serving releases resume echo
    serving releases step echo           the next step now; or --share 30%
    serving releases promote echo        everything to the new version
    serving releases abort echo --reason "not before Monday"

Exit codes: 0 done, 1 the server refuses or is not there, 3 the release that was followed was taken
back or aborted, 130 interrupted (the release goes on).
"""


def add_releases_command(commands: Any, program: str = "serving") -> None:
    """Add the command to a parser's; it sets `run`, which is given what was parsed.

    Args:
        commands: what `ArgumentParser.add_subparsers` gave.
        program: what the command is called by, for the examples.
    """
    parser = commands.add_parser(
        "releases",
        help="begin and steer canaries, A/B tests and shadows on a running server",
        description=_DESCRIPTION,
        epilog=_EPILOG.replace("serving releases", f"{program} releases"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(dest="release_verb", required=True, metavar="VERB")
    _add_verb(verbs, "list", "one line a release", _run("list_releases"))
    show = _add_verb(verbs, "show", "how the last release of a model stands", _run("show_release"))
    _add_model(show)
    _add_follow(show)
    _add_begin(verbs.add_parser("begin", help="begin a release of a version that is served"))
    for verb, text in (
        ("step", "let the new version answer more now, or less"),
        ("promote", "let it answer everything from now on"),
        ("pause", "let it get no larger; it is still taken back if it must be"),
        ("resume", "let it get larger again"),
        ("abort", "let the version before answer everything again"),
    ):
        steering = _add_verb(verbs, verb, text, _run("change_release"))
        _add_model(steering)
        if verb == "step":
            steering.add_argument("--share", type=share, metavar="S", help="20%% or 0.2")
        if verb == "abort":
            steering.add_argument("--reason", default="", metavar="TEXT", help="for the audit log")
        _add_follow(steering)


def _add_verb(
    verbs: Any, name: str, text: str, run: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = verbs.add_parser(name, help=text)
    parser.add_argument("--json", action="store_true", help="for programs: the server's report")
    add_port_flags(parser)
    parser.set_defaults(run=run)
    return parser


def _add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="its name")


def _add_follow(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--follow", action="store_true", help="show how it goes until it is over")


def _add_begin(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    canary = _add_kind(kinds, "canary", "more and more of the requests, unless it does worse")
    canary.add_argument("version", metavar="VERSION", help="the new one; it must be served")
    add = canary.add_argument
    add("--steps", type=_shares, metavar="S,S", help="its shares (1%%,5%%,25%%,50%%)")
    add("--step-time", type=duration, metavar="TIME", help="least length of a step (5m)")
    add("--step-requests", type=int, metavar="N", help="fewest answers of it in a step (100)")
    split = _add_kind(kinds, "split", "a fixed share: an A/B test")
    split.add_argument(
        "weights", nargs="+", type=_weight, metavar="VERSION=WEIGHT", help="of each version"
    )
    shadow = _add_kind(kinds, "shadow", "copies of requests, whose answers are dropped")
    shadow.add_argument("version", metavar="VERSION", help="the new one; it must be served")
    shadow.add_argument("--share", type=share, metavar="S", help="of the requests (10%%)")
    for kind in (canary, split):
        kind.add_argument(
            "--sticky",
            type=_sticky,
            metavar="BY",
            help="what a client is known by: header:NAME, cookie:NAME or address",
        )
    for kind in (canary, shadow, split):
        kind.add_argument("--stable", metavar="VERSION", help="to compare with (the default)")
        kind.add_argument(
            "--plan", metavar="JSON", help="further fields of the plan, such as the guard's"
        )
        kind.add_argument(
            "--again", action="store_true", help="also a version that took itself back before"
        )
        _add_follow(kind)


def _add_kind(kinds: Any, name: str, text: str) -> argparse.ArgumentParser:
    parser = _add_verb(kinds, name, text, _run("begin_release"))
    _add_model(parser)
    return parser


def _shares(text: str) -> list[float]:
    return [share(each) for each in text.split(",")]


def _weight(text: str) -> tuple[str, float]:
    version, separator, number = text.rpartition("=")
    try:
        weight = float(number)
    except ValueError:
        weight = -1.0
    if not separator or not version or not weight > 0:
        msg = f"{text!r} is no version and weight, such as 2.0=20"
        raise argparse.ArgumentTypeError(msg)
    return version, weight


def _sticky(text: str) -> dict[str, str]:
    by, _, name = text.partition(":")
    if by not in {"header", "cookie", "address"} or (by == "address") == bool(name):
        msg = f"{text!r} is none of header:NAME, cookie:NAME and address"
        raise argparse.ArgumentTypeError(msg)
    return {"by": by, "name": name}


def _run(name: str) -> Callable[[argparse.Namespace], int]:
    """What does a verb; loaded only then."""

    def run(options: argparse.Namespace) -> int:
        from serving.console import steering

        code: int = getattr(steering, name)(options)
        return code

    return run
