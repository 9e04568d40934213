"""Management: what the bench asks of a running server, ours or TorchServe, over its REST API."""

import contextlib
from typing import Any

import httpx
import msgspec

from serving.bench.setting import Setting
from serving.errors import (
    InferenceFailed,
    ModelNotFound,
    NotAllowed,
    ServerUnavailable,
    ServingError,
)

__all__ = ("Described", "Management")

_TIMEOUT_S = 600.0


class _Worker(msgspec.Struct, rename="camel"):
    pid: int = 0
    status: str = ""


class _Info(msgspec.Struct):
    version: str = ""


class _Document(msgspec.Struct):
    info: _Info


class Described(msgspec.Struct, rename="camel"):
    """What a server says of a model that it serves.

    Attributes:
        model_name: in the URL.
        model_version: in the URL.
        model_url: what it was registered by.
        min_workers: processes that are kept.
        max_workers: processes that there may be.
        batch_size: most items of a batch.
        max_batch_delay: milliseconds.
        workers: the processes.
    """

    model_name: str
    model_version: str
    model_url: str
    min_workers: int
    max_workers: int
    batch_size: int
    max_batch_delay: int
    workers: list[_Worker] = []

    @property
    def ready(self) -> int:
        """Workers that have loaded the model."""
        return sum(worker.status == "READY" for worker in self.workers)


class Management:
    """The management API of one server.

    Args:
        url: of the management listener.
        metrics_url: of the metrics listener.
        token: for management; "" where none is asked for.
    """

    def __init__(self, url: str, metrics_url: str, token: str) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.Client(base_url=url, headers=headers, timeout=_TIMEOUT_S)
        self._metrics_url = metrics_url

    def describe(self, model: str) -> Described:
        """How a model is served.

        Raises:
            ModelNotFound: when it is not.
        """
        answer = self._ask("GET", f"/models/{model}")
        return msgspec.json.decode(answer.content, type=list[Described])[0]

    def register(self, url: str, model: str, setting: Setting) -> None:
        """Serve an archive under a name; waits for its workers.

        Args:
            url: of the archive, or its name in the store.
            model: its name.
            setting: how it is served.
        """
        parameters = {
            "url": url,
            "model_name": model,
            "batch_size": setting.batch_size,
            "max_batch_delay": round(setting.max_batch_delay_ms),
            "initial_workers": setting.workers,
            "synchronous": "true",
        }
        self._ask("POST", "/models", parameters)

    def rebatch(self, model: str, setting: Setting) -> bool:
        """Make its batches so, with the workers that are there; whether the server can do that.

        Ours can, where the handler does not go by the size; TorchServe takes no note.
        """
        parameters = {
            "batch_size": setting.batch_size,
            "max_batch_delay": round(setting.max_batch_delay_ms),
            # For TorchServe would go back to one.
            "min_worker": setting.workers,
            "max_worker": setting.workers,
            "synchronous": "true",
        }
        with contextlib.suppress(InferenceFailed):
            self._ask("PUT", f"/models/{model}", parameters)
            now = self.describe(model)
            told = (now.batch_size, now.max_batch_delay)
            return told == (parameters["batch_size"], parameters["max_batch_delay"])
        return False

    def unregister(self, model: str) -> None:
        """Serve a model no more."""
        self._ask("DELETE", f"/models/{model}")

    def version(self) -> str:
        """Of the server, as it says; "" when it does not."""
        with contextlib.suppress(ServingError, msgspec.MsgspecError):
            found = self._ask("OPTIONS", "/").content
            return msgspec.json.decode(found, type=_Document).info.version
        return ""

    def metrics(self) -> str:
        """Prometheus' text; "" where there is none."""
        with contextlib.suppress(httpx.HTTPError):
            answer = httpx.get(f"{self._metrics_url}/metrics", timeout=10)
            return answer.text if answer.is_success else ""
        return ""

    def close(self) -> None:
        """Hang up."""
        self._http.close()

    def _ask(
        self, method: str, path: str, parameters: dict[str, Any] | None = None
    ) -> httpx.Response:
        try:
            answer = self._http.request(method, path, params=parameters)
        except httpx.HTTPError as error:
            msg = f"no management API answers at {self._http.base_url}: {error}"
            raise ServerUnavailable(msg) from error
        if answer.is_success:
            return answer
        said = answer.text.strip()[:300]
        match answer.status_code:
            case 404:
                raise ModelNotFound(f"the server says of {path}: {said}")
            case 401 | 403:
                raise NotAllowed("the server asks for a token: give the management key by --token")
            case 405:
                msg = "the server lets nobody change its models: start it with --enable-model-api"
                raise NotAllowed(msg)
            case _:
                raise InferenceFailed(f"{method} {path}: {answer.status_code}: {said}")
