"""Tokens: who may ask what. The keys are made at the start and written to a file for its owner.

The file's form is TorchServe's; its keys are longer (192 bits), compared in constant time, and
never logged.
"""

import hashlib
import logging
import os
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from serving.errors import ServingError, Unauthorized
from serving.settings import ServerSettings

__all__ = ("CannotWriteKeys", "TokenKind", "Tokens")

TokenKind = Literal["inference", "management"]
"""What a token opens."""

_GUARDED: Mapping[str, tuple[TokenKind, ...]] = {
    "off": (),
    "management": ("management",),
    "all": ("inference", "management"),
}
"""What needs a token, by the setting."""

_DIGITS = 12
"""Of a key's hash, by which two entries of the audit log are told to be of one key."""

_BEARER = re.compile(r"Bearer\s+(\S+)", re.IGNORECASE)
_REFUSED = "Token Authorization failed. Token either incorrect, expired, or not provided correctly"


_log = logging.getLogger(__name__)


class CannotWriteKeys(ServingError):
    """The file of the keys cannot be written."""

    code = "cannot_write_keys"


@dataclass(frozen=True, slots=True)
class _Key:
    text: str
    expires_at: float


class Tokens:
    """The keys of one server.

    Args:
        settings: who must show a token, where the keys are written, how long they are good.
        clock: seconds since 1970.
    """

    def __init__(self, settings: ServerSettings, clock: Callable[[], float] = time.time) -> None:
        self._settings = settings
        self._clock = clock
        self._path = Path(settings.key_file)
        self._api_key = _new_key()
        self._keys: dict[TokenKind, _Key] = {}
        self._guarded = _GUARDED[settings.token_authorization]

    def start(self) -> None:
        """Make the keys and write them, if anybody must show one.

        Raises:
            CannotWriteKeys: when that fails.
        """
        if self._settings.token_authorization == "off":
            return
        for kind in ("inference", "management"):
            self._keys[kind] = self._fresh()
        self._write()
        _log.info("tokens are asked for; the keys are in %s", self._path)

    def stop(self) -> None:
        """Remove the file, whose keys are good no more; not that of a server after this one."""
        if self._keys and self._is_ours():
            self._path.unlink(missing_ok=True)

    def is_asked_for(self, kind: TokenKind) -> bool:
        """Whether such requests need a token."""
        return kind in self._guarded

    def check(self, kind: TokenKind, authorization: str | None) -> None:
        """Look at the header Authorization of a request.

        Raises:
            Unauthorized: when it needs a token and shows none that is good.
        """
        if not self.is_asked_for(kind):
            return
        key = self._keys[kind]
        if not _is_same(_token(authorization), key.text) or self._clock() >= key.expires_at:
            raise Unauthorized(_REFUSED)

    def renew(self, kind: TokenKind, authorization: str | None) -> str:
        """Replace a key, which ends the old one; the new one's text.

        Raises:
            Unauthorized: when the caller does not show the API key.
            CannotWriteKeys: when the file cannot be written.
        """
        if not _is_same(_token(authorization), self._api_key):
            raise Unauthorized(_REFUSED)
        self._keys[kind] = self._fresh()
        self._write()
        return self._keys[kind].text

    def holder_of(self, authorization: str | None) -> tuple[str, str]:
        """Name the key that a request shows, and tell the first digits of its SHA-256.

        The name is "management key", "inference key", "API key", "unknown key" or "no key".
        """
        shown = _token(authorization)
        if not shown:
            return "no key", ""
        known = {"API key": self._api_key}
        known |= {f"{kind} key": key.text for kind, key in self._keys.items()}
        names = [name for name, text in known.items() if _is_same(shown, text)]
        digits = hashlib.sha256(shown.encode()).hexdigest()[:_DIGITS]
        return (names[0] if names else "unknown key"), digits

    @property
    def can_be_renewed(self) -> bool:
        """Whether there are keys at all."""
        return bool(self._keys)

    def expiry_of(self, kind: TokenKind) -> str:
        """When a key ends, in UTC, ISO 8601."""
        moment = datetime.fromtimestamp(self._keys[kind].expires_at, UTC)
        return moment.isoformat().replace("+00:00", "Z")

    def _is_ours(self) -> bool:
        try:
            return self._api_key.encode() in self._path.read_bytes()
        except OSError:
            return False

    def _fresh(self) -> _Key:
        seconds = self._settings.token_expiration_min * 60
        return _Key(_new_key(), self._clock() + seconds)

    def _write(self) -> None:
        table: dict[str, dict[str, str]] = {
            kind: {"key": self._keys[kind].text, "expiration time": self.expiry_of(kind)}
            for kind in ("management", "inference")
        }
        table["API"] = {"key": self._api_key}
        data = msgspec.json.format(msgspec.json.encode(table), indent=2)
        # A new file takes the place of an old one, so that nobody who holds that one open reads it.
        written = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            written.unlink(missing_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with os.fdopen(os.open(written, flags, 0o600), "wb") as file:
                file.write(data)
            written.replace(self._path)
        except OSError as error:
            msg = f"cannot write the keys to {self._path}: {error.strerror}; set key_file"
            raise CannotWriteKeys(msg) from error


def _new_key() -> str:
    return secrets.token_urlsafe(24)


def _token(authorization: str | None) -> str:
    match = _BEARER.fullmatch(authorization.strip()) if authorization else None
    return match[1] if match else ""


def _is_same(shown: str, key: str) -> bool:
    return secrets.compare_digest(shown.encode(), key.encode())
