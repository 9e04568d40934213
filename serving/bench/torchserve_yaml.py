"""TorchServe's auto_benchmark files: the one that lists models, and those of the models.

What is followed: models, hardware, and of a model url, workers, batch_size, batch_delay, input,
requests, concurrency. Packages are not installed, nothing is uploaded, no command is run.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import yaml

from serving.bench.setting import Space
from serving.errors import ServingError, reason_of

__all__ = ("Benchmarks", "InvalidBenchmark", "Listed", "read_benchmarks")

_MOST_BYTES = 256 << 10
_FOLLOWED = frozenset(
    {"url", "workers", "batch_size", "batch_delay", "input", "requests", "concurrency"}
)
_HARDWARE = frozenset({"models", "hardware"})


class InvalidBenchmark(ServingError):
    """A file of benchmarks cannot be read, or a value in it is none."""

    code = "invalid_benchmark"


@dataclass(frozen=True)
class Listed:
    """One model in one mode.

    Attributes:
        group: `<mode>_<model>`, as its reports name it.
        url: of the archive.
        body: file that is sent, as it stands there.
        requests: of each case.
        space: batch sizes and workers, each with each.
    """

    group: str
    url: str
    body: Path
    requests: int
    space: Space


@dataclass(frozen=True)
class Benchmarks:
    """All that a file asks for.

    Attributes:
        hardware: for the title of the report.
        listed: the models.
        ignored: keys that are not followed.
    """

    hardware: str
    listed: tuple[Listed, ...]
    ignored: tuple[str, ...]


def read_benchmarks(path: Path) -> Benchmarks:
    """Read the file that lists models, or that of one model.

    Models' files are looked for beside it, and in `models_config` there, as auto_benchmark does.

    Raises:
        InvalidBenchmark: when a file cannot be read, or a value is none.
    """
    table = _read(path)
    if isinstance(table.get("models"), list):
        files = [_find(path.parent, str(name)) for name in table["models"]]
        ignored = {str(key) for key in table} - _HARDWARE
        hardware = str(table.get("hardware", "cpu"))
    else:
        files, ignored, hardware = [path], set(), "cpu"
    listed: list[Listed] = []
    for file in files:
        for group, case in _cases(_read(file), file):
            ignored |= {str(key) for key in case} - _FOLLOWED
            listed.append(_listed(group, case, file))
    return Benchmarks(hardware, tuple(listed), tuple(sorted(ignored)))


def _read(path: Path) -> Mapping[str, Any]:
    try:
        data = path.read_bytes()
        # The loader is a safe one.
        table = yaml.safe_load(data) if len(data) <= _MOST_BYTES else None
    except (OSError, yaml.YAMLError, RecursionError, ValueError) as error:
        msg = f"cannot read {path}: {reason_of(error)}"
        raise InvalidBenchmark(msg) from error
    if not isinstance(table, dict):
        msg = f"{path} must be a table of names and values, of at most {_MOST_BYTES} bytes"
        raise InvalidBenchmark(msg)
    return table


def _find(folder: Path, name: str) -> Path:
    places = (folder / name, folder / "models_config" / name)
    return next((place for place in places if place.is_file()), places[-1])


def _cases(table: Mapping[str, Any], path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for model, modes in table.items():
        for mode, case in (modes if isinstance(modes, dict) else {"": None}).items():
            if not isinstance(case, dict):
                msg = f"{path}: {model} must be a table of modes, each with url, workers, input ..."
                raise InvalidBenchmark(msg)
            yield f"{mode}_{model}", case


def _listed(group: str, case: Mapping[str, Any], path: Path) -> Listed:
    try:
        body = Path(str(case["input"]))
        if not body.is_absolute() and not body.exists():
            body = path.parent / body
        values = {
            "batch_size": _counts(case, "batch_size", 1),
            "max_batch_delay_ms": _counts(case, "batch_delay", 100, least=0),
            "workers": _counts(case, "workers", 1),
            "concurrency": _counts(case, "concurrency", 10),
        }
        space = msgspec.convert(values, Space)
        (requests,) = _counts(case, "requests", 1000)
        return Listed(group, str(case["url"]), body, requests, space)
    except KeyError as error:
        msg = f"{path}: {group} lacks {error.args[0]}"
        raise InvalidBenchmark(msg) from error
    except (ValueError, msgspec.ValidationError) as error:
        msg = f"{path}: {group}: {error}"
        raise InvalidBenchmark(msg) from error


def _counts(case: Mapping[str, Any], key: str, default: int, least: int = 1) -> tuple[int, ...]:
    """One number or several."""
    value = case.get(key, default)
    values = value if isinstance(value, list) else [value]
    if not values or any(type(n) is not int or n < least for n in values):
        msg = f"{key} must be whole numbers of at least {least}, not {value!r}"
        raise ValueError(msg)
    return tuple(values)
