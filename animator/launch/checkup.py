"""The checkup: what is here, and what is missing, for `animator doctor`."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
import pi_heif

import animator
from animator.core.errors import AnimatorError, StorageUnavailable
from animator.launch.address import why_not_free
from animator.launch.embedded_redis import find_redis_server, is_redis_up
from animator.launch.roles import Role, ports_of
from animator.render import WRITERS, encode
from animator.settings import Settings
from animator.store import LOOK, open_stores
from animator.vision.detect import DETECTOR
from animator.vision.keypoints import POSE_ESTIMATOR
from serving.archive.manifest import check_files
from serving.errors import ServingError
from serving.hardware import default_device, usable_cores
from serving.registry.repository import find_models

__all__ = ("Finding", "examine")

_PACKAGES = ("onnxruntime", "numpy", "opencv-python-headless", "av", "pillow", "litestar", "rq")
_TIGHT_MEMORY = 1.5
_TIGHT_DISK = 1.0


class Finding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that was looked at.

    Attributes:
        name: of the thing.
        state: "ok"; "note" for what works less well or not just now; "bad" for what must be mended.
        text: what was found, for people.
    """

    name: str
    state: Literal["ok", "note", "bad"]
    text: str


def examine(settings: Settings) -> tuple[Finding, ...]:
    """Look at the machine, the libraries and the models; nothing is changed."""
    checks: tuple[Callable[[Settings], Iterator[Finding]], ...] = (
        _check_versions,
        _check_machine,
        _check_gpu,
        _check_folders,
        _check_storage,
        _check_redis,
        _check_models,
        _check_ports,
        _check_formats,
    )
    return tuple(finding for check in checks for finding in check(settings))


def _check_versions(_settings: Settings) -> Iterator[Finding]:
    yield _ok("animator", f"{animator.__version__} on Python {sys.version.split()[0]}")
    found, missing = [], []
    for package in _PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            missing.append(package)
    yield _ok("libraries", ", ".join(found))
    if missing:
        yield _bad("libraries", f"not installed: {', '.join(missing)}")


def _check_machine(settings: Settings) -> Iterator[Finding]:
    yield _ok("cores", f"{usable_cores()}, {settings.job_workers} of them for jobs")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    state = _ok if memory >= _TIGHT_MEMORY else _note
    yield state("memory", f"{memory:.1f} GiB")


def _check_gpu(_settings: Settings) -> Iterator[Finding]:
    if not Path("/dev/nvidia0").exists():
        yield _ok("gpu", "none; the models run on the CPU")
    elif default_device() == "cpu":
        yield _note("gpu", "an NVIDIA GPU is here, but torch is not: pip install 'animator[torch]'")
    else:
        yield _ok("gpu", _name_gpu())


def _check_folders(settings: Settings) -> Iterator[Finding]:
    place = settings.data_dir
    while not place.exists():
        place = place.parent
    if not os.access(place, os.W_OK):
        yield _bad("data", f"{settings.data_dir} cannot be written; choose another: --data-dir")
        return
    free = shutil.disk_usage(place).free / 2**30
    state = _ok if free >= _TIGHT_DISK else _note
    yield state("data", f"{settings.data_dir}, {free:.1f} GiB free")
    if not (settings.web_dir / "index.html").is_file():
        yield _bad("page", f"no index.html in {settings.web_dir}")


def _check_storage(settings: Settings) -> Iterator[Finding]:
    if settings.store is None:
        return
    try:
        open_stores(settings.storage, LOOK).probe()
    except StorageUnavailable as error:
        yield _bad("store", error.reason)
    else:
        yield _ok("store", f"{settings.store} answers, and keeps conditions")


def _check_redis(settings: Settings) -> Iterator[Finding]:
    if settings.redis_url is not None:
        if is_redis_up(settings.redis_url):
            yield _ok("redis", "the one given answers")
        else:
            yield _bad("redis", "the one given (REDIS_URL) does not answer")
        return
    try:
        server = find_redis_server()
        answer = subprocess.run(
            (server, "--version"), capture_output=True, text=True, timeout=10, check=True
        )
    except (AnimatorError, OSError, subprocess.SubprocessError) as error:
        yield _bad("redis", f"the private one does not run: {error}")
        return
    running = "; it runs" if is_redis_up(settings.redis) else ""
    yield _ok("redis", f"private, {' '.join(answer.stdout.split()[:3])}{running}")


def _check_models(settings: Settings) -> Iterator[Finding]:
    try:
        models = find_models(settings.models_dir)
    except ServingError as error:
        yield _bad("models", error.message)
        return
    for model in models:
        manifest = model.manifest
        try:
            check_files(manifest, model.folder)
        except ServingError as error:
            yield _bad(f"model {manifest.name}", error.message)
        else:
            text = f"version {manifest.version}, {len(manifest.files)} files as the manifest says"
            yield _ok(f"model {manifest.name}", text)
    for name in {DETECTOR, POSE_ESTIMATOR} - {model.manifest.name for model in models}:
        yield _bad(f"model {name}", f"not in {settings.models_dir}")


def _check_ports(settings: Settings) -> Iterator[Finding]:
    places = ports_of(Role.ALL, settings).values()
    taken = [str(port) for host, port in places if why_not_free(host, port)]
    if taken:
        yield _note("ports", f"in use: {', '.join(taken)} (by Animator, if it runs)")
    else:
        yield _ok("ports", "free")


def _check_formats(_settings: Settings) -> Iterator[Finding]:
    decoders = pi_heif.libheif_info()["decoders"]
    yield (_ok if decoders else _bad)("heic", ", ".join(decoders.values()) or "cannot be read")
    frames = [np.full((16, 16, 4), shade, np.uint8) for shade in (255, 128)]
    for form in WRITERS:
        with tempfile.TemporaryDirectory() as folder:
            try:
                encode(iter(frames), 2.0, {form: Path(folder) / f"probe.{form}"})
            except AnimatorError as error:
                yield _bad(form.value, error.message)
            else:
                yield _ok(form.value, "can be written")


def _name_gpu() -> str:
    with suppress(OSError, subprocess.SubprocessError):
        query = (
            "nvidia-smi",
            "--query-gpu=name,memory.total,driver_version",
            "--format=csv,noheader",
        )
        answer = subprocess.run(query, capture_output=True, text=True, timeout=10, check=True)
        return "; ".join(answer.stdout.strip().splitlines())
    return "an NVIDIA GPU"


def _ok(name: str, text: str) -> Finding:
    return Finding(name=name, state="ok", text=text)


def _note(name: str, text: str) -> Finding:
    return Finding(name=name, state="note", text=text)


def _bad(name: str, text: str) -> Finding:
    return Finding(name=name, state="bad", text=text)
