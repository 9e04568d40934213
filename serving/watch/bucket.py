"""WatchedBucket: a prefix of an object store that speaks S3's protocol.

An object appears wholly or not at all; of a folder, which is several objects, that is not so. The
credentials are AWS' own (environment, files, roles), and never ours to see.
"""

import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from serving.archive.content import is_passed_over
from serving.archive.manifest import MANIFEST_FILE
from serving.settings import InvalidSettings
from serving.watch.brought import Brought
from serving.watch.found import (
    SUFFIXES,
    Found,
    LookFailed,
    in_order,
    signature_of,
)
from serving.watch.settings import WatchSettings

__all__ = ("WatchedBucket",)

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+@=\-]{0,199}")
"""What may stand between two slashes: nothing that a path could take for something else."""

_CHUNK = 1 << 20
_FILES_OF_ONE = 100
"""Objects that are listed for each model, on average."""

_TOTAL_S = 900.0
"""Longest download of one model, seconds."""

_Object = tuple[str, str, int, float]
"""Key without the prefix, ETag, size, and when it was written, seconds since 1970."""


class WatchedBucket:
    """A prefix of a bucket that is watched.

    Args:
        settings: which, and how much is looked at.
        work_dir: where what is fetched goes.

    Raises:
        InvalidSettings: when the extra is missing, or the place is no address.
    """

    def __init__(self, settings: WatchSettings, work_dir: Path) -> None:
        place = re.fullmatch(r"s3://([^/]+)(?:/(.*))?", settings.source)
        if place is None:
            msg = f"watch.source must be a folder or s3://bucket/prefix, not {settings.source}"
            raise InvalidSettings(msg)
        self._bucket = place[1]
        self._prefix = f"{place[2].strip('/')}/" if (place[2] or "").strip("/") else ""
        self._settings = settings
        self._work_dir = work_dir
        self._client, self._errors = _connect(settings)
        self._objects: dict[str, list[_Object]] = {}

    def look(self) -> Sequence[Found]:
        """What is there, lower versions first.

        Raises:
            LookFailed: when the bucket cannot be listed.
        """
        try:
            most = self._settings.max_count * _FILES_OF_ONE
            objects = list(islice(self._listed(), most))
        except self._errors as error:
            msg = f"{self._settings.source} cannot be listed: {error}"
            raise LookFailed(msg) from error
        self._objects = _by_model(objects)
        found = (self._describe(key, parts) for key, parts in self._objects.items())
        return in_order(islice(found, self._settings.max_count))

    def bring(self, found: Found) -> Brought:
        """Fetch it.

        Raises:
            LookFailed: when it cannot be had just now, or is another by now.
        """
        folder = Path(tempfile.mkdtemp(prefix="watched-", dir=self._work_dir))
        target = folder / found.key.rpartition("/")[2]
        give_up_at = time.monotonic() + _TOTAL_S
        left = self._settings.max_bytes
        try:
            for key, etag, *_ in self._objects.get(found.key, []):
                path = target if key == found.key else target / key.removeprefix(f"{found.key}/")
                path.parent.mkdir(parents=True, exist_ok=True)
                left -= self._fetch(key, etag, path, (left, give_up_at))
        except self._errors as error:
            shutil.rmtree(folder, ignore_errors=True)
            msg = f"{found.key} cannot be fetched: {error}"
            raise LookFailed(msg) from error
        return Brought(target, folder)

    def _listed(self) -> Iterator[_Object]:
        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix=self._prefix
        )
        for page in pages:
            for each in page.get("Contents", ()):
                key = each["Key"].removeprefix(self._prefix)
                yield key, each["ETag"], each["Size"], each["LastModified"].timestamp()

    def _describe(self, key: str, parts: Sequence[_Object]) -> Found:
        problem = ""
        for name, *_ in parts:
            if not all(_NAME.fullmatch(piece) for piece in name.split("/")):
                problem = f"{name!r} is no name that is taken"
        if sum(size for _, _, size, _ in parts) > self._settings.max_bytes:
            problem = f"it has more than {self._settings.max_bytes} bytes (watch.max_bytes)"
        signature = signature_of(part[:3] for part in parts)
        modified_at = max(moment for *_, moment in parts)
        is_whole = len(parts) == 1 and parts[0][0] == key
        return Found(key, signature, modified_at, is_whole, problem)

    def _fetch(self, key: str, etag: str, path: Path, limits: tuple[int, float]) -> int:
        """Fetch one object; its size.

        Raises:
            OSError: when it is too large, takes too long, or the disk takes no more.
        """
        answer = self._client.get_object(
            Bucket=self._bucket, Key=f"{self._prefix}{key}", IfMatch=etag
        )
        most, give_up_at = limits
        size = 0
        with path.open("wb") as file:
            for chunk in answer["Body"].iter_chunks(_CHUNK):
                size += len(chunk)
                if size > most or time.monotonic() > give_up_at:
                    msg = "it is too large" if size > most else "it takes too long"
                    raise OSError(msg)
                file.write(chunk)
        return size


def _by_model(objects: Sequence[_Object]) -> dict[str, list[_Object]]:
    """Sort objects by the archive that they are, or the folder of a model that they belong to."""
    keys = [key for key, *_ in objects]
    homes = {key.rpartition("/")[0] for key in keys if key.rpartition("/")[2] == MANIFEST_FILE}
    homes = {home for home in homes if home and home.count("/") <= 1}
    found: dict[str, list[_Object]] = {}
    for each in objects:
        key = each[0]
        pieces = key.split("/")
        if any(map(is_passed_over, pieces)) and ".." not in pieces:
            continue
        home = max((home for home in homes if key.startswith(f"{home}/")), key=len, default="")
        if home:
            found.setdefault(home, []).append(each)
        elif key.endswith(SUFFIXES) and (len(pieces) == 1 or not _is_plain(pieces)):
            # One that is hidden behind another name is told of, and not taken.
            found.setdefault(key, []).append(each)
    return found


def _is_plain(pieces: Sequence[str]) -> bool:
    return all(_NAME.fullmatch(piece) for piece in pieces)


def _connect(settings: WatchSettings) -> tuple[Any, tuple[type[Exception], ...]]:
    try:
        from botocore.config import Config
        from botocore.exceptions import BotoCoreError, ClientError
        from botocore.session import get_session
    except ImportError as error:
        msg = "to watch a bucket needs the extra s3: pip install 'animator[s3]'"
        raise InvalidSettings(msg) from error
    options: Mapping[str, Any] = {
        "connect_timeout": 2,
        "read_timeout": 10,
        "retries": {"mode": "standard", "total_max_attempts": 4},
        "s3": {"addressing_style": "path" if settings.s3_path_style else "auto"},
        # Older servers refuse the checksums that are new.
        "request_checksum_calculation": "when_required",
        "response_checksum_validation": "when_required",
    }
    client = get_session().create_client(
        "s3",
        endpoint_url=settings.s3_endpoint or None,
        region_name=settings.s3_region or "us-east-1",
        config=Config(**options),
    )
    return client, (BotoCoreError, ClientError, OSError)
