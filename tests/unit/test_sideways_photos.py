"""The same real page, photographed upright and sideways, is read alike."""

import json
from pathlib import Path

import pytest

from animator.__main__ import main
from animator.core.geometry import Box, intersection_over_union

UPRIGHT, SIDEWAYS = "anamel-306-lined-smile.jpg", "anamel-322-lined-smile-sideways.jpg"


def test_sideways_photo_is_turned_and_answered_in_its_own_pixels(
    shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shared_data / "drawings"
    assert main(["annotate", str(folder / UPRIGHT), str(folder / SIDEWAYS), "--json"]) == 0
    upright, sideways = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (upright["rotation"], sideways["rotation"]) == (0, 90)
    document = json.loads((folder / "annotations.json").read_text())
    (image,) = (one for one in document["images"] if one["file_name"] == SIDEWAYS)
    (mark,) = (one for one in document["annotations"] if one["image_id"] == image["id"])
    x, y, width, height = mark["bbox"]
    truth = Box(x, y, x + width, y + height)
    figure = sideways["figures"][0]
    assert intersection_over_union(Box(*figure["box"]), truth) > 0.7
    # the head lies on the left
    assert figure["joints"]["neck"][0] < figure["joints"]["root"][0]
