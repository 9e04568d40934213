"""Fit the pose network's last head: how likely a crop shows a figure at all.

    python -m models.training.figure_head --pages 1500

The rest of the network stays as it is, and so do its keypoints: what its layers say of a crop,
pooled, is looked at by one logistic regression. It learns from crops of figures and of things
(`figure_crops.py`), and its bias is set so that of made-up figures that it has not seen and that
the detector finds one in a hundred falls below a half.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import cv2
import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from models.drawn_humanoid_pose_estimator.network import INPUT_SIDE, PoseNetwork, build_pose_network
from models.folding import fold_batch_norms
from models.onnx_session import open_session
from models.training.export import EXPORTS, WEIGHTS, export_model
from models.training.figure_crops import crop_kinds, draw_crops
from models.training.lineage import hash_file, read_lineage, write_lineage
from models.training.pictograms import load_pictograms
from models.training.train import DEFAULT_FOLDER

__all__ = ("FigureHead", "Shown", "fit_head", "main", "show_crops")

_FIRST_SEED = 2_000_000_000
_HELD_BACK = 5  # one in so many pages is not learned from
_LOST = 0.03  # of all held-back figures: the detector finds two in three of these no better
_ROUGHEST = 1e-3  # least deviation that a value is divided by
_STIFFNESS = 0.01  # of the weights of values that were brought to deviation one
_GRAPH = "pooled.onnx"
_PICTOGRAMS = "Noto Emoji"


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What the network's layers say of crops of one kind.

    Attributes:
        values: (N, F) float32, pooled.
        is_figure: whether these are crops of figures.
    """

    values: NDArray[np.float32]
    is_figure: bool


