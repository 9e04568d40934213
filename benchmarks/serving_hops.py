"""Where does the time of a request to a model that does nothing go, hop by hop?

    python -m benchmarks.serving_hops

Starts the server with a watch at each hop, asks it as the benchmark of the no-op does, and prints
the mean of each hop in milliseconds for 1 and for 32 clients. A batch's hops count for each of its
requests, for each waits for all of them. What is left over of the client's time is the kernel's,
the event loop's and, where cores are few, waiting for a processor.
"""

import argparse
import asyncio
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.serving import picture
from benchmarks.serving_running import Place, Workload, free_ports, our_environment
from benchmarks.serving_servers import prepare_ours
from serving.app import serve
from serving.bench.load import Plan, build_request, run
from serving.http.call import Call
from serving.http.connection import Connection
from serving.observe.endpoint_metrics import EndpointMetrics
from serving.observe.statistics import BatchTimes
from serving.registry.traffic import Traffic
from serving.settings import read_settings

HOPS = ("parse", "queue", "batch wait", "ship", "compute", "reply")


class Watch:
    """Sums of the hops' times, seconds, and how many requests they are of; for one worker.

    Attributes:
        seconds: by hop. `parse`: from the last bytes of a request until it is counted as come.
            `queue`: while the worker is busy. `batch wait`: then, for company. `ship`: to the
            worker and back. `compute`: decoding, the model, encoding. `reply`: from the answer of
            the batch until the reply is handed to the event loop.
        count: of requests.
    """

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(HOPS, 0.0)
        self.count = 0
        self._read_at = self._answered_at = 0.0
        self._idle_since = self._size = 0.0

    def install(self) -> None:
        """Wrap what a request goes through."""
        self._before(Connection, "buffer_updated", self._read)
        self._before(Traffic, "enter", self._parsed)
        self._before(EndpointMetrics, "launched", self._launched)
        self._before(EndpointMetrics, "inferred", self._inferred)
        self._before(EndpointMetrics, "shipped", self._shipped)
        self._after(Call, "reply", self._replied)

    def _before(self, owner: type, name: str, note: Callable[..., None]) -> None:
        inner = getattr(owner, name)

        def watched(this: Any, *values: Any) -> Any:
            note(*values)
            return inner(this, *values)

        setattr(owner, name, watched)

    def _after(self, owner: type, name: str, note: Callable[[], None]) -> None:
        inner = getattr(owner, name)

        def watched(this: Any, *values: Any, **named: Any) -> None:
            inner(this, *values, **named)
            note()

        setattr(owner, name, watched)

    def _read(self, *_: object) -> None:
        self._read_at = time.perf_counter()

    def _parsed(self) -> None:
        self.seconds["parse"] += time.perf_counter() - self._read_at

    def _launched(self, waits_s: Sequence[float], *_: object) -> None:
        idle_s = time.monotonic() - self._idle_since
        for wait_s in waits_s:
            company_s = min(wait_s, idle_s)
            self.seconds["batch wait"] += company_s
            self.seconds["queue"] += wait_s - company_s

    def _inferred(self, times: BatchTimes, size: int, *_: object) -> None:
        self._answered_at, self._idle_since = time.perf_counter(), time.monotonic()
        self.seconds["compute"] += times.whole_s * size
        self._size = size

    def _shipped(self, seconds: float) -> None:
        self.seconds["ship"] += seconds * self._size

    def _replied(self) -> None:
        self.seconds["reply"] += time.perf_counter() - self._answered_at
        self.count += 1


async def serve_watched(config: Path) -> None:
    """Serve until SIGTERM; then print the hops."""
    watch = Watch()
    watch.install()
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await serve(read_settings(config, {}), stop, lambda _: print("ready", flush=True))
    print(json.dumps([watch.seconds, watch.count]))


def measure(clients: int, seconds: float) -> Mapping[str, float]:
    """The mean of each hop, milliseconds."""
    body = picture()
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder), free_ports())
        config = prepare_ours(place, Workload("noop", body))
        command = [sys.executable, "-m", "benchmarks.serving_hops", "--serve", str(config)]
        with subprocess.Popen(
            command, env=our_environment("noop"), stdout=subprocess.PIPE, text=True
        ) as server:
            output = server.stdout
            if output is None or output.readline() != "ready\n":
                raise SystemExit("the server does not start")
            request = build_request(f"127.0.0.1:{place.port}", "/predictions/noop", body, {})
            result = run(Plan(place.port, (request,), clients, seconds, warmup_s=0))
            server.terminate()
            sums, count = json.loads(output.read())
    hops = {hop: value / count * 1000 for hop, value in sums.items()}
    whole = sum(result.latencies_ms) / len(result.latencies_ms)
    return hops | {
        "kernel, loop, processor": whole - sum(hops.values()),
        "whole, at the client": whole,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=4.0, help="for each load")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        import uvloop

        uvloop.run(serve_watched(options.serve))
        return
    columns = {clients: measure(clients, options.seconds) for clients in (1, 32)}
    print("| hop, ms | c=1 | c=32 |\n|---|---:|---:|")
    for hop in columns[1]:
        print(f"| {hop} | {columns[1][hop]:.3f} | {columns[32][hop]:.3f} |")


if __name__ == "__main__":
    main()
