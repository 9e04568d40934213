"""What does it cost the model server to be followed?

Three servers with a model that gives back what it gets: without traces, with a share of the
requests shown, and with all. Processor time of the server's process alone, for a request; in rounds
one after the other, so that what else the machine does falls on all alike.
"""

import argparse
import asyncio
import os
import statistics
from contextlib import ExitStack

import psutil

from tests.support_contract import Server, running_server
from tests.support_traces import collector

_BODY = b"hello"
_HEAD = b"POST /predictions/echo HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n" % len(_BODY)
_CLIENTS = 8
_LENGTH = b"content-length: "


async def ask(port: int, count: int) -> None:
    """Ask so many times, eight clients at once, each as soon as it has its answer."""

    async def ask_on() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(count // _CLIENTS):
            writer.write(_HEAD + _BODY)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            if not head.startswith(b"http/1.1 200 "):
                raise SystemExit(head.decode())
            await reader.readexactly(int(head.split(_LENGTH)[1].split(b"\r\n")[0]))
        writer.close()

    await asyncio.gather(*(ask_on() for _ in range(_CLIENTS)))


def spend(pid: int, server: Server, count: int) -> float:
    """Processor time of the server for a request, microseconds."""
    process, port = psutil.Process(pid), int(server.inference.rpartition(":")[2])
    before = process.cpu_times()
    asyncio.run(ask(port, count))
    after = process.cpu_times()
    return (after.user + after.system - before.user - before.system) / count * 1e6


def main() -> None:
    """Ask each server in turn, and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10, help="how often each is asked (10)")
    parser.add_argument("--count", type=int, default=10_000, help="requests in a round (10,000)")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        taken = stack.enter_context(collector())
        told = {"SERVING_TRACE_ENDPOINT": taken.url}
        settings: dict[str, dict[str, str]] = {
            "no traces": {},
            "one in a hundred shown": {**told, "SERVING_TRACE_SHARE": "0.01"},
            "all shown": told,
        }
        servers = {
            name: stack.enter_context(running_server(**said)) for name, said in settings.items()
        }
        spent: dict[str, list[float]] = {name: [] for name in servers}
        for number in range(arguments.rounds + 1):
            for name, (process, server) in servers.items():
                us = spend(process.pid, server, arguments.count)
                if number:  # the first warms up
                    spent[name].append(us)
            taken.spans.clear()
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores\n")
    print("| µs a request | least | median |\n|---|---:|---:|")
    for name, values in spent.items():
        print(f"| {name} | {min(values):.0f} | {statistics.median(values):.0f} |")


if __name__ == "__main__":
    main()
