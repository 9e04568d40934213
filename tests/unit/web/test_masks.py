"""Outlines that the page writes are, byte for byte, those that we write."""

import json
import subprocess

import numpy as np
from numpy.typing import NDArray

from animator.core.mask import Mask, run_lengths_from_mask
from tests.support_web import WEB, node

__all__ = ("node",)

SCRIPT = """
import { maskOf, maskPixels } from "./masks/run-lengths.js";
let text = "";
for await (const part of process.stdin) text += part;
const told = JSON.parse(text).map(({ width, pixels }) => {
  const mask = maskOf(Uint8Array.from(pixels), width);
  return { ...mask, pixels: [...maskPixels(mask)] };
});
console.log(JSON.stringify(told));
"""


def random_masks(count: int) -> list[NDArray[np.bool_]]:
    """Masks of all densities and sizes, from one pixel to runs of many characters."""
    rng = np.random.default_rng(6)
    masks = [rng.random(rng.integers(1, 40, 2)) < rng.random() for _ in range(count)]
    smooth = np.zeros((700, 300), np.bool_)
    smooth[40:660, 120:260] = True
    return [*masks, smooth, ~smooth, np.ones((1, 1), np.bool_), np.zeros((3, 2), np.bool_)]


def written_by_page(node: str, masks: list[NDArray[np.bool_]]) -> list[dict[str, object]]:
    told = [{"width": mask.shape[1], "pixels": mask.ravel().astype(int).tolist()} for mask in masks]
    done = subprocess.run(
        [node, "--input-type=module", "--eval", SCRIPT],
        input=json.dumps(told),
        cwd=WEB,
        capture_output=True,
        text=True,
        check=True,
    )
    written: list[dict[str, object]] = json.loads(done.stdout)
    return written


def test_page_writes_the_run_lengths_that_we_write_and_reads_them_back(node: str) -> None:
    masks = random_masks(60)
    for mask, written in zip(masks, written_by_page(node, masks), strict=True):
        ours = run_lengths_from_mask(Mask(mask))
        assert written["counts"] == ours.counts
        assert written["size"] == list(ours.size)
        assert written["pixels"] == mask.ravel().astype(int).tolist()
