"""Train the models in slices of time that can be stopped and resumed at will.

    python -m models.training.train all --minutes 30

A slice warms up, runs at a steady learning rate, and lets it fall to zero in its last part, so that
every slice ends with weights that can be used (Hägele et al. 2024, "warm-up, stable, decay"). The
weights that are exported are a running average.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import get_args

import msgspec
import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from models.training.amateur import open_drawings
from models.training.checkpoint import (
    Progress,
    average_weights,
    load_checkpoint,
    save_checkpoint,
)
from models.training.groups import GROUPS
from models.training.lineage import SYNTHETIC, SliceRecord, generator_revision
from models.training.mixing import Mixture
from models.training.recipes import RECIPES, Recipe, Start, recipe_with
from models.training.synthesis import synthesize

__all__ = ("Slice", "main", "train_slice")

DEFAULT_FOLDER = Path(__file__).parents[2] / ".training"
_WARM_UP_STEPS = 200
_SEEDS_PER_SLICE = 10_000_000
_MALLOC = {  # glibc keeps freed memory: a fifth of a detector's step went into mapping pages anew
    "MALLOC_MMAP_THRESHOLD_": str(8 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(16 << 30),
    "MALLOC_TOP_PAD_": str(256 << 20),
}


@dataclass(frozen=True, slots=True)
class Slice:
    """One stretch of training.

    Attributes:
        folder: checkpoints, logs and downloads.
        minutes: how long at most, > 0.
        pictures: after how many it ends; 0 for any number.
        decay: share of the slice, at its end, in which the learning rate falls to zero, [0, 1].
        save_every: seconds between checkpoints, > 0.
        device: where to compute.
        workers: processes that draw; 0 draws in the training process.
        data: "synthetic", or the hash of the real drawings mixed in.
        share: of real drawings, [0, 1].
        start: what to begin with where there is no checkpoint.
        rate: of the recipe's learning rates, > 0.
        first_seed: of the drawings where there is no checkpoint, >= 0; None for the usual ones.
    """

    folder: Path
    minutes: float
    decay: float = 0.3
    save_every: float = 180.0
    device: str = "cuda" if torch.cuda.is_available() else "cpu"
    workers: int = 0
    data: str = SYNTHETIC
    share: float = 0.0
    start: Start = "shipped"
    pictures: int = 0
    rate: float = 1.0
    first_seed: int | None = None


class _Stop:
    """Set by SIGTERM and SIGINT: finish the step, save, and end."""

    def __init__(self) -> None:
        self.asked = False
        for kind in (signal.SIGTERM, signal.SIGINT):
            signal.signal(kind, self._ask)

    def _ask(self, _signal: int, _frame: object) -> None:
        self.asked = True


def train_slice(recipe: Recipe, plan: Slice) -> Progress:
    """Train for one slice, from the newest checkpoint, or where there is none from `plan.start`.

    Raises:
        FloatingPointError: when the loss is no longer finite.
    """
    device = torch.device(plan.device)
    network = recipe.build()
    file = plan.folder / f"{recipe.name}.pt"
    progress = Progress()
    if not file.is_file():
        progress = recipe.fill(network, plan.start, plan.folder / "trunk")
        if plan.first_seed is not None:
            progress.next_seed = plan.first_seed
    network = network.to(device).train()
    optimizer = recipe.optimizer(network)
    if file.is_file():
        average, progress = load_checkpoint(file, network, optimizer, device)
    else:
        average = {name: value.clone() for name, value in network.state_dict().items()}
    stop, clock = _Stop(), _Clock(plan, progress)
    log = _Log(plan.folder / f"{recipe.name}.jsonl", recipe)
    saved = time.monotonic()
    first_seed = progress.next_seed
    progress.next_seed += _SEEDS_PER_SLICE
    journal = _Journal(plan, progress)
    for terms in recipe.losses(network, first_seed, plan.workers, device):
        _set_rate(optimizer, plan.rate * _rate(progress.step, clock.share, plan.decay))
        _descend(network, optimizer, terms)
        progress.step += 1
        progress.pictures += recipe.batch_size
        progress.seconds = clock.total
        average_weights(average, network, progress.step)
        log.note(terms, progress, clock)
        over = stop.asked or clock.share >= 1
        if over or time.monotonic() - saved > plan.save_every:
            journal.write(progress)
            save_checkpoint(file, network, average, optimizer, progress)
            saved = time.monotonic()
        if over:
            break
    return progress


class _Journal:
    """Keeps the record of this slice, the last of the progress, up to date."""

    def __init__(self, plan: Slice, progress: Progress) -> None:
        self._pictures, self._seconds = progress.pictures, progress.seconds
        end = progress.next_seed
        record = SliceRecord(
            revision=generator_revision(),
            first_seed=end - _SEEDS_PER_SLICE,
            end_seed=end,
            data=plan.data,
            share=plan.share,
        )
        progress.slices.append(record)

    def write(self, progress: Progress) -> None:
        progress.slices[-1] = msgspec.structs.replace(
            progress.slices[-1],
            pictures=progress.pictures - self._pictures,
            minutes=round((progress.seconds - self._seconds) / 60, 2),
        )


class _Clock:
    """How much of a slice is over, by time or by pictures."""

    def __init__(self, plan: Slice, progress: Progress) -> None:
        self._start = time.monotonic()
        self._seconds, self._before = plan.minutes * 60, progress.seconds
        self._pictures, self._first, self._progress = plan.pictures, progress.pictures, progress

    @property
    def spent(self) -> float:
        return time.monotonic() - self._start

    @property
    def share(self) -> float:
        seen = self._progress.pictures - self._first
        return max(self.spent / self._seconds, seen / self._pictures if self._pictures else 0.0)

    @property
    def total(self) -> float:
        return self._before + self.spent

    @property
    def left(self) -> float:
        return max(0.0, self._seconds - self.spent)


class _Log:
    """A progress line on the screen and the means of the loss terms in a file."""

    _EVERY = 50

    def __init__(self, file: Path, recipe: Recipe) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._file, self._recipe = file, recipe
        self._sums: dict[str, float] = defaultdict(float)
        self._count = 0
        self._since = time.monotonic()

    def note(self, terms: dict[str, Tensor], progress: Progress, clock: _Clock) -> None:
        for name, value in terms.items():
            self._sums[name] += float(value.detach())
        self._count += 1
        if self._count < self._EVERY:
            return
        means = {name: round(total / self._count, 4) for name, total in self._sums.items()}
        rate = self._count * self._recipe.batch_size / (time.monotonic() - self._since)
        line = {"step": progress.step, "pictures": progress.pictures, "rate": round(rate, 2)}
        with self._file.open("a") as file:
            file.write(json.dumps({**line, "seconds": round(progress.seconds), **means}) + "\n")
        text = " ".join(f"{name} {value:.3f}" for name, value in means.items())
        left = f"{clock.left / 60:.1f} min left"
        print(
            f"{self._recipe.name}: step {progress.step}, {progress.pictures} pictures, "
            f"{rate:.1f}/s, {left}; {text}",
            flush=True,
        )
        self._sums.clear()
        self._count, self._since = 0, time.monotonic()


def _rate(step: int, share: float, decay: float) -> float:
    """The learning rate's factor in [0, 1]."""
    rise = min(1.0, (step + 1) / _WARM_UP_STEPS)
    fall = min(1.0, max(0.0, 1 - share) / decay) if decay > 0 else 1.0
    return rise * fall


