"""The commands of `animator`, one file each.

The convention: a file named like its command has two functions::

    def add_parser(subparsers: Subparsers) -> None   # adds its parser; sets no defaults of others
    def run(args: argparse.Namespace) -> int         # does the work; returns the exit code

A file imports at its top only the standard library and light modules of `animator.core`; whatever
costs time to import (arrays, pictures, models, servers) is imported inside `run`, so that
`animator --help` answers at once. An `AnimatorError` may leave `run`: the root prints its sentence
and exits with 1.
"""

import argparse
from typing import TypeAlias

__all__ = ("COMMANDS", "Subparsers")

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

COMMANDS = (
    "serve",
    "animate",
    "render",
    "annotate",
    "motions",
    "models",
    "bench",
    "keys",
    "doctor",
)
"""Names of the files, in the order in which `--help` lists them."""
