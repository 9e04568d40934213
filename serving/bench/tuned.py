"""Tuned: a setting as the server's own configuration file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serving.bench.limits import Limit
from serving.bench.setting import Setting

__all__ = ("Model", "server_config", "tuned_config")


@dataclass(frozen=True)
class Model:
    """What is measured.

    Attributes:
        name: in the URL.
        models_dir: the folder where it is.
        archive: its file in that folder, or its address; "" for a folder with a manifest.
    """

    name: str
    models_dir: Path
    archive: str = ""

    @property
    def is_remote(self) -> bool:
        """Whether its archive is an address."""
        return self.archive.startswith(("http://", "https://"))


def server_config(model: Model, setting: Setting, server: Mapping[str, Any]) -> str:
    """The TOML by which a server serves the model so.

    Args:
        model: which.
        setting: how it is served.
        server: other settings of the server, by name.
    """
    table: dict[str, Any] = {"models_dir": str(model.models_dir.absolute()), **server}
    if model.archive:
        table["load_models"] = f"{model.name}={model.archive}"
    served: dict[str, Any] = {
        "min_workers": setting.workers,
        "batch_size": setting.batch_size,
        "max_batch_delay_ms": setting.max_batch_delay_ms,
    }
    served |= {name: getattr(setting, name) for name in ("device", "precision")}
    return (
        f"{_table('serving', table)}\n{_table(f'serving.models.{json.dumps(model.name)}', served)}"
    )


def tuned_config(model: Model, setting: Setting, why: str, limits: Sequence[Limit] = ()) -> str:
    """The same as a file for people.

    Args:
        model: which.
        setting: the best.
        why: sentences about it, for comments.
        limits: that it keeps; one of the p99 is offered as what the server may keep by itself.
    """
    comments = "".join(f"# {line}\n" for line in why.splitlines())
    config = f"{comments}\n{server_config(model, setting, {})}"
    for bound in (limit.bound for limit in limits if limit.what == "p99"):
        config += "# So that it is kept whatever comes, without the hash (docs/self-tuning.md):\n"
        config += f"# slo_p99_ms = {bound:g}\n"
    return config


def _table(name: str, values: Mapping[str, Any]) -> str:
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items() if value != ""]
    return "\n".join([f"[{name}]", *lines, ""])
