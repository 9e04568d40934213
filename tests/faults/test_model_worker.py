"""What happens when the processes of the model server die, are stopped, or never come up."""

import concurrent.futures
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest

from serving.client import Client
from serving.errors import ServerUnavailable, WorkerDied
from tests.support_contract import MODELS, Server, running_server, start_server
from tests.support_serve import is_running, wait_until

PATIENCE_S = 20.0


def workers_of(server: Server, model: str = "fragile") -> list[int]:
    (description,) = httpx.get(f"{server.management}/models/{model}").json()
    return [worker["pid"] for worker in description["workers"]]


def sleep(server: Server, seconds: float, timeout_s: float = PATIENCE_S) -> int:
    """The process that slept."""
    with Client(server.inference, timeout_s=timeout_s) as client:
        answer = client.infer("fragile", {"seconds": np.array([seconds], np.float32)})
    return int(answer["pid"])


def in_flight(server: Server) -> float:
    text = httpx.get(f"{server.metrics}/metrics").text
    (line,) = (
        line
        for line in text.splitlines()
        if line.startswith("serving_in_flight{") and "fragile" in line
    )
    return float(line.rpartition(" ")[2])


@pytest.fixture
def pool() -> Iterator[concurrent.futures.ThreadPoolExecutor]:
    with concurrent.futures.ThreadPoolExecutor(4) as executor:
        yield executor


def test_when_a_worker_is_killed_exactly_its_items_fail(
    pool: concurrent.futures.ThreadPoolExecutor,
) -> None:
    with running_server(SERVING_MIN_WORKERS="2", SERVING_BATCH_SIZE="1") as (_, server):
        wait_until(lambda: len(workers_of(server)) == 2, PATIENCE_S, "the second worker's start")
        requests = [pool.submit(sleep, server, 1.5) for _ in range(2)]
        wait_until(lambda: in_flight(server) == 2, PATIENCE_S, "the requests' arrival")
        victim = workers_of(server)[0]
        os.kill(victim, signal.SIGKILL)
        results = [request.exception() or request.result() for request in requests]
        (error,) = (result for result in results if isinstance(result, BaseException))
        (survivor,) = (result for result in results if isinstance(result, int))
        assert isinstance(error, WorkerDied)
        assert "killed by signal 9 while it worked on this request" in str(error)
        assert survivor != victim
        wait_until(lambda: len(workers_of(server)) == 2, PATIENCE_S, "the replacement")


def test_request_after_the_death_of_the_only_worker_works_within_seconds(
    pool: concurrent.futures.ThreadPoolExecutor,
) -> None:
    with running_server() as (_, server):
        request = pool.submit(sleep, server, 30)
        wait_until(lambda: in_flight(server) == 1, PATIENCE_S, "the request's arrival")
        (victim,) = workers_of(server)
        os.kill(victim, signal.SIGKILL)
        assert isinstance(request.exception(), WorkerDied)
        begun = time.monotonic()
        assert sleep(server, 0) != victim
        assert time.monotonic() - begun < 10
        metrics = httpx.get(f"{server.metrics}/metrics").text
        assert (
            'serving_worker_restarts_total{model_name="fragile",model_version="1.0"} 1.0'
            in metrics.splitlines()
        )


def test_server_is_not_ready_while_a_model_has_no_worker() -> None:
    with running_server() as (_, server), httpx.Client(base_url=server.inference) as http:
        (victim,) = workers_of(server)
        os.kill(victim, signal.SIGKILL)
        wait_until(
            lambda: http.get("/v2/health/ready").status_code == 503,
            PATIENCE_S,
            "the end of readiness",
        )
        wait_until(lambda: http.get("/v2/health/ready").status_code == 200, PATIENCE_S, "readiness")
        assert workers_of(server) != [victim]


def test_model_that_keeps_killing_its_worker_is_503_with_retry_after() -> None:
    with running_server() as (_, server), httpx.Client(timeout=PATIENCE_S) as http:
        url = f"{server.inference}/predictions/fragile"
        for _ in range(2):
            answer = http.post(url, content=b"-2")
            assert (answer.status_code, answer.json()["code"]) == (500, 500)
            assert "exit code 3" in answer.json()["message"]
        answer = http.post(url, content=b"0")
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) >= 1
        assert "has no worker" in answer.json()["message"]
        assert http.post(f"{server.inference}/predictions/echo", content=b"x").status_code == 200
        wait_until(lambda: http.post(url, content=b"0").status_code == 200, PATIENCE_S, "recovery")


def test_full_queue_is_429_with_retry_after(
    pool: concurrent.futures.ThreadPoolExecutor,
) -> None:
    with running_server(SERVING_QUEUE_SIZE="1", SERVING_BATCH_SIZE="1") as (_, server):
        requests = [pool.submit(sleep, server, 1.0)]
        wait_until(lambda: in_flight(server) == 1, PATIENCE_S, "the first request's arrival")
        requests.append(pool.submit(sleep, server, 0))
        wait_until(lambda: in_flight(server) == 2, PATIENCE_S, "the second request's arrival")
        answer = httpx.post(f"{server.inference}/predictions/fragile", content=b"0")
        assert answer.status_code == 429
        assert int(answer.headers["retry-after"]) >= 1
        assert "the queue is full" in answer.json()["message"]
        assert all(request.result() for request in requests)


