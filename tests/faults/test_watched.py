"""A server that watches its folder, under load: what is dropped there is served, none is lost."""

import asyncio
import contextlib
import shutil
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support_contract import Server, start_server, stop_server, wait_for_server
from tests.support_load import Answer, Connection
from tests.support_serve import PATIENCE, wait_until
from tests.support_watch import packed, put

CLIENTS = 4
INTERVAL = 0.2
CONFIG = f"""
[serving.watch]
enabled = true
interval_s = {INTERVAL}
"""
CANARY = """
release = "canary"
canary = {steps = [0.2, 0.6], step_s = 0.5, step_requests = 20}
"""


class Watched:
    """A server of the model `tag`, whose folder of models is watched."""

    def __init__(self, folder: Path, config: str, stack: contextlib.ExitStack) -> None:
        self.folder = folder
        self.models = folder / "models"
        put(self.models / "tag" / "1", "1", "one")
        (folder / "serving.toml").write_text(config)
        process = start_server(
            self.models,
            f"--config={folder / 'serving.toml'}",
            SERVING_AUDIT_FILE=str(folder / "audit.jsonl"),
            SERVING_LOG_DIR=str(folder / "logs"),
        )
        self.process = stack.enter_context(process)
        stack.callback(stop_server, self.process)
        self.server: Server = wait_for_server(self.process)
        # One client: each that is made reads the certificates of the machine anew.
        self.http = stack.enter_context(httpx.Client(timeout=60))

    def noted(self, **asked: Any) -> list[dict[str, Any]]:
        answer = self.http.get(f"{self.server.management}/audit", params=asked)
        entries: list[dict[str, Any]] = answer.json()["entries"]
        return entries

    def refused(self) -> set[str]:
        return {entry["model"] for entry in self.noted(result="failed")}

    def default(self) -> str:
        (model,) = self.http.get(f"{self.server.management}/models/tag").json()
        return str(model["modelVersion"])

    async def while_loaded(self, happen: Callable[[], Awaitable[None]]) -> list[Answer]:
        """Keep `CLIENTS` asking before, while and after something happens: their answers."""
        is_over = asyncio.Event()

        async def client() -> list[Answer]:
            connection = Connection(self.server.inference)
            answers: list[Answer] = []
            while not is_over.is_set():
                answers.append(await connection.ask("/predictions/tag", {}))
                await asyncio.sleep(0.01)
            connection.close()
            return answers

        clients = [asyncio.create_task(client()) for _ in range(CLIENTS)]
        await asyncio.sleep(0.2)
        try:
            await happen()
            await asyncio.sleep(0.3)
        finally:
            is_over.set()
            answers = await asyncio.gather(*clients)
        return [answer for several in answers for answer in several]


@pytest.fixture
def watched(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Watched]:
    with contextlib.ExitStack() as stack:
        yield Watched(tmp_path, CONFIG + getattr(request, "param", ""), stack)


async def copy_slowly(data: bytes, target: Path) -> None:
    """Write it bit by bit, once with a pause in which two looks see the same."""
    with target.open("wb", buffering=0) as file:
        for part in range(8):
            file.write(data[part * len(data) // 8 : (part + 1) * len(data) // 8])
            await asyncio.sleep(3 * INTERVAL if part == 4 else INTERVAL / 2)


async def happens(is_true: Callable[[], bool], what: str) -> None:
    await asyncio.to_thread(wait_until, is_true, PATIENCE, what)


async def test_what_is_dropped_is_served_or_refused_without_a_lost_request(
    watched: Watched, tmp_path: Path
) -> None:
    async def drop() -> None:
        await copy_slowly(packed(tmp_path, "2", "two"), watched.models / "tag-2.tar.gz")
        await happens(lambda: watched.default() == "2", "the second version")
        (watched.models / "tag-3.tar.gz").write_bytes(b"no archive at all")
        put(watched.models / "tag" / "4", "4", "bad")
        await happens(lambda: len(watched.refused() & {"tag-3.tar.gz", "tag"}) == 2, "refusals")
        # Moved in whole, as a careful operator does.
        shutil.move(put(tmp_path / "made", "5", "five"), watched.models / "tag" / "5")
        await happens(lambda: watched.default() == "5", "the fifth version")

    answers = await watched.while_loaded(drop)
    assert Counter(answer.status for answer in answers) == {200: len(answers)}
    words = [answer.body.decode() for answer in answers]
    assert set(words) == {"one", "two", "five"}
    deployed = reversed(watched.noted(what="deploy", result="ok"))
    assert [(e["who"], e["version"]) for e in deployed] == [("watcher", "2"), ("watcher", "5")]
    # While the copy stalled, half of it may have been seen as what it was: no archive, told once.
    failed = Counter(entry["model"] for entry in watched.noted(result="failed"))
    assert failed - Counter(["tag-2.tar.gz"]) == {"tag-3.tar.gz": 1, "tag": 1}
    text = watched.http.get(f"{watched.server.metrics}/metrics").text.splitlines()
    assert f"serving_watch_rejected_total {failed.total():.1f}" in text
    assert "serving_watch_deployed_total 2.0" in text


@pytest.mark.parametrize("watched", [CANARY], indirect=True, ids=["canary"])
async def test_new_version_is_released_by_a_canary_and_nothing_is_lost(
    watched: Watched, tmp_path: Path
) -> None:
    async def drop() -> None:
        (watched.models / "tag-2.tar.gz").write_bytes(packed(tmp_path, "2", "two"))
        await happens(lambda: watched.default() == "2", "the end of the canary")

    answers = await watched.while_loaded(drop)
    assert Counter(answer.status for answer in answers) == {200: len(answers)}
    noted = [(entry["what"], entry["who"]) for entry in reversed(watched.noted(model="tag"))]
    assert noted == [
        ("begin_release", "watcher"),
        ("deploy", "watcher"),
        ("step_release", "canary"),
        ("promote_release", "canary"),
    ]
