"""What is fetched and unpacked for a model goes when the model is not served, and only then."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from serving.admission import RegisterRequest
from serving.audit.log import AuditLog
from serving.audit.settings import AuditSettings
from serving.engine import Engine
from serving.errors import BadInput, Conflict, ModelNotFound, WorkersNotStarted
from serving.management import Management
from serving.observe.metrics import ServerMetrics
from serving.settings import ServerSettings
from tests.support_archives import pack

GOOD = "def handle(data, context):\n    return [b'good' for _ in data or ()]\n"
SLOW = "import time\ntime.sleep(0.5)\n" + GOOD
BROKEN = "raise ValueError('not today')\n"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None: ...


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serves an archive for each kind of handler."""
    folder = tmp_path_factory.mktemp("files")
    for name, text in (("good", GOOD), ("again", GOOD), ("slow", SLOW), ("broken", BROKEN)):
        pack(folder / f"{name}.mar", {"handler.py": text}, modelName=name.replace("again", "good"))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class Store:
    """A server's store of archives, and what manages it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.changes = 0
        settings = ServerSettings(
            models_dir=str(folder),
            enable_model_api=True,
            allowed_urls=("http://.*",),
            allow_private_urls=True,
        )
        self.engine = Engine(settings, ServerMetrics())
        self.engine.on_change = self._count
        self.management = Management(self.engine, settings, AuditLog(AuditSettings()), self._count)

    @property
    def left(self) -> tuple[set[str], int]:
        """The archives in the store, and the number of folders that were unpacked."""
        unpacked = self.management._admission.work_dir
        return {path.name for path in self.folder.iterdir()}, len(list(unpacked.iterdir()))

    async def until_gone(self, name: str) -> None:
        async with asyncio.timeout(20):
            while name in self.engine.registry.names or self.left[1]:
                await asyncio.sleep(0.02)

    def _count(self) -> None:
        self.changes += 1


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Store]:
    store = Store(folder)
    await store.engine.start()
    try:
        yield store
    finally:
        await store.engine.stop(0)


def wanted(url: str, **fields: Any) -> RegisterRequest:
    return RegisterRequest(url=url, **{"initial_workers": 1, **fields})


async def test_of_a_model_that_cannot_be_loaded_nothing_stays(address: str, tmp_path: Path) -> None:
    async with running(tmp_path) as store:
        with pytest.raises(WorkersNotStarted):
            await store.management.register(wanted(f"{address}/broken.mar"))
        assert store.left == (set(), 0)
        assert store.changes == 0


async def test_nor_where_nobody_waits_for_it(address: str, tmp_path: Path) -> None:
    async with running(tmp_path) as store:
        status = await store.management.register(wanted(f"{address}/broken.mar", synchronous=False))
        assert status.code == 202
        assert store.left[0] == {"broken.mar"}
        await store.until_gone("broken")
        await asyncio.sleep(0)
        assert store.left == (set(), 0)
        assert store.changes == 2


async def test_nor_of_one_that_asks_for_what_cannot_be(address: str, tmp_path: Path) -> None:
    async with running(tmp_path) as store:
        for impossible in ({"batch_size": 0}, {"initial_workers": 1000}):
            with pytest.raises(BadInput):
                await store.management.register(wanted(f"{address}/good.mar", **impossible))
            assert store.left == (set(), 0)


async def test_nor_of_one_that_is_served_already(address: str, tmp_path: Path) -> None:
    async with running(tmp_path) as store:
        await store.management.register(wanted(f"{address}/good.mar", initial_workers=0))
        with pytest.raises(Conflict):
            await store.management.register(wanted(f"{address}/again.mar"))
        assert store.left == ({"good.mar"}, 1)


async def test_an_archive_is_announced_until_it_is_served(address: str, tmp_path: Path) -> None:
    async with running(tmp_path) as store:
        request = wanted(f"{address}/goo%64.mar?signature=x", initial_workers=0)
        asking = asyncio.create_task(store.management.register(request))
        await asyncio.sleep(0)
        assert store.management.is_arriving("good.mar")
        await asking
        assert store.left[0] == {"good.mar"}
        assert not store.management.is_arriving("good.mar")


async def test_a_model_whose_client_is_gone_is_served_until_it_is_removed(
    address: str, tmp_path: Path
) -> None:
    async with running(tmp_path) as store:
        asking = asyncio.create_task(store.management.register(wanted(f"{address}/slow.mar")))
        async with asyncio.timeout(20):
            while "slow" not in store.engine.registry.names:
                await asyncio.sleep(0.01)
            asking.cancel()
            while not store.changes:
                await asyncio.sleep(0.02)
        assert store.engine.registry.find("slow").is_ready
        assert store.left == ({"slow.mar"}, 1)
        assert store.changes == 1
        await store.management.unregister("slow", None)
        assert store.left == (set(), 0)
        with pytest.raises(ModelNotFound):
            store.engine.registry.find("slow")


async def test_an_archive_that_was_in_the_store_stays_there(tmp_path: Path) -> None:
    pack(tmp_path / "mine.mar", {"handler.py": BROKEN})
    async with running(tmp_path) as store:
        with pytest.raises(WorkersNotStarted):
            await store.management.register(wanted("mine.mar"))
        assert store.left == ({"mine.mar"}, 0)
