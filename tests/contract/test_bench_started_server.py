"""A server that is told one setting after the other serves as one that is started so."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from serving.bench.setting import Setting
from serving.bench.started_server import StartedServer
from serving.bench.tuned import Model
from serving.errors import InvalidModel, ModelNotFound

HANDLER = """
import os
import numpy as np


class Told:
    def load(self, context):
        self.told = {
            "threads": context.threads,
            "batch_size": context.batch_size,
            "is_bf16": int(context.precision == "bf16"),
            "of_openmp": int(os.environ["OMP_NUM_THREADS"]),
        }

    def decode(self, body):
        return {"body": np.frombuffer(body, np.uint8)}

    def infer(self, batch):
        return [{"pid": np.asarray(os.getpid())} for _ in batch]

    def encode(self, outputs):
        return {**self.told, "pid": int(outputs["pid"])}
"""


@pytest.fixture
def model(tmp_path: Path) -> Model:
    folder = tmp_path / "told"
    folder.mkdir()
    (folder / "manifest.json").write_text(
        '{"name": "told", "handler": "handler.py:Told", "precisions": ["bf16"]}'
    )
    (folder / "handler.py").write_text(HANDLER)
    return Model("told", tmp_path)


@pytest.fixture
def server(model: Model) -> Iterator[StartedServer]:
    started = StartedServer(model)
    yield started
    started.close()


def told(server: StartedServer) -> dict[str, int]:
    host, port = server.place
    answer = httpx.post(f"http://{host}:{port}/predictions/told", content=b"1", timeout=30)
    found: dict[str, int] = answer.raise_for_status().json()
    return found


def test_model_that_is_registered_anew_is_served_as_one_that_is_started_so(
    model: Model, server: StartedServer
) -> None:
    cores = len(os.sched_getaffinity(0))
    server.prepare(Setting(batch_size=1, workers=1))
    first, place = told(server), server.place
    assert (first["threads"], first["of_openmp"], first["batch_size"]) == (cores, cores, 1)

    server.prepare(Setting(batch_size=4, max_batch_delay_ms=3, workers=2))
    again = told(server)
    assert server.place == place  # the server was not started for it
    assert len(server.processes()) == 1 + 2
    assert again.pop("pid") != first["pid"]
    assert again["batch_size"] == 4

    fresh = StartedServer(model)
    try:
        fresh.prepare(Setting(batch_size=4, max_batch_delay_ms=3, workers=2))
        of_fresh = told(fresh)
        of_fresh.pop("pid")
    finally:
        fresh.close()
    assert again == of_fresh
    assert again["threads"] == again["of_openmp"] == max(cores // 2, 1)


def test_larger_batches_are_made_by_the_same_worker_and_smaller_ones_by_a_new_one(
    server: StartedServer,
) -> None:
    server.prepare(Setting(batch_size=2))
    pid = told(server)["pid"]
    server.prepare(Setting(batch_size=8, max_batch_delay_ms=4))
    assert told(server)["pid"] == pid
    server.prepare(Setting(batch_size=4))
    assert told(server)["pid"] != pid


def test_parts_of_a_millisecond_and_devices_are_said_at_a_start(server: StartedServer) -> None:
    server.prepare(Setting(batch_size=2, max_batch_delay_ms=0.5))
    place = server.place
    server.prepare(Setting(batch_size=2, max_batch_delay_ms=0.5, concurrency=8))
    assert server.place == place
    server.prepare(Setting(batch_size=4, max_batch_delay_ms=0.5))
    assert server.place != place
    place = server.place
    server.prepare(Setting(batch_size=4, max_batch_delay_ms=1, device="cpu", precision="bf16"))
    assert server.place != place
    assert told(server)["is_bf16"] == 1


def test_what_cannot_be_served_is_told_and_the_next_is_served(server: StartedServer) -> None:
    with pytest.raises(InvalidModel, match=r"start so: told has a handler .* offers no fp16"):
        server.prepare(Setting(precision="fp16"))
    server.prepare(Setting())
    assert told(server)["batch_size"] == 1


def test_model_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match="no folder dog"):
        StartedServer(Model("dog", tmp_path))
    with pytest.raises(ModelNotFound, match=r"no archive dog\.mar"):
        StartedServer(Model("dog", tmp_path, "dog.mar"))


def test_model_that_cannot_be_read_leaves_no_folder_behind(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    (model.models_dir / model.name / "weights").symlink_to(tmp_path / "nowhere")
    with pytest.raises(shutil.Error, match="weights"):
        StartedServer(model)
    assert list(scratch.iterdir()) == []
