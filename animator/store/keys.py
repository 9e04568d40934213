"""API keys: a list of names and hashes; a key itself is shown once, when it is made."""

import hashlib
import hmac
import re
import secrets
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import msgspec

from animator.core.errors import AnimatorError
from animator.store.disk import locked, write_file

__all__ = ("ApiKey", "BadKeys", "KeyFile", "Keys", "keys_from_toml", "keys_to_toml")

_NAME = r"^[A-Za-z0-9_-]{1,40}\Z"


class BadKeys(AnimatorError):
    """The list of keys cannot be read, or a name is taken or cannot be one."""

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


class Keys(ABC):
    """The keys of a server, wherever their list is kept."""

    @abstractmethod
    def read(self) -> tuple[ApiKey, ...]:
        """All keys; none while there is no list.

        Raises:
            BadKeys: when the list cannot be read.
        """

    @abstractmethod
    def _change(self, change: Callable[[tuple[ApiKey, ...]], tuple[ApiKey, ...]]) -> None:
        """Keep what a function makes of the keys, as they are now."""

    def find(self, key: str) -> ApiKey | None:
        """Whose key it is; takes as long for one that is nobody's.

        Raises:
            BadKeys: when the list cannot be read.
        """
        given = hashlib.sha256(key.encode()).hexdigest()
        found = [known for known in self.read() if hmac.compare_digest(known.sha256, given)]
        return found[0] if found else None

    def add(self, name: str, per_minute: int | None = None) -> str:
        """Make a key, and keep its hash.

        Raises:
            BadKeys: when the name is taken, or cannot be one, or the list cannot be read.
        """
        if per_minute is not None and per_minute < 0:
            msg = f"A limit is 0 or more requests a minute, got {per_minute}."
            raise BadKeys(msg)
        key = secrets.token_urlsafe(32)
        digest = hashlib.sha256(key.encode()).hexdigest()

        def append(known: tuple[ApiKey, ...]) -> tuple[ApiKey, ...]:
            if re.match(_NAME, name) is None or any(key.name == name for key in known):
                msg = f"{name!r} is taken, or is no name: letters, digits, - and _, at most 40."
                raise BadKeys(msg)
            return (*known, ApiKey(name=name, sha256=digest, per_minute=per_minute))

        self._change(append)
        return key

    def remove(self, name: str) -> None:
        """Forget a key; what its holder handed in stays until its time is over.

        Raises:
            BadKeys: when there is none of that name, or the list cannot be read.
        """

        def without(known: tuple[ApiKey, ...]) -> tuple[ApiKey, ...]:
            left = tuple(key for key in known if key.name != name)
            if left == known:
                msg = f"There is no key of the name {name!r}."
                raise BadKeys(msg)
            return left

        self._change(without)


class KeyFile(Keys):
    """The keys in a TOML file; read anew when it has changed, and empty while there is none."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int, int] | None = None
        self._keys: tuple[ApiKey, ...] = ()

    def read(self) -> tuple[ApiKey, ...]:
        """All keys, as in the file; see `Keys.read`."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return ()
        # Clocks of files tick every few milliseconds; but each change of ours is another file.
        seen = (found.st_mtime_ns, found.st_ino, found.st_size)
        if seen != self._seen:
            self._keys = self._parse()
            self._seen = seen
        return self._keys

    def _change(self, change: Callable[[tuple[ApiKey, ...]], tuple[ApiKey, ...]]) -> None:
        # The file itself is another one after each change, so it cannot be what is held.
        with locked(self._path.with_name(f"{self._path.name}.lock")):
            write_file(self._path, keys_to_toml(change(self.read())))

    def _parse(self) -> tuple[ApiKey, ...]:
        try:
            return keys_from_toml(self._path.read_bytes())
        except (OSError, ValueError) as error:
            msg = f"The file of keys {self._path} cannot be read: {error}"
            raise BadKeys(msg) from error


def keys_from_toml(data: bytes) -> tuple[ApiKey, ...]:
    """The keys that a list in TOML names.

    Raises:
        ValueError: when it is no such list.
    """
    return msgspec.convert(tomllib.loads(data.decode()), _Content).keys


def keys_to_toml(keys: tuple[ApiKey, ...]) -> bytes:
    """A list of keys as TOML."""
    # Names and hashes need no escapes: their patterns leave nothing to escape.
    lines = []
    for key in keys:
        lines += ["[[keys]]", f'name = "{key.name}"', f'sha256 = "{key.sha256}"']
        if key.per_minute is not None:
            lines.append(f"per_minute = {key.per_minute}")
        lines.append("")
    return "\n".join(lines).encode()
