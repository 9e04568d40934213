"""Does the whole product hold for an hour, under mixed load and with a fault each minute?

    python -m benchmarks.soak --minutes 60 --seed 1              # --form parts, --every 10

Starts everything, has people and programs use all of it, injects a fault each minute in an order
that the seed decides, and looks every few seconds at memory, handles, processes and files. Every
accepted job stands in a ledger until it is known what became of it. Writes `soak.md`, `soak.json`
and the samples into a folder; exits with 1 when something does not hold.
"""

import argparse
import os
import platform
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import psutil

from benchmarks.soaking.disk import small_disk
from benchmarks.soaking.faults import FAULTS, Injected, inject, order
from benchmarks.soaking.ledger import Ledger
from benchmarks.soaking.people import come_and_go
from benchmarks.soaking.predictions import ask_now_and_then
from benchmarks.soaking.product import FORMS, ROOT, Product
from benchmarks.soaking.report import write
from benchmarks.soaking.sampling import Sampler, since
from benchmarks.soaking.verdict import Soaked, judge
from benchmarks.soaking.visit import Waiting
from benchmarks.soaking.world import Answers, World
from benchmarks.walk import DEFAULT_DATA, SUFFIXES

_DRAIN_S = 180.0
_LARGEST = 2_000_000
_PEOPLE, _PROGRAMS = 3, 1


def main() -> int:
    """Soak, judge, report."""
    options = _parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # and clean up
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="animator-soak-") as name:
        data = Path(name) / "data"
        with small_disk(data, options.disk_mb) as has_own_disk:
            product = Product(Path(name), data, options.form, options.models)
            try:
                soaked = soak(product, options, has_own_disk)
            finally:
                product.stop()
                for log in Path(name).glob("*.log"):
                    (options.output / log.name).write_bytes(log.read_bytes())
    findings = judge(soaked)
    print(write(options.output, _facts(options, has_own_disk), soaked, findings))
    return int(any(finding.holds == "no" for finding in findings))


def soak(product: Product, options: argparse.Namespace, has_own_disk: bool) -> Soaked:
    """Start, load, break, wait until all jobs are over, stop."""
    product.start()
    clock = since(time.monotonic())
    world = World(
        product=product,
        drawings=_read_drawings(options.data),
        ledger=Ledger(clock),
        answers=Answers(clock),
        waiting=Waiting(),
        done=threading.Event(),
        clock=clock,
        has_own_disk=has_own_disk,
    )
    sampler = Sampler(product, options.output / "samples.jsonl", clock)
    over = threading.Event()
    lasting = (
        lambda: product.watch(over),
        lambda: sampler.watch(over, options.sample_every),
        lambda: _look_after(world, over),
    )
    with _running(over, *lasting):
        with _running(world.done, *_load(world, options)):
            faults = _break(world, options)
        drain(world)
    family = [process for _, process in product.processes()]
    product.stop()
    return Soaked(
        entries=world.ledger.entries(),
        answers=world.answers.given,
        faults=faults,
        samples=sampler.samples,
        left=tuple(_what_is_left(product, family)),
    )


def _load(world: World, options: argparse.Namespace) -> Iterator[Callable[[], None]]:
    """People and programs, each with a seed of its own."""
    for number in range(_PEOPLE):
        rng = random.Random(f"{options.seed} person {number}")
        yield partial(come_and_go, world, rng, options.every * _PEOPLE)
    for number in range(_PROGRAMS):
        rng = random.Random(f"{options.seed} program {number}")
        yield partial(ask_now_and_then, world, rng, options.predict_every)


def _break(world: World, options: argparse.Namespace) -> list[Injected]:
    """A fault each minute, until the time is over."""
    rng, faults = random.Random(f"{options.seed} faults"), []
    names = order([name for name in FAULTS if name not in options.without], rng)
    minutes = 0
    while world.clock() < 60 * options.minutes:
        minutes += 1
        until = min(minutes * options.fault_every, 60 * options.minutes)
        time.sleep(max(until - world.clock(), 0.0))
        if options.fault_every and world.clock() < 60 * options.minutes - options.fault_every / 4:
            faults.append(inject(world, next(names), rng, options.back_within))
            _say(world, faults[-1])
    return faults