@dataclass(frozen=True, slots=True, eq=False)
class FigureHead:
    """A logistic regression.

    Attributes:
        weight: (F,) float32.
        bias: a crop shows a figure rather than none where weight @ values + bias > 0.
    """

    weight: NDArray[np.float32]
    bias: float

    def believes(self, values: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Whether each crop (N, F) shows a figure, (N,)."""
        return np.asarray(values @ self.weight + self.bias > 0)


def show_crops(name: str, first_seed: int, pages: int, cache: Path, turned: float = 0.25) -> Shown:
    """Show the shipped network crops of one kind.

    Args:
        name: of the kind, see `crop_kinds`.
        first_seed: of the pages.
        pages: how many.
        cache: folder of the font and of the network's graph.
        turned: share of crops that is turned by one to three quarters.
    """
    cv2.setNumThreads(1)
    kind, session = crop_kinds(load_pictograms(cache))[name], open_session(cache / _GRAPH, 1)
    values = [
        session.run(None, {"pixels": np.float32(crop.image.transpose(2, 0, 1)[None])})[0]
        for crop in draw_crops(kind, first_seed, pages, INPUT_SIDE, turned)
    ]
    return Shown(np.concatenate(values), kind.is_figure)


def fit_head(shown: Iterable[Shown], held_back: NDArray[np.float32]) -> FigureHead:
    """Fit on crops of all kinds, then set the bias by figures (N, F) that were held back.

    Of figures and of things each kind counts by the square root of its crops, and both alike.
    """
    parts = list(shown)
    values = np.concatenate([part.values for part in parts])
    truth = np.concatenate([np.full(len(p.values), p.is_figure) for p in parts])
    counts = np.concatenate([np.full(len(p.values), len(p.values) ** -0.5) for p in parts])
    for side in (truth, ~truth):
        counts[side] *= 0.5 * len(truth) / counts[side].sum()
    middle, spread = values.mean(axis=0), values.std(axis=0) + _ROUGHEST
    weight = _regress((values - middle) / spread, truth, counts) / spread
    least = np.quantile(held_back @ weight, _LOST)
    return FigureHead(np.asarray(weight, np.float32), float(-least))


def _regress(
    values: NDArray[np.float32], truth: NDArray[np.bool_], counts: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Weights (F,) of a logistic regression whose examples count so much, stiff by `_STIFFNESS`."""
    x, y = torch.from_numpy(values), torch.from_numpy(truth).float()
    share = torch.from_numpy(counts).float()
    weight, bias = torch.zeros(x.shape[1], requires_grad=True), torch.zeros(1, requires_grad=True)
    solver = torch.optim.LBFGS([weight, bias], max_iter=100, line_search_fn="strong_wolfe")

    def step() -> Tensor:
        solver.zero_grad()
        doubt = functional.binary_cross_entropy_with_logits(x @ weight + bias, y, share)
        loss = doubt + _STIFFNESS * (weight**2).sum()
        torch.autograd.backward(loss)
        return loss

    solver.step(step)  # type: ignore[no-untyped-call]
    return np.asarray(weight.detach().numpy())


class _Pooled(nn.Module):
    """The network up to what its last head sees."""

    def __init__(self, network: PoseNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, pixels: Tensor) -> Tensor:
        return self.network.pooled(pixels)


def _write_graph(file: Path) -> None:
    """The shipped network up to its last head, as a graph: that is thrice as fast as torch."""
    weights = load_file(EXPORTS["pose"].folder / WEIGHTS)
    network = _Pooled(_build_folded({name: value.float() for name, value in weights.items()}))
    example = torch.zeros(1, 3, INPUT_SIDE, INPUT_SIDE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer warns of sizes that it fixes
        torch.onnx.export(
            network, (example,), file, input_names=["pixels"], opset_version=17, dynamo=False
        )


def _build_folded(weights: dict[str, Tensor]) -> PoseNetwork:
    """The network of weights whose normalisation is folded already."""
    network = fold_batch_norms(build_pose_network().eval())
    network.load_state_dict(weights)
    return network


def _write(head: FigureHead, folder: Path) -> None:
    """Put the head into the weights that ship, and export them anew."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = load_file(EXPORTS["pose"].folder / WEIGHTS)
    weights["figure.weight"] = torch.from_numpy(head.weight)[None]
    weights["figure.bias"] = torch.tensor([head.bias])
    export_model(replace(EXPORTS["pose"], build=_build_folded), weights, folder)
    lineage = read_lineage(EXPORTS["pose"].folder)
    if lineage is not None:
        data = tuple(dict.fromkeys((*lineage.data, _PICTOGRAMS)))
        changed = {"weights": hash_file(folder / WEIGHTS), "data": data, "scores": {}}
        write_lineage(folder, msgspec.structs.replace(lineage, **changed))


def _gather(pages: int, cache: Path, workers: int) -> tuple[dict[str, Shown], dict[str, Shown]]:
    """Crops of all kinds, to learn from and held back."""
    kinds = list(crop_kinds(load_pictograms(cache)))
    _write_graph(cache / _GRAPH)
    back = max(pages // _HELD_BACK, 1)
    firsts = [_FIRST_SEED + 10_000_000 * place for place in range(len(kinds))]
    with ProcessPoolExecutor(workers) as pool:
        show = partial(show_crops, cache=cache)
        learned = [pool.submit(show, k, f, pages) for k, f in zip(kinds, firsts, strict=True)]
        held = [
            pool.submit(show, k, f + 5_000_000, back, turned=0.0)
            for k, f in zip(kinds, firsts, strict=True)
        ]
        return _results(kinds, learned), _results(kinds, held)


def _results(kinds: Sequence[str], jobs: Sequence[Future[Shown]]) -> dict[str, Shown]:
    return {kind: job.result() for kind, job in zip(kinds, jobs, strict=True)}


def _report(head: FigureHead, held: Mapping[str, Shown]) -> None:
    """Print the share of each kind's held-back crops that are taken for figures."""
    print("| crops of | held back | taken for figures |\n| --- | ---: | ---: |")
    for name, part in held.items():
        print(f"| {name} | {len(part.values)} | {head.believes(part.values).mean():.3f} |")


def main() -> int:
    """Draw, look, fit, write, and say how good it is."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=1500, help="of each kind, to learn from")
    parser.add_argument("--workers", type=int, default=1, help="processes that draw and look")
    parser.add_argument("--cache", type=Path, default=DEFAULT_FOLDER / "pictograms")
    parser.add_argument("--out", type=Path, default=EXPORTS["pose"].folder, help="where to write")
    arguments = parser.parse_args()
    start = time.monotonic()
    learned, held = _gather(arguments.pages, arguments.cache, arguments.workers)
    head = fit_head(learned.values(), held["figures"].values)
    _report(head, held)
    _write(head, arguments.out)
    count = sum(len(part.values) for part in learned.values())
    print(f"{arguments.out}: from {count} crops in {(time.monotonic() - start) / 60:.1f} minutes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
