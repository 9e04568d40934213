from pathlib import Path
from typing import Any

import pytest

from serving.admission import RegisterRequest
from serving.errors import InvalidModel
from serving.registry.repository import find_models
from serving.settings import InvalidSettings, ServerSettings
from serving.snapshots import read_snapshot
from serving.startup import load_archives, restore

SNAPSHOT = """{
  "name": "x", "modelCount": 2, "created": 1,
  "models": {"cat": {
    "1.0": {"defaultVersion": false, "marName": "cat.mar", "minWorkers": 1, "maxWorkers": 2,
            "batchSize": 3, "maxBatchDelay": 4, "responseTimeout": 5, "startupTimeout": 6},
    "2.0": {"defaultVersion": true, "marName": "cat2.mar", "minWorkers": 0, "maxWorkers": 0,
            "batchSize": 1, "maxBatchDelay": 1, "responseTimeout": 1, "startupTimeout": 1,
            "runtimeType": "python", "parallelLevel": 1}
  }}
}"""


class Desk:
    """Writes down what it is asked to load; `bad.mar` cannot be."""

    def __init__(self) -> None:
        self.loaded: list[RegisterRequest] = []
        self.configs: list[dict[str, Any] | None] = []
        self.defaults: list[tuple[str, str]] = []

    async def load(
        self, request: RegisterRequest, over: dict[str, Any] | None = None
    ) -> tuple[str, str]:
        if request.url == "bad.mar":
            raise InvalidModel("no model")
        self.loaded.append(request)
        self.configs.append(over)
        return "cat", f"{len(self.loaded)}.0"

    async def set_default(self, name: str, version: str) -> None:
        self.defaults.append((name, version))


def desk_for(folder: Path, load_models: str, **more: Any) -> tuple[Any, ServerSettings]:
    return Desk(), ServerSettings(models_dir=str(folder), load_models=load_models, **more)


async def test_all_archives_of_the_folder_are_loaded(tmp_path: Path) -> None:
    for name in ("b.mar", "a.tar.gz", "c.tgz", "d.onnx", "e.pt2", "notes.txt", ".hidden.mar"):
        (tmp_path / name).touch()
    for name in ("packed", "both"):
        (tmp_path / name / "MAR-INF").mkdir(parents=True)
        (tmp_path / name / "MAR-INF" / "MANIFEST.json").touch()
    for name in ("ours", "both"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "manifest.json").write_text('{"name": "m", "handler": "a:B"}')
    (tmp_path / "plain").mkdir()
    desk, settings = desk_for(tmp_path, "ALL")
    await load_archives(desk, settings)
    assert [each.url for each in desk.loaded] == [
        *("a.tar.gz", "b.mar", "both", "c.tgz", "d.onnx", "e.pt2"),
        "packed",
    ]
    assert [model.folder.name for model in find_models(tmp_path)] == ["ours"]


async def test_named_archives_are_loaded_in_order(tmp_path: Path) -> None:
    desk, settings = desk_for(tmp_path, "b.mar, cat=https://h/a.mar?x=y,,none=")
    await load_archives(desk, settings)
    assert [(each.model_name, each.url) for each in desk.loaded] == [
        (None, "b.mar"),
        ("cat", "https://h/a.mar?x=y"),
    ]


async def test_archive_that_cannot_be_loaded_stops_the_start_but_in_the_reference(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    desk, settings = desk_for(tmp_path, "bad.mar,b.mar")
    with pytest.raises(InvalidModel):
        await load_archives(desk, settings)
    desk, settings = desk_for(tmp_path, "bad.mar,b.mar", compat="torchserve")
    await load_archives(desk, settings)
    assert [each.url for each in desk.loaded] == ["b.mar"]
    assert caplog.messages == ["Failed to load model: bad.mar: no model"]


async def test_snapshot_is_restored(tmp_path: Path) -> None:
    for name in ("cat.mar", "cat2.mar"):
        (tmp_path / name).touch()
    desk, settings = desk_for(tmp_path, "")
    await restore(desk, settings, SNAPSHOT)
    assert desk.loaded[0] == RegisterRequest(
        url="cat.mar",
        model_name="cat",
        batch_size=3,
        max_batch_delay=4,
        response_timeout=5,
        startup_timeout=6,
    )
    assert desk.configs == [
        {"min_workers": 1, "max_workers": 2},
        {"min_workers": 0, "max_workers": 0},
    ]
    assert desk.defaults == [("cat", "2.0")]


def test_snapshot_whose_archive_is_gone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cat.mar").touch()
    with pytest.raises(InvalidSettings, match=r"version :2\.0 not found in model store"):
        list(read_snapshot(SNAPSHOT, tmp_path))


def test_snapshot_cannot_lead_out_of_the_store(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "cat.mar").touch()
    text = SNAPSHOT.replace('"cat.mar"', '"../cat.mar"')
    with pytest.raises(InvalidSettings, match="not found in model store"):
        list(read_snapshot(text, tmp_path / "store"))


@pytest.mark.parametrize("text", ["", "{", "{}", '{"models": 3}'])
def test_text_that_is_no_snapshot_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidSettings, match="model_snapshot: "):
        list(read_snapshot(text, tmp_path))
