"""Catalogue: what is served, as an operator reads it in TorchServe's words."""

import msgspec

from serving.engine import Engine
from serving.protocol.exchange import RawRequest
from serving.protocol.torchserve import (
    ModelDescription,
    ModelList,
    ModelListItem,
    page_of_models,
)
from serving.registry.endpoint import Endpoint

__all__ = ("Catalogue",)


class Catalogue:
    """What is served.

    Args:
        engine: serves it.
        is_reference: whether pages are those of TorchServe.
    """

    def __init__(self, engine: Engine, *, is_reference: bool) -> None:
        self._engine = engine
        self._is_reference = is_reference
        self._at_startup: set[str] = set()

    @property
    def startup_models(self) -> set[str]:
        """Names of the models that are served since the start of the server."""
        return self._at_startup & set(self._engine.registry.names)

    def note_startup(self, *names: str) -> None:
        """Learn which models are served since the start of the server; without names, all."""
        self._at_startup.update(names or self._engine.registry.names)

    def list_models(self, limit: int, start: int) -> ModelList:
        """List the models by name, a page at a time."""
        registry = self._engine.registry
        models = [
            ModelListItem(model_name=name, model_url=registry.find(name).describe().model_url)
            for name in registry.names
        ]
        return page_of_models(models, limit, start, is_reference=self._is_reference)

    async def describe(
        self, name: str, version: str | None, *, is_customized: bool = False
    ) -> list[ModelDescription]:
        """Describe a version, the default one, or "all"; perhaps with the handler's own words.

        Raises:
            ModelNotFound: when there is no such model.
            ServingError: why the handler says nothing.
        """
        registry = self._engine.registry
        if version == "all":
            return [self._describe(endpoint) for endpoint in registry.versions(name)]
        description = self._describe(registry.find(name, version))
        if is_customized:
            request = RawRequest({}, headers={"describe": "True"}, verb="describe")
            reply = await self._engine.ask(name, request, version=version)
            metadata = _metadata(reply.body)
            description = msgspec.structs.replace(description, customized_metadata=metadata)
        return [description]

    def _describe(self, endpoint: Endpoint) -> ModelDescription:
        is_at_startup = endpoint.manifest.name in self._at_startup
        return msgspec.structs.replace(endpoint.describe(), loaded_at_startup=is_at_startup)


def _metadata(body: bytes) -> object:
    """Read what a handler says of itself: JSON, or else plain text."""
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return body.decode("utf-8", "replace")
