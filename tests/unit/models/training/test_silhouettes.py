"""Masks against those that people made."""

import json
from pathlib import Path

import numpy as np
import pytest

from models.training.silhouettes import read_mask, score_mask

MASKS = Path(__file__).parents[3] / "data" / "masks"


def square(left: int, side: int = 100) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    mask = np.zeros((200, 200), np.bool_)
    mask[50 : 50 + side, left : left + side] = True
    return mask


def write(folder: Path, **changes: object) -> Path:
    document = {
        "drawing": "a.png",
        "width": 20,
        "height": 10,
        "outer": [[[2, 1], [11, 1], [11, 8], [2, 8]]],
        "holes": [[[5, 3], [6, 3], [6, 4], [5, 4]]],
    }
    file = folder / "a.json"
    file.write_text(json.dumps({**document, **changes}))
    return file


def test_rings_cover_the_pixels_on_them_and_inside(tmp_path: Path) -> None:
    mask = read_mask(write(tmp_path))
    assert mask.drawing == "a.png"
    assert mask.data.shape == (10, 20)
    assert mask.data.sum() == 10 * 8 - 4
    assert mask.data[1, 2]
    assert not mask.data[3, 5]


@pytest.mark.parametrize(
    "changes",
    [{"height": "ten"}, {"outer": [[["a", "b"]]]}, {"outer": 3}],
    ids=["size", "ring", "rings"],
)
def test_other_documents_are_refused_by_name(tmp_path: Path, changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"a\.json is no mask"):
        read_mask(write(tmp_path, **changes))


def test_text_that_is_no_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(ValueError, match=r"a\.json is no mask"):
        read_mask(tmp_path / "a.json")


def test_equal_masks_agree_wholly() -> None:
    score = score_mask(square(50), square(50))
    assert (score.overlap, score.typical, score.mean) == (1.0, 0.0, 0.0)


def test_overlap_and_distance_of_a_square_moved_aside() -> None:
    score = score_mask(square(60), square(50))
    assert score.overlap == pytest.approx(90 / 110)
    # half of each outline, its sides, is 10 of 100 pixels off; the other half lies on the other's
    assert score.mean == pytest.approx(50.0, abs=2.0)


def test_outline_error_is_of_a_figure_of_a_thousand_pixels() -> None:
    outer, inner = square(50), np.zeros((200, 200), np.bool_)
    inner[52:148, 52:148] = True
    score = score_mask(inner, outer)
    assert score.typical == pytest.approx(20.0)
    assert score.mean == pytest.approx(20.0, abs=0.5)


def test_nothing_found_is_infinitely_far() -> None:
    score = score_mask(np.zeros((200, 200), np.bool_), square(50))
    assert (score.overlap, score.typical) == (0.0, float("inf"))


def test_each_mask_that_was_drawn_is_whole_and_fits_its_picture(shared_data: Path) -> None:
    files = sorted(MASKS.glob("*.json"))
    assert len(files) == 20
    document = json.loads((shared_data / "drawings" / "annotations.json").read_text())
    images = {image["file_name"]: image for image in document["images"]}
    for file in files:
        mask = read_mask(file)
        image = images[mask.drawing]
        assert mask.data.shape == (image["height"], image["width"])
        boxes = [a["bbox"] for a in document["annotations"] if a["image_id"] == image["id"]]
        rows, columns = np.nonzero(mask.data)
        extent = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
        off = [
            max(abs(np.subtract(extent, (x, y, x + w, y + h)))) / max(w, h) for x, y, w, h in boxes
        ]
        assert min(off) < 0.03, mask.drawing
