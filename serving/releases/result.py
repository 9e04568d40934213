"""Result: what an outcome says of the version that it came from."""

from typing import Literal

from serving.errors import BadInput, NotAllowed, NoWorker, ServerUnavailable
from serving.protocol.exchange import RawReply

__all__ = ("Result", "result_of")

Result = Literal["ok", "failed", "shed", "rejected"]
"""Answered well or badly by the model; or by none, for it had too much to do, or for the request
was the client's own mistake."""

_TOO_MANY = 429


def result_of(outcome: object) -> Result:
    """Tell which of these an outcome is.

    A version that has lost its workers has failed: it did not have too much to do.
    """
    if isinstance(outcome, RawReply):
        return _result_of_status(outcome.status)
    if isinstance(outcome, BadInput | NotAllowed):
        return "rejected"
    if isinstance(outcome, ServerUnavailable) and not isinstance(outcome, NoWorker):
        return "shed"
    return "failed" if isinstance(outcome, Exception) else "ok"


def _result_of_status(status: int) -> Result:
    if status == _TOO_MANY:
        return "shed"
    if status >= 500:
        return "failed"
    return "rejected" if status >= 400 else "ok"
