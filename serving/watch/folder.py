"""WatchedFolder: a folder of archives and of models' folders.

Links may lead to anywhere within it, and nowhere else.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from serving.archive.content import is_model, is_passed_over
from serving.errors import reason_of
from serving.watch.brought import Brought
from serving.watch.found import (
    SUFFIXES,
    Found,
    LookFailed,
    in_order,
    signature_of,
)
from serving.watch.settings import WatchSettings

__all__ = ("WatchedFolder",)

_MOST_FILES = 10_000
"""Of one model's folder."""

_Facts = tuple[str, int, int, int]


class _Unfit(Exception):
    """Something must not be taken; says why."""


class WatchedFolder:
    """A folder that is watched.

    Args:
        root: the folder.
        settings: how much is looked at.
    """

    def __init__(self, root: Path, settings: WatchSettings) -> None:
        self._root = root
        self._real_root = root
        self._settings = settings

    def look(self) -> Sequence[Found]:
        """What is there, lower versions first.

        Raises:
            LookFailed: when the folder cannot be read.
        """
        try:
            # Once a look: the folder may be a link that leads elsewhere the next time.
            self._real_root = self._root.resolve()
            paths = islice(self._paths(), self._settings.max_count)
            return in_order(self._describe(path) for path in paths)
        except OSError as error:
            msg = f"{self._root} cannot be read: {reason_of(error)}"
            raise LookFailed(msg) from error

    def bring(self, found: Found) -> Brought:
        """Where it is.

        Raises:
            LookFailed: when it is another by now.
        """
        path = self._root / found.key
        self._real_root = self._root.resolve()
        if self._describe(path).signature != found.signature:
            msg = f"{found.key} is being written"
            raise LookFailed(msg)
        return Brought(path)

    def _paths(self) -> Iterator[Path]:
        """Archives, folders of models, and folders of their versions."""
        for path in sorted(self._root.iterdir()):
            if is_passed_over(path.name):
                continue
            if not path.is_dir():
                if path.name.endswith(SUFFIXES):
                    yield path
                continue
            if is_model(path):
                yield path
            if self._is_inside(path):
                yield from (
                    inner
                    for inner in sorted(path.iterdir())
                    if not is_passed_over(inner.name) and inner.is_dir() and is_model(inner)
                )

    def _describe(self, path: Path) -> Found:
        key = path.relative_to(self._root).as_posix()
        try:
            facts = list(self._walk(path)) if path.is_dir() else [self._facts(path)]
            if sum(size for _, size, *_ in facts) > self._settings.max_bytes:
                msg = f"it has more than {self._settings.max_bytes} bytes (watch.max_bytes)"
                raise _Unfit(msg)
        except _Unfit as error:
            moment = path.lstat().st_mtime_ns if os.path.lexists(path) else 0
            return Found(key, signature_of((moment, error)), problem=str(error))
        modified_at = max((moment for *_, moment in facts), default=0) / 1e9
        return Found(key, signature_of(facts), modified_at)

    def _walk(self, folder: Path) -> Iterator[_Facts]:
        """The facts of all files below a folder.

        Raises:
            _Unfit: when one of them must not be taken.
        """
        self._facts(folder)
        count = 0
        for place, folders, names in os.walk(folder):
            folders[:] = sorted(name for name in folders if not is_passed_over(name))
            if Path(place) == folder:
                folders[:] = [name for name in folders if not is_model(folder / name)]
            # A link to a folder is listed as a folder, and not walked into.
            links = [name for name in folders if (Path(place) / name).is_symlink()]
            for name in sorted((*names, *links)):
                count += 1
                if count > _MOST_FILES:
                    msg = f"it has more than {_MOST_FILES} files"
                    raise _Unfit(msg)
                if not is_passed_over(name):
                    yield self._facts(Path(place) / name)

    def _facts(self, path: Path) -> _Facts:
        """Name, size, inode, and when it was changed last, in nanoseconds since 1970.

        Raises:
            _Unfit: when it must not be taken.
        """
        if not self._is_inside(path):
            msg = f"{path.name} is a link that leads out of the folder"
            raise _Unfit(msg)
        try:
            found = path.stat()
        except FileNotFoundError:
            # It went away since it was listed: the next look will tell.
            return str(path), 0, 0, 0
        if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
            msg = f"{path.name} is neither a file nor a folder"
            raise _Unfit(msg)
        # Who writes a file can set back when it was changed, but not when its inode was.
        changed = max(found.st_mtime_ns, found.st_ctime_ns)
        return str(path), found.st_size, found.st_ino, changed

    def _is_inside(self, path: Path) -> bool:
        try:
            return path.resolve().is_relative_to(self._real_root)
        except (OSError, RuntimeError):  # links in a circle
            return False
