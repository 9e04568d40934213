"""Canaries under load, in real processes: bad ones take themselves back, the good one gets all."""

import asyncio
import contextlib
import json
import logging
import math
import os
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from serving.releases.report import ReleaseReport
from tests.support_contract import Server, start_server, stop_server, wait_for_server
from tests.support_load import Answer, Connection
from tests.support_serve import PATIENCE, wait_until

HANDLER = Path(__file__).parent / "release_models" / "handler.py"
PATH = "/predictions/temper"
CLIENTS = 6
SHARE = 0.1
PATIENT = 150.0
"""For a machine that has much else to do, seconds."""
MOST_TOUCHED = 500
"""Requests that a bad canary gets before it is gone: evidence counts them, not seconds."""
GOOD = {"seconds": 0.004, "failing": 0.0, "score": 0.5}
SLOWER, FAILING, DRIFTING = "2.1", "2.2", "2.3"
BAD = {
    SLOWER: ({**GOOD, "seconds": 0.02}, "latency"),
    FAILING: ({**GOOD, "failing": 0.3}, "errors"),
    DRIFTING: ({**GOOD, "score": 0.65}, "drift"),
}

log = logging.getLogger(__name__)


class Served:
    """A server of two versions of the model, and the clients who ask it meanwhile."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self.folder = folder
        self._stack = stack
        self._start()

    def _start(self) -> None:
        process = start_server(
            self.folder / "models",
            SERVING_LOG_DIR=str(self.folder / "logs"),
            SERVING_AUDIT_FILE=str(self.folder / "audit.jsonl"),
        )
        self.process = self._stack.enter_context(process)
        self._stack.callback(self.end)
        self.server: Server = wait_for_server(self.process)

    def end(self) -> None:
        if self.process.poll() is None:
            stop_server(self.process)

    def restart(self) -> None:
        self.end()
        self._start()

    def begin(self, version: str, **plan: Any) -> httpx.Response:
        said = {"kind": "canary", "model": "temper", "version": version, "stable": "1.0", **plan}
        return httpx.post(f"{self.server.management}/releases", json=said)

    def report(self) -> ReleaseReport:
        answer = httpx.get(f"{self.server.management}/releases/temper")
        return msgspec.json.decode(answer.content, type=ReleaseReport)

    def workers(self, version: str) -> list[int]:
        answer = httpx.get(f"{self.server.management}/models/temper/{version}").json()
        return [worker["pid"] for worker in answer[0]["workers"]]

    async def while_loaded(
        self, is_over: Callable[[], bool], within: float = PATIENT
    ) -> list[Answer]:
        """Keep `CLIENTS` asking until that is so."""
        answers: list[Answer] = []
        has_ended = asyncio.Event()

        async def client(number: int) -> None:
            connection = Connection(self.server.inference)
            while not has_ended.is_set():
                answers.append(await connection.ask(PATH, {"x": number + 1}))
            connection.close()

        clients = [asyncio.create_task(client(number)) for number in range(CLIENTS)]
        give_up_at = time.monotonic() + within
        try:
            while not await asyncio.to_thread(is_over):
                assert time.monotonic() < give_up_at, await asyncio.to_thread(self.report)
                assert not any(task.done() for task in clients)
                await asyncio.sleep(0.1)
            await asyncio.sleep(0.5)
        finally:
            has_ended.set()
            await asyncio.gather(*clients)
        return answers


def write_models(folder: Path, behaviours: Mapping[str, Any]) -> None:
    """Write a folder for each version."""
    for version, behaviour in behaviours.items():
        model = folder / f"temper-{version}"
        model.mkdir(parents=True)
        shutil.copy(HANDLER, model)
        (model / "behaviour.json").write_text(json.dumps(behaviour))
        inputs = [{"name": "x", "datatype": "FP32", "shape": []}]
        manifest = {
            "name": "temper", "version": version, "handler": "handler.py:Temper", "inputs": inputs,
        }  # fmt: skip
        (model / "manifest.json").write_text(json.dumps(manifest))


@contextlib.contextmanager
def serving(folder: Path, behaviours: Mapping[str, Any]) -> Iterator[Served]:
    write_models(folder / "models", behaviours)
    with contextlib.ExitStack() as stack:
        yield Served(folder, stack)


def by_version(answers: list[Answer]) -> Counter[tuple[str, int]]:
    return Counter((each.headers.get("x-model-version", "none"), each.status) for each in answers)


@pytest.fixture(scope="module")
def of_bad(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server of a version that is well, and of three that are not."""
    versions = {"1.0": GOOD, **{version: behaviour for version, (behaviour, _) in BAD.items()}}
    with serving(tmp_path_factory.mktemp("bad"), versions) as served:
        httpx.put(f"{served.server.management}/models/temper/1.0/set-default").raise_for_status()
        yield served


