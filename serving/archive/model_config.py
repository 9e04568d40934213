"""What a TorchServe archive's model-config.yaml asks of the server, as fields of ModelConfig."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from serving.errors import InvalidModel, reason_of

__all__ = ("config_from_yaml", "read_model_yaml")

_MOST_BYTES = 256 << 10
"""A configuration is no place for data, bytes."""

# Plain data only, as by safe_load; the one in C is several times as fast, and bounds the nesting.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_Convert = Callable[[Any], Any]


def _count(least: int) -> _Convert:
    def convert(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            msg = f"must be a whole number of at least {least}"
            raise ValueError(msg)
        return value

    return convert


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        msg = "must be true or false"
        raise ValueError(msg)
    return value


def _many(value: Any) -> int:
    """As many batches at a time as a queue holds by default, or one."""
    return 100 if _flag(value) else 1


def _milliseconds(value: Any) -> float | None:
    # TorchServe's 0 means no limit.
    return _count(0)(value) / 1000 or None


def _device(value: Any) -> str | None:
    if value == "cpu":
        return "cpu"
    if value == "gpu":
        return "cuda:0"
    msg = "must be cpu or gpu"
    raise ValueError(msg)


_FIELDS: dict[str, tuple[str, _Convert]] = {
    "minWorkers": ("min_workers", _count(1)),
    "maxWorkers": ("max_workers", _count(1)),
    "batchSize": ("batch_size", _count(1)),
    "maxBatchDelay": ("max_batch_delay_ms", _count(0)),
    # Ours; the reference takes no note of keys that it does not know.
    "sloP99Ms": ("slo_p99_ms", _count(1)),
    "responseTimeout": ("response_timeout_s", _count(1)),
    "startupTimeout": ("startup_timeout_s", _count(1)),
    "jobQueueSize": ("queue_size", _count(1)),
    "clientTimeoutInMills": ("default_timeout_s", _milliseconds),
    "deviceType": ("device", _device),
    "maxRetryTimeoutInSec": ("max_retry_timeout_s", _count(0)),
    "useJobTicket": ("use_job_ticket", _flag),
    "useVenv": ("use_venv", _flag),
    "continuousBatching": ("continuous_batching", _flag),
    "asyncCommunication": ("batches_at_once", _many),
    "sequenceBatching": ("sequence_batching", _flag),
    "sequenceMaxIdleMSec": ("sequence_max_idle_s", _milliseconds),
    "sequenceTimeoutMSec": ("sequence_timeout_s", _milliseconds),
    "maxSequenceJobQueueSize": ("sequence_queue_size", _count(1)),
    "maxNumSequence": ("max_sequences", _count(1)),
}
"""Key of the file to the field of ModelConfig and how its value is read.

Source: the keys that TorchServe 0.12.0's front end reads.
"""

_MAY_BE_UNLIMITED = ("sequence_max_idle_s", "sequence_timeout_s")

_PARALLEL = ("tp", "pp", "pptp")


def read_model_yaml(path: Path) -> dict[str, Any]:
    """Read a model-config.yaml; only plain data, no objects.

    Raises:
        InvalidModel: when it cannot be read, is too large, or is no table.
    """
    try:
        data = path.read_bytes()
        is_small = len(data) <= _MOST_BYTES
        # The loader is a safe one.
        table = yaml.load(data, Loader=_LOADER) if is_small else None  # nosec B506
    except (OSError, yaml.YAMLError, RecursionError, ValueError) as error:
        msg = f"cannot read {path.name}: {reason_of(error)}"
        raise InvalidModel(msg) from error
    if len(data) > _MOST_BYTES:
        msg = f"{path.name} has {len(data)} bytes, at most {_MOST_BYTES} are read"
        raise InvalidModel(msg)
    if table is None:
        return {}
    if not isinstance(table, dict):
        msg = f"{path.name} must be a table of names and values"
        raise InvalidModel(msg)
    return table


def config_from_yaml(table: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Translate what the server is asked; the rest of the file is the handler's.

    Returns:
        Fields of ModelConfig with their values, and a sentence for each key that is not followed.
    """
    config: dict[str, Any] = {}
    notes: list[str] = []
    for key, (field, convert) in _FIELDS.items():
        if key not in table:
            continue
        try:
            value = convert(table[key])
        except ValueError as error:
            notes.append(f"{key} is not followed: {error}, not {table[key]!r}")
            continue
        if value is not None or field in _MAY_BE_UNLIMITED:
            config[field] = value
    _choose_gpus(table, config, notes)
    _choose_processes(table, config, notes)
    return config, notes


def _choose_gpus(table: Mapping[str, Any], config: dict[str, Any], notes: list[str]) -> None:
    ids = table.get("deviceIds")
    if ids is None or config.get("device") == "cpu":
        return
    if isinstance(ids, list) and ids and all(type(n) is int and n >= 0 for n in ids):
        config["device_ids"] = tuple(ids)
        config["device"] = f"cuda:{ids[0]}"
    else:
        notes.append(f"deviceIds is not followed: must be a list of numbers, not {ids!r}")


def _choose_processes(table: Mapping[str, Any], config: dict[str, Any], notes: list[str]) -> None:
    """Read how many processes hold the model together; as in the reference, torchrun's number."""
    kind, run = table.get("parallelType"), table.get("torchrun", {})
    if kind is None or kind == "custom":
        # The handler itself starts what it needs, on the GPUs that it sees.
        return
    if kind not in _PARALLEL:
        notes.append(f"parallelType is not followed: must be one of {_PARALLEL}, not {kind!r}")
        return
    if not isinstance(run, dict) or run.get("nnodes", 1) != 1:
        notes.append("torchrun is not followed: must be a table, of one node")
        return
    said = {"processes": run.get("nproc-per-node", table.get("parallelLevel", 1))}
    if "OMP_NUMBER_THREADS" in run:
        said["threads"] = run["OMP_NUMBER_THREADS"]
    try:
        config |= {"parallel": kind, **{name: _count(1)(value) for name, value in said.items()}}
    except ValueError as error:
        notes.append(f"torchrun is not followed: its numbers {error}")
