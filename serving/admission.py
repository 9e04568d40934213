"""Admission: from a request to serve an archive to the model on disk and how it is served."""

import asyncio
import atexit
import dataclasses
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from serving.archive.archive import Registration, open_archive
from serving.archive.fetch import fetch
from serving.archive.fetched import Fetched, FetchPolicy
from serving.archive.fetched import discard as discard_fetched
from serving.archive.stored import StoredModel, discard
from serving.errors import ArchiveNotFound, BadInput, Conflict, ServingError
from serving.model_config import ModelConfig
from serving.settings import ServerSettings

__all__ = ("Admission", "Admitted", "RegisterRequest")

_Table = Mapping[str, Any]
_RUNTIMES = ("python", "python3", "LSP")
_LEAST_S = 0.001
"""What TorchServe's clients mean by a time-out of 0, seconds."""


class RegisterRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What may be said when a model is registered; names are those of TorchServe's API.

    Attributes:
        url: name of an archive in the store, or its address.
        model_name: None: the archive's own.
        runtime: None: the archive's own.
        handler: None: the archive's own.
        batch_size: most items of a batch.
        max_batch_delay: longest wait for company, milliseconds.
        slo_p99_ms: of the latency, milliseconds; 0: none.
        initial_workers: processes that hold it from the beginning; below 0 is 0.
        synchronous: whether to answer when they have loaded it.
        response_timeout: longest work on one batch, seconds; below 0 is the default.
        startup_timeout: longest loading, seconds; below 0 is the default.
        s3_sse_kms: whether an S3 bucket is encrypted with a key of KMS; not offered here.
    """

    url: str | None = None
    model_name: str | None = None
    runtime: str | None = None
    handler: str | None = None
    batch_size: int | None = None
    max_batch_delay: int | None = None
    slo_p99_ms: int | None = None
    initial_workers: int | None = None
    synchronous: bool = True
    response_timeout: int | None = None
    startup_timeout: int | None = None
    s3_sse_kms: bool = False


@dataclass(frozen=True, slots=True)
class Admitted:
    """A model that may be served.

    Attributes:
        stored: the model on disk.
        config: how it is served.
    """

    stored: StoredModel
    config: ModelConfig


class Admission:
    """Finds, checks and unpacks what is to be served.

    Args:
        settings: the store, what may be fetched, how models are served.
    """

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._store = Path(settings.models_dir)
        self._is_reference = settings.compat == "torchserve"
        self._policy = FetchPolicy(
            allowed_urls=settings.allowed_urls,
            is_private_allowed=settings.allow_private_urls,
            follows_links=self._is_reference,
        )

    async def admit(
        self, request: RegisterRequest, under: _Table | None = None, over: _Table | None = None
    ) -> Admitted:
        """Bring an archive here, unpack it, and decide how it is served.

        Args:
            request: what is asked.
            under: fields of ModelConfig where neither the archive nor the request says anything.
            over: fields of ModelConfig that have the last word.

        Raises:
            BadInput: when the request asks for what there is not.
            ArchiveNotFound: when there is no such archive.
            FetchFailed: when it cannot be brought here, or must not be.
            InvalidModel: when it is no model.
        """
        fetched = await self.find(request)
        try:
            stored = await asyncio.to_thread(self._open, fetched.path, request)
        except BaseException:
            discard_fetched(fetched)
            raise
        stored = dataclasses.replace(stored, brought=fetched.path if fetched.is_new else None)
        return self._admitted(stored, request, under, over)

    async def admit_path(self, path: Path, request: RegisterRequest) -> Admitted:
        """Unpack what is on this machine, and decide how it is served.

        Args:
            path: an archive, a model's file or folder; nobody but the operator says which.
            request: what is asked, with the name that it is known by for its address.

        Raises:
            BadInput: when the settings do not fit it.
            InvalidModel: when it is no model.
        """
        stored = await asyncio.to_thread(self._open, path, request)
        return self._admitted(stored, request)

    def _admitted(
        self,
        stored: StoredModel,
        request: RegisterRequest,
        under: _Table | None = None,
        over: _Table | None = None,
    ) -> Admitted:
        try:
            return Admitted(stored, self.config(stored, request, under, over))
        except ServingError:
            discard(stored)
            raise

    def _open(self, path: Path, request: RegisterRequest) -> StoredModel:
        """Open an archive; the reference unpacks a file that is none to nothing, and lists that."""
        registration = self._registration(request)
        is_listed = self._is_reference and bool(request.model_name) and _is_junk(path)
        if not is_listed:
            return open_archive(path, self.work_dir, None, registration)
        empty = Path(tempfile.mkdtemp(prefix="junk-", dir=self.work_dir))
        handler = registration.default_handler or path.name
        nothing = dataclasses.replace(registration, default_handler=handler)
        return open_archive(empty, self.work_dir, None, nothing)

    async def find(self, request: RegisterRequest) -> Fetched:
        """Bring an archive here, whatever it holds.

        Raises:
            BadInput: when the request asks for what there is not.
            ArchiveNotFound: when there is no such archive.
            FetchFailed: when it cannot be brought here, or must not be.
        """
        url = _checked_url(request)
        if Path(url).is_absolute():
            url = Path(url).as_uri()
        try:
            return await fetch(url, self._store, self._policy)
        except Conflict as error:
            if self._is_reference:
                msg = f"Model file already exists {url.rpartition('/')[2]}"
                raise ServingError(msg) from error
            raise

    @cached_property
    def work_dir(self) -> Path:
        """Where archives are unpacked: a folder that nobody else may look into, gone at the end."""
        folder = Path(tempfile.mkdtemp(prefix="serving-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return folder

    @property
    def handler_options(self) -> dict[str, Any]:
        """What the handlers of TorchServe's archives are told of the settings."""
        settings = self._settings
        return {
            "service_envelope": settings.service_envelope,
            "decode_input_request": settings.decode_input_request,
            "limit_max_image_pixels": settings.limit_max_image_pixels,
            "compat": settings.compat,
            # Workers are at home in the model's folder.
            "metrics_config": str(Path(settings.metrics_config).absolute())
            if settings.metrics_config
            else "",
            "sequence_headers": settings.sequence_headers,
        }

    def _registration(self, request: RegisterRequest) -> Registration:
        settings = self._settings
        return Registration(
            url=request.url or "",
            name=request.model_name or "",
            handler=request.handler or "",
            default_handler=settings.default_service_handler,
            runtime=request.runtime or "",
            options=self.handler_options,
            is_installing=settings.install_py_dep_per_model,
        )

    def config(
        self,
        stored: StoredModel,
        request: RegisterRequest,
        under: _Table | None = None,
        over: _Table | None = None,
    ) -> ModelConfig:
        """Lay what is said over the settings of this model; the arguments are those of `admit`.

        Raises:
            BadInput: when a value is out of bounds.
        """
        manifest = stored.manifest
        config = self._settings.config_of(manifest.name, manifest.version)
        said = {**(under or {}), **stored.config, **_asked(request)}
        if self._is_reference and "min_workers" in stored.config:
            said["min_workers"] = stored.config["min_workers"]
        table = {**msgspec.structs.asdict(config), **said, **(over or {})}
        if (table["max_workers"] or 0) < table["min_workers"]:
            table["max_workers"] = table["min_workers"]
        try:
            return msgspec.convert(table, ModelConfig)
        except msgspec.ValidationError as error:
            msg = f"{manifest.name} cannot be served so: {error}"
            raise BadInput(msg) from error