@pytest.mark.parametrize("version", BAD, ids=["slower", "failing", "drifting"])
async def test_bad_canary_takes_itself_back_within_its_share(of_bad: Served, version: str) -> None:
    await release_bad(of_bad, version, SHARE)


@pytest.mark.slow
@pytest.mark.timeout(660)
@pytest.mark.parametrize("version", BAD, ids=["slower", "failing", "drifting"])
async def test_bad_canary_of_one_percent_takes_itself_back(tmp_path: Path, version: str) -> None:
    with serving(tmp_path, {"1.0": GOOD, version: BAD[version][0]}) as served:
        await release_bad(served, version, 0.01)


async def release_bad(served: Served, version: str, share: float) -> None:
    def has_gone_back() -> bool:
        report = served.report()
        assert {arm.version: arm.requests for arm in report.arms}[version] <= MOST_TOUCHED, report
        return report.state == "rolled_back"

    assert served.begin(version, steps=[share], step_s=3600.0).status_code == 201
    answers = await served.while_loaded(has_gone_back, within=math.inf)
    report, told = served.report(), by_version(answers)
    took_s = (report.ended_at or 0) - report.begun_at
    touched = sum(count for (name, _), count in told.items() if name == version)
    asked = sum(arm.requests for arm in report.arms)
    log.info("%s: %.1f s, touched %d of %d: %s", version, took_s, touched, asked, report.reason)
    assert touched <= MOST_TOUCHED
    # Four standard deviations of what was drawn.
    assert touched <= share * asked + 4 * (asked * share * (1 - share)) ** 0.5
    # None is lost: who was answered badly was answered by the canary.
    assert {status for (name, status) in told if name == "1.0"} == {200}
    assert {name for name, _ in told} == {"1.0", version}
    assert (version == FAILING) == any(status != 200 for _, status in told)
    assert report.events[-1].kind == "rolled_back"
    assert report.numbers
    assert_it_is_known(served, version, report.reason)


def assert_it_is_known(served: Served, version: str, reason: str) -> None:
    """In metrics and in the audit log; its workers go, and it is not tried again unasked."""
    metrics = httpx.get(f"{served.server.metrics}/metrics").text
    labels = f'{{model_name="temper",model_version="{version}",rule="{BAD[version][1]}"}}'
    assert f"serving_release_rolled_back_timestamp_seconds{labels}" in metrics
    lines = [json.loads(line) for line in (served.folder / "audit.jsonl").read_text().splitlines()]
    entry = [line for line in lines if line["what"] == "roll_back_release"][-1]
    assert (entry["who"], entry["version"], entry["reason"]) == ("canary", version, reason)
    assert entry["after"]["share"] == 0
    wait_until(lambda: not served.workers(version), PATIENCE, "the end of the canary's workers")
    answer = served.begin(version)
    assert (answer.status_code, answer.json()["type"]) == (409, "ConflictStatusException")
    assert httpx.get(f"{served.server.inference}/ping").status_code == 200


async def test_good_canary_gets_all_and_survives_a_restart_and_a_worker(tmp_path: Path) -> None:
    with serving(tmp_path, {"1.0": GOOD, "2.0": GOOD}) as served:
        served.begin("2.0", steps=[0.2, 0.5], step_s=1.0, step_requests=30)
        answers = await served.while_loaded(lambda: served.report().step == 1)
        assert by_version(answers).keys() == {("1.0", 200), ("2.0", 200)}
        (victim,) = served.workers("2.0")
        os.kill(victim, signal.SIGKILL)
        httpx.post(f"{served.server.management}/releases/temper/pause").raise_for_status()
        answers = await served.while_loaded(lambda: served.workers("2.0") not in ([], [victim]))
        told = by_version(answers)
        assert sum(count for (_, status), count in told.items() if status != 200) <= CLIENTS
        assert told["1.0", 200] == sum(told[key] for key in told if key[0] in ("1.0", "none"))
        before = served.report()
        await asyncio.to_thread(served.restart)
        after = served.report()
        assert (after.id, after.state, after.share) == (before.id, "paused", before.share)
        assert [event.kind for event in after.events][-2:] == ["paused", "restored"]
        httpx.post(f"{served.server.management}/releases/temper/resume").raise_for_status()
        answers = await served.while_loaded(lambda: served.report().state == "completed")
        assert {status for _, status in by_version(answers)} == {200}
        assert answers[-1].headers["x-model-version"] == "2.0"
        await asyncio.to_thread(served.restart)
        answer = httpx.post(f"{served.server.inference}{PATH}", content=b'{"x": 1}')
        assert answer.headers["x-model-version"] == "2.0"
