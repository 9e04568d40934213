"""Client: asks a model server over HTTP, with binary tensors both ways."""

import json
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

import httpx
from numpy.typing import NDArray

from serving.errors import (
    BadInput,
    DeadlineExceeded,
    InferenceFailed,
    ServerUnavailable,
    ServingError,
    error_from_code,
)
from serving.protocol.tensors import Tensors
from serving.protocol.v2 import HEADER_LENGTH, InferRequest, decode_response, encode_request

__all__ = ("Client",)

# One step beyond the server's own time-out, so that its answer, which says more, comes first.
_GRACE_S = 1.0

_CONNECT_S = 5.0


class Client:
    """Asks one server of the Open Inference Protocol; may be shared between threads.

    Args:
        url: of the server, for example "http://127.0.0.1:8080".
        timeout_s: how long an answer may take, seconds; the server is told, and gives up then.
        headers: asked before each request for what goes along with it, such as `x-request-id` and
            `traceparent`.
    """

    def __init__(
        self,
        url: str,
        timeout_s: float = 60.0,
        headers: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        self._timeout_s = timeout_s
        self._headers = headers
        timeout = httpx.Timeout(timeout_s + _GRACE_S, connect=_CONNECT_S)
        self._http = httpx.Client(base_url=url, timeout=timeout)

    def infer(self, model: str, inputs: Mapping[str, NDArray[Any]]) -> Tensors:
        """Run a model on one item.

        Args:
            model: its name.
            inputs: arrays by name, as the model declares them, without a batch axis.

        Returns:
            Arrays by name, read-only.

        Raises:
            BadInput: when the model does not take these inputs.
            ModelNotFound: when the server has no such model.
            ServerUnavailable: when it cannot be reached, or (Overloaded, NoWorker) is too busy;
                trying again later may help.
            DeadlineExceeded: when no answer came within `timeout_s`.
            InferenceFailed: when the model failed, or (WorkerDied) its process did.
        """
        request = InferRequest(inputs=inputs, wants_binary=True, timeout_s=self._timeout_s)
        payload = encode_request(request)
        headers = {**self._headers(), "Content-Type": "application/octet-stream"}
        if payload.header_length is not None:
            headers[HEADER_LENGTH] = str(payload.header_length)
        response = self._send(
            "POST", f"/v2/models/{model}/infer", content=bytes(payload.body), headers=headers
        )
        if response.is_error:
            raise _error_from_response(response)
        length = response.headers.get(HEADER_LENGTH)
        try:
            return decode_response(response.content, int(length) if length else None).outputs
        except (BadInput, ValueError) as error:
            msg = f"the server's answer cannot be read: {error}"
            raise InferenceFailed(msg) from error

    def is_ready(self) -> bool:
        """Whether the server is there and all its models are loaded."""
        try:
            return self._send("GET", "/v2/health/ready").is_success
        except ServingError:
            return False

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _send(self, method: str, path: str, **options: Any) -> httpx.Response:
        try:
            return self._http.request(method, path, **options)
        except (httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ConnectError) as error:
            msg = f"no model server answers at {self._http.base_url}: {error}"
            raise ServerUnavailable(msg) from error
        except httpx.TimeoutException as error:
            msg = f"no answer came within {self._timeout_s:g} s"
            raise DeadlineExceeded(msg) from error
        except httpx.TransportError as error:
            msg = f"the connection to {self._http.base_url} broke: {error}"
            raise ServerUnavailable(msg) from error


def _error_from_response(response: httpx.Response) -> ServingError:
    """Rebuild our own server's error; of another's, keep the sentence and go by the status."""
    try:
        body = json.loads(response.content)
        code, message = str(body.get("code", "")), str(body["error"])
    except (ValueError, KeyError, TypeError, AttributeError):
        code, message = "", f"HTTP {response.status_code}"
    error = error_from_code(code or _CODES.get(response.status_code, ""), message)
    if type(error) is ServingError:
        return InferenceFailed(message)
    if isinstance(error, ServerUnavailable):
        error.retry_after_s = _seconds(response.headers.get("Retry-After"))
    return error


_CODES = {
    400: "bad_input",
    404: "model_not_found",
    413: "input_too_large",
    429: "queue_full",
    502: "server_unavailable",
    503: "server_unavailable",
    504: "deadline_exceeded",
}


def _seconds(text: str | None) -> float:
    return float(text) if text and text.isdigit() else 1.0
