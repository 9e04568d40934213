from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest

from serving.errors import Conflict, InvalidModel, ModelNotFound, VersionInUse, VersionNotFound
from serving.model_config import ModelConfig
from serving.observe.metrics import ServerMetrics
from serving.registry.endpoint import Endpoint
from serving.registry.registry import Registry
from serving.registry.repository import find_models, version_rank


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
def cats(tmp_path: Path) -> Sequence[Endpoint]:
    """Version 1.10 came first, then 1.9."""
    for version in ("1.9", "1.10"):
        put(tmp_path / f"cat{version}", "cat", version)
    metrics = ServerMetrics()
    return [
        Endpoint(model, ModelConfig(), metrics.for_endpoint("m", model.manifest.version))
        for model in find_models(tmp_path)
    ]


def filled(cats: Sequence[Endpoint], default: Literal["highest", "first"]) -> Registry:
    registry = Registry(default)
    for endpoint in cats:
        registry.add(endpoint)
    return registry


def test_highest_version_is_meant_where_none_is_named(cats: Sequence[Endpoint]) -> None:
    registry = filled(cats, "highest")
    assert registry.find("cat").manifest.version == "1.10"
    assert registry.find("cat", "1.9").manifest.version == "1.9"
    assert [e.manifest.version for e in registry.versions("cat")] == ["1.10", "1.9"]
    assert registry.names == ["cat"]


def test_first_version_is_meant_where_that_was_asked_for(cats: Sequence[Endpoint]) -> None:
    registry = filled(list(reversed(cats)), "first")
    assert registry.default_version("cat") == cats[-1].manifest.version


def test_chosen_default_outlives_all_but_its_own_removal(cats: Sequence[Endpoint]) -> None:
    registry = filled(cats, "highest")
    registry.set_default("cat", "1.9")
    assert registry.find("cat").manifest.version == "1.9"
    with pytest.raises(VersionInUse, match=r"default version: 1\.9"):
        registry.remove("cat")
    registry.remove("cat", "1.10")
    registry.remove("cat")
    with pytest.raises(ModelNotFound):
        registry.find("cat")
    assert registry.endpoints == []


def test_version_cannot_be_added_twice(cats: Sequence[Endpoint]) -> None:
    registry = filled(cats, "highest")
    with pytest.raises(Conflict, match=r"version 1\.9|version 1\.10"):
        registry.add(cats[0])


def test_discarding_leaves_a_namesake_alone(cats: Sequence[Endpoint]) -> None:
    registry = filled(cats[:1], "highest")
    namesake = Endpoint(cats[0].stored, ModelConfig(), ServerMetrics().for_endpoint("m", "1"))
    registry.discard(namesake)
    assert registry.endpoints == [cats[0]]


@pytest.mark.parametrize(
    ("name", "version", "kind"),
    [("dog", None, ModelNotFound), ("cat", "3", VersionNotFound)],
    ids=["name", "version"],
)
def test_unknown_model_is_told(
    cats: Sequence[Endpoint], name: str, version: str | None, kind: type[ModelNotFound]
) -> None:
    registry = filled(cats, "highest")
    for ask in (registry.find, registry.remove):
        with pytest.raises(kind, match=version or name):
            ask(name, version)
