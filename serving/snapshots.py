"""Snapshots: what is served, written down at each change, to be served again after a restart.

The files are TorchServe's: `<log_dir>/config/<time>-{startup,snapshot,shutdown}.cfg`, a
config.properties with the key `model_snapshot` beside those that the server was started with.
"""

import logging
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Literal

import msgspec

from serving.engine import Engine
from serving.kept_file import write_whole
from serving.properties import format_properties
from serving.registry.endpoint import Endpoint
from serving.settings import InvalidSettings, ServerSettings

__all__ = ("SnapshotModel", "Snapshots", "latest_snapshot", "read_snapshot")

SnapshotKind = Literal["startup", "snapshot", "shutdown"]

_log = logging.getLogger(__name__)


class SnapshotModel(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One version as a snapshot knows it.

    Attributes:
        default_version: whether it answers where none is named.
        mar_name: of its archive in the store.
        min_workers: that are kept.
        max_workers: that may be added.
        batch_size: most items of a batch.
        max_batch_delay: longest wait for company, milliseconds.
        response_timeout: longest work on one batch, seconds.
        startup_timeout: longest loading, seconds.
        slo_p99_ms: that is kept, milliseconds; None: none is; unset: TorchServe wrote it, which
            knows of none.
        runtime_type: "python".
    """

    default_version: bool
    mar_name: str
    min_workers: int
    max_workers: int
    batch_size: int
    max_batch_delay: int
    response_timeout: int
    startup_timeout: int
    slo_p99_ms: float | msgspec.UnsetType | None = msgspec.UNSET
    runtime_type: str = "python"


class _Snapshot(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    name: str
    model_count: int
    created: int
    models: dict[str, dict[str, SnapshotModel]]


class Snapshots:
    """Writes the snapshots of one server.

    Args:
        settings: whether, where, and what else stands in them.
        engine: what is served.
    """

    def __init__(self, settings: ServerSettings, engine: Engine) -> None:
        self._settings = settings
        self._engine = engine
        self._folder = Path(settings.log_dir) / "config"

    def save(self, kind: SnapshotKind = "snapshot") -> None:
        """Write down what is served; a disk that takes nothing is told in the log."""
        if not self._settings.snapshots or not self._settings.log_dir:
            return
        now = datetime.now()
        name = f"{now:%Y%m%d%H%M%S}{now.microsecond // 1000:03d}-{kind}.cfg"
        models = self._models()
        snapshot = _Snapshot(
            name=name,
            model_count=sum(map(len, models.values())),
            created=int(now.timestamp() * 1000),
            models=models,
        )
        text = msgspec.json.format(msgspec.json.encode(snapshot), indent=2).decode()
        values = {**self._settings.properties, "model_snapshot": text}
        try:
            saved = f"#Saving snapshot\n{format_properties(values)}"
            write_whole(self._folder / name, saved.encode())
        except OSError as error:
            _log.error("cannot write the snapshot %s: %s", self._folder / name, error.strerror)

    def _models(self) -> dict[str, dict[str, SnapshotModel]]:
        registry = self._engine.registry
        return {
            name: {
                endpoint.manifest.version: _describe(
                    endpoint,
                    is_default=endpoint.manifest.version == registry.default_version(name),
                )
                for endpoint in registry.versions(name)
            }
            for name in registry.names
        }


def latest_snapshot(log_dir: Path) -> Path | None:
    """Find the snapshot that was written last; None: there is none."""
    found = sorted((log_dir / "config").glob("[0-9]*-*.cfg"), key=lambda path: path.name)
    return found[-1] if found else None


def read_snapshot(text: str, store: Path) -> Iterator[tuple[str, SnapshotModel]]:
    """Read the key `model_snapshot`: the models' names and versions, in order.

    Raises:
        InvalidSettings: when it is no snapshot, or an archive is no longer in the store.
    """
    try:
        snapshot = msgspec.json.decode(text, type=_Snapshot)
    except msgspec.DecodeError as error:
        msg = f"model_snapshot: {error}"
        raise InvalidSettings(msg) from error
    for name, versions in snapshot.models.items():
        for version, model in versions.items():
            if "/" in model.mar_name or not (store / model.mar_name).exists():
                msg = (
                    f"Model archive file for model :{name}, version :{version} "
                    "not found in model store"
                )
                raise InvalidSettings(msg)
            yield name, model


def _describe(endpoint: Endpoint, *, is_default: bool) -> SnapshotModel:
    description = endpoint.describe()
    return SnapshotModel(
        default_version=is_default,
        mar_name=description.model_url.rstrip("/").rpartition("/")[2],
        min_workers=description.min_workers,
        max_workers=description.max_workers,
        batch_size=description.batch_size,
        max_batch_delay=description.max_batch_delay,
        response_timeout=description.response_timeout,
        startup_timeout=description.startup_timeout,
        slo_p99_ms=endpoint.config.slo_p99_ms,
        runtime_type=description.runtime,
    )
