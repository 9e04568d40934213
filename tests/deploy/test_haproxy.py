"""HAProxy as we ship it, before real replicas of the model server that die, stop and are slow."""

import asyncio
import json
import signal
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack

import grpc
import pytest

from serving.bench.ports import free_ports
from serving.protocol.proto.generated import health_pb2
from tests.support_contract import start_server, wait_for_server
from tests.support_grpc import Stub
from tests.support_haproxy import FILES, POLICY, Proxy, find_haproxy, haproxy
from tests.support_load import Answer, Connection
from tests.support_serve import ROOT

MODELS = ROOT / "tests" / "faults" / "models"
PATH = "/predictions/wild"
CLIENTS = 6
DRAIN_S = 2


class Replica:
    """A model server at a port that it keeps when it is started again."""

    def __init__(self, stack: ExitStack) -> None:
        self.port, self.grpc = free_ports(2)
        self._stack = stack
        self.process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        process = start_server(
            MODELS,
            SERVING_INFERENCE_PORT=str(self.port),
            SERVING_GRPC_INFERENCE_PORT=str(self.grpc),
            SERVING_DRAIN_S=str(DRAIN_S),
        )
        self._stack.enter_context(process)
        self._stack.callback(process.kill)
        return process

    async def start(self) -> None:
        """Ready when this returns."""
        await asyncio.to_thread(wait_for_server, self.process)

    async def begin_again(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(self.process.wait, 15)
        self.process = self._start()
        await self.start()


class Town:
    """Two replicas and the proxy before them."""

    def __init__(self, replicas: list[Replica], proxy: Proxy) -> None:
        self.replicas, self.proxy = replicas, proxy

    @property
    def url(self) -> str:
        return f"http://{self.proxy.models}"

    async def until_up(self, count: int) -> None:
        async with asyncio.timeout(20):
            while await asyncio.to_thread(self.proxy.up, "models") != count:
                await asyncio.sleep(0.1)

    async def while_loaded(
        self, fault: Callable[[], Awaitable[None]], size: int = 1
    ) -> list[Answer]:
        """What clients were answered before, during and after a fault."""
        is_over = asyncio.Event()
        body = json.dumps({"do": "sleep 0.02", "tag": "x" * size}).encode()

        async def ask_on() -> list[Answer]:
            client, answers = Connection(self.url), []
            while not is_over.is_set():
                await client.send(PATH, body)
                answers.append(await client.receive())
            client.close()
            return answers

        clients = [asyncio.ensure_future(ask_on()) for _ in range(CLIENTS)]
        await asyncio.sleep(0.5)
        await fault()
        await asyncio.sleep(0.5)
        is_over.set()
        return [answer for client in clients for answer in await client]


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    find_haproxy()
    with ExitStack() as stack:
        replicas = [Replica(stack) for _ in range(2)]
        for replica in replicas:
            wait_for_server(replica.process)
        ports = [replica.port for replica in replicas]
        places = [replica.grpc for replica in replicas]
        folder = tmp_path_factory.mktemp("haproxy")
        proxy = stack.enter_context(haproxy(folder, models=ports, grpc=places))
        yield Town(replicas, proxy)


@pytest.mark.parametrize("hosts", ["hosts.cfg", "compose.cfg"])
def test_configuration_is_valid_without_a_warning(hosts: str) -> None:
    command = (find_haproxy(), "-c", "-f", str(POLICY), "-f", str(FILES / hosts))
    found = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert found.returncode == 0, found.stderr
    assert "WARNING" not in found.stderr


async def test_slow_replica_is_asked_less(town: Town) -> None:
    """Both answer; one of them is stopped nine tenths of the time."""
    slow = town.replicas[0].process
    asked: dict[str, float] = {}

    async def hinder() -> None:
        before = town.proxy.count("haproxy_server_sessions_total", "models")
        for _ in range(4):
            slow.send_signal(signal.SIGSTOP)
            await asyncio.sleep(0.45)
            slow.send_signal(signal.SIGCONT)
            await asyncio.sleep(0.05)
        after = town.proxy.count("haproxy_server_sessions_total", "models")
        asked.update({name: after[name] - before[name] for name in after})

    answers = await town.while_loaded(hinder)
    assert {answer.status for answer in answers} == {200}
    assert 0 < 2 * asked["models-1"] < asked["models-2"]


async def test_killed_replica_loses_no_prediction_and_comes_back(town: Town) -> None:
    first, *_ = town.replicas

    async def kill() -> None:
        first.process.kill()
        await asyncio.to_thread(first.process.wait)
        await town.until_up(1)

    answers = await town.while_loaded(kill, size=2_000_000)
    assert {answer.status for answer in answers} == {200}
    assert len(answers) > 3 * CLIENTS
    retried = await asyncio.to_thread(
        town.proxy.count, "haproxy_server_retry_warnings_total", "models"
    )
    assert sum(retried.values()) > 0
    await first.begin_again()
    await town.until_up(2)


async def test_replicas_that_begin_anew_in_turn_fail_nobody(town: Town) -> None:
    async def begin_anew() -> None:
        for replica in town.replicas:
            await replica.begin_again()
            await town.until_up(2)

    answers = await town.while_loaded(begin_anew)
    assert {answer.status for answer in answers} == {200}
    assert len({answer.json()["pid"] for answer in answers}) == 4


def test_calls_over_grpc_are_spread_over_the_replicas(town: Town) -> None:
    with grpc.insecure_channel(town.proxy.grpc) as channel:
        stub = Stub(channel, "grpc.health.v1.Health")
        asked = [
            stub.call("Check", health_pb2.HealthCheckRequest(), health_pb2.HealthCheckResponse)
            for _ in range(4)
        ]
    assert {answer.status for answer in asked} == {1}
    assert sorted(town.proxy.count("haproxy_server_sessions_total", "models_grpc").values()) == [
        2,
        2,
    ]
