"""A watched place in this process, and a model whose answer is a word."""

import json
import tarfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from serving.audit.entry import AuditEntry
from serving.audit.log import AuditLog
from serving.audit.reading import AuditQuery
from serving.audit.settings import AuditSettings
from serving.engine import Engine
from serving.model_config import ModelConfig
from serving.observe.metrics import ServerMetrics
from serving.protocol.exchange import RawRequest
from serving.releases.record import ReleaseRecord
from serving.releases.releases import Releases
from serving.settings import ServerSettings
from serving.watch.repository import WatchedRepository
from serving.watch.settings import WatchSettings

HANDLER = """
from serving.protocol.exchange import RawReply

class Tag:
    def load(self, context):
        self.word = "WORD"
        if self.word == "bad":
            raise ValueError("bad weights")
    def answer(self, requests, send):
        return [RawReply(self.word.encode()) for _ in requests]
"""


def put(folder: Path, version: str, word: str, *, name: str = "tag") -> Path:
    """Write the model as a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    manifest = {"name": name, "version": version, "handler": "tag.py:Tag"}
    (folder / "tag.py").write_text(HANDLER.replace("WORD", word))
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def packed(folder: Path, version: str, word: str, *, name: str = "tag") -> bytes:
    """The model as the bytes of an archive; `folder` is where it is made."""
    model = put(folder / "packing" / version, version, word, name=name)
    path = folder / f"packed-{version}-{word}.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(model, arcname=".")
    return path.read_bytes()


class Place:
    """A watched folder, and the server of what is in it."""

    def __init__(self, folder: Path, settings: ServerSettings) -> None:
        self.folder = folder
        self.settings = settings
        self.audit = AuditLog(AuditSettings())
        self.engine = Engine(settings, ServerMetrics())
        self.releases = Releases(self.engine, settings, ReleaseRecord(self.audit))
        self.changes = 0
        self.watched = WatchedRepository(
            settings, self.engine, self.releases, self.audit, self._count
        )
        self.watcher = self.watched._watcher
        self.engine.is_withheld = self.watched.is_withheld

    def _count(self) -> None:
        self.changes += 1

    async def look(self, times: int = 2) -> None:
        for _ in range(times):
            await self.watcher.look_once()

    async def ask(self, version: str | None = None) -> str:
        return bytes((await self.engine.ask("tag", RawRequest({}), version=version)).body).decode()

    def served(self, model: str = "tag") -> dict[str, Any]:
        return self.engine.registry.state_of(model) or {}

    async def noted(self) -> list[AuditEntry]:
        """Entries of the audit log, the earliest first."""
        return list(reversed((await self.audit.page(AuditQuery())).entries))


@asynccontextmanager
async def watching(folder: Path, *, workers: int = 1, **watch: Any) -> AsyncIterator[Place]:
    """Serve `models` of a folder, and look when the test says so.

    workers: of each version; 0 where none is asked anything, which takes less time.
    """
    root = folder / "models"
    root.mkdir(exist_ok=True)
    settings = ServerSettings(
        models_dir=str(root),
        log_dir=str(folder / "logs"),
        defaults=ModelConfig(device="cpu", min_workers=workers),
        watch=msgspec.convert({"enabled": True, **watch}, WatchSettings),
    )
    place = Place(root, settings)
    async with AsyncExitStack() as stack:
        stack.callback(place.audit.close)
        stack.push_async_callback(place.engine.stop, 0)
        place.releases.restore()
        await place.watched.prepare()
        await place.engine.start(place.watched.take_up)
        await place.releases.start()
        stack.push_async_callback(place.releases.stop)
        yield place
