"""ManagementPort: asks the management port of a running server."""

import argparse
import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from serving.console.flags import KEY_FILE, URL
from serving.errors import (
    BadInput,
    Conflict,
    ModelNotFound,
    NotAllowed,
    ServerUnavailable,
    ServingError,
    Unauthorized,
)

__all__ = ("ManagementPort", "open_port")

_TIMEOUT_S = 600.0
"""To load a model takes its time, and the answer comes then."""

_ERRORS: Mapping[int, type[ServingError]] = {
    400: BadInput,
    401: Unauthorized,
    404: ModelNotFound,
    405: NotAllowed,
    409: Conflict,
    503: ServerUnavailable,
}


def open_port(options: argparse.Namespace) -> "ManagementPort":
    """Make what asks the server that the flags name, or else the environment.

    Raises:
        BadInput: when the file of keys is named and cannot be read.
    """
    environment = os.environ
    url = options.url or environment.get("SERVING_MANAGEMENT_URL") or URL
    named = options.key_file or environment.get("SERVING_KEY_FILE")
    token = options.token or environment.get("SERVING_TOKEN") or _key_of(named)
    return ManagementPort(url, token)


class ManagementPort:
    """The management port of one server.

    Args:
        url: such as "http://127.0.0.1:8081".
        token: the management key; "" where none is asked for.
    """

    def __init__(self, url: str, token: str) -> None:
        # Those who only want to know what a command does need not wait for it.
        import httpx

        if not url.startswith(("http://", "https://")):
            raise BadInput(f"{url} is no address of a server: it begins with http:// or https://")
        headers = {"User-Agent": "serving-console"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._url = url
        self._has_token = bool(token)
        self._broken: type[Exception] = httpx.TransportError
        try:
            timeout = httpx.Timeout(_TIMEOUT_S, connect=5.0)
            self._http = httpx.Client(base_url=url, headers=headers, timeout=timeout)
        except (httpx.InvalidURL, UnicodeError) as error:
            msg = f"{url} is no address of a server: {error}"
            raise BadInput(msg) from error

    def ask(
        self,
        method: str,
        path: str,
        parameters: Mapping[str, Any] | None = None,
        body: object = None,
    ) -> Any:
        """Ask, and give the answer's JSON.

        Args:
            method: of HTTP.
            path: beginning with a slash.
            parameters: of the query; those that are None are left out.
            body: sent as JSON; None: nothing.

        Raises:
            ServerUnavailable: when no server is there.
            Unauthorized: when the key is missing or wrong.
            ServingError: what the server says.
        """
        said = {name: value for name, value in (parameters or {}).items() if value is not None}
        try:
            answer = self._http.request(method, path, params=said, json=body)
        except self._broken as error:
            msg = f"no model server answers at {self._url} ({error}): start it, or name it by --url"
            raise ServerUnavailable(msg) from error
        if answer.status_code == 401:
            raise Unauthorized(self._why_not())
        try:
            told = answer.json()
        except ValueError:
            told = None
        if answer.is_success and told is not None:
            return told
        text = told.get("message") if isinstance(told, dict) else None
        kind = _ERRORS.get(answer.status_code, ServingError)
        raise kind(text or f"{method} {path}: the server answered {answer.status_code}")

    def _why_not(self) -> str:
        begin = "the key is wrong or too old" if self._has_token else "the server wants a key"
        return f"{begin}: name the file it writes its keys into by --key-file, or give --token"

    def __enter__(self) -> "ManagementPort":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._http.close()


def _key_of(named: str | Path | None) -> str:
    """The management key of a file; "" where nobody named one and there is none."""
    path = Path(named or KEY_FILE)
    try:
        key = json.loads(path.read_bytes())["management"]["key"]
    except FileNotFoundError as error:
        if named is None:
            return ""
        msg = f"there is no file of keys {path}; the server writes it when it starts"
        raise BadInput(msg) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        msg = f"the keys in {path} cannot be read: {error!r}"
        raise BadInput(msg) from error
    return str(key)
