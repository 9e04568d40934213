"""Our scores and those of the scorer that stands beside the real drawings are the same numbers."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from animator.core.geometry import Box
from models.training.annotated import AnnotatedDrawing, read_annotated
from models.training.evaluate import evaluate, scores_of
from models.training.scoring import FoundFigure

Predictions = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def scorer(shared_data: Path) -> Path:
    file = shared_data.parent / "tools" / "score_drawings.py"
    if not file.is_file():
        pytest.skip(f"no scorer {file} to compare with")
    return file


def predict(data: Path, seed: int) -> Predictions:
    """Figures about where the true ones are: moved, doubled, left out, and some more."""
    dice = np.random.default_rng(seed)
    document = json.loads((data / "annotations.json").read_text())
    names = document["categories"][0]["keypoints"]
    found: Predictions = {image["file_name"]: [] for image in document["images"]}
    files = {image["id"]: image["file_name"] for image in document["images"]}
    for mark in document["annotations"]:
        x, y, width, height = mark["bbox"]
        for _ in range(int(dice.choice((0, 1, 1, 1, 2)))):
            moved = dice.normal(0, 0.12, 4) * (width, height, width, height)
            box = (np.array([x, y, x + width, y + height]) + moved).tolist()
            points = np.array(mark.get("keypoints") or []).reshape(-1, 3)
            spread = dice.choice((0.02, 0.1)) * max(width, height)
            joints = {
                name: (points[place, :2] + dice.normal(0, spread, 2)).tolist()
                for place, name in enumerate(names[: len(points)])
                if dice.random() < 0.9
            }
            figure = {"box": box, "score": round(float(dice.random()), 2), "joints": joints}
            found[files[mark["image_id"]]].append(figure)
    for figures in found.values():
        if dice.random() < 0.2:
            figures.append({"box": [0.0, 0.0, 50.0, 60.0], "score": 0.5, "joints": {}})
    return found


def ours(data: Path, predicted: Predictions, least: float) -> dict[str, float]:
    def look(drawing: AnnotatedDrawing) -> list[FoundFigure]:
        return [
            FoundFigure(Box(*figure["box"]), figure["score"], figure["joints"])
            for figure in predicted[drawing.file.name]
            if figure["score"] >= least
        ]

    return scores_of(evaluate(look, read_annotated(data)))


@pytest.mark.parametrize("seed", range(4))
def test_both_scorers_agree_to_the_last_digit_that_is_printed(
    shared_data: Path, scorer: Path, tmp_path: Path, seed: int
) -> None:
    data = shared_data / "drawings"
    predicted, least = predict(data, seed), 0.3 * (seed % 2)
    file = tmp_path / "predictions.jsonl"
    lines = [json.dumps({"file": f"x/{n}", "figures": f}) for n, f in predicted.items()]
    file.write_text("\n".join(lines))
    given = (scorer, data / "annotations.json", file, "--min-score", least)
    words = [sys.executable, *map(str, given)]
    printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    row = next(line for line in printed.splitlines() if line.startswith("all"))
    _, _, recall, precision, _, *pck, _, false = row.split()
    scores = ours(data, predicted, least)
    assert 0 < scores["PCK@0.05"] < scores["PCK@0.2"] < 1
    wanted = ("recall", "precision", "PCK@0.05", "PCK@0.1", "PCK@0.2", "false on empty")
    assert [scores[name] for name in wanted] == [
        float(text) for text in (recall, precision, *pck, false)
    ]
