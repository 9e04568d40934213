"""Tasks that end badly."""

import os
import signal
import time


def raise_error(_job: str) -> None:
    msg = "secret details"
    raise ZeroDivisionError(msg)


def die(_job: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def last_for_ever(_job: str) -> None:
    time.sleep(600)
