"""API keys in a bucket, for all web processes that share it."""

import threading
import time
from collections.abc import Callable

from animator.core.errors import NotFound
from animator.store.bucket import Bucket
from animator.store.keys import ApiKey, BadKeys, Keys, keys_from_toml, keys_to_toml

__all__ = ("BucketKeys",)

_KEY = "keys.toml"
_FRESH = 5.0
"""Seconds for which what was read is not asked for again."""

_ROUNDS = 20


class BucketKeys(Keys):
    """The keys as an object in TOML; a change is known everywhere within five seconds."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket
        self._lock = threading.Lock()
        self._read_at = -_FRESH
        self._keys: tuple[ApiKey, ...] = ()

    def read(self) -> tuple[ApiKey, ...]:
        """All keys; see `Keys.read`."""
        with self._lock:
            if time.monotonic() - self._read_at >= _FRESH:
                self._keys, _ = self._fetch()
                self._read_at = time.monotonic()
            return self._keys

    def _change(self, change: Callable[[tuple[ApiKey, ...]], tuple[ApiKey, ...]]) -> None:
        for _ in range(_ROUNDS):
            keys, tag = self._fetch()
            if self._bucket.put_if(_KEY, keys_to_toml(change(keys)), tag):
                self._read_at = -_FRESH
                return
        msg = "The keys were changed again and again by others in the meantime."
        raise BadKeys(msg)

    def _fetch(self) -> tuple[tuple[ApiKey, ...], str | None]:
        try:
            stored = self._bucket.get(_KEY)
            return keys_from_toml(stored.data), stored.tag
        except NotFound:
            return (), None
        except ValueError as error:
            msg = f"The keys in the bucket cannot be read: {error}"
            raise BadKeys(msg) from error
