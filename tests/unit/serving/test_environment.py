"""A model's own packages."""

import subprocess
from pathlib import Path

import pytest

from serving.archive.archive import Registration, open_archive
from serving.archive.stored import discard
from serving.errors import InvalidModel
from tests.support_archives import pack
from tests.support_wheels import tiny_wheel


def _archive(tmp_path: Path, requirements: str) -> Path:
    files: dict[str, str | bytes] = {
        "handler.py": "def handle(data, context): ...\n",
        "requirements.txt": f"--no-index\n--find-links .\n{requirements}\n",
        "tinydep-1.0-py3-none-any.whl": tiny_wheel(),
    }
    return pack(tmp_path / "m.mar", files, requirementsFile="requirements.txt")


def test_requirements_go_into_an_environment_of_the_models_own(tmp_path: Path) -> None:
    archive = _archive(tmp_path, "tinydep==1.0")
    stored = open_archive(archive, tmp_path / "work", registration=Registration(is_installing=True))
    assert stored.python is not None
    # Its own package and the server's are both there.
    code = "import tinydep, msgspec, serving; print(tinydep.VALUE, tinydep.__file__)"
    command: list[str | Path] = [stored.python, "-c", code]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert said[0] == "7"
    assert stored.work_dir is not None
    assert Path(said[1]).is_relative_to(stored.work_dir)
    discard(stored)
    assert list((tmp_path / "work").iterdir()) == []


def test_requirements_are_left_alone_where_that_is_not_asked(tmp_path: Path) -> None:
    stored = open_archive(_archive(tmp_path, "tinydep==1.0"), tmp_path / "work")
    assert stored.python is None


def test_requirements_that_cannot_be_had_are_told_and_nothing_is_left(tmp_path: Path) -> None:
    archive = _archive(tmp_path, "tinydep==2.0")
    registration = Registration(is_installing=True)
    with pytest.raises(InvalidModel, match="No matching distribution"):
        open_archive(archive, tmp_path / "work", registration=registration)
    assert list((tmp_path / "work").iterdir()) == []
