"""`animator keys`: who may use the API of a server that is open to others."""

import argparse

from animator.cli import Subparsers

__all__ = ("add_parser", "run")

_EPILOG = """\
A key is shown once, when it is made; the file holds its hash. A server notices changes by itself.

  animator keys new school --per-minute 600
  animator keys list
  animator keys remove school
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the parser of `keys`."""
    parser = subparsers.add_parser(
        "keys",
        help="make, list and remove API keys",
        description="Makes, lists and removes the API keys of a server.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_data_dir(parser, None)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    new = actions.add_parser("new", help="make a key and show it")
    new.add_argument("name", metavar="NAME", help="of its holder: letters, digits, - and _")
    new.add_argument(
        "--per-minute", metavar="N", type=int, help="requests a minute; 0: without limit"
    )
    every = actions.add_parser("list", help="names of the keys")
    remove = actions.add_parser("remove", help="forget a key")
    remove.add_argument("name", metavar="NAME", help="of its holder")
    for action in (new, every, remove):
        # What is said before the action holds where nothing is said behind it.
        _add_data_dir(action, argparse.SUPPRESS)


def _add_data_dir(parser: argparse.ArgumentParser, default: str | None) -> None:
    parser.add_argument(
        "--data-dir", metavar="DIR", default=default, help="the server's data folder"
    )


def run(args: argparse.Namespace) -> int:
    """Do what is asked."""
    from animator.settings import load_settings
    from animator.store import LOOK, open_stores

    settings = load_settings({"data_dir": args.data_dir})
    keys = open_stores(settings.storage, LOOK, settings.key_file).keys
    if args.action == "new":
        print(keys.add(args.name, args.per_minute))
    elif args.action == "remove":
        keys.remove(args.name)
    else:
        for key in keys.read():
            limit = "" if key.per_minute is None else f"  {key.per_minute} a minute"
            print(f"{key.name}{limit}")
    return 0
