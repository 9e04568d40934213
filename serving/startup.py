"""Startup: which archives are served from the beginning."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from serving.admission import RegisterRequest
from serving.archive.mar_manifest import is_torchserve
from serving.errors import ServingError
from serving.management import Management
from serving.settings import ServerSettings
from serving.snapshots import SnapshotModel, read_snapshot

__all__ = ("load_archives", "restore")

_SUFFIXES = (".mar", ".tar.gz", ".tgz", ".onnx", ".pt2")

_log = logging.getLogger(__name__)


async def load_archives(
    management: Management,
    settings: ServerSettings,
    is_withheld: Callable[[Path], bool] = lambda _: False,
) -> None:
    """Serve the archives that `load_models` names.

    Args:
        management: serves them.
        settings: name them.
        is_withheld: whether one is passed over, where all are named.

    Raises:
        ServingError: when one cannot be served; the reference says so in its log and goes on.
    """
    for request in _wanted(settings, is_withheld):
        try:
            await management.load(request)
        except ServingError as error:
            if settings.compat != "torchserve":
                raise
            _log.error("Failed to load model: %s: %s", request.url, error)


async def restore(management: Management, settings: ServerSettings, snapshot: str) -> None:
    """Serve what a snapshot says.

    Raises:
        InvalidSettings: when it is no snapshot, or an archive is no longer in the store.
        ServingError: when a model cannot be served; the reference says so in its log and goes on.
    """
    for name, model in list(read_snapshot(snapshot, Path(settings.models_dir))):
        try:
            found, version = await management.load(_request(name, model), _config(model))
            if model.default_version:
                await management.set_default(found, version)
        except ServingError as error:
            if settings.compat != "torchserve":
                raise
            _log.error("Failed to load model: %s: %s", name, error)


def _wanted(
    settings: ServerSettings, is_withheld: Callable[[Path], bool]
) -> Iterator[RegisterRequest]:
    if settings.load_models.lower() == "all":
        for path in sorted(Path(settings.models_dir).iterdir()):
            if _is_archive(path) and not is_withheld(path):
                yield RegisterRequest(url=path.name)
        return
    for text in settings.load_models.split(","):
        name, separator, url = text.strip().partition("=")
        if separator and url:
            yield RegisterRequest(url=url, model_name=name)
        elif name and not separator:
            yield RegisterRequest(url=name)


def _is_archive(path: Path) -> bool:
    """Whether it is a file or folder to register; our own folders are found by the engine."""
    if path.name.startswith("."):
        return False
    if path.is_dir():
        return is_torchserve(path)
    return path.name.endswith(_SUFFIXES)


def _request(name: str, model: SnapshotModel) -> RegisterRequest:
    return RegisterRequest(
        url=model.mar_name,
        model_name=name,
        batch_size=model.batch_size,
        max_batch_delay=model.max_batch_delay,
        response_timeout=model.response_timeout,
        startup_timeout=model.startup_timeout,
    )


def _config(model: SnapshotModel) -> dict[str, Any]:
    config: dict[str, Any] = {"min_workers": model.min_workers, "max_workers": model.max_workers}
    if not isinstance(model.slo_p99_ms, msgspec.UnsetType):
        config["slo_p99_ms"] = model.slo_p99_ms
    return config
