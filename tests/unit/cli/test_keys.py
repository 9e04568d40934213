from pathlib import Path

import pytest

from animator.__main__ import main
from animator.store.keys import KeyFile


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeyFile:
    monkeypatch.setenv("ANIMATOR_DATA_DIR", str(tmp_path))
    return KeyFile(tmp_path / "keys.toml")


def test_key_is_shown_once_and_works(keys: KeyFile, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys", "new", "school", "--per-minute", "5"]) == 0
    found = keys.find(capsys.readouterr().out.strip())
    assert found is not None
    assert (found.name, found.per_minute) == ("school", 5)
    assert main(["keys", "list"]) == 0
    assert capsys.readouterr().out == "school  5 a minute\n"


def test_removed_key_is_gone(keys: KeyFile, capsys: pytest.CaptureFixture[str]) -> None:
    main(["keys", "new", "school"])
    assert main(["keys", "remove", "school"]) == 0
    assert keys.read() == ()


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["new", "a b"], id="no name"),
        pytest.param(["new", 'a"\n'], id="name that breaks the file"),
        pytest.param(["new", "school"], id="taken"),
        pytest.param(["new", "other", "--per-minute", "-1"], id="limit below none"),
        pytest.param(["remove", "nobody"], id="unknown"),
    ],
)
def test_what_cannot_be_done_is_told_and_changes_nothing(
    keys: KeyFile, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    keys.add("school")
    before = keys.read()
    assert main(["keys", *arguments]) == 1
    assert capsys.readouterr().err.startswith("animator: ")
    assert keys.read() == before


def test_file_that_cannot_be_read_is_told(
    keys: KeyFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "keys.toml").write_text("[[keys]]\nname = 'x'\n")
    assert main(["keys", "list"]) == 1
    assert "keys.toml" in capsys.readouterr().err