def _checked_url(request: RegisterRequest) -> str:
    if request.url is None:
        raise BadInput("Parameter url is required.")
    if request.runtime is not None and request.runtime not in _RUNTIMES:
        msg = f"Invalid RuntimeType value: {request.runtime}"
        raise BadInput(msg)
    if request.s3_sse_kms:
        raise BadInput("archives in S3 are fetched by a presigned address, not with s3_sse_kms")
    if not request.url:
        raise ArchiveNotFound("empty url")
    if ".." in request.url:
        msg = f"Relative path is not allowed in url: {request.url}"
        raise ArchiveNotFound(msg)
    return request.url


def _is_junk(path: Path) -> bool:
    """Whether it is called an archive of TorchServe's and is none."""
    is_named_so = path.is_file() and path.name.endswith((".mar", ".tar.gz", ".tgz"))
    return is_named_so and not (zipfile.is_zipfile(path) or tarfile.is_tarfile(path))


def _asked(request: RegisterRequest) -> dict[str, Any]:
    """What a request says of how the model is served, as fields of ModelConfig."""
    said: dict[str, Any] = {}
    if request.batch_size is not None:
        said["batch_size"] = request.batch_size
    if request.max_batch_delay is not None:
        said["max_batch_delay_ms"] = request.max_batch_delay
    if request.slo_p99_ms is not None:
        said["slo_p99_ms"] = request.slo_p99_ms or None
    if request.initial_workers is not None:
        said["min_workers"] = max(request.initial_workers, 0)
    for field in ("response_timeout", "startup_timeout"):
        seconds = getattr(request, field)
        if seconds is not None and seconds >= 0:
            said[f"{field}_s"] = max(seconds, _LEAST_S)
    return said