def _set_rate(optimizer: Optimizer, factor: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = group["initial_lr"] * factor


def _descend(network: nn.Module, optimizer: Optimizer, terms: dict[str, Tensor]) -> None:
    loss = torch.stack(list(terms.values())).sum()
    if not torch.isfinite(loss):
        msg = f"the loss is not finite: { {n: float(v.detach()) for n, v in terms.items()} }"
        raise FloatingPointError(msg)
    optimizer.zero_grad(set_to_none=True)
    torch.autograd.backward(loss)
    nn.utils.clip_grad_norm_(network.parameters(), 5.0)
    optimizer.step()


def _run_all(arguments: argparse.Namespace) -> int:
    """One process a model, so that each has a core of its own."""
    command = [sys.executable, "-m", "models.training.train"]
    options = ["--minutes", str(arguments.minutes), "--folder", str(arguments.folder)]
    threads = max(1, (os.cpu_count() or 1) // len(RECIPES))
    options += ["--decay", str(arguments.decay), "--threads", str(threads)]
    options += ["--workers", str(arguments.workers), "--start", arguments.start]
    if arguments.data is not None:
        options += ["--data", str(arguments.data), "--share", str(arguments.share)]
    environment = {**_MALLOC, **os.environ}
    children = [subprocess.Popen([*command, name, *options], env=environment) for name in RECIPES]
    try:
        return max(child.wait() for child in children)
    except KeyboardInterrupt:
        return max(child.wait() for child in children)


def main(argv: Sequence[str] | None = None) -> int:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", choices=[*RECIPES, "all"])
    parser.add_argument("--minutes", type=float, default=30, help="length of the slice")
    parser.add_argument("--pictures", type=int, default=0, help="end after so many")
    parser.add_argument("--threads", type=int, default=1, help="threads to compute with")
    parser.add_argument("--folder", type=Path, default=DEFAULT_FOLDER, help="for checkpoints")
    parser.add_argument("--decay", type=float, default=0.3, help="share of falling rate")
    parser.add_argument("--workers", type=int, default=0, help="processes that draw")
    parser.add_argument(
        "--start", choices=get_args(Start), default="shipped", help="where there is no checkpoint"
    )
    parser.add_argument("--first-seed", type=int, help="of drawings, where there is no checkpoint")
    parser.add_argument("--without", choices=list(GROUPS), help="factors to take away")
    parser.add_argument("--data", type=Path, help="real drawings to mix in; see amateur.py")
    parser.add_argument("--share", type=float, default=0.5, help="of real drawings (0.5)")
    arguments = parser.parse_args(argv)
    if arguments.model == "all":
        return _run_all(arguments)
    torch.set_num_threads(arguments.threads)
    plan = Slice(
        folder=arguments.folder,
        minutes=arguments.minutes,
        decay=arguments.decay,
        workers=arguments.workers,
        start=arguments.start,
        pictures=arguments.pictures,
        first_seed=arguments.first_seed,
    )
    recipe = RECIPES[arguments.model]
    if arguments.without is not None:
        settings = GROUPS[arguments.without].without
        recipe = recipe_with(arguments.model, partial(synthesize, settings=settings))
    if arguments.data is not None:
        drawings = open_drawings(arguments.data)
        print(f"{arguments.model}: {len(drawings)} real drawings, {arguments.share:.0%} of all")
        recipe = recipe_with(arguments.model, Mixture(drawings, arguments.share))
        plan = replace(plan, data=drawings.sha256, share=arguments.share)
    progress = train_slice(recipe, plan)
    print(f"{arguments.model}: {progress.pictures} pictures, {progress.seconds / 60:.1f} minutes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
