"""A server whose disk takes no more of its audit log: changes go on, or are refused if told so."""

import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from serving.audit.reading import verify
from tests.support_contract import MODELS, Server, start_server, stop_server, wait_for_server


class Audited:
    """A server with an audit log, and its disk."""

    def __init__(self, process: subprocess.Popen[str], server: Server, file: Path) -> None:
        self._process = psutil.Process(process.pid)
        # One client: each that is made reads the certificates of the machine anew.
        self.http = httpx.Client(timeout=60)
        self.server = server
        self.file = file

    def scale(self, workers: int) -> httpx.Response:
        url = f"{self.server.management}/models/echo"
        return self.http.put(url, params={"min_worker": workers, "synchronous": "true"})

    def workers(self) -> int:
        (model,) = self.http.get(f"{self.server.management}/models/echo").json()
        return int(model["minWorkers"])

    def entries(self) -> list[dict[str, Any]]:
        answer = self.http.get(f"{self.server.management}/audit").json()
        found: list[dict[str, Any]] = answer["entries"]
        return found[::-1]

    def lost(self) -> float:
        lines = self.http.get(f"{self.server.metrics}/metrics").text.splitlines()
        (line,) = (line for line in lines if line.startswith("serving_audit_lost_total "))
        return float(line.rpartition(" ")[2])

    @contextmanager
    def full_disk(self) -> Iterator[None]:
        """No file of the server grows beyond half a line more: a write fails in the middle."""
        most = self.file.stat().st_size + 100
        unlimited = self._process.rlimit(resource.RLIMIT_FSIZE)
        self._process.rlimit(resource.RLIMIT_FSIZE, (most, unlimited[1]))
        try:
            yield
        finally:
            self._process.rlimit(resource.RLIMIT_FSIZE, unlimited)


@pytest.fixture
def audited(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Audited]:
    file = tmp_path / "audit.jsonl"
    environment = {
        "SERVING_AUDIT_FILE": str(file),
        "SERVING_AUDIT_REQUIRED": request.param,
        "SERVING_LOAD_MODELS": "echo",
    }
    with start_server(MODELS, **environment) as process:
        try:
            audited = Audited(process, wait_for_server(process), file)
            with audited.http:
                yield audited
        finally:
            stop_server(process)


@pytest.mark.parametrize("audited", ["false"], indirect=True, ids=["not required"])
def test_full_disk_stops_no_change_and_is_told(audited: Audited) -> None:
    assert len(audited.entries()) == 1
    with audited.full_disk():
        assert audited.scale(2).status_code == 200
        audited.entries()
        assert audited.lost() == 1
    assert audited.scale(1).status_code == 200
    assert [entry["after"]["workers"]["1.0"] for entry in audited.entries()[1:]] == [[1, 1]]
    assert verify(audited.file).faults == []


@pytest.mark.parametrize("audited", ["true"], indirect=True, ids=["required"])
def test_full_disk_refuses_changes_where_the_log_is_required_and_nothing_else(
    audited: Audited,
) -> None:
    assert len(audited.entries()) == 1
    with audited.full_disk():
        answer = audited.scale(2)
        assert answer.status_code == 503
        assert "the audit log cannot be written" in answer.json()["message"]
        assert audited.workers() == 1
        asked = audited.http.post(f"{audited.server.inference}/predictions/echo", content=b"x")
        assert asked.status_code == 200
    assert audited.scale(2).status_code == 200
    assert [entry["result"] for entry in audited.entries()] == ["ok", "begun", "ok"]
    assert verify(audited.file).faults == []
