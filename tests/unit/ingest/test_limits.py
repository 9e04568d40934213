"""Limits are checked on numbers alone, at their exact bounds."""

import pytest

from animator.core.errors import ImageTooLarge
from animator.ingest import ImageLimits
from animator.ingest.limits import check_bytes, check_size

LIMITS = ImageLimits(max_bytes=1000, max_pixels=10_000, max_aspect=4.0, min_side=10)


@pytest.mark.parametrize(
    ("width", "height"), [(100, 100), (10, 40), (40, 10)], ids=["pixels", "tall", "wide"]
)
def test_picture_at_the_bound_is_accepted(width: int, height: int) -> None:
    check_size(width, height, LIMITS)


@pytest.mark.parametrize(
    ("width", "height", "words"),
    [
        (101, 100, "Save it smaller"),
        (9, 9, "larger picture"),
        (41, 10, "Cut it closer"),
        (10, 41, "Cut it closer"),
    ],
    ids=["pixels", "small", "wide", "tall"],
)
def test_picture_over_a_bound_is_refused_with_advice(width: int, height: int, words: str) -> None:
    with pytest.raises(ImageTooLarge, match=words):
        check_size(width, height, LIMITS)


def test_file_over_the_limit_is_refused_with_both_sizes() -> None:
    check_bytes(50_000_000, ImageLimits(max_bytes=50_000_000))
    with pytest.raises(ImageTooLarge, match="80 MB; at most 50 MB"):
        check_bytes(80_000_000, ImageLimits(max_bytes=50_000_000))
