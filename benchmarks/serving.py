"""How fast is the model server, beside Triton, TorchServe and LitServe, on this machine, now?

    python -m benchmarks.serving noop --peers DIR

Prints Markdown: for each server and setting the requests a second, the median and the 99th
percentile of the latency, and the processor time of all its processes for each request, by the
number of clients; the time from the command to the first good answer; the memory; and for this
server the batches, by size and by why they left. Servers take turns in each round, so that whatever
else the machine does hits all alike; cells are medians over the rounds.

The peers are those found in DIR: virtual environments named venv-triton (nvidia-pytriton),
venv-litserve (litserve, python-multipart) and venv-torchserve (torchserve 0.12; Java on the path),
with torch for the cases that need it. What is not found is left out.
"""

import argparse
import json
import os
import platform
import random
import re
import signal
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path

from PIL import Image

from benchmarks.serving_running import Running, Server, Workload
from benchmarks.serving_servers import find_servers
from serving.bench.load import Plan, build_request, run

OURS = "serving"
CLIENTS = (1, 8, 32)


@dataclass(frozen=True)
class Entry:
    """A server with a setting: one line of the table."""

    server: str
    work: Workload
    note: str = ""


@dataclass
class Line:
    """What was measured of an entry, a value for each round."""

    starts_s: list[float] = field(default_factory=list)
    resident_mb: list[float] = field(default_factory=list)
    proportional_mb: list[float] = field(default_factory=list)
    cells: dict[str, list[dict[str, float]]] = field(default_factory=lambda: defaultdict(list))
    batches: str = ""
    problem: str = ""


def picture(size: tuple[int, int] = (640, 480)) -> bytes:
    """A JPEG of about 50 KB, the same each time."""
    chance = random.Random(0)
    small = Image.frombytes("RGB", (40, 30), chance.randbytes(40 * 30 * 3))
    noise = Image.frombytes(
        "L", size, bytes(chance.randrange(28) for _ in range(size[0] * size[1]))
    )
    image = Image.blend(small.resize(size, Image.Resampling.BICUBIC), noise.convert("RGB"), 0.35)
    data = BytesIO()
    image.save(data, "JPEG", quality=82)
    return data.getvalue()


def entries(case: str, body: bytes, *, is_busy: bool = False) -> list[Entry]:
    """What is compared in a case."""
    work = Workload(case, body)
    alone = replace(work, batch_size=1, delay_ms=0)
    ten = replace(work, delay_ms=10)
    if case == "noop":
        return [
            Entry("serving", work, "batch 8, 5 ms"),
            Entry("serving", replace(work, workers=2), "batch 8, 5 ms, 2 workers"),
            Entry("serving, v2", work, "batch 8, 5 ms"),
            Entry("serving, .mar", work, "batch 8, 5 ms"),
            Entry("Triton", alone, "batch 1"),
            Entry("Triton", replace(work, delay_ms=0), "batch 8, 0 ms"),
            Entry("TorchServe", alone, "batch 1"),
            Entry("TorchServe", ten, "batch 8, 10 ms"),
            Entry("TorchServe", replace(ten, workers=2), "batch 8, 10 ms, 2 workers"),
            Entry("TorchServe", replace(work, delay_ms=100), "batch 8, 100 ms: its default"),
            Entry("LitServe", work, "batch 8, 5 ms"),
        ]
    if case == "mlp":
        return [Entry(name, work, "batch 8, 5 ms") for name in ("serving", "Triton", "LitServe")]
    two = replace(work, workers=2)
    compared = [
        Entry("serving, .mar", work, "batch 8, 1 worker"),
        Entry("serving, .mar", two, "batch 8, 2 workers"),
        Entry("serving, .mar", replace(two, batch_size=1), "batch 1, 2 workers"),
        Entry("TorchServe", replace(two, batch_size=1), "batch 1, 2 workers"),
        Entry("TorchServe", two, "batch 8, 2 workers"),
    ]
    if not is_busy:  # with less than a core for each of its threads it hardly answers
        default = replace(work, batch_size=1, threads=None)
        compared.append(Entry("TorchServe", default, "batch 1, 1 worker, its own threads"))
    return compared


def plans(case: str, seconds: float) -> Mapping[str, Plan]:
    """The loads of a case, by their names in the table; ports and requests are filled in later."""
    closed = {f"{n}": Plan(0, (), n, seconds) for n in CLIENTS}
    if case == "mlp":
        for rate in (60, 120):
            closed[f"{rate}/s"] = Plan(0, (), 256, seconds, rate=rate)
    if case == "maskrcnn":
        # A heavy model gets a fixed count: what a load that is cut off leaves behind is computed.
        return {
            name: replace(plan, seconds=120, warmup_s=0, count=max(8, min(2 * plan.clients, 32)))
            for name, plan in closed.items()
        }
    return closed


def measure(server: Server, entry: Entry, loads: Mapping[str, Plan], line: Line) -> None:
    """Start a server, load it, end it."""
    with closing_server(server, entry.work) as running:
        line.starts_s.append(running.start_s)
        place = f"127.0.0.1:{running.port}"
        request = build_request(place, running.path, running.body, running.headers)
        for name, plan in loads.items():
            before_s = running.cpu_s()
            result = run(replace(plan, port=running.port, requests=(request,)))
            answers = sum(result.statuses.values())
            bad = sum(count for status, count in result.statuses.items() if status != 200)
            cell = {
                "rate": result.rate,
                "p50": result.percentile(50),
                "p99": result.percentile(99),
                "cpu_ms": (running.cpu_s() - before_s) * 1000 / max(answers, 1),
                "failed": bad + result.broken,
            }
            line.cells[name].append(cell)
        line.resident_mb.append(running.resident_mb())
        line.proportional_mb.append(running.proportional_mb())
        if entry.server.startswith(OURS):
            line.batches = batches(running.metrics())


