"""Archives of each format, opened: what the real archiver packs is what we find."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from serving.archive.archive import Registration, archive_name, open_archive, reopen
from serving.archive.stored import discard
from serving.errors import ArchiveNotFound, InvalidModel
from tests.support_networks import save_onnx

HANDLER = "def handle(data, context):\n    return data and ['ok' for _ in data]\n"


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A handler with its extras."""
    folder = tmp_path / "sources"
    (folder / "extras").mkdir(parents=True)
    (folder / "my_handler.py").write_text(HANDLER)
    (folder / "extras" / "index_to_name.json").write_text('{"0": "cat"}')
    (folder / "model-config.yaml").write_text("minWorkers: 2\nbatchSize: 4\nmine: [1, 2]\n")
    return folder


def _pack(sources: Path, archive_format: str = "default") -> Path:
    """Run the real torch-model-archiver, in a temporary folder of its own, which it may empty."""
    store, scratch = sources.parent / "store", sources.parent / "scratch"
    store.mkdir()
    scratch.mkdir()
    command: list[str | Path] = [
        Path(sys.executable).with_name("torch-model-archiver"),
        "--model-name",
        "cat",
    ]
    command += ["--version", "2.0", "--handler", sources / "my_handler.py"]
    command += ["--extra-files", sources / "extras", "--config-file", sources / "model-config.yaml"]
    command += ["--export-path", store, "--archive-format", archive_format]
    subprocess.run(command, check=True, env=os.environ | {"TMPDIR": str(scratch)})
    (path,) = store.iterdir()
    return path


def _mar(path: Path, manifest: Any = None, **files: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        if manifest is not None:
            archive.writestr("MAR-INF/MANIFEST.json", json.dumps(manifest))
    return path


@pytest.mark.parametrize("archive_format", ["default", "zip-store", "tgz", "no-archive"])
def test_what_the_real_archiver_packs_is_found(
    tmp_path: Path, sources: Path, archive_format: str
) -> None:
    stored = open_archive(_pack(sources, archive_format), tmp_path / "work")
    assert (stored.manifest.name, stored.manifest.version) == ("cat", "2.0")
    assert (stored.folder / "my_handler.py").read_text() == HANDLER
    assert (stored.folder / "index_to_name.json").is_file()
    assert stored.options["handler"] == "my_handler.py"
    assert stored.options["manifest"]["model"]["configFile"] == "model-config.yaml"
    assert stored.config == {"min_workers": 2, "batch_size": 4}


def test_an_unpacked_archive_says_its_checksum_and_goes_without_a_trace(
    tmp_path: Path, sources: Path
) -> None:
    stored = open_archive(_pack(sources), tmp_path / "work")
    assert len(stored.sha256) == 64
    assert stored.work_dir is not None
    assert stored.work_dir.stat().st_mode & 0o077 == 0
    discard(stored)
    assert list((tmp_path / "work").iterdir()) == []


def test_a_folder_is_served_where_it_is_and_never_removed(tmp_path: Path, sources: Path) -> None:
    path = _pack(sources, "no-archive")
    stored = open_archive(path, tmp_path / "work")
    assert stored.folder == path
    discard(stored)
    assert (path / "my_handler.py").is_file()


def test_who_registers_has_the_last_word(tmp_path: Path, sources: Path) -> None:
    said = Registration(
        url="http://x/cat.mar", name="dog", handler="other:start", runtime="python3"
    )
    stored = open_archive(_pack(sources), tmp_path / "work", registration=said)
    assert (stored.manifest.name, stored.url) == ("dog", "http://x/cat.mar")
    assert stored.options["handler"] == "other:start"
    # The handler's own manifest stays as it was packed.
    assert stored.options["manifest"]["model"]["modelName"] == "cat"


def test_an_archive_without_a_manifest_takes_the_defaults(tmp_path: Path) -> None:
    path = _mar(tmp_path / "noop.mar", None, **{"service.py": HANDLER})
    said = Registration(default_handler="service:handle")
    stored = open_archive(path, tmp_path / "work", registration=said)
    assert (stored.manifest.name, stored.manifest.version) == ("noop", "1.0")
    assert stored.options["handler"] == "service:handle"
    assert stored.options["manifest"]["model"]["handler"] == "service:handle"


def test_an_archive_of_our_own_kind_may_be_packed_like_any_other(tmp_path: Path) -> None:
    path = _mar(
        tmp_path / "echo.mar",
        None,
        **{"manifest.json": '{"name": "echo", "handler": "handler.py:Echo"}', "handler.py": "1"},
    )
    stored = open_archive(path, tmp_path / "work")
    assert (stored.manifest.name, stored.manifest.handler) == ("echo", "handler.py:Echo")


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ({"runtime": "LSP", "model": {"modelName": "m", "handler": "h"}}, "runs python"),
        ({"model": {"modelName": "m"}}, "names no handler"),
        ({"model": {"modelName": "a/b", "handler": "h"}}, "cannot be served"),
        ({"model": {"modelName": "m", "handler": "h", "configFile": "../../x"}}, "outside"),
        ({"model": {"modelName": "m", "handler": "h", "configFile": "none.yaml"}}, "cannot read"),
        ({"model": []}, "is not valid"),
    ],
    ids=["C++", "no handler", "name", "outside", "no config", "no manifest"],
)
def test_what_cannot_be_served_is_told_and_leaves_nothing(
    tmp_path: Path, manifest: Any, said: str
) -> None:
    path = _mar(tmp_path / "m.mar", manifest)
    with pytest.raises(InvalidModel, match=said):
        open_archive(path, tmp_path / "work")
    assert list((tmp_path / "work").iterdir()) == []


def test_a_missing_archive_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(ArchiveNotFound, match=r"Model not found at: gone\.mar"):
        open_archive(tmp_path / "gone.mar", tmp_path / "work")


@pytest.mark.parametrize("name", ["cat.mar", "cat.tar.gz", "cat.tgz", "cat.onnx", "cat"])
def test_a_model_without_a_name_is_named_by_its_file(name: str) -> None:
    assert archive_name(Path(name)) == "cat"


def test_a_name_may_have_dots() -> None:
    assert archive_name(Path("cat-1.2.mar")) == "cat-1.2"


def test_a_folder_is_read_anew_with_what_was_said_when_it_was_registered(
    tmp_path: Path, sources: Path
) -> None:
    path = _pack(sources, "no-archive")
    said = Registration(url="cat", name="dog", options={"compat": "torchserve"})
    stored = open_archive(path, tmp_path / "work", registration=said)
    (path / "model-config.yaml").write_text("batchSize: 9\n")
    again = reopen(stored)
    assert (again.manifest.name, again.url, again.config) == ("dog", "cat", {"batch_size": 9})
    assert (again.options["handler"], again.options["compat"]) == ("my_handler.py", "torchserve")


def test_a_handler_chosen_at_the_registration_outlives_a_new_reading(
    tmp_path: Path, sources: Path
) -> None:
    said = Registration(handler="other:start")
    stored = open_archive(_pack(sources, "no-archive"), tmp_path / "work", registration=said)
    assert reopen(stored).options["handler"] == "other:start"


def test_a_bare_file_is_read_anew(tmp_path: Path) -> None:
    stored = open_archive(save_onnx(tmp_path / "tiny.onnx"), tmp_path / "work")
    save_onnx(tmp_path / "tiny.onnx", batch=3)
    assert not reopen(stored).manifest.batch.axis


def test_what_was_unpacked_stays_what_it_was(tmp_path: Path, sources: Path) -> None:
    stored = open_archive(_pack(sources), tmp_path / "work")
    assert reopen(stored) is stored
