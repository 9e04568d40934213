"""Requests that are sent again where that is safe, and whose refusals are errors of ours."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import httpx
import msgspec

from animator.client.errors import ServerUnreachable, error_from_answer
from animator.core.errors import JobFailed, StorageUnavailable, TooManyRequests

__all__ = ("Transport",)

Body = TypeVar("Body")

_IDEMPOTENT = frozenset({"GET", "PUT", "DELETE"})
_NO_SERVER = frozenset({502, 503, 504})
"""What a proxy answers that finds no server; the body is then its own."""

_REFUSED = (TooManyRequests, JobFailed, StorageUnavailable)
"""Hence not done, and perhaps done if asked again."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 5.0


class Transport:
    """One server, as one owner."""

    def __init__(self, http: httpx.Client, patience: float) -> None:
        """Use a connection.

        Args:
            http: knows the address of the server, and who asks.
            patience: seconds after which a request is not sent again.
        """
        self.http = http
        self._patience = patience

    def ask(self, kind: type[Body], method: str, path: str, **how: Any) -> Body:
        """The body of an answer.

        Args:
            kind: what it is.
            method: of the request.
            path: of the request.
            how: as `send` takes it, and `httpx.Client.request`.

        Raises:
            AnimatorError: the server's refusal, by its code.
            ServerUnreachable: when it did not answer.
        """
        return msgspec.json.decode(self.send(method, path, **how).content, type=kind)

    def send(
        self, method: str, path: str, is_safe_twice: bool | None = None, **how: Any
    ) -> httpx.Response:
        """An answer that is no refusal; raises what `ask` raises."""
        twice = method in _IDEMPOTENT if is_safe_twice is None else is_safe_twice
        return self._again(lambda: self._send(method, path, **how), twice)

    @contextmanager
    def stream(self, path: str) -> Iterator[httpx.Response]:
        """An answer that is read as it comes; raises what `ask` raises."""
        try:
            with self.http.stream("GET", path) as answer:
                if not answer.is_success:
                    answer.read()
                    _refuse(answer)
                yield answer
        except httpx.TransportError as error:
            raise _unreachable(error) from error

    def _send(self, method: str, path: str, **how: Any) -> httpx.Response:
        answer = self.http.request(method, path, **how)
        if not answer.is_success:
            _refuse(answer)
        return answer

    def _again(self, send: Callable[[], httpx.Response], is_safe_twice: bool) -> httpx.Response:
        """Send until it is answered, nothing can be gained by it, or patience ends."""
        end, pause = time.monotonic() + self._patience, _FIRST_PAUSE
        while True:
            try:
                return send()
            except _REFUSED as error:
                wait = error.retry_after if isinstance(error, TooManyRequests) else pause
                if time.monotonic() + wait > end:
                    raise
            except httpx.TransportError as error:
                wait = pause
                is_safe = is_safe_twice or isinstance(error, httpx.ConnectError)
                if not is_safe or time.monotonic() + wait > end:
                    raise _unreachable(error) from error
            time.sleep(wait)
            pause = min(2 * pause, _LONGEST_PAUSE)


def _refuse(answer: httpx.Response) -> None:
    headers: Mapping[str, str] = answer.headers
    is_ours = "json" in headers.get("Content-Type", "")
    if answer.status_code in _NO_SERVER and not is_ours:
        msg = f"a proxy finds no server ({answer.status_code})"
        raise httpx.RemoteProtocolError(msg)
    raise error_from_answer(answer.status_code, answer.content, headers.get("Retry-After", ""))


def _unreachable(error: httpx.TransportError) -> ServerUnreachable:
    reason = str(error) or type(error).__name__
    return ServerUnreachable(f"The server cannot be reached: {reason}.")
