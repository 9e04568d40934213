"""API keys: a file of names and hashes; a key itself is shown once, when it is made."""

import hashlib
import hmac
import re
import secrets
import tomllib
from pathlib import Path
from typing import Annotated

import msgspec

from animator.core.errors import AnimatorError
from animator.store.disk import write_file

__all__ = ("ApiKey", "BadKeys", "KeyFile")

_NAME = r"^[A-Za-z0-9_-]{1,40}\Z"


class BadKeys(AnimatorError):
    """The file of keys cannot be read, or a name is taken or cannot be one."""

    code = "bad_keys"


class ApiKey(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One key.

    Attributes:
        name: of its holder: letters, digits, ``-`` and ``_``, at most 40.
        sha256: of the key, in hexadecimal.
        per_minute: requests a minute; None: as for everybody, 0: without limit.
    """

    name: Annotated[str, msgspec.Meta(pattern=_NAME)]
    sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    per_minute: Annotated[int, msgspec.Meta(ge=0)] | None = None


class _Content(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    keys: tuple[ApiKey, ...] = ()


class KeyFile:
    """The keys in a TOML file; read anew when it has changed, and empty while there is none."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read_at = -1
        self._keys: tuple[ApiKey, ...] = ()

    def read(self) -> tuple[ApiKey, ...]:
        """All keys, as in the file.

        Raises:
            BadKeys: when the file cannot be read.
        """
        try:
            changed = self._path.stat().st_mtime_ns
        except FileNotFoundError:
            return ()
        if changed != self._read_at:
            self._keys = self._parse()
            self._read_at = changed
        return self._keys

    def find(self, key: str) -> ApiKey | None:
        """Whose key it is; takes as long for one that is nobody's.

        Raises:
            BadKeys: when the file cannot be read.
        """
        given = hashlib.sha256(key.encode()).hexdigest()
        found = [known for known in self.read() if hmac.compare_digest(known.sha256, given)]
        return found[0] if found else None

    def add(self, name: str, per_minute: int | None = None) -> str:
        """Make a key, and keep its hash.

        Raises:
            BadKeys: when the name is taken, or cannot be one, or the file cannot be read.
        """
        known = self.read()
        if re.match(_NAME, name) is None or any(key.name == name for key in known):
            msg = f"{name!r} is taken, or is no name: letters, digits, - and _, at most 40."
            raise BadKeys(msg)
        if per_minute is not None and per_minute < 0:
            msg = f"A limit is 0 or more requests a minute, got {per_minute}."
            raise BadKeys(msg)
        key = secrets.token_urlsafe(32)
        digest = hashlib.sha256(key.encode()).hexdigest()
        self._write((*known, ApiKey(name=name, sha256=digest, per_minute=per_minute)))
        return key

    def remove(self, name: str) -> None:
        """Forget a key; what its holder handed in stays until its time is over.

        Raises:
            BadKeys: when there is none of that name, or the file cannot be read.
        """
        left = tuple(key for key in self.read() if key.name != name)
        if left == self.read():
            msg = f"There is no key of the name {name!r}."
            raise BadKeys(msg)
        self._write(left)

    def _parse(self) -> tuple[ApiKey, ...]:
        try:
            content = tomllib.loads(self._path.read_text(encoding="utf-8"))
            return msgspec.convert(content, _Content).keys
        except (OSError, ValueError) as error:
            msg = f"The file of keys {self._path} cannot be read: {error}"
            raise BadKeys(msg) from error

    def _write(self, keys: tuple[ApiKey, ...]) -> None:
        # Names and hashes need no escapes: their patterns leave nothing to escape.
        lines = []
        for key in keys:
            lines += ["[[keys]]", f'name = "{key.name}"', f'sha256 = "{key.sha256}"']
            if key.per_minute is not None:
                lines.append(f"per_minute = {key.per_minute}")
            lines.append("")
        write_file(self._path, "\n".join(lines).encode())
