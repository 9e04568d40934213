"""`animator models train --from corrections`: what was allowed, tested, beside what ships."""

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra `torch`")

import torch

from animator.__main__ import main
from animator.cli.model_home import newest
from models.drawn_humanoid_pose_estimator.network import build_pose_network
from models.training import data, recipes, tuning
from models.training.amateur import AmateurDrawings, open_drawings
from models.training.export import EXPORTS, export_model
from models.training.lineage import hash_file, read_lineage
from models.training.synthesis import Sample
from models.training.tuning import Tuning, shipped_version
from serving.archive.manifest import check_files, read_manifest
from tests.support_corrections import one_figure_samples, store_drawing

POSE = "drawn_humanoid_pose_estimator"
SHIPPED = EXPORTS["pose"].folder
BASE = shipped_version("pose")
TUNED = f"{BASE}.1"

Train = Callable[..., int]


@pytest.fixture
def samples() -> list[Sample]:
    return one_figure_samples(6)


@pytest.fixture
def store(tmp_path: Path, samples: list[Sample]) -> Path:
    """A data folder with three drawings to learn from, and three that must be left alone."""
    folder = tmp_path / "data"
    store_drawing(folder, "upright", samples[0])
    store_drawing(folder, "left", samples[1], rotation=90)
    store_drawing(folder, "upside-down", samples[2], rotation=180)
    store_drawing(folder, "as-it-was", samples[3], corrected=False)
    store_drawing(folder, "private", samples[4], allowed=False)
    store_drawing(folder, "private-too", samples[5], corrected=False, allowed=False)
    return folder


@pytest.fixture
def train(store: Path, monkeypatch: pytest.MonkeyPatch) -> Train:
    """Trains the pose network for a moment, on batches that need few drawings."""
    monkeypatch.setattr(data, "_SHUFFLE", 8)
    monkeypatch.setattr(recipes, "_CALIBRATION", 1)
    words = ("pose", "--from", "corrections", "--minutes", 0.01, "--share", 1, "--made-up", 2)
    given = ("models", "train", *words, "--data-dir", store)
    return lambda *more: main([str(word) for word in (*given, *more)])


def test_corrections_become_a_version_beside_the_one_that_ships(
    train: Train, store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = hash_file(SHIPPED / "weights.safetensors")
    assert train("--keep", tmp_path / "kept", "--even-if-worse") == 0
    assert "| PCK@0.1 |" in capsys.readouterr().out
    home = store / "models"
    folder = newest(home, POSE).folder
    assert folder == home / POSE / TUNED
    manifest = read_manifest(folder)
    check_files(manifest, folder)
    assert manifest.files["weights.safetensors"] != before
    lineage, drawings = read_lineage(folder), open_drawings(tmp_path / "kept" / "train")
    assert lineage is not None
    assert lineage.data == ("synthetic", drawings.sha256)
    assert (lineage.base, lineage.weights) == (BASE, manifest.files["weights.safetensors"])
    assert lineage.slices[-1].share == 1
    assert lineage.scores.keys() == lineage.base_scores.keys() >= {"recall", "PCK@0.1"}
    held_back = tmp_path / "kept" / "held_back" / "annotations.json"
    assert lineage.scored_on == hash_file(held_back)
    assert (folder / "provenance.json").read_text().count('"sha256"') == 3
    # what ships is as it was, and lies beside it so that the folder can be served
    assert hash_file(SHIPPED / "weights.safetensors") == before
    assert {p.name for p in home.iterdir()} == {POSE, "drawn_humanoid_detector"}
    assert {p.name for p in (home / POSE).iterdir()} == {BASE, TUNED}


def test_weights_that_test_worse_are_not_kept_but_the_data_is_where_that_is_asked_for(
    train: Train,
    store: Path,
    samples: list[Sample],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def forget(
        name: str, drawings: AmateurDrawings, plan: Tuning, folder: Path, version: str
    ) -> None:
        """Learn nothing and forget everything."""
        folder.mkdir(parents=True)
        torch.manual_seed(1)
        (folder / "manifest.json").write_bytes((SHIPPED / "manifest.json").read_bytes())
        export_model(EXPORTS[name], build_pose_network().state_dict(), folder)

    monkeypatch.setattr(tuning, "tune", forget)
    assert train("--keep", store / "kept") == 1
    assert "no better on drawings that were held back; not kept" in capsys.readouterr().out
    assert list((store / "models").iterdir()) == []
    files = (store / "kept").rglob("*.png")
    kept = [np.asarray(cv2.imread(str(file), cv2.IMREAD_COLOR_RGB)) for file in files]
    assert len(kept) == 3
    for sample in samples[:3]:  # upright, however they were handed in
        assert sum(np.array_equal(sample.image, picture) for picture in kept) == 1


def test_too_few_corrections_are_counted(
    store: Path, train: Train, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert train("--data-dir", tmp_path / "nothing") == 1
    assert (
        "two corrected drawings are needed, one to test on; there are 0" in capsys.readouterr().err
    )


def test_kept_data_is_not_written_over(
    train: Train, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "kept" / "train").mkdir(parents=True)
    assert train("--keep", tmp_path / "kept") == 1
    assert "holds data already" in capsys.readouterr().err


def test_drawings_and_corrections_are_not_learned_from_together(train: Train) -> None:
    with pytest.raises(SystemExit) as ended:
        train("--data", "drawings")
    assert ended.value.code == 2
