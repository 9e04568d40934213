"""Preparing: what is seen to of a model's versions before they are released."""

from collections.abc import Collection

from serving.archive.stored import StoredModel
from serving.engine import Engine
from serving.errors import BadInput, ServingError
from serving.model_config import ModelConfig
from serving.registry.registry import Registry

__all__ = ("check_versions", "register_shunned", "wake")


async def register_shunned(
    engine: Engine, stored: StoredModel, config: ModelConfig | None = None
) -> None:
    """Serve a version that does not answer everything as the highest.

    One that cannot be served, or is served already, is meant afterwards as it was before.

    Raises:
        Conflict: when it is served already.
        InvalidModel: when it cannot be loaded.
    """
    name, version = stored.manifest.name, stored.manifest.version
    was_shunned = engine.registry.is_shunned(name, version)
    engine.registry.shun(name, version)
    try:
        await engine.register(stored, config)
    except ServingError:
        engine.registry.shun(name, version, is_shunned=was_shunned)
        raise


def check_versions(registry: Registry, model: str, stable: str, versions: Collection[str]) -> None:
    """See whether versions can be released beside one another.

    Raises:
        BadInput: when they cannot be told apart, or serve sequences.
        VersionNotFound: when one is not served.
    """
    if len(versions) < 2 or stable not in versions:
        msg = f"a release is of the stable version, {stable}, and of another one: name both"
        raise BadInput(msg)
    for version in versions:
        if registry.find(model, version).config.sequence_batching:
            raise BadInput(f"version {version} serves sequences, which stay with one version")


async def wake(registry: Registry, model: str, versions: Collection[str]) -> None:
    """Give workers to versions that have none, as one that was taken back has.

    Raises:
        InvalidModel: when one cannot be started.
    """
    for version in versions:
        endpoint = registry.find(model, version)
        if not endpoint.is_wanted:
            least = max(endpoint.config.min_workers, 1)
            most = max(endpoint.config.max_workers or 0, least)
            await endpoint.scale(least, most, wait=True)
