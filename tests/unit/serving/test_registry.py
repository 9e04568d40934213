from pathlib import Path

import pytest

from serving.errors import InvalidModel, ModelNotFound
from serving.observe.metrics import ServerMetrics
from serving.registry.endpoint import Endpoint
from serving.registry.registry import Registry
from serving.registry.repository import find_models, version_rank
from serving.settings import ModelConfig


def put(folder: Path, name: str, version: str) -> None:
    folder.mkdir(parents=True)
    text = f'{{"name": "{name}", "version": "{version}", "handler": "handler.py:H"}}'
    (folder / "manifest.json").write_text(text)


def test_models_are_found_by_their_manifests(tmp_path: Path) -> None:
    put(tmp_path / "cat", "cat", "1")
    put(tmp_path / "dog" / "1", "dog", "1")
    put(tmp_path / "dog" / "2", "dog", "2")
    (tmp_path / "notes").mkdir()
    found = find_models(tmp_path)
    assert [(m.manifest.name, m.manifest.version) for m in found] == [
        ("cat", "1"),
        ("dog", "1"),
        ("dog", "2"),
    ]


def test_same_version_twice_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "a", "cat", "1")
    put(tmp_path / "b", "cat", "1")
    with pytest.raises(InvalidModel, match="cat version 1 is both in"):
        find_models(tmp_path)


def test_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidModel, match="no folder of models"):
        find_models(tmp_path / "nowhere")


def test_versions_are_ordered_as_numbers() -> None:
    versions = ["1.10", "1.9", "2", "1.10-rc", "beta"]
    assert sorted(versions, key=version_rank) == ["beta", "1.9", "1.10", "1.10-rc", "2"]


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    for version in ("1.9", "1.10"):
        put(tmp_path / f"cat{version}", "cat", version)
    put(tmp_path / "ant", "ant", "1")
    metrics = ServerMetrics()
    return Registry(
        Endpoint(model, ModelConfig(), metrics.for_endpoint("m", model.manifest.version))
        for model in find_models(tmp_path)
    )


def test_highest_version_is_meant_where_none_is_named(registry: Registry) -> None:
    assert registry.find("cat").manifest.version == "1.10"
    assert registry.find("cat", "1.9").manifest.version == "1.9"
    assert [e.manifest.version for e in registry.versions("cat")] == ["1.10", "1.9"]
    assert registry.names == ["ant", "cat"]


@pytest.mark.parametrize(
    ("name", "version"), [("dog", None), ("cat", "3")], ids=["name", "version"]
)
def test_unknown_model_is_told(registry: Registry, name: str, version: str | None) -> None:
    with pytest.raises(ModelNotFound, match=version or name):
        registry.find(name, version)
