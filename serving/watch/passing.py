"""Passing faults: those of the machine, which say nothing of an archive."""

import errno

from serving.errors import ServerUnavailable

__all__ = ("is_passing",)

_PASSING = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO, errno.ESTALE}
)


def is_passing(error: BaseException | None) -> bool:
    """Whether another attempt may go well, though the archive is the same."""
    while error is not None:
        if isinstance(error, ServerUnavailable):
            return True
        if isinstance(error, OSError) and error.errno in _PASSING:
            return True
        error = error.__cause__
    return False
