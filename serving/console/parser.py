"""Parser: argparse's, whose errors are one sentence that says what to do."""

import argparse
import difflib
import re
import sys
from collections.abc import Collection
from typing import Any, NoReturn

__all__ = ("Parser",)

_WRONG_USE = 2
_CHOICES = re.compile(r"invalid choice: '(?P<said>[^']*)' \(choose from (?P<known>.+)\)$")


class Parser(argparse.ArgumentParser):
    """Tells what is wrong in one line instead of under all options, and the nearest right word.

    Where a command is missing, all commands are shown.
    """

    def error(self, message: str) -> NoReturn:
        """End the process with 2, wrong use."""
        if self._subparsers is not None and "required" in message:
            self.print_help(sys.stderr)
            self.exit(_WRONG_USE)
        found = _CHOICES.search(message)
        if found is not None:
            message += _nearest(found["said"], re.findall(r"[\w-]+", found["known"]))
        self.exit(_WRONG_USE, f"{self.prog}: {message} (see `{self.prog} --help`)\n")

    def parse_known_args(self, *given: Any, **named: Any) -> Any:
        """Refuse options that there are not where they were meant to be, as the part's own."""
        parsed, rest = super().parse_known_args(*given, **named)
        if rest and self._subparsers is None:
            options = [text for action in self._actions for text in action.option_strings]
            hint = _nearest(rest[0].partition("=")[0], options)
            self.error(f"unrecognized arguments: {' '.join(rest)}{hint}")
        return parsed, rest


def _nearest(said: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(said, known, n=1)
    return f"; is it {near[0]}?" if near else ""
