"""The flags of the command `bench`; imports nothing heavy, so that --help answers at once."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

__all__ = ("DESCRIPTION", "EPILOG", "add_bench_options")

Value = TypeVar("Value")

DESCRIPTION = """\
Measures a model on a server, setting by setting, and finds the one with the most answers a second
inside your limits. The result is a page to read, a table, and a configuration to serve with.
"""

EPILOG = """\
Where there is no --url, a server is started for each setting, with this one model; with it, the
model of a running server (or of TorchServe) is scaled and registered anew, and put back at the end.

  the fastest setting whose p99 stays below 100 ms, of 48:
    serving bench --model echo --data picture.jpg --slo p99=100ms --slo errors=0.1%
        --batch-size 1,2,4,8 --max-batch-delay 0,5 --workers 1,2 --concurrency 1,8,32
    serving start --config bench/tuned.toml

  as many visitors as come, not as many as are answered (Poisson arrivals, 50 a second):
    serving bench --model echo --data picture.jpg --rate 50 --concurrency 256
  arrays in place of a file:
    serving bench --model digits --tensor image=digit.npy
  a server that runs:
    serving bench --url http://127.0.0.1:8080 --token KEY --model echo --data picture.jpg
  TorchServe's own file of benchmarks, unchanged:
    serving bench --input benchmark_config_cpu.yaml
  nothing became worse since (exit code 1 when it did):
    serving bench --model echo --data picture.jpg --output now --against bench

Search: "halving" tries every setting for a 25th of the time, the best fifth for a 5th, the best of
those for the whole; "grid" tries all for the whole time. Whatever is done is kept at once: after
Ctrl-C, or a crash, --resume goes on. Limits: p50, p90, p95, p99, p99.9, mean (ms, s), errors (%),
memory, gpu_memory (MB, GB), throughput (/s, at least).

A folder of results: report.html, report.md and ab_report.csv (TorchServe's columns), tuned.toml,
trials.jsonl (all numbers; what --against reads).
"""


def add_bench_options(parser: argparse.ArgumentParser) -> None:
    """Give a parser the flags of `bench`."""
    _add_subject(parser.add_argument_group("what is measured"))
    _add_space(parser.add_argument_group("settings that are tried, each with each"))
    _add_measuring(parser.add_argument_group("how it is measured"))
    _add_results(parser.add_argument_group("results"))


def _add_subject(group: "argparse._ArgumentGroup") -> None:
    add = group.add_argument
    add("--model", metavar="NAME", help="of the model")
    add("--models-dir", type=Path, metavar="DIR", help="where the model or its archive is (models)")
    add("--archive", default="", metavar="FILE", help="of that folder, or an http(s) address")
    add("--data", nargs="+", default=[], type=Path, metavar="FILE", help="bodies; they take turns")
    add("--content-type", default="application/octet-stream", metavar="TYPE", help="of the bodies")
    add(
        "--tensor",
        nargs="+",
        default=[],
        metavar="NAME=FILE",
        help="inputs of one request as arrays (.npy, or a picture), by the Open Inference Protocol",
    )
    add("--input", type=Path, metavar="FILE", help="auto_benchmark's YAML, or that of one model")
    add("--url", metavar="URL", help="inference of a server that runs")
    add("--management-url", metavar="URL", help="of it (the port above)")
    add("--metrics-url", metavar="URL", help="of it (two ports above)")
    add("--token", default="", metavar="KEY", help="for its management")


def _add_space(group: "argparse._ArgumentGroup") -> None:
    add = group.add_argument
    add("--device", type=listed(str), default=("",), metavar="LIST", help="cpu,cuda:0")
    add("--precision", type=listed(str), default=("",), metavar="LIST", help="fp32,fp16,bf16,int8")
    add(
        "--batch-size",
        type=listed(int),
        default=(1, 2, 4, 8, 16, 32),
        metavar="LIST",
        help="most items of a batch (1,2,4,8,16,32)",
    )
    add(
        "--max-batch-delay",
        type=listed(float),
        default=(5.0,),
        metavar="LIST",
        help="longest wait for company, ms (5)",
    )
    add("--workers", type=listed(int), default=(1, 2), metavar="LIST", help="processes (1,2)")
    add(
        "--concurrency",
        type=listed(int),
        default=(1, 8, 32),
        metavar="LIST",
        help="clients (1,8,32)",
    )
    add("--rate", type=listed(float), metavar="LIST", help="Poisson arrivals a second")


def _add_measuring(group: "argparse._ArgumentGroup") -> None:
    add = group.add_argument
    add("--slo", action="append", default=[], metavar="LIMIT", help="p99=100ms, errors=0.1%%, ...")
    add("--search", choices=("halving", "grid"), default="halving", help="see below (halving)")
    add("--seconds", type=positive, default=5.0, help="of one repeat (5)")
    add("--repeats", type=int, default=3, metavar="N", help="of a whole trial (3)")
    add("--warmup", type=float, default=1.0, metavar="SECONDS", help="before each trial (1)")
    add("--requests", type=int, metavar="N", help="of one repeat, where --seconds do not end it")
    add("--seed", type=int, default=1, metavar="N", help="of Poisson arrivals (1)")


def _add_results(group: "argparse._ArgumentGroup") -> None:
    add = group.add_argument
    add("--output", "-o", type=Path, default=Path("bench"), metavar="DIR", help="folder (bench)")
    add("--resume", action="store_true", help="go on with what is in it")
    add("--against", type=Path, metavar="DIR", help="folder of former results: is it worse?")
    add(
        "--tolerance",
        type=float,
        default=0.05,
        metavar="SHARE",
        help="of a change that is none (0.05)",
    )


def listed(kind: Callable[[str], Value]) -> Callable[[str], tuple[Value, ...]]:
    """What reads values with commas between them."""

    def read(text: str) -> tuple[Value, ...]:
        return tuple(kind(part.strip()) for part in text.split(",") if part.strip())

    read.__name__ = f"list of {kind.__name__}"
    return read


def positive(text: str) -> float:
    """A number above 0."""
    value = float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError("must be above 0")
    return value
