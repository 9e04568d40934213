"""Faults while many are served: only those whom it concerns fail, and are told what it was."""

import asyncio
import functools
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from serving.bench.ports import free_ports
from tests.faults.test_model_worker import workers_of
from tests.support_contract import Server, start_server, wait_for_server
from tests.support_load import Answer, Connection, at_rate
from tests.support_serve import PATIENCE, is_running, wait_until

MODELS = Path(__file__).parent / "models"
PATH = "/predictions/wild"
CLIENTS = 8


class Wild:
    """A server of the wild model, and the clients who ask it meanwhile."""

    def __init__(self, stack: ExitStack, **environment: str) -> None:
        self.process = stack.enter_context(start_server(MODELS, **environment))
        stack.callback(self.end)
        self.server: Server = wait_for_server(self.process)

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=20)

    def workers(self) -> list[int]:
        return workers_of(self.server, "wild")

    def is_healthy(self) -> bool:
        answer = httpx.get(f"{self.server.inference}/ping")
        return answer.status_code == 200 and answer.json() == {"status": "Healthy"}

    async def ask(self, do: str = "", tag: str = "x", size: int = 1) -> Answer:
        client = Connection(self.server.inference)
        try:
            return await client.ask(PATH, {"do": do, "tag": tag, "size": size})
        finally:
            client.close()

    async def while_loaded(
        self, fault: Callable[[], Awaitable[list[Answer]]], after_s: float = 1.5
    ) -> tuple[list[Answer], list[Answer]]:
        """Keep `CLIENTS` asking before, during and after the fault: its answers and theirs."""
        is_over = asyncio.Event()

        async def client(number: int) -> list[Answer]:
            connection = Connection(self.server.inference)
            answers: list[Answer] = []
            while not is_over.is_set():
                tag = f"{number}.{len(answers)}"
                answers.append(await connection.ask(PATH, {"do": "sleep 0.005", "tag": tag}))
                if answers[-1].status == 200:
                    assert answers[-1].json()["tags"] == [tag]
            connection.close()
            return answers

        clients = [asyncio.create_task(client(number)) for number in range(CLIENTS)]
        await asyncio.sleep(0.3)
        told = await fault()
        await asyncio.sleep(after_s)
        is_over.set()
        answers = [answer for answers in await asyncio.gather(*clients) for answer in answers]
        await asyncio.to_thread(wait_until, self.is_healthy, PATIENCE, "health")
        return told, answers


@pytest.fixture(scope="module")
def shared(request: pytest.FixtureRequest) -> Iterator[Wild]:
    """One server for all tests with the same settings."""
    with ExitStack() as stack:
        yield Wild(stack, SERVING_MIN_WORKERS="2", **getattr(request, "param", {}))


@pytest.fixture
def wild(shared: Wild) -> Wild:
    """With both of its workers, whatever happened before."""
    wait_until(lambda: len(shared.workers()) == 2, PATIENCE, "two workers")
    return shared


def statuses(answers: list[Answer]) -> Counter[int]:
    return Counter(answer.status for answer in answers)


@pytest.mark.parametrize(
    ("word", "status", "text"),
    [
        ("raise", 503, "ArithmeticError: told to"),
        ("no memory", 507, "MemoryError"),
        ("shorten", 503, "0 results for 1 items"),
    ],
)
async def test_item_that_fails_in_the_model_fails_alone(
    wild: Wild, word: str, status: int, text: str
) -> None:
    async def fault() -> list[Answer]:
        return list(await asyncio.gather(*(wild.ask(word) for _ in range(5))))

    told, others = await wild.while_loaded(fault, after_s=0.3)
    assert statuses(told) == {status: 5}
    assert all(text in answer.json()["message"] for answer in told)
    assert set(statuses(others)) == {200}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["SIGKILL", "SIGSTOP"])
async def test_worker_that_is_killed_or_halted_takes_its_batch_and_no_more(
    wild: Wild, number: signal.Signals
) -> None:
    victim, survivor = wild.workers()

    async def fault() -> list[Answer]:
        os.kill(victim, number)
        return []

    _, others = await wild.while_loaded(fault, after_s=4)
    failed = [answer for answer in others if answer.status != 200]
    assert len(failed) <= 4, "no more than a batch"
    assert all(answer.status == 500 for answer in failed)
    replaced = functools.partial(wait_until, lambda: len(wild.workers()) == 2, PATIENCE)
    await asyncio.to_thread(replaced, "the replacement")
    assert survivor in wild.workers()
    assert victim not in wild.workers()


