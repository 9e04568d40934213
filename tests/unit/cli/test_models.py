"""`animator models`: what it tells of models, and how plainly it says what it cannot do."""

import hashlib
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from animator.__main__ import main
from animator.cli.model_facts import scores_in_card
from models.training.lineage import Lineage, write_lineage

CARD = """# Detector

| style | pictures | figures | recall | precision | PCK@0.1 | false on empty |
| --- | --- | --- | --- | --- | --- | --- |
| all | 60 | 66 | 0.980 | 0.900 | 0.850 | - |
| felt | 30 | 33 | 0.970 | 0.910 | 0.860 | - |
"""

Animator = Callable[..., int]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of models with one model in it."""
    model = tmp_path / "drawn_humanoid_detector"
    model.mkdir()
    (model / "weights.safetensors").write_bytes(bytes(2_000_000))
    digest = hashlib.sha256(bytes(2_000_000)).hexdigest()
    manifest = {
        "name": "drawn_humanoid_detector",
        "version": "1.4",
        "handler": "handler.py:Handler",
        "files": {"weights.safetensors": digest},
    }
    (model / "manifest.json").write_text(json.dumps(manifest))
    return tmp_path


def lineage(weights: str) -> Lineage:
    return Lineage(
        weights=weights,
        revision="v1-3-gabc",
        seeds=(1_000_000, 11_000_000),
        pictures=5000,
        minutes=61,
        scores={"recall": 0.5},
        scored_on="synthetic",
    )


def weights_of(folder: Path) -> str:
    manifest = json.loads((folder / "drawn_humanoid_detector" / "manifest.json").read_text())
    return str(manifest["files"]["weights.safetensors"])


def test_list_has_name_version_size_route_and_the_cards_scores(
    animator: Animator, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "drawn_humanoid_detector" / "card.md").write_text(CARD)
    assert animator("models", "list", "--models-dir", folder) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.split()[:4] == ["drawn_humanoid_detector", "1.4", "2.0", "MB"]
    assert "ONNX Runtime" in line or "torch" in line
    assert line.endswith("recall 0.980  precision 0.900  PCK@0.1 0.850")


def test_scores_of_these_weights_go_before_the_cards(
    animator: Animator, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = folder / "drawn_humanoid_detector"
    (model / "card.md").write_text(CARD)
    write_lineage(model, lineage(weights_of(folder)))
    animator("models", "list", "--models-dir", folder)
    assert capsys.readouterr().out.rstrip().endswith("recall 0.500")
    write_lineage(model, lineage("0" * 64))  # of other weights
    animator("models", "list", "--models-dir", folder)
    assert "recall 0.980" in capsys.readouterr().out


def test_card_without_a_table_has_no_scores() -> None:
    assert scores_in_card("# Card\n\n| all | 3 |\nplain words") == {}


def test_show_has_manifest_hashes_lineage_and_card(
    animator: Animator, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = folder / "drawn_humanoid_detector"
    (model / "card.md").write_text(CARD)
    write_lineage(model, lineage(weights_of(folder)))
    assert animator("models", "show", "drawn_humanoid_detector", "--models-dir", folder) == 0
    text = capsys.readouterr().out
    for wanted in (weights_of(folder), "are what the manifest says", "v1-3-gabc", "# Detector"):
        assert wanted in text
    assert "of other weights" not in text


def test_lineage_leads_from_a_version_to_its_training(
    animator: Animator, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = folder / "drawn_humanoid_detector"
    write_lineage(model, lineage(weights_of(folder)))
    words = ("models", "lineage", "drawn_humanoid_detector@1.4", "--models-dir", folder)
    assert animator(*words) == 0
    text = capsys.readouterr().out
    for wanted in ("drawn_humanoid_detector 1.4", weights_of(folder), "v1-3-gabc"):
        assert wanted in text
    assert animator(*words, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["modelVersion"] == "1.4"
    assert told["files"]["weights.safetensors"] == weights_of(folder)
    assert told["training"]["revision"] == "v1-3-gabc"
    (model / "weights.safetensors").write_bytes(b"changed")
    assert animator(*words) == 1
    assert "are NOT those" in capsys.readouterr().out


def test_lineage_of_a_version_that_is_not_there_is_one_sentence(
    animator: Animator, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("models", "lineage", "drawn_humanoid_detector@9", "--models-dir", folder)
    assert animator(*words) == 1
    assert "There is no model drawn_humanoid_detector@9." in capsys.readouterr().err


def test_show_finds_a_file_that_was_changed(
    animator: Animator, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "drawn_humanoid_detector" / "weights.safetensors").write_bytes(b"changed")
    assert animator("models", "show", "drawn_humanoid_detector", "--models-dir", folder) == 1
    text = capsys.readouterr().out
    assert "weights.safetensors has SHA-256" in text
    assert "not recorded" in text


def test_unknown_model_and_broken_lineage_are_one_sentence(
    animator: Animator, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert animator("models", "show", "nobody", "--models-dir", folder) == 1
    assert "There is no model nobody." in capsys.readouterr().err
    (folder / "drawn_humanoid_detector" / "lineage.json").write_text("[]")
    assert animator("models", "list", "--models-dir", folder) == 1
    assert "lineage.json" in capsys.readouterr().err
    assert animator("models", "list", "--models-dir", folder / "none") == 1
    assert capsys.readouterr().err.startswith("animator: there is no folder")


def test_evaluate_writes_a_page_that_needs_nothing_else_and_the_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--count", "3", "--worst", "2", "--report", str(tmp_path / "scores"))
    assert main(["models", "evaluate", *words]) == 0
    printed = capsys.readouterr().out
    assert "| all | 3 |" in printed
    assert "| orientation of four turns | at least 0.95 |" in printed
    page = (tmp_path / "scores" / "index.html").read_text(encoding="utf-8")
    assert page.count('src="data:image/jpeg;base64,') == 2
    for wanted in ("<!doctype html>", "prefers-color-scheme", "width=device-width", "<td>3</td>"):
        assert wanted in page
    assert "://" not in page.replace("data:image", "")
    assert (tmp_path / "scores" / "table.md").read_text() == printed
    lines = (tmp_path / "scores" / "predictions.jsonl").read_text().splitlines()
    assert [Path(json.loads(line)["file"]).name for line in lines] == [
        "00001.png",
        "00002.png",
        "00003.png",
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "There is no annotations.json"),
        ("{}", "The annotations cannot be read: KeyError"),
        ("no json", "The annotations cannot be read: JSONDecodeError"),
        ('{"categories": [{"keypoints": []}], "images": [], "annotations": []}', "No picture"),
        (
            '{"categories": [{"keypoints": []}], "annotations": [],'
            ' "images": [{"id": 1, "file_name": "gone.png", "tags": []}]}',
            "cannot be read or written",
        ),
    ],
)
def test_drawings_that_cannot_be_evaluated_are_one_sentence(
    animator: Animator,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    content: str | None,
    said: str,
) -> None:
    if content is not None:
        (tmp_path / "annotations.json").write_text(content)
    assert animator("models", "evaluate", "--data", tmp_path) == 1
    error = capsys.readouterr().err
    assert error.startswith("animator: ")
    assert said in error


def test_models_that_are_not_there_cannot_be_evaluated(
    animator: Animator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert animator("models", "evaluate", "--models-dir", tmp_path) == 1
    assert "The models cannot be used" in capsys.readouterr().err


def test_training_without_torch_says_what_to_install(
    animator: Animator, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda *_: None)
    assert animator("models", "train", "all", "--minutes", 1) == 1
    error = capsys.readouterr().err
    assert error == (
        "animator: Training needs torch. Install the extra `torch`: pip install 'animator[torch]'\n"
    )


def test_training_passes_its_words_on(
    animator: Animator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("torch", reason="training needs the extra `torch`")
    from models.training import train

    heard: list[list[str]] = []

    def listen(words: list[str]) -> int:
        heard.append(words)
        return 0

    monkeypatch.setattr(train, "main", listen)
    assert animator("models", "train", "pose", "--minutes", 0.5, "--folder", tmp_path) == 0
    assert heard == [["pose", "--minutes", "0.5", "--folder", str(tmp_path)]]


def test_drawings_that_cannot_be_trained_on_are_named_at_once(
    animator: Animator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("training needs the extra `torch`")
    assert animator("models", "train", "pose", "--minutes", 1, "--data", tmp_path) == 1
    assert "The drawings cannot be used" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ("train", "hands", "--minutes", "1"),
        ("train", "pose", "--minutes", "nan"),
        ("train", "pose", "--minutes", "-3"),
        ("train", "pose", "--minutes", "1", "--share", "2"),
        ("evaluate", "--count", "0"),
        (),
    ],
)
def test_wrong_use_is_refused(animator: Animator, words: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as ended:
        animator("models", *words)
    assert ended.value.code == 2