@pytest.mark.parametrize("to_group", [False, True], ids=["SIGTERM", "Ctrl-C to all"])
def test_stop_finishes_what_is_under_way_and_leaves_no_process(
    pool: concurrent.futures.ThreadPoolExecutor, to_group: bool
) -> None:
    with running_server() as (process, server):
        workers = workers_of(server, "echo") + workers_of(server)
        request = pool.submit(sleep, server, 0.7)
        wait_until(lambda: in_flight(server) == 1, PATIENCE_S, "the request's arrival")
        begun = time.monotonic()
        if to_group:
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.terminate()
        assert process.wait(timeout=10) == 0
        assert time.monotonic() - begun < 5
        assert request.result() in workers
        assert not any(is_running(pid) for pid in workers)


def test_stop_takes_no_longer_than_five_seconds_whatever_runs(
    pool: concurrent.futures.ThreadPoolExecutor,
) -> None:
    with running_server() as (process, server):
        workers = workers_of(server)
        request = pool.submit(sleep, server, 60)
        wait_until(lambda: in_flight(server) == 1, PATIENCE_S, "the request's arrival")
        begun = time.monotonic()
        process.terminate()
        assert process.wait(timeout=10) == 0
        assert time.monotonic() - begun < 5
        assert not any(is_running(pid) for pid in workers)
        assert isinstance(request.exception(), ServerUnavailable)
        assert "the server is stopping" in str(request.exception())


@pytest.mark.skipif(sys.platform != "linux", reason="other systems end workers at their next read")
def test_workers_die_with_their_server_even_while_they_work(
    pool: concurrent.futures.ThreadPoolExecutor,
) -> None:
    with running_server() as (process, server):
        workers = workers_of(server, "echo") + workers_of(server)
        request = pool.submit(sleep, server, 60)
        wait_until(lambda: in_flight(server) == 1, PATIENCE_S, "the request's arrival")
        process.kill()
        process.wait()
        wait_until(lambda: not any(map(is_running, workers)), 5, "the workers' death")
        assert isinstance(request.exception(), ServerUnavailable)


def put_slow_model(folder: Path) -> Path:
    """A model that loads for a minute; the file that tells its process once it has begun."""
    (folder / "slow").mkdir()
    (folder / "slow" / "manifest.json").write_text('{"name": "slow", "handler": "h.py:H"}')
    marker = folder / "pid"
    (folder / "slow" / "h.py").write_text(
        "import os, pathlib, time\n"
        f"part = pathlib.Path({str(marker)!r} + '.part')\n"
        "part.write_text(str(os.getpid()))\n"
        f"part.rename({str(marker)!r})\n"
        "time.sleep(60)\n"
    )
    return marker


def test_server_answers_that_it_is_not_ready_while_models_are_loading(tmp_path: Path) -> None:
    marker = put_slow_model(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    with start_server(tmp_path, SERVING_INFERENCE_PORT=str(port)) as process:
        wait_until(marker.exists, PATIENCE_S, "the loading's beginning")
        answers = {
            path: httpx.get(url + path).status_code
            for path in ("/ping", "/v2/health/live", "/v2/health/ready", "/v2/models/slow/ready")
        }
        refused = httpx.post(f"{url}/predictions/slow", content=b"x")
        process.terminate()
    assert answers == {
        "/ping": 500,
        "/v2/health/live": 200,
        "/v2/health/ready": 503,
        "/v2/models/slow/ready": 503,
    }
    assert refused.status_code == 503
    assert "not loaded yet" in refused.json()["message"]
    assert int(refused.headers["retry-after"]) >= 1


def test_stop_while_models_are_loading_leaves_no_process(tmp_path: Path) -> None:
    marker = put_slow_model(tmp_path)
    with start_server(tmp_path) as process:
        wait_until(marker.exists, PATIENCE_S, "the loading's beginning")
        begun = time.monotonic()
        process.terminate()
        assert process.wait(timeout=10) == 0
        assert time.monotonic() - begun < 5
    assert not is_running(int(marker.read_text()))


def test_model_that_cannot_be_loaded_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "manifest.json").write_text('{"name": "bad", "handler": "h.py:H"}')
    with start_server(tmp_path) as process:
        _, log = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1
    assert log.splitlines()[-1].startswith("serving: bad 1 (h.py:H) cannot be loaded: ")


def test_port_that_is_taken_is_told_in_one_sentence() -> None:
    with running_server() as (_, server):
        port = server.inference.rpartition(":")[2]
        command = [sys.executable, "-m", "serving", "start", "-p", port]
        second = subprocess.run(
            [*command, "--models-dir", str(MODELS)], capture_output=True, text=True, check=False
        )
    assert second.returncode == 1
    assert second.stderr.strip() == (
        f"serving: cannot listen on 127.0.0.1 port {port}: Address already in use; "
        "choose another port, or end what listens there"
    )


def test_client_of_a_server_that_has_gone_is_told() -> None:
    with (
        running_server() as (process, server),
        Client(server.inference, timeout_s=PATIENCE_S) as client,
    ):
        client.infer("echo", {"x": np.zeros(1)})
        process.terminate()
        process.wait()
        with pytest.raises(ServerUnavailable):
            client.infer("echo", {"x": np.zeros(1)})
