"""Archives that we build, against those of the real torch-model-archiver."""

import argparse
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from serving.archive.archive import open_archive
from serving.archive.commands import add_archive_commands
from serving.errors import ServingError

FORMATS = ["default", "zip-store", "tgz", "no-archive"]


def main(arguments: list[str]) -> int:
    """Run a command as `python -m serving` does, without the server's own imports."""
    parser = argparse.ArgumentParser()
    add_archive_commands(parser.add_subparsers())
    options = parser.parse_args(arguments)
    try:
        code: int = options.run(options)
    except ServingError as error:
        sys.stderr.write(f"serving: {error}\n")
        return 1
    return code


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model's files; the working folder is the one with them."""
    folder = tmp_path / "sources"
    for name, text in {
        "my_handler.py": "def handle(data, context): ...\n",
        "net/model.py": "class Net: ...\n",
        "weights.pt": "w" * 3000,
        "requirements.txt": "numpy\n",
        "model-config.yaml": "batchSize: 2\n",
        "extras/index_to_name.json": "{}",
        "extras/deep/words.txt": "a\nb\n",
        "extras/.hidden/secret": "no",
        "extras/__pycache__/x.pyc": "no",
        "one.txt": "1",
        "two.txt": "2",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(folder)
    return folder


def _flags(out: Path, archive_format: str) -> list[str]:
    return [
        *("--model-name", "cat", "-v", "2.0", "--handler", "my_handler.py"),
        *("--serialized-file", "weights.pt", "--model-file", "net/model.py"),
        *("--extra-files", "extras,*.txt", "-r", "requirements.txt", "-c", "model-config.yaml"),
        *("--export-path", str(out), "--archive-format", archive_format),
    ]


def _read(path: Path) -> dict[str, bytes]:
    if path.is_dir():
        files = (file for file in path.rglob("*") if file.is_file())
        return {str(file.relative_to(path)): file.read_bytes() for file in files}
    if path.suffix == ".mar":
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    with tarfile.open(path) as tar:
        return {entry.name: _content(tar, entry) for entry in tar}


def _content(tar: tarfile.TarFile, entry: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(entry)
    assert file is not None
    return file.read()


def _without_date(files: dict[str, bytes]) -> dict[str, Any]:
    (name,) = [name for name in files if name.endswith("MANIFEST.json")]
    manifest = json.loads(files[name])
    assert manifest.pop("createdOn")
    return {**files, name: manifest}


@pytest.mark.parametrize("archive_format", FORMATS)
def test_the_archive_holds_what_that_of_the_real_archiver_holds(
    tmp_path: Path, sources: Path, archive_format: str
) -> None:
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    (tmp_path / "scratch").mkdir()
    theirs.mkdir()
    archiver = Path(sys.executable).with_name("torch-model-archiver")
    subprocess.run(
        [archiver, *_flags(theirs, archive_format)],
        check=True,
        env=os.environ | {"TMPDIR": str(tmp_path / "scratch")},
    )
    assert main(["archive", *_flags(ours, archive_format)]) == 0
    (their_file,), (our_file,) = theirs.iterdir(), ours.iterdir()
    assert our_file.name == their_file.name
    assert _without_date(_read(our_file)) == _without_date(_read(their_file))


def test_zip_store_does_not_deflate_and_default_does(tmp_path: Path, sources: Path) -> None:
    main(["archive", *_flags(tmp_path / "a", "default")])
    main(["archive", *_flags(tmp_path / "b", "zip-store")])
    deflated, stored = ((tmp_path / name / "cat.mar").stat().st_size for name in "ab")
    assert stored - deflated > 2000


@pytest.mark.parametrize("archive_format", FORMATS)
def test_an_archive_is_overwritten_only_when_that_is_asked(
    tmp_path: Path, sources: Path, archive_format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["archive", *_flags(tmp_path / "out", archive_format)]
    assert main(flags) == 0
    (target,) = (tmp_path / "out").iterdir()
    before = _read(target)
    (sources / "one.txt").write_text("changed")
    assert main(flags) == 1
    assert "--force overwrites it" in capsys.readouterr().err
    assert _read(target) == before
    assert main([*flags, "--force"]) == 0
    assert b"changed" in _read(target).values()


def test_a_folder_of_the_users_is_never_emptied(tmp_path: Path, sources: Path) -> None:
    mine = tmp_path / "out" / "cat"
    mine.mkdir(parents=True)
    (mine / "precious").write_text("mine")
    assert main(["archive", *_flags(tmp_path / "out", "no-archive"), "--force"]) == 0
    assert (mine / "precious").read_text() == "mine"
    assert (mine / "MAR-INF" / "MANIFEST.json").is_file()


def test_the_model_folder_itself_may_be_what_is_packed(tmp_path: Path, sources: Path) -> None:
    flags = ["--model-name", "sources", "-v", "1", "--handler", "my_handler.py", "--force"]
    flags += ["--archive-format", "no-archive", "--export-path", str(tmp_path)]
    assert main(["archive", *flags, "--extra-files", "."]) == 0
    assert (sources / "weights.pt").read_text() == "w" * 3000
    assert open_archive(sources, tmp_path / "work").manifest.name == "sources"


@pytest.mark.parametrize(
    ("handler", "file", "named"),
    [
        ("my_handler.py", True, "my_handler.py"),
        ("my_handler", True, "my_handler"),
        ("my_handler:handle", True, "my_handler:handle"),
        ("my_handler.py:handle", True, "my_handler.py:handle"),
        ("image_classifier", False, "image_classifier"),
    ],
)
def test_the_handler_is_a_file_or_one_of_the_default_ones(
    tmp_path: Path, sources: Path, handler: str, file: bool, named: str
) -> None:
    flags = ["--model-name", "m", "-v", "1", "--handler", handler, "--export-path", str(tmp_path)]
    assert main(["archive", *flags]) == 0
    files = _read(tmp_path / "m.mar")
    assert ("my_handler.py" in files) is file
    assert json.loads(files["MAR-INF/MANIFEST.json"])["model"]["handler"] == named


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["--handler", "gone.py"], "no file gone.py"),
        (["--extra-files", "gone"], "no file gone"),
        (["--model-name", "../x"], "cannot be a name"),
    ],
)
def test_what_cannot_be_packed_is_told_and_leaves_nothing(
    tmp_path: Path,
    sources: Path,
    change: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "out"
    assert main(["archive", *_flags(out, "default"), *change]) == 1
    assert said in capsys.readouterr().err
    assert not out.exists() or list(out.iterdir()) == []


def test_a_workflow_is_packed_with_its_functions(tmp_path: Path, sources: Path) -> None:
    (sources / "flow.yaml").write_text("models: {}\n")
    flags = ["--workflow-name", "flow", "--spec-file", "flow.yaml", "--handler", "my_handler.py"]
    flags += ["--extra-files", "extras", "--export-path", str(tmp_path)]
    assert main(["workflow-archive", *flags]) == 0
    with zipfile.ZipFile(tmp_path / "flow.war") as archive:
        assert set(archive.namelist()) == {
            "flow.yaml",
            "my_handler.py",
            "index_to_name.json",
            "deep/words.txt",
            "WAR-INF/MANIFEST.json",
        }
        manifest = json.loads(archive.read("WAR-INF/MANIFEST.json"))
    assert manifest["workflow"] == {
        "workflowName": "flow",
        "specFile": "flow.yaml",
        "handler": "my_handler.py",
    }
