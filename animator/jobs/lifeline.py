"""A child process that does not outlive its parent."""

import ctypes
import os
import signal
import sys

__all__ = ("die_with_parent",)

_PR_SET_PDEATHSIG = 1
# Loaded beforehand: between fork and exec a child should do as little as it can.
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def die_with_parent(signum: signal.Signals, parent: int) -> None:
    """Have this process sent a signal when its parent ends, however that ends (prctl(2)).

    Only Linux can do this; elsewhere children end when they are told to, and not otherwise.

    Args:
        signum: what to be sent.
        parent: pid of the parent; when it is gone already, this process ends here.
    """
    if _LIBC is None:
        return
    _LIBC.prctl(_PR_SET_PDEATHSIG, int(signum), 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
