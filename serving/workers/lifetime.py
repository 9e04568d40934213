"""How a child process learns that its parent is gone, and which signals it leaves to it."""

import ctypes
import os
import signal
import sys

__all__ = ("die_with_parent", "ignore_stop_signals")

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int) -> None:
    """Let the kernel kill this process when its parent dies, even in the midst of a computation.

    Linux only; elsewhere the worker ends when it next reads its channel and finds it closed.

    Args:
        parent: the parent's process id, as the parent knows it.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # The parent may have died before the kernel was asked.
    if os.getppid() != parent:
        os._exit(1)


def ignore_stop_signals() -> None:
    """Leave Ctrl-C and SIGTERM, which whole groups of processes get, to the server.

    It finishes what is under way first, and then ends its workers by closing their channels.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
