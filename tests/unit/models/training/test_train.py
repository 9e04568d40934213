import json
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs the extra `torch`")

import torch
from torch import Tensor, nn
from torch.optim import SGD, Optimizer

from models.training.checkpoint import Progress
from models.training.recipes import Start
from models.training.train import Slice, train_slice


@dataclass
class Line:
    """Fits w * 1 to 3; can be told to end its process's slice, or to break."""

    name: str = "line"
    batch_size: int = 2
    stop_at: int = 60
    break_at: int = 1_000_000
    seeds: tuple[int, ...] = ()
    filled: int = 0

    def build(self) -> nn.Module:
        torch.manual_seed(0)
        return nn.Linear(1, 1, bias=False)

    def fill(self, network: nn.Module, start: Start, cache: Path) -> Progress:
        self.filled += 1
        return Progress()

    def optimizer(self, network: nn.Module) -> Optimizer:
        optimizer = SGD(network.parameters(), lr=0.1, momentum=0.5)
        for group in optimizer.param_groups:
            group["initial_lr"] = group["lr"]
        return optimizer

    def losses(
        self, network: nn.Module, first_seed: int, workers: int, device: torch.device
    ) -> Iterator[dict[str, Tensor]]:
        self.seeds = (*self.seeds, first_seed)
        for step in range(1, 1_000_000):
            if step == self.stop_at:
                os.kill(os.getpid(), signal.SIGTERM)
            scale = float("inf") if step == self.break_at else 1.0
            yield {"distance": scale * (network(torch.ones(1, 1)) - 3).square().mean()}


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """Put back the handlers that a slice sets."""
    before = {kind: signal.getsignal(kind) for kind in (signal.SIGTERM, signal.SIGINT)}
    yield
    for kind, handler in before.items():
        signal.signal(kind, handler)


def weight(file: Path, part: str) -> float:
    state = torch.load(file, weights_only=True)
    return float(state[part]["weight"])


def test_terminated_slice_saves_and_the_next_goes_on(tmp_path: Path) -> None:
    recipe, plan = Line(), Slice(folder=tmp_path, minutes=5, device="cpu")
    first = train_slice(recipe, plan)
    after_first = abs(weight(tmp_path / "line.pt", "network") - 3)
    second = train_slice(recipe, plan)
    assert (first.step, second.step) == (60, 120)
    assert second.pictures == 240
    assert second.seconds > first.seconds
    assert abs(weight(tmp_path / "line.pt", "network") - 3) < after_first
    assert recipe.seeds[1] > recipe.seeds[0]  # other drawings in every slice


def test_only_a_training_without_a_checkpoint_is_filled(tmp_path: Path) -> None:
    recipe, plan = Line(), Slice(folder=tmp_path, minutes=5, device="cpu")
    train_slice(recipe, plan)
    train_slice(recipe, plan)
    assert recipe.filled == 1


def test_averaged_weights_lag_behind_the_network(tmp_path: Path) -> None:
    train_slice(Line(), Slice(folder=tmp_path, minutes=5, device="cpu"))
    file = tmp_path / "line.pt"
    assert abs(weight(file, "average") - 3) > abs(weight(file, "network") - 3)


def test_slice_ends_by_the_clock(tmp_path: Path) -> None:
    progress = train_slice(
        Line(stop_at=1_000_000), Slice(folder=tmp_path, minutes=0.002, device="cpu")
    )
    assert 0 < progress.step < 1_000_000
    assert (tmp_path / "line.pt").is_file()


def test_slice_ends_after_as_many_pictures_as_it_was_given(tmp_path: Path) -> None:
    recipe = Line(stop_at=1_000_000)
    plan = Slice(folder=tmp_path, minutes=5, device="cpu", pictures=50)
    assert train_slice(recipe, plan).pictures == 50
    assert train_slice(recipe, plan).pictures == 100


def test_first_seed_counts_only_where_there_is_no_checkpoint(tmp_path: Path) -> None:
    recipe = Line(stop_at=1_000_000)
    plan = Slice(folder=tmp_path, minutes=5, device="cpu", pictures=4, first_seed=7)
    train_slice(recipe, plan)
    train_slice(recipe, plan)
    assert recipe.seeds[0] == 7
    assert recipe.seeds[1] > 7


def test_log_has_the_means_of_the_terms(tmp_path: Path) -> None:
    train_slice(Line(), Slice(folder=tmp_path, minutes=5, device="cpu"))
    (line,) = (tmp_path / "line.jsonl").read_text().splitlines()
    entry = json.loads(line)
    assert entry["step"] == 50
    assert entry["pictures"] == 100
    assert entry["distance"] > 0


def test_loss_that_is_not_finite_stops_and_spares_the_checkpoint(tmp_path: Path) -> None:
    plan = Slice(folder=tmp_path, minutes=5, device="cpu")
    train_slice(Line(), plan)
    before = weight(tmp_path / "line.pt", "network")
    with pytest.raises(FloatingPointError, match="distance"):
        train_slice(Line(break_at=5), plan)
    assert weight(tmp_path / "line.pt", "network") == before


def test_every_slice_leaves_a_record(tmp_path: Path) -> None:
    plan = Slice(folder=tmp_path, minutes=5, device="cpu")
    train_slice(Line(), plan)
    mixed = Slice(folder=tmp_path, minutes=5, device="cpu", data="a" * 64, share=0.5)
    first, second = train_slice(Line(), mixed).slices
    assert (first.first_seed, first.end_seed) == (1_000_000, 11_000_000)
    assert (second.first_seed, second.end_seed) == (11_000_000, 21_000_000)
    assert (first.pictures, second.pictures) == (120, 120)
    assert (first.data, second.data, second.share) == ("synthetic", "a" * 64, 0.5)


def test_checkpoint_from_before_records_goes_on(tmp_path: Path) -> None:
    plan = Slice(folder=tmp_path, minutes=5, device="cpu")
    train_slice(Line(), plan)
    file = tmp_path / "line.pt"
    state = torch.load(file, weights_only=True)
    del state["progress"]["slices"]
    torch.save(state, file)
    progress = train_slice(Line(), plan)
    assert progress.step == 120
    assert len(progress.slices) == 1