async def test_worker_that_dies_of_an_item_takes_no_other_batch(wild: Wild) -> None:
    async def fault() -> list[Answer]:
        return [await wild.ask("die")]

    (told,), others = await wild.while_loaded(fault)
    assert told.status == 500
    assert "exit code 3" in told.json()["message"]
    failed = [answer for answer in others if answer.status != 200]
    assert len(failed) <= 3, "those who shared its batch"
    assert all(answer.status == 500 for answer in failed)


@pytest.mark.parametrize("shared", [{"SERVING_MEMORY_LIMIT_MB": "300"}], indirect=True)
async def test_worker_whose_memory_runs_away_is_replaced(wild: Wild) -> None:
    async def fault() -> list[Answer]:
        return [await wild.ask("grow")]

    (told,), others = await wild.while_loaded(fault)
    assert told.status == 507
    assert "300 are allowed" in told.json()["message"]
    failed = [answer for answer in others if answer.status != 200]
    assert len(failed) <= 3, "those who shared its batch"
    assert all(answer.status == 507 for answer in failed)


async def test_clients_who_send_slowly_keep_nobody_from_being_served(wild: Wild) -> None:
    slow = [Connection(wild.server.inference) for _ in range(50)]

    async def fault() -> list[Answer]:
        body = json.dumps({"do": "", "tag": "slow"}).encode()
        await asyncio.gather(*(client.send(PATH, body, part=0.5) for client in slow))
        return []

    _, others = await wild.while_loaded(fault)
    for client in slow:
        client.close()
    assert set(statuses(others)) == {200}


async def test_nothing_is_computed_for_clients_who_hang_up(wild: Wild) -> None:
    await asyncio.gather(*(wild.ask("sleep 0.3") for _ in range(2)))
    before = {answer.json()["pid"]: answer.json()["count"] for answer in await both(wild)}
    busy = [asyncio.create_task(wild.ask("sleep 1")) for _ in range(2)]
    await asyncio.sleep(0.2)
    gone = [Connection(wild.server.inference) for _ in range(24)]
    body = json.dumps({"do": "sleep 1", "tag": "gone"}).encode()
    await asyncio.gather(*(client.send(PATH, body) for client in gone))
    await asyncio.sleep(0.2)
    for client in gone:
        client.close()
    await asyncio.gather(*busy)
    after = {answer.json()["pid"]: answer.json()["count"] for answer in await both(wild)}
    # Two who kept both busy, and the two who ask now.
    assert sum(after.values()) - sum(before.values()) == 4
    assert after.keys() == before.keys()


async def both(wild: Wild) -> list[Answer]:
    """An answer of each of the two workers."""
    answers: dict[int, Answer] = {}
    while len(answers) < 2:
        for answer in await asyncio.gather(*(wild.ask("sleep 0.2") for _ in range(2))):
            answers[answer.json()["pid"]] = answer
    return list(answers.values())


@pytest.mark.parametrize("shared", [{"SERVING_QUEUE_SIZE": "16"}], indirect=True)
async def test_more_than_can_be_done_is_refused_and_the_rest_is_done(wild: Wild) -> None:
    """600 requests a second for a model that does 80 (two workers, batches of four, 100 ms)."""
    idle = [Connection(wild.server.inference) for _ in range(64)]

    async def one(number: int) -> Answer:
        client = idle.pop() if idle else Connection(wild.server.inference)
        answer = await client.ask(PATH, {"do": "sleep 0.025", "tag": str(number)})
        idle.append(client)
        return answer

    answers = await at_rate(600, 1200, one)
    told = statuses(answers)
    assert set(told) == {200, 429}
    assert told[200] >= 50
    refused = [answer for answer in answers if answer.status == 429]
    assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)
    assert all("the queue is full" in answer.json()["message"] for answer in refused)
    assert (await wild.ask("", "afterwards")).json()["tags"] == ["afterwards"]
    for client in idle:
        client.close()


