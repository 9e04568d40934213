"""The model server as a job sees it: what fails in passing is tried again for a while."""

import time
from collections.abc import Mapping
from typing import Any, Protocol

from numpy.typing import NDArray

from animator.core.errors import ModelUnavailable
from animator.core.tracing import part
from serving.errors import (
    BadInput,
    DeadlineExceeded,
    InferenceFailed,
    ServerUnavailable,
    ServingError,
    WorkerDied,
)

__all__ = ("PatientPredictor",)

Tensors = Mapping[str, NDArray[Any]]

_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 1.0
_PASSING = (ServerUnavailable, WorkerDied, DeadlineExceeded)


class Server(Protocol):
    """What runs the models."""

    def infer(self, model: str, inputs: Tensors) -> Tensors:
        """Run a model on one item."""
        ...


class PatientPredictor:
    """Asks a model server, and asks again while it restarts or is busy."""

    def __init__(self, server: Server, patience: float) -> None:
        """Use a server.

        Args:
            server: runs the models; raises ServingError.
            patience: seconds for which a request is repeated.
        """
        self._server = server
        self._patience = patience

    def infer(self, model: str, inputs: Tensors) -> Tensors:
        """Run a model on one item.

        Raises:
            ModelUnavailable: when the server cannot do it, or not within the patience.
        """
        deadline = time.monotonic() + self._patience
        pause = _FIRST_PAUSE
        while True:
            try:
                with part(f"infer {model}", "client", {"serving.model.name": model}):
                    return self._server.infer(model, inputs)
            except _PASSING as error:
                if time.monotonic() + pause > deadline:
                    raise _unavailable(model) from error
            except (BadInput, InferenceFailed):
                # Nothing that comes and goes: the caller or the model is wrong, so it is our bug.
                raise
            except ServingError as error:
                raise _unavailable(model) from error
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


def _unavailable(model: str) -> ModelUnavailable:
    return ModelUnavailable(f"The model {model} is not available just now. Please try again.")
