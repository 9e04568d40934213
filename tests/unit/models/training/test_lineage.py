import json
from pathlib import Path

import pytest

import animator
from models.training import lineage
from models.training.lineage import (
    Lineage,
    SliceRecord,
    describe_lineage,
    generator_revision,
    hash_file,
    read_lineage,
    record_scores,
    write_lineage,
)


def made() -> Lineage:
    part = SliceRecord(
        revision="abc1234",
        first_seed=1_000_000,
        end_seed=11_000_000,
        data="f" * 64,
        share=0.25,
        pictures=640,
        minutes=2.0,
    )
    return Lineage(
        weights="0" * 64,
        revision="abc1234+",
        data=("synthetic", "f" * 64),
        seeds=(1_000_000, 11_000_000),
        pictures=1000,
        minutes=3.0,
        slices=(part,),
    )


def test_lineage_comes_back_as_it_was_written(tmp_path: Path) -> None:
    write_lineage(tmp_path, made())
    read = read_lineage(tmp_path)
    assert read == made()
    assert json.loads((tmp_path / "lineage.json").read_text())["seeds"] == [1_000_000, 11_000_000]


def test_folder_without_lineage_has_none_and_takes_no_scores(tmp_path: Path) -> None:
    record_scores(tmp_path, {"recall": 0.9}, "synthetic")
    assert read_lineage(tmp_path) is None


def test_broken_lineage_is_named(tmp_path: Path) -> None:
    (tmp_path / "lineage.json").write_text('{"weights": 3}')
    with pytest.raises(ValueError, match=r"lineage\.json: .*weights"):
        read_lineage(tmp_path)


def test_scores_are_added_to_a_lineage(tmp_path: Path) -> None:
    write_lineage(tmp_path, made())
    record_scores(tmp_path, {"recall": 0.98765}, "d" * 64)
    read = read_lineage(tmp_path)
    assert read is not None
    assert read.scores == {"recall": 0.9877}
    assert read.scored_on == "d" * 64
    assert ("scores", f"recall 0.988 (on {'d' * 64})") in describe_lineage(read)


def test_people_read_of_every_slice() -> None:
    lines = dict(describe_lineage(made()))
    assert lines["slice 1"] == "640 pictures in 2 minutes, abc1234, 25% of ffffffffffff"
    assert lines["scores"] == "not recorded"


def test_without_git_the_version_is_the_revision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lineage, "_ROOT", tmp_path)
    assert generator_revision() == animator.__version__
    (tmp_path / ".git").mkdir()  # a repository that git cannot read
    assert generator_revision() == animator.__version__


def test_file_is_hashed_by_its_bytes(tmp_path: Path) -> None:
    file = tmp_path / "empty"
    file.write_bytes(b"")
    assert hash_file(file).startswith("e3b0c44298fc1c149afbf4c8996fb924")  # SHA-256 of nothing
