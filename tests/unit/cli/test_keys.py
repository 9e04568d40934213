import multiprocessing
from multiprocessing.synchronize import Barrier
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


def _make_keys(file: Path, whose: str, begin: Barrier) -> None:
    keys = KeyFile(file)
    begin.wait(30)
    for number in range(20):
        keys.add(f"{whose}-{number}")


def test_two_processes_that_make_keys_at_a_time_lose_none(keys: KeyFile, tmp_path: Path) -> None:
    file = tmp_path / "keys.toml"
    context = multiprocessing.get_context("spawn")
    begin = context.Barrier(2)
    makers = [context.Process(target=_make_keys, args=(file, whose, begin)) for whose in "ab"]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    made = {f"{whose}-{number}" for whose in "ab" for number in range(20)}
    assert {key.name for key in keys.read()} == made


def test_file_that_cannot_be_read_is_told(
    keys: KeyFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "keys.toml").write_text("[[keys]]\nname = 'x'\n")
    assert main(["keys", "list"]) == 1
    assert "keys.toml" in capsys.readouterr().err


def test_data_folder_may_be_named_before_or_behind_the_action(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = ("--data-dir", str(tmp_path / "own"))
    assert main(["keys", "new", "school", *folder]) == 0
    assert main(["keys", *folder, "list"]) == 0
    assert capsys.readouterr().out.endswith("\nschool\n")