def _say(world: World, fault: Injected) -> None:
    entries = world.ledger.entries()
    over = sum(entry.fate != "open" for entry in entries)
    back = "not back" if fault.works is None else f"back after {fault.works:.1f} s"
    line = (
        f"{fault.begun:6.0f} s  {fault.name}: {fault.about}; {back}; {over} of {len(entries)} jobs"
    )
    print(line, file=sys.stderr, flush=True)


def _look_after(world: World, over: threading.Event) -> None:
    """Ask now and then for jobs whose people have left."""
    while not over.wait(2.0):
        world.waiting.look()


def drain(world: World) -> None:
    """Wait until every job is over; what is not after three minutes is lost."""
    until = time.monotonic() + _DRAIN_S
    while not _is_over(world) and time.monotonic() < until:
        time.sleep(1.0)
    world.ledger.lose_open()


def _is_over(world: World) -> bool:
    """Whether all jobs are; those of errands that faults began may still have people with them."""
    return not world.waiting.look() and all(e.fate != "open" for e in world.ledger.entries())


def _what_is_left(product: Product, family: list[psutil.Process]) -> Iterator[str]:
    _, alive = psutil.wait_procs(family, timeout=5)
    for process in alive:
        yield f"process {process.pid}"
    for folder in (product.temp, product.data / "scratch"):
        files = list(folder.rglob("*")) if folder.exists() else []
        if files:
            yield f"{len(files)} files in {folder.name}, such as {files[0].name}"


@contextmanager
def _running(end: threading.Event, *tasks: Callable[[], None]) -> Iterator[None]:
    """Each in a thread of its own; at the end all are told, and waited for."""
    threads = [threading.Thread(target=task, daemon=True) for task in tasks]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        end.set()
        for thread in threads:
            thread.join()


def _read_drawings(folder: Path) -> tuple[bytes, ...]:
    """Those of moderate size, in the order of their names."""
    files = sorted(file for file in folder.iterdir() if file.suffix.lower() in SUFFIXES)
    drawings = tuple(f.read_bytes() for f in files if f.stat().st_size <= _LARGEST)
    if not drawings:
        msg = f"There are no drawings in {folder}; name another folder by --data."
        raise SystemExit(msg)
    return drawings


def _facts(options: argparse.Namespace, has_own_disk: bool) -> Mapping[str, str]:
    return {
        "form": "one `animator serve`" if options.form == "whole" else "each part by itself",
        "minutes": f"{options.minutes:g}",
        "seed": str(options.seed),
        "errands": f"one every {options.every:g} s, a prediction every {options.predict_every:g} s",
        "faults": f"one every {options.fault_every:g} s",
        "disk": f"{options.disk_mb} MB of its own" if has_own_disk else "shared",
        "machine": f"{os.cpu_count()} cores, load {os.getloadavg()[1]:.1f}, "
        f"Python {platform.python_version()}",
    }


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--minutes", type=float, default=60.0, help="how long")
    add("--seed", type=int, default=1, help="decides what people do and what breaks, and when")
    add("--form", choices=FORMS, default="whole", help="one `animator serve`, or part by part")
    add("--every", type=float, default=10.0, help="mean seconds between two errands")
    add("--predict-every", type=float, default=4.0, help="mean seconds between two predictions")
    add("--fault-every", type=float, default=60.0, help="seconds between two faults")
    add("--without", nargs="*", default=[], choices=sorted(FAULTS), help="faults to leave out")
    add("--back-within", type=float, default=60.0, help="seconds for the service to be back")
    add("--sample-every", type=float, default=5.0, help="seconds between two looks")
    add(
        "--disk-mb",
        type=int,
        default=384,
        help="size of the data's disk, where one may mount; 0: none",
    )
    add("--data", type=Path, default=DEFAULT_DATA, help="folder of drawings")
    add("--models", type=Path, default=ROOT / "models", help="folder of models")
    add("--output", type=Path, default=Path("soak"), help="folder of the report")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
