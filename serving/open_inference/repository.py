"""The model repository extension: which models there are, loading and unloading them."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from serving.archive.stored import StoredModel
from serving.audit.log import AuditLog
from serving.engine import Engine
from serving.errors import BadInput, ModelNotFound, NotAllowed
from serving.registry.endpoint import Endpoint
from serving.registry.repository import find_models
from serving.settings import ServerSettings

__all__ = ("ModelIndex", "ModelRepository")


class ModelIndex(msgspec.Struct, frozen=True, kw_only=True):
    """One version of a model, loaded or not.

    Attributes:
        name: of the model.
        version: of it.
        state: "READY", "LOADING" or "UNAVAILABLE".
        reason: why it is not ready.
    """

    name: str
    version: str
    state: str
    reason: str = ""


class ModelRepository:
    """The folder of models, seen through the extension.

    Args:
        engine: loads and unloads.
        settings: where the folder is; whether models may be loaded and unloaded.
        audit: takes note of each change.
    """

    def __init__(self, engine: Engine, settings: ServerSettings, audit: AuditLog) -> None:
        self._engine = engine
        self._audit = audit
        self._settings = settings

    async def index(self, *, ready: bool = False) -> Sequence[ModelIndex]:
        """List every version that is served or lies in the folder; or only those that are ready.

        Raises:
            InvalidModel: when the folder cannot be read.
        """
        served = [_index_of(endpoint) for endpoint in self._engine.registry.endpoints]
        if ready:
            return [each for each in served if each.state == "READY"]
        known = {(each.name, each.version) for each in served}
        stored = [
            ModelIndex(name=name, version=version, state="UNAVAILABLE", reason="not loaded")
            for name, version in _names(await self._stored())
            if (name, version) not in known
        ]
        return sorted([*served, *stored], key=lambda each: (each.name, each.version))

    async def load(
        self, name: str, version: str = "", parameters: Mapping[str, object] | None = None
    ) -> None:
        """Load a model's versions from the folder; those that are served are loaded anew.

        Raises:
            NotAllowed: unless the settings allow it.
            BadInput: when a parameter is given: other configurations and files are not taken.
            ModelNotFound: when the folder has no such model or version.
            InvalidModel: when it cannot be loaded; what was served before goes on.
        """
        async with self._audit.change("load", name, version) as change:
            change.before = self._engine.registry.state_of(name)
            await self._load_asked(name, version, parameters)
            change.after = self._engine.registry.state_of(name)

    async def _load_asked(
        self, name: str, version: str, parameters: Mapping[str, object] | None
    ) -> None:
        self._check_allowed()
        if parameters:
            msg = f"a model is loaded as it lies in the folder, without {', '.join(parameters)}"
            raise BadInput(msg)
        found = [model for model in await self._stored() if _is_asked(model, name, version)]
        if not found:
            msg = f"Model not found: {name}{f' version {version}' if version else ''}"
            raise ModelNotFound(msg)
        for model in found:
            await self._load(model)

    async def unload(self, name: str, version: str = "") -> None:
        """Take a version of a model out, or all; what they were asked is answered.

        Raises:
            NotAllowed: unless the settings allow it.
            ModelNotFound: when there is no such model or version.
            VersionInUse: when it is the default, and there are others.
        """
        async with self._audit.change("unload", name, version) as change:
            change.before = self._engine.registry.state_of(name)
            self._check_allowed()
            if version:
                await self._engine.unregister(name, version)
            else:
                await self._engine.unregister_all(name)
            change.after = self._engine.registry.state_of(name)

    async def _load(self, model: StoredModel) -> None:
        manifest = model.manifest
        try:
            self._engine.registry.find(manifest.name, manifest.version)
        except ModelNotFound:
            await self._engine.register(model)
        else:
            await self._engine.reload(manifest.name, manifest.version)

    async def _stored(self) -> Sequence[StoredModel]:
        folder = Path(self._settings.models_dir)
        return await asyncio.to_thread(find_models, folder, self._engine.is_withheld)

    def _check_allowed(self) -> None:
        if not self._settings.enable_model_api:
            msg = "models are not loaded or unloaded here; the operator may set enable_model_api"
            raise NotAllowed(msg)


def _is_asked(model: StoredModel, name: str, version: str) -> bool:
    return model.manifest.name == name and version in ("", model.manifest.version)


def _index_of(endpoint: Endpoint) -> ModelIndex:
    manifest = endpoint.manifest
    if endpoint.is_ready:
        return ModelIndex(name=manifest.name, version=manifest.version, state="READY")
    state, reason = (
        ("UNAVAILABLE", "no worker holds the model")
        if endpoint.is_wanted
        else ("LOADING", "its workers have not started")
    )
    return ModelIndex(name=manifest.name, version=manifest.version, state=state, reason=reason)


def _names(models: Sequence[StoredModel]) -> Iterator[tuple[str, str]]:
    return ((model.manifest.name, model.manifest.version) for model in models)
