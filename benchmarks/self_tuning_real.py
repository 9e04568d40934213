"""Self-tuning on a real server: bursts from the load generator, a model that sleeps by a law.

What it sleeps costs no processor, so that a busy machine disturbs little but the server itself.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from benchmarks.self_tuning_simulation import Model, Policy, simulate
from benchmarks.self_tuning_traffic import bursty
from serving.batching.pending import BatchLimits
from serving.bench.load import Plan, build_request, run
from serving.bench.measured import measure
from serving.bench.ports import free_ports
from serving.bench.stages import read_histogram
from serving.bench.usage import family_of

__all__ = ("run_real",)

MODEL = Model(fixed_s=0.030, each_s=0.005, most=32)
SLO_S = 0.25
SECONDS, WARM_UP_S = 40.0, 3.0
_START_S = 30.0

_HANDLER = f"""
import time

class Sleeper:
    def load(self, context):
        pass

    def decode(self, body):
        return {{}}

    def encode(self, outputs):
        return "ok"

    def infer(self, batch):
        time.sleep({MODEL.fixed_s} + {MODEL.each_s} * len(batch))
        return list(batch)
"""

_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "self-tuned": {"batch_size": 32, "queue_size": 1000, "slo_p99_ms": SLO_S * 1000},
    "batch 32, queue 1000": {"batch_size": 32, "queue_size": 1000},
    "batch 1, queue 8": {"batch_size": 1, "queue_size": 8},
}


def run_real() -> None:
    """Ask a server of each setting the same; print what came, as Markdown."""
    moments = bursty(MODEL.capacity(SLO_S), SECONDS + WARM_UP_S, seed=1)
    best = _best_fixed(moments)
    settings = {"self-tuned": _SETTINGS["self-tuned"]}
    settings[f"batch {best.size}, queue {best.queue_size}: best, simulated"] = {
        "batch_size": best.size,
        "queue_size": best.queue_size,
        "batch_wait": "never",
    }
    settings |= _SETTINGS
    print(
        f"{len(moments) / moments[-1]:.0f} requests a second in bursts, SLO {SLO_S * 1000:g} ms\n"
    )
    print(
        "| setting | in time /s | p50 ms | p99 ms | refused | late by the server's clock "
        "| CPU ms a request |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, setting in settings.items():
        with _served(setting) as (ports, process):
            print(f"| {name} | {_measured(ports, process, moments)} |")
    limits = BatchLimits(size=32, delay_s=0.005, queue_size=1000, slo_s=SLO_S)
    outcome = simulate(MODEL, moments, Policy("self-tuned", limits), 1)
    print(f"\nself-tuned, simulated: {outcome.goodput(SLO_S):.1f} /s in time, ", end="")
    print(f"p99 {outcome.percentile(99) * 1000:.0f} ms, {outcome.refused:.1%} refused")


def _best_fixed(moments: list[float]) -> BatchLimits:
    """By simulation of the same traffic, without delays: batches form while others run."""
    grid = [
        BatchLimits(size=size, delay_s=0.0, queue_size=queue, wait="never")
        for size in (4, 8, 16, 24, 32)
        for queue in (8, 12, 16, 20, 24, 32, 48)
    ]

    def goodput(limits: BatchLimits) -> float:
        return simulate(MODEL, moments, Policy("", limits), 1).goodput(SLO_S)

    return max(grid, key=goodput)


def _measured(ports: tuple[int, ...], process: int, moments: list[float]) -> str:
    """Cells of the table."""
    port = ports[0]
    request = build_request(f"127.0.0.1:{port}", "/predictions/sleeper", b"x", {})
    plan = Plan(
        port=port,
        requests=(request,),
        clients=1000,
        seconds=SECONDS,
        warmup_s=WARM_UP_S,
        rate=len(moments) / moments[-1],
        moments=tuple(moments),
    )
    before_s = _cpu_s(process)
    result = run(plan)
    measured = measure(result, SLO_S * 1000)
    cpu_ms = (_cpu_s(process) - before_s) * 1000 / len(moments)
    in_time = sum(latency <= SLO_S * 1000 for latency in result.latencies_ms)
    return (
        f"{in_time / measured.seconds:.1f} | {measured.p50_ms or 0:.0f} | "
        f"{measured.p99_ms or 0:.0f} | {measured.errors:.1%} | {_late(ports[2]):.1%} | {cpu_ms:.2f}"
    )


def _late(port: int) -> float:
    """Share of the answers that came after the SLO, which is a bound of the histogram."""
    text = httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=10).text
    seconds = read_histogram(text, "serving_request_seconds", {"model_name": "sleeper"})
    answered = re.search(r'^serving_requests_total\{.*result="ok"\} (\S+)$', text, re.MULTILINE)
    late = seconds.count - seconds.buckets[SLO_S]
    return late / float(answered[1]) if answered else 0.0


def _cpu_s(process: int) -> float:
    return sum(sum(each.cpu_times()[:2]) for each in family_of(process))


@contextmanager
def _served(setting: Mapping[str, Any]) -> Iterator[tuple[tuple[int, ...], int]]:
    """A server with the sleeper, set so: its ports and its process."""
    ports = inference, management, metrics = free_ports(3)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sleeper").mkdir()
        manifest = {"name": "sleeper", "version": "1", "handler": "handler.py:Sleeper"}
        (folder / "sleeper" / "manifest.json").write_text(json.dumps(manifest))
        (folder / "sleeper" / "handler.py").write_text(_HANDLER)
        config = folder / "serving.toml"
        lines = [f"{key} = {json.dumps(value)}" for key, value in setting.items()]
        config.write_text(
            f'[serving]\nmodels_dir = "{folder}"\nenable_grpc = false\n'
            f"inference_port = {inference}\nmanagement_port = {management}\n"
            f'metrics_port = {metrics}\ntoken_authorization = "off"\n[serving.defaults]\n'
            + "\n".join(lines)
        )
        command = [sys.executable, "-m", "serving", "start", "--config", str(config)]
        with subprocess.Popen(
            [*command, "--log-level", "warning"],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
            cwd=folder,
        ) as process:
            try:
                _await(f"http://127.0.0.1:{inference}/v2/health/ready", process)
                yield ports, process.pid
            finally:
                process.send_signal(signal.SIGTERM)


def _await(url: str, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + _START_S
    while time.monotonic() < until and process.poll() is None:
        with suppress(httpx.HTTPError):
            if httpx.get(url, timeout=5).is_success:
                return
        time.sleep(0.05)
    msg = "the server does not start"
    raise RuntimeError(msg)
