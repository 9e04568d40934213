"""What may have been meant by a name that is not there."""

import difflib
from collections.abc import Sequence

__all__ = ("nearest",)

_LONGEST = 100
"""Letters of a name that are looked at."""

_TOLD = 64
"""So many names are told at most."""


def nearest(name: str, known: Sequence[str]) -> str:
    """The known name that is most like it, as a question; where none is like it, what there is."""
    near = difflib.get_close_matches(name[:_LONGEST], known, n=1)
    return f"is it {near[0]!r}?" if near else f"there are {', '.join(known[:_TOLD])}."
