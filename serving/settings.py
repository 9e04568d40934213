"""ServerSettings: what the server is told by its file and its environment."""

import importlib.util
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from serving.errors import ServingError

__all__ = ("InvalidSettings", "ModelConfig", "ServerSettings", "default_device", "read_settings")

_Port = Annotated[int, msgspec.Meta(ge=0, le=65535)]
_Count = Annotated[int, msgspec.Meta(ge=1)]
_Seconds = Annotated[float, msgspec.Meta(gt=0)]

_PREFIX = "SERVING_"


class InvalidSettings(ServingError):
    """A setting is unknown, or its value is out of bounds."""

    code = "invalid_settings"


class ModelConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How one model is served; what is None is taken from its manifest, or from the machine.

    Attributes:
        min_workers: processes that hold the model, >= 1.
        max_workers: processes that may be added while requests wait; None: none beyond the minimum.
        batch_size: most items of a batch; None: the manifest's.
        max_batch_delay_ms: longest wait for company, milliseconds; None: the manifest's.
        queue_size: most requests that wait; more are refused.
        default_timeout_s: for a request that names no time of its own, seconds.
        response_timeout_s: longest work on one batch, then the worker is replaced, seconds.
        startup_timeout_s: longest loading, seconds.
        threads: CPU threads for each worker; None: the cores shared out among `min_workers`.
        device: "cpu" or "cuda:N"; None: a GPU where there is one that can be used.
    """

    min_workers: _Count = 1
    max_workers: _Count | None = None
    batch_size: _Count | None = None
    max_batch_delay_ms: Annotated[float, msgspec.Meta(ge=0)] | None = None
    queue_size: _Count = 100
    default_timeout_s: _Seconds = 60.0
    response_timeout_s: _Seconds = 120.0
    startup_timeout_s: _Seconds = 120.0
    threads: _Count | None = None
    device: Annotated[str, msgspec.Meta(pattern=r"^(cpu|cuda:\d+)$")] | None = None


class ServerSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the server is told.

    Attributes:
        models_dir: a folder of model folders, each with a manifest.json.
        host: address of all listeners; models are code, so think before you open it.
        inference_port: 0 chooses a free one, as for the other two.
        management_port: read only: which models are served, and how they fare.
        metrics_port: Prometheus text.
        max_request_bytes: larger bodies are refused.
        defaults: how models are served that `models` does not name.
        models: by model name.
    """

    models_dir: str = "models"
    host: str = "127.0.0.1"
    inference_port: _Port = 8080
    management_port: _Port = 8081
    metrics_port: _Port = 8082
    max_request_bytes: _Count = 64 * 1024 * 1024
    defaults: ModelConfig = ModelConfig()
    models: dict[str, ModelConfig] = {}

    def config_of(self, model: str) -> ModelConfig:
        """How this model is served."""
        return self.models.get(model, self.defaults)


def read_settings(path: Path | None, environment: Mapping[str, str]) -> ServerSettings:
    """Read the table `[serving]` of a TOML file; the environment has the last word.

    `SERVING_HOST`, `SERVING_MODELS_DIR` and so on set the field of that name, and
    `SERVING_MIN_WORKERS` and the like set the default for all models.

    Raises:
        InvalidSettings: when the file cannot be read, or a setting is unknown or out of bounds.
    """
    try:
        table = _read_table(path) if path else {}
        _lay_over(table, environment)
        return msgspec.convert(table, ServerSettings, strict=False)
    except (OSError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        msg = f"{path or 'environment'}: {error}"
        raise InvalidSettings(msg) from error


def default_device() -> str:
    """Choose "cuda:0" where an NVIDIA GPU and torch are found, else "cpu"; imports nothing."""
    has_gpu = Path("/dev/nvidia0").exists() and importlib.util.find_spec("torch") is not None
    return "cuda:0" if has_gpu else "cpu"


def usable_cores() -> int:
    """Count the CPU cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _read_table(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        table = tomllib.load(file).get("serving", {})
    if not isinstance(table, dict):
        msg = "serving must be a table"
        raise msgspec.ValidationError(msg)
    return table


def _lay_over(table: dict[str, Any], environment: Mapping[str, str]) -> None:
    """Write what the environment says over what the file says."""
    own = {name for name in ServerSettings.__struct_fields__ if name not in {"defaults", "models"}}
    for variable, value in environment.items():
        field = variable.removeprefix(_PREFIX).lower()
        if not variable.startswith(_PREFIX):
            continue
        if field in own:
            table[field] = value
        elif field in ModelConfig.__struct_fields__:
            table.setdefault("defaults", {})[field] = value
