"""`animator annotate`: one line a picture, in order, going on after a bad one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from animator.__main__ import main
from animator.cli import drawings
from animator.cli.drawings import read_drawing
from animator.core.errors import InvalidImage
from animator.core.mask import RunLengths, mask_from_run_lengths
from animator.core.skeleton import BIPED_PARENTS
from tests.support_bad_images import TEXT, blank_page, encode
from tests.support_drawings import HEAD, stick_figure
from tests.support_predictor import RedHeadPredictor

Animator = Callable[..., int]


def mask_of(figure: dict[str, Any]) -> NDArray[np.bool_]:
    return mask_from_run_lengths(msgspec.convert(figure["mask"], RunLengths)).data


def test_json_lines_keep_the_order_and_go_on_after_a_bad_file(
    animator: Animator, stick_png: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, blank = tmp_path / "bad.png", tmp_path / "blank.png"
    bad.write_bytes(TEXT)
    blank.write_bytes(encode(blank_page(), "PNG"))
    assert animator("annotate", bad, stick_png, blank, "--json") == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["file"] for line in lines] == [str(bad), str(stick_png), str(blank)]
    assert [len(line["figures"]) for line in lines] == [0, 1, 0]
    assert lines[0]["error"]["code"] == "unsupported_image"
    assert lines[1]["error"] is lines[2]["error"] is None
    assert lines[0]["width"] is None


def test_json_line_has_the_promised_fields_in_the_pictures_pixels(
    animator: Animator, stick_png: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert animator("annotate", stick_png, "--json") == 0
    (line,) = capsys.readouterr().out.splitlines()
    record = json.loads(line)
    assert list(record) == ["file", "width", "height", "rotation", "figures", "error"]
    assert (record["width"], record["height"], record["rotation"]) == (200, 300, 0)
    (figure,) = record["figures"]
    assert list(figure) == ["box", "score", "joints", "joint_scores", "mask"]
    assert list(figure["joints"]) == list(figure["joint_scores"]) == list(BIPED_PARENTS)
    assert figure["mask"]["size"] == [300, 200]
    mask = mask_of(figure)
    x1, y1, x2, y2 = (int(value) for value in figure["box"])
    assert mask[y1:y2, x1:x2].sum() == mask.sum() > 1000
    assert mask[60, 100]
    for x, y in figure["joints"].values():
        assert mask[int(y), int(x)]


def test_sideways_picture_is_answered_in_its_own_pixels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(drawings, "LocalModels", RedHeadPredictor)
    image = stick_figure()
    cv2.circle(image, HEAD[0], 8, (200, 20, 20), -1)
    upright, sideways = tmp_path / "upright.png", tmp_path / "sideways.png"
    upright.write_bytes(encode(image, "PNG"))
    sideways.write_bytes(encode(np.ascontiguousarray(np.rot90(image)), "PNG"))
    assert main(["annotate", str(upright), str(sideways), "--json"]) == 0
    standing, lying = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (standing["width"], standing["height"], standing["rotation"]) == (200, 300, 0)
    assert (lying["width"], lying["height"], lying["rotation"]) == (300, 200, 90)
    (a,), (b,) = standing["figures"], lying["figures"]
    x1, y1, x2, y2 = a["box"]
    assert b["box"] == [y1, 200 - x2, y2, 200 - x1]
    for name, (x, y) in a["joints"].items():
        assert b["joints"][name] == pytest.approx([y, 200 - x], abs=0.11)
    mask_a, mask_b = (mask_of(figure) for figure in (a, b))
    assert np.array_equal(np.rot90(mask_a), mask_b)


def test_summary_is_for_people(
    animator: Animator, stick_png: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert animator("annotate", stick_png, tmp_path / "none.png") == 1
    out, err = capsys.readouterr()
    assert "stick.png: 200 x 300, 1 figure" in out
    assert "90% sure" in out
    assert "There is no file" in err


@pytest.mark.parametrize("kind", ["folder", "missing", "empty"])
def test_what_is_no_picture_file_is_said_plainly(
    kind: str, animator: Animator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / kind
    if kind == "folder":
        path.mkdir()
    elif kind == "empty":
        path.touch()
    assert animator("annotate", path) == 1
    words = {"folder": "is a folder", "missing": "no file", "empty": "file is empty"}
    assert words[kind] in capsys.readouterr().err


def test_file_too_long_for_a_picture_is_not_even_read(
    animator: Animator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "long.png"
    with path.open("wb") as file:
        file.truncate(60 * 1024 * 1024)
    assert animator("annotate", path, "--json") == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "image_too_large"


def test_missing_models_are_said_for_each_picture(
    stick_png: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ANIMATOR_MODELS_DIR", str(tmp_path))
    assert main(["annotate", str(stick_png), str(stick_png), "--json"]) == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["error"]["code"] for line in lines] == ["model_unavailable"] * 2


def test_unreadable_file_is_an_invalid_image(
    stick_png: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(InvalidImage, match="Permission denied"):
        read_drawing(stick_png)
