"""Setting and Space: one point to be tried, and all of them."""

from collections.abc import Iterator
from itertools import product
from typing import Annotated, Literal

import msgspec

from serving.bench.wording import counted

__all__ = ("Precision", "Setting", "Space")

Precision = Literal["fp32", "fp16", "bf16", "int8"]

_Count = Annotated[int, msgspec.Meta(ge=1, le=4096)]
_Delay = Annotated[float, msgspec.Meta(ge=0, le=60_000)]


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """How a model is served, and how it is asked.

    Attributes:
        device: "cpu" or "cuda:N"; "" for what the server chooses.
        precision: of the network; "" for the model's own.
        batch_size: most items of a batch.
        max_batch_delay_ms: longest wait for company.
        workers: processes that hold the model.
        concurrency: clients, or in an open loop the most connections there may be.
        rate: arrivals a second; None: a closed loop.
    """

    device: str = ""
    precision: Precision | Literal[""] = ""
    batch_size: _Count = 1
    max_batch_delay_ms: _Delay = 0.0
    workers: _Count = 1
    concurrency: _Count = 1
    rate: Annotated[float, msgspec.Meta(gt=0)] | None = None

    @property
    def served(self) -> "Setting":
        """The part that the server is told; equal ones need no change of it."""
        return msgspec.structs.replace(self, concurrency=1, rate=None)

    @property
    def load(self) -> float:
        """How much is asked: arrivals a second, or clients."""
        return self.rate or float(self.concurrency)

    @property
    def name(self) -> str:
        """In words, for people."""
        words = [self.device, self.precision, f"batch {self.batch_size}"]
        words.append(f"delay {self.max_batch_delay_ms:g} ms")
        words.append(counted(self.workers, "worker"))
        asked = f"{self.rate:g}/s" if self.rate else counted(self.concurrency, "client")
        return ", ".join([*filter(None, words), asked])


class Space(msgspec.Struct, frozen=True, kw_only=True):
    """The values of each field of `Setting` that are tried, each with each."""

    device: tuple[str, ...] = ("",)
    precision: tuple[Precision | Literal[""], ...] = ("",)
    batch_size: tuple[_Count, ...] = (1, 2, 4, 8, 16, 32)
    max_batch_delay_ms: tuple[_Delay, ...] = (5.0,)
    workers: tuple[_Count, ...] = (1, 2)
    concurrency: tuple[_Count, ...] = (1, 8, 32)
    rate: tuple[float | None, ...] = (None,)

    def grid(self) -> Iterator[Setting]:
        """All settings; those that differ only in how much is asked follow each other, rising.

        A batch of one waits for nobody, so that its delays are not told apart.
        """
        seen = set()
        loads = product(sorted(self.rate, key=lambda rate: rate or 0), sorted(self.concurrency))
        asked = list(loads)
        served = product(
            self.device, self.precision, self.workers, self.batch_size, self.max_batch_delay_ms
        )
        for device, precision, workers, batch_size, delay_ms in served:
            for rate, concurrency in asked:
                setting = Setting(
                    device=device,
                    precision=precision,
                    workers=workers,
                    batch_size=batch_size,
                    max_batch_delay_ms=delay_ms if batch_size > 1 else 0.0,
                    concurrency=concurrency,
                    rate=rate,
                )
                if setting not in seen:
                    seen.add(setting)
                    yield setting
