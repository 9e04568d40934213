"""`animator models import` and `export`: what comes in can be used at once, and goes out whole."""

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from animator.__main__ import main
from models.training.lineage import hash_file
from serving.archive.manifest import check_files, read_manifest
from serving.local import LocalPredictor
from tests.support_serve import TINY_MODELS

DETECTOR, POSE = "drawn_humanoid_detector", "drawn_humanoid_pose_estimator"

Run = Callable[..., int]


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    """A folder of two models, as the product ships them."""
    folder = tmp_path / "shipped"
    for name in (DETECTOR, POSE):
        shutil.copytree(TINY_MODELS / name, folder / name)
        file = folder / name / "manifest.json"
        manifest = json.loads(file.read_text())
        (folder / name / "weights.bin").write_bytes(name.encode())
        manifest["version"] = "1.4"
        manifest["files"] = {"weights.bin": hash_file(folder / name / "weights.bin")}
        file.write_text(json.dumps(manifest))
    return folder


@pytest.fixture
def run(shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `animator models` over the shipped models and an own data folder."""
    monkeypatch.setenv("ANIMATOR_MODELS_DIR", str(shipped))
    monkeypatch.setenv("ANIMATOR_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return lambda *words: main(["models", *map(str, words)])


def versions(folder: Path) -> set[tuple[str, str]]:
    """Name and version of all that lies in a folder of models."""
    files = folder.rglob("manifest.json")
    return {(m.name, m.version) for m in (read_manifest(file.parent) for file in files)}


def test_export_is_one_file_that_imports_as_the_same_model(
    run: Run, shipped: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shipped / DETECTOR / "card.md").write_text("# Card")
    assert run("export", DETECTOR) == 0
    file = tmp_path / f"{DETECTOR}-1.4.mar"
    assert hash_file(file) in capsys.readouterr().out
    assert run("import", file, "--out", tmp_path / "own") == 0
    folder = tmp_path / "own" / DETECTOR / "1.4"
    check_files(read_manifest(folder), folder)
    own = {path.name: path.read_bytes() for path in folder.iterdir() if path.name[0] != "m"}
    assert own == {n: (shipped / DETECTOR / n).read_bytes() for n in own}
    assert own.keys() >= {"card.md", "weights.bin", "handler.py"}
    assert versions(tmp_path / "own") == {(DETECTOR, "1.4"), (POSE, "1.4")}


def test_same_model_gives_the_same_bytes(run: Run, tmp_path: Path) -> None:
    for name in ("a.mar", "b.mar"):
        assert run("export", POSE, "--out", tmp_path / name) == 0
    assert (tmp_path / "a.mar").read_bytes() == (tmp_path / "b.mar").read_bytes()
    assert [file.name for file in tmp_path.glob("*.part")] == []


def test_nothing_is_overwritten(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.mar"
    assert run("export", POSE, "--out", file) == 0
    assert run("export", POSE, "--out", file) == 1
    assert run("import", file) == 0
    assert run("import", file, "--version", "1.4") == 1
    errors = capsys.readouterr().err
    assert errors.count("nothing is overwritten") == 2
    assert list((tmp_path / "data" / "models").glob(".*")) == []


def test_import_of_a_version_that_is_there_becomes_the_next(run: Run, tmp_path: Path) -> None:
    run("export", POSE, "--out", tmp_path / "a.mar")
    assert [run("import", tmp_path / "a.mar") for _ in range(3)] == [0, 0, 0]
    found = versions(tmp_path / "data" / "models")
    assert found == {(POSE, "1.4"), (POSE, "2"), (POSE, "3"), (DETECTOR, "1.4")}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(("export", "nobody"), "There is no model nobody.", id="no model"),
        pytest.param(("export", POSE, "--version", "7"), f"no model {POSE} 7.", id="no version"),
        pytest.param(
            ("export", POSE, "--out", "no/where.mar"), "cannot be written", id="no folder"
        ),
        pytest.param(("import", "gone.mar"), "There is no file gone.mar.", id="no file"),
        pytest.param(("import", "."), "There is no file .", id="a folder"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    run: Run, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    assert run(*words) == 1
    error = capsys.readouterr().err
    assert error.startswith("animator: ")
    assert said in error


def test_broken_model_is_neither_exported_nor_imported(
    run: Run, shipped: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("export", POSE, "--out", tmp_path / "good.mar")
    (shipped / POSE / "weights.bin").write_bytes(b"other")
    assert run("export", POSE) == 1
    with (
        zipfile.ZipFile(tmp_path / "good.mar") as good,
        zipfile.ZipFile(tmp_path / "bad.mar", "w") as bad,
    ):
        for name in good.namelist():
            bad.writestr(name, b"other" if name == "weights.bin" else good.read(name))
    assert run("import", tmp_path / "bad.mar") == 1
    assert capsys.readouterr().err.count("weights.bin has SHA-256") == 2
    assert versions(tmp_path / "data") == set()


def test_code_that_comes_along_is_told_of(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("export", POSE, "--out", tmp_path / "a.mar")
    run("import", tmp_path / "a.mar")
    assert "brings code of its own, handler.py" in capsys.readouterr().out


def test_list_marks_the_version_that_answers(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("export", POSE, "--out", tmp_path / "a.mar")
    run("import", tmp_path / "a.mar")
    run("import", tmp_path / "a.mar")
    capsys.readouterr()
    assert run("list", "--models-dir", tmp_path / "data" / "models") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [
        [DETECTOR, "1.4"],
        [POSE, "2"],
        [POSE, "1.4"],
    ]
    assert ["*" in line for line in lines] == [False, True, False]


def test_detector_of_mmdet_takes_the_place_of_ours(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="the importers need the extra `torch`")
    from tests.support_checkpoints import noise, tiny_mask_rcnn, to_mmdet, write_mar

    file = write_mar(tmp_path / "a.mar", {"state_dict": to_mmdet(tiny_mask_rcnn().state_dict())})
    assert run("import", file, "--set", "short_side=64", "--half") == 0
    said = capsys.readouterr().out
    assert "A detector model from mmdet-mask-rcnn" in said
    assert f"{DETECTOR} 2 is in" in said
    home = tmp_path / "data" / "models"
    assert versions(home) == {(DETECTOR, "2"), (POSE, "1.4")}
    found = LocalPredictor(home, 1).infer(DETECTOR, {"image": noise(90, 70)})
    assert found["masks"].shape[1:] == (28, 28)


def test_pose_network_of_mmpose_takes_the_place_of_ours(run: Run, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="the importers need the extra `torch`")
    from tests.support_checkpoints import top_down_state

    torch.save({"state_dict": top_down_state()}, tmp_path / "pose.pth")
    own = tmp_path / "own"
    words = ("--no-graph", "--set", "rgb=false", "--set", "box_padding=1.5")
    assert run("import", tmp_path / "pose.pth", "--out", own, *words, "--version", "9") == 0
    assert versions(own) == {(POSE, "9"), (DETECTOR, "1.4")}
    network = json.loads((own / POSE / "9" / "network.json").read_text())
    assert (network["top_down"][1]["rgb"], network["top_down"][1]["box_padding"]) == (False, 1.5)
    assert not (own / POSE / "9" / "model.onnx").exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(b"a letter", "the file is neither a PyTorch checkpoint", id="text"),
        pytest.param(None, "the file holds none of the networks", id="another network"),
    ],
)
def test_file_that_is_no_known_model_says_what_was_found(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, said: str
) -> None:
    torch = pytest.importorskip("torch", reason="the importers need the extra `torch`")
    file = tmp_path / "holiday.pth"
    if content is None:
        torch.save({"model": {"lamp.weight": torch.zeros(3)}}, file)
    else:
        file.write_bytes(content)
    assert run("import", file) == 1
    error = capsys.readouterr().err
    assert said in error
    assert "holiday.pth is not imported" in error
    assert content is not None or "lamp.weight" in error
    assert versions(tmp_path / "data") == set()