@contextmanager
def closing_server(server: Server, work: Workload) -> Iterator[Running]:
    """A server for a while."""
    running = Running(server, work)
    try:
        yield running
    finally:
        running.stop()


def batches(metrics: str) -> str:
    """Sizes of batches, and why they left, from this server's metrics."""
    sizes: list[str] = []
    below = 0.0
    for bound, count in re.findall(
        r'serving_batch_size_bucket\{[^}]*le="([^"]+)"[^}]*\} (\S+)', metrics
    ):
        if float(count) > below and bound != "+Inf":
            sizes.append(f"<= {float(bound):g}: {float(count) - below:.0f}")
        below = float(count)
    reasons = re.findall(r'serving_batches_total\{[^}]*reason="([^"]+)"[^}]*\} (\S+)', metrics)
    why = ", ".join(f"{reason} {float(count):.0f}" for reason, count in reasons)
    return f"sizes {', '.join(sizes)}; left because: {why}"


def table(lines: Mapping[Entry, Line], loads: Iterable[str]) -> str:
    """The lines as Markdown."""
    head = ["server", "setting", "start s", "MB RSS / PSS"]
    head += [f"c={name}" if name.isdigit() else f"Poisson {name}" for name in loads]
    rows = [head, ["---"] * len(head)]
    for entry, line in lines.items():
        if line.problem:
            rows.append([entry.server, entry.note, line.problem, "", *("" for _ in loads)])
            continue
        memory = f"{median(line.resident_mb):.0f} / {median(line.proportional_mb):.0f}"
        cells = [tell_cell(line.cells[name]) for name in loads]
        rows.append([entry.server, entry.note, f"{median(line.starts_s):.1f}", memory, *cells])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def tell_cell(rounds: Sequence[Mapping[str, float]]) -> str:
    """Rate, median / 99th percentile, processor time."""
    rate, p50, p99, cpu = (
        median(r[key] for r in rounds) for key in ("rate", "p50", "p99", "cpu_ms")
    )
    failed = sum(r["failed"] for r in rounds)
    text = f"**{rate:.{0 if rate >= 100 else 1}f}**/s, {p50:.2f} / {p99:.1f} ms, {cpu:.3g} CPU ms"
    return text + (f", {failed:.0f} failed" if failed else "")


def ratios(lines: Mapping[Entry, Line], loads: Iterable[str]) -> str:
    """This server's best line beside each peer's best, load by load."""
    rows = [["load", "serving", "peer", "rate", "p99", "CPU"], ["---"] * 6]
    for load in loads:
        best = {
            name: max(rounds, key=lambda cell: cell["rate"])
            for name, rounds in _by_server(lines, load).items()
        }
        if OURS not in best:
            continue
        ours = best.pop(OURS)
        for name, cell in best.items():
            shares = [_share(ours[key], cell[key]) for key in ("rate", "p99", "cpu_ms")]
            rows.append([load, f"{ours['rate']:.0f}/s", f"{name} {cell['rate']:.0f}/s", *shares])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _share(ours: float, theirs: float) -> str:
    return f"{ours / theirs:.2f}" if theirs else "-"


def _by_server(lines: Mapping[Entry, Line], load: str) -> dict[str, list[dict[str, float]]]:
    """Each setting's medians, by the server's name."""
    found: dict[str, list[dict[str, float]]] = defaultdict(list)
    for entry, line in lines.items():
        rounds = line.cells.get(load)
        if rounds:
            medians = {key: median(cell[key] for cell in rounds) for key in rounds[0]}
            found[entry.server.partition(",")[0]].append(medians)
    return found


def median(values: Iterable[float]) -> float:
    """Of any numbers; not a number when there are none."""
    found = list(values)
    return statistics.median(found) if found else float("nan")


@contextmanager
def busy_core(is_wanted: bool) -> Iterator[None]:
    """Another process that takes all it gets."""
    if not is_wanted:
        yield
        return
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as other:
        try:
            yield
        finally:
            other.kill()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("case", choices=("noop", "mlp", "maskrcnn"))
    add("--peers", type=Path, help="folder of the peers' virtual environments")
    add("--only", nargs="*", default=[], help="servers, by how their names begin")
    add("--rounds", type=int, default=3)
    add("--seconds", type=float, default=4.0, help="for each load")
    add("--busy", action="store_true", help="while another process takes one core")
    add("--json", type=Path, help="file for all the numbers")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what was started is ended
    servers = {server.name: server for server in find_servers(options.peers, options.only)}
    loads = plans(options.case, options.seconds)
    wanted = [
        e for e in entries(options.case, picture(), is_busy=options.busy) if e.server in servers
    ]
    lines = {entry: Line() for entry in wanted}
    with busy_core(options.busy):
        for _ in range(options.rounds):
            for entry, line in lines.items():
                try:
                    measure(servers[entry.server], entry, loads, line)
                except RuntimeError as error:
                    line.problem = " ".join(str(error).split())[:200]
    print(
        f"{options.case}, {len(picture())} byte body, {os.cpu_count()} cores, {platform.machine()},"
    )
    print(f"load of the machine {os.getloadavg()[0]:.1f}, {options.rounds} rounds\n")
    print(table(lines, loads), ratios(lines, loads), sep="\n\n", end="\n\n")
    for entry, line in lines.items():
        if line.batches:
            print(f"- {entry.server}, {entry.note}: {line.batches}")
    if options.json:
        found = {f"{e.server}, {e.note}": line.__dict__ for e, line in lines.items()}
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