async def test_items_of_different_shapes_get_their_own_answers(wild: Wild) -> None:
    for _ in range(10):
        shapes = [(f"{size} of {tag}", size) for size in (3, 5) for tag in ("a", "b")]
        answers = await asyncio.gather(*(wild.ask("", tag, size) for tag, size in shapes))
        assert [a.json()["tags"] for a in answers] == [[tag] * size for tag, size in shapes]


@pytest.mark.parametrize("shared", [{"SERVING_BATCH_SIZE": "8"}], indirect=True)
async def test_stop_answers_all_who_are_in_flight_and_says_first_that_it_goes(wild: Wild) -> None:
    async def readiness() -> int:
        newcomer = Connection(wild.server.inference)
        await newcomer.send("/v2/health/ready", b"", method="GET")
        answer = await newcomer.receive()
        newcomer.close()
        return answer.status

    workers = wild.workers()
    work = [asyncio.create_task(wild.ask("sleep 0.15", str(number))) for number in range(16)]
    await asyncio.sleep(0.1)
    assert await readiness() == 200
    wild.process.send_signal(signal.SIGTERM)
    while (status := await readiness()) == 200:
        await asyncio.sleep(0.01)
    assert status == 503
    answers = await asyncio.gather(*work)
    assert statuses(answers) == {200: 16}
    assert [answer.json()["tags"] for answer in answers] == [[str(n)] for n in range(16)]
    assert await asyncio.to_thread(wild.process.wait, 10) == 0
    assert not any(is_running(pid) for pid in workers)


@pytest.mark.parametrize("shared", [{"SERVING_ENABLE_MODEL_API": "true"}], indirect=True)
async def test_no_request_is_lost_while_the_model_is_reloaded_again_and_again(wild: Wild) -> None:
    answers: list[Answer] = []
    is_over = asyncio.Event()

    async def client(number: int) -> None:
        connection = Connection(wild.server.inference)
        while not is_over.is_set() or len(answers) < 2000:
            answers.append(await connection.ask(PATH, {"do": "sleep 0.001", "tag": str(number)}))
        connection.close()

    clients = [asyncio.create_task(client(number)) for number in range(CLIENTS)]
    async with httpx.AsyncClient(base_url=wild.server.inference, timeout=30) as http:
        for _ in range(8):
            answer = await http.post("/v2/repository/models/wild/load")
            assert answer.status_code == 200, answer.text
    is_over.set()
    await asyncio.gather(*clients)
    assert statuses(answers) == {200: len(answers)}
    assert len({answer.json()["pid"] for answer in answers}) > 8


def test_full_disk_keeps_no_request_from_being_answered(tmp_path: Path) -> None:
    """No file can grow by a byte: neither the log, nor what uploads are put into."""
    kinds = ("INFERENCE", "MANAGEMENT", "METRICS", "GRPC_INFERENCE", "GRPC_MANAGEMENT")
    ports = free_ports(len(kinds))
    names = {f"SERVING_{kind}_PORT": str(p) for kind, p in zip(kinds, ports, strict=True)}
    names["SERVING_DEVICE"] = "cpu"
    command = [sys.executable, "-m", "serving", "start", f"--models-dir={MODELS}"]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            ["/bin/sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *command],
            env={**os.environ, **names, "SERVING_TOKEN_AUTHORIZATION": "off"},
            stderr=log,
            stdout=log,
        )
    url = f"http://127.0.0.1:{ports[0]}"
    try:
        wait_until(lambda: answers_ping(url), PATIENCE, "the start")
        large = json.dumps({"tag": "x", "padding": "y" * 5_000_000}).encode()
        for _ in range(3):
            answer = httpx.post(f"{url}{PATH}", files={"data": ("large", large)}, timeout=20)
            assert (answer.status_code, answer.json()["tags"]) == (200, ["x"])
            assert (
                httpx.post(f"{url}{PATH}", content=b'{"do": "raise", "tag": "x"}').status_code
                == 503
            )
        assert answers_ping(url)
    finally:
        process.terminate()
        assert process.wait(timeout=20) == 0
    assert (tmp_path / "log").stat().st_size == 0


def answers_ping(url: str) -> bool:
    try:
        return httpx.get(f"{url}/ping").status_code == 200
    except httpx.TransportError:
        return False
