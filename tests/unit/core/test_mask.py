"""Masks and COCO's run lengths."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from animator.core.errors import InvalidMask
from animator.core.mask import (
    Mask,
    RunLengths,
    count_pixels,
    mask_from_run_lengths,
    run_lengths_from_mask,
)


@given(st.integers(1, 12), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_run_lengths_decode_to_the_same_mask(height: int, width: int, seed: int) -> None:
    data = np.random.default_rng(seed).random((height, width)) < 0.5
    lengths = run_lengths_from_mask(Mask(data))
    assert np.array_equal(mask_from_run_lengths(lengths).data, data)
    assert count_pixels(lengths) == data.sum()


@given(st.tuples(st.integers(-3, 9), st.integers(-3, 9)), st.text(st.characters(max_codepoint=130)))
def test_run_lengths_are_read_whole_or_refused(size: tuple[int, int], counts: str) -> None:
    try:
        mask = mask_from_run_lengths(RunLengths(size=size, counts=counts))
    except InvalidMask:
        return
    assert mask.data.shape == size


@pytest.mark.parametrize(
    ("rows", "counts"),
    [
        # runs down the columns, zeros first; each below 16 is one character, chr(48 + run)
        pytest.param([[0, 0], [0, 0]], "4", id="empty"),
        pytest.param([[1, 1], [1, 1]], "04", id="full"),
        pytest.param([[0, 1], [1, 0]], "121", id="two-in-the-middle"),
        # runs 1 2 1 1 1; from the fourth on as difference to the run before last: 1 - 2, 1 - 1
        pytest.param([[0, 0], [1, 1], [1, 0]], "121O0", id="differences"),
    ],
)
def test_run_lengths_by_hand(rows: list[list[int]], counts: str) -> None:
    lengths = run_lengths_from_mask(Mask(np.array(rows, dtype=bool)))
    assert (lengths.size, lengths.counts) == ((len(rows), 2), counts)


@pytest.mark.parametrize("size", [(64, 64), (1, 4096)])
def test_long_runs_take_several_characters(size: tuple[int, int]) -> None:
    # pycocotools writes 4096 zeros as "PP4"
    lengths = run_lengths_from_mask(Mask(np.zeros(size, dtype=bool)))
    assert lengths.counts == "PP4"


@pytest.mark.parametrize(
    "counts",
    ["3", "41", "O5", "", "4P", "4 ", "4\u0100", "o" * 9],
    ids=["short", "long", "negative", "none", "cut off", "blank", "not ascii", "endless"],
)
def test_run_lengths_that_do_not_fill_the_size_are_refused(counts: str) -> None:
    lengths = RunLengths(size=(2, 2), counts=counts)
    with pytest.raises(InvalidMask, match="run lengths"):
        mask_from_run_lengths(lengths)
    with pytest.raises(InvalidMask, match="run lengths"):
        count_pixels(lengths)


def test_mask_refuses_numbers() -> None:
    with pytest.raises(ValueError, match="bool"):
        Mask(np.zeros((2, 2), dtype=np.uint8))
