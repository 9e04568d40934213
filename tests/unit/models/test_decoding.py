import numpy as np
import pytest

from models.drawn_humanoid_pose_estimator.decoding import decode_heatmaps, sigmoid


def peak(x: float, y: float, side: int = 16) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Logits of a bell with a deviation of one cell around (x, y) in cells."""
    cells = np.arange(side) + 0.5
    distance = (cells[None, :] - x) ** 2 + (cells[:, None] - y) ** 2
    return np.asarray(-distance / 2, dtype=np.float32)


@pytest.mark.parametrize(("x", "y"), [(5.5, 8.5), (5.8, 8.25), (7.0, 3.9)])
def test_point_is_found_between_cells(x: float, y: float) -> None:
    points, _ = decode_heatmaps(peak(x, y)[None], np.array([9.0], np.float32))
    assert points.shape == (1, 2)
    assert points[0] == pytest.approx((x, y), abs=0.06)


def test_sharp_peak_in_a_corner_is_the_middle_of_its_cell() -> None:
    logits = np.full((1, 8, 8), -50, np.float32)
    logits[0, 0, 7] = 50
    points, scores = decode_heatmaps(logits, np.array([0.0], np.float32))
    assert points[0].tolist() == [7.5, 0.5]
    assert scores[0] == pytest.approx(0.5)


def test_flat_heatmap_scores_low() -> None:
    flat = np.zeros((1, 20, 20), np.float32)
    _, scores = decode_heatmaps(flat, np.array([40.0], np.float32))
    assert scores[0] <= 25 / 400


def test_absent_point_scores_low() -> None:
    _, scores = decode_heatmaps(peak(8, 8)[None], np.array([-6.0], np.float32))
    assert scores[0] < 0.01


def test_sigmoid_of_huge_logits_does_not_overflow() -> None:
    values = sigmoid(np.array([-1e9, 0, 1e9], np.float32))
    assert values == pytest.approx([0, 0.5, 1])
