"""Registry: what is served, by name and version."""

from collections.abc import Iterable, Sequence

from serving.errors import ModelNotFound
from serving.registry.endpoint import Endpoint
from serving.registry.repository import version_rank

__all__ = ("Registry",)


class Registry:
    """Name to version to Endpoint; without a version, the highest is meant."""

    def __init__(self, endpoints: Iterable[Endpoint]) -> None:
        self._by_name: dict[str, dict[str, Endpoint]] = {}
        for endpoint in endpoints:
            manifest = endpoint.manifest
            self._by_name.setdefault(manifest.name, {})[manifest.version] = endpoint

    @property
    def endpoints(self) -> Sequence[Endpoint]:
        """All of them."""
        return [endpoint for versions in self._by_name.values() for endpoint in versions.values()]

    @property
    def names(self) -> Sequence[str]:
        """The models' names, sorted."""
        return sorted(self._by_name)

    def versions(self, name: str) -> Sequence[Endpoint]:
        """All versions of a model, the highest first.

        Raises:
            ModelNotFound: when there is no such model.
        """
        if name not in self._by_name:
            msg = f"Model not found: {name}"
            raise ModelNotFound(msg)
        versions = self._by_name[name]
        return [versions[version] for version in sorted(versions, key=version_rank, reverse=True)]

    def find(self, name: str, version: str | None = None) -> Endpoint:
        """Find one version, or the highest.

        Raises:
            ModelNotFound: when there is no such model or version.
        """
        versions = self.versions(name)
        for endpoint in versions:
            if version in (None, endpoint.manifest.version):
                return endpoint
        msg = f"Model version: {version} does not exist for model: {name}"
        raise ModelNotFound(msg)
