"""`animator annotate`: one line a picture, in order, going on after a bad one."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from animator.__main__ import main
from animator.cli.drawings import read_drawing
from animator.core.errors import InvalidImage
from animator.core.mask import RunLengths, mask_from_run_lengths
from animator.core.skeleton import BIPED_PARENTS
from tests.support_bad_images import TEXT, blank_page, encode

Animator = Callable[..., int]


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
    mask = mask_from_run_lengths(RunLengths(size=(300, 200), counts=figure["mask"]["counts"])).data
    x1, y1, x2, y2 = (int(value) for value in figure["box"])
    assert mask[y1:y2, x1:x2].sum() == mask.sum() > 1000
    assert mask[60, 100]
    for x, y in figure["joints"].values():
        assert mask[int(y), int(x)]


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
