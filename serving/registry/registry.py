"""Registry: what is served, by name and version."""

from collections.abc import Collection, Sequence
from typing import Any, Literal

from serving.errors import Conflict, ModelNotFound, VersionInUse, VersionNotFound
from serving.protocol.asker import Asker
from serving.registry.endpoint import Endpoint
from serving.registry.repository import version_rank
from serving.registry.routing import Choice, Router

__all__ = ("Registry",)


class Registry:
    """Name to version to Endpoint; without a version, the model's default is meant.

    Args:
        default: which version that is until another is chosen: the highest, or the first that came.

    Attributes:
        routers: by model, who chooses a version instead, while one is being released.
    """

    def __init__(self, default: Literal["highest", "first"] = "highest") -> None:
        self._default = default
        self._by_name: dict[str, dict[str, Endpoint]] = {}
        self._chosen: dict[str, str] = {}
        self._shunned: set[tuple[str, str]] = set()
        self.routers: dict[str, Router] = {}

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
        versions = self._versions(name)
        return [versions[version] for version in sorted(versions, key=version_rank, reverse=True)]

    def default_version(self, name: str) -> str:
        """The version that is meant where none is named.

        Raises:
            ModelNotFound: when there is no such model.
        """
        versions = self._versions(name)
        chosen = self._chosen.get(name)
        if chosen in versions:
            return chosen
        meant: Collection[str] = versions
        if self._shunned:
            meant = [each for each in versions if (name, each) not in self._shunned] or versions
        return next(iter(meant)) if self._default == "first" else max(meant, key=version_rank)

    def state_of(self, name: str) -> dict[str, Any] | None:
        """Which versions of a model are served, by how many workers, and the default; for people.

        None: there is no such model.
        """
        if name not in self._by_name:
            return None
        workers = {version: each.worker_range for version, each in self._by_name[name].items()}
        return {"default": self.default_version(name), "workers": workers}

    def find(self, name: str, version: str | None = None) -> Endpoint:
        """Find one version, or the default.

        Raises:
            ModelNotFound: when there is no such model.
            VersionNotFound: when it has no such version.
        """
        versions = self._versions(name)
        wanted = self.default_version(name) if version is None else version
        if wanted not in versions:
            msg = f"Model version: {version} does not exist for model: {name}"
            raise VersionNotFound(msg)
        return versions[wanted]

    def choose(
        self, name: str, version: str | None, asker: Asker
    ) -> tuple[Endpoint, Choice | None]:
        """Find the version that answers a request.

        Args:
            name: of the model.
            version: that is asked for; None: the default, or the one that a release chooses.
            asker: who asks.

        Returns:
            The version; and if a release chose it, who wants to know of the answer.

        Raises:
            ModelNotFound: when there is no such model.
            VersionNotFound: when it has no such version.
        """
        if version is None and self.routers:
            router = self.routers.get(name)
            if router is not None:
                return router.choose(asker)
        return self.find(name, version), None

    def is_on_trial(self, endpoint: Endpoint) -> bool:
        """Whether the server can do without it, for it is only being released."""
        manifest = endpoint.manifest
        router = self.routers.get(manifest.name)
        return router is not None and router.is_on_trial(manifest.version)

    def has(self, name: str, version: str) -> bool:
        """Whether this version is here."""
        return version in self._by_name.get(name, {})

    def check_free(self, name: str, version: str) -> None:
        """Look whether a version can be added.

        Raises:
            Conflict: when its name and version are there already.
        """
        if self.has(name, version):
            msg = f"Model version {version} is already registered for model {name}"
            raise Conflict(msg)

    def add(self, endpoint: Endpoint) -> None:
        """Take one more.

        Raises:
            Conflict: when its name and version are there already.
        """
        name, version = endpoint.manifest.name, endpoint.manifest.version
        self.check_free(name, version)
        self._by_name.setdefault(name, {})[version] = endpoint

    def remove(self, name: str, version: str | None = None) -> Endpoint:
        """Take one out: from now on it cannot be found.

        Raises:
            ModelNotFound: when there is no such model.
            VersionNotFound: when it has no such version.
            VersionInUse: when it is the default, and there are others.
        """
        endpoint = self.find(name, version)
        versions, found = self._by_name[name], endpoint.manifest.version
        if len(versions) > 1 and found == self.default_version(name):
            msg = f"Can't remove default version: {found} of model: {name}"
            raise VersionInUse(msg)
        self.discard(endpoint)
        return endpoint

    def discard(self, endpoint: Endpoint) -> None:
        """Take one out, whatever it is; harmless when it is not there."""
        name, version = endpoint.manifest.name, endpoint.manifest.version
        versions = self._by_name.get(name, {})
        if versions.get(version) is not endpoint:
            return
        del versions[version]
        if self._chosen.get(name) == version:
            del self._chosen[name]
        if not versions:
            del self._by_name[name]

    def set_default(self, name: str, version: str) -> None:
        """Mean this version from now on where none is named.

        Raises:
            ModelNotFound: when there is no such model.
            VersionNotFound: when it has no such version.
        """
        self.find(name, version)
        self._chosen[name] = version

    def prefer(self, name: str, version: str) -> None:
        """Mean this version where none is named, as soon and as long as it is served."""
        self._chosen[name] = version

    def is_shunned(self, name: str, version: str) -> bool:
        """Whether this version is meant only if it is chosen, or the only one."""
        return (name, version) in self._shunned

    def shun(self, name: str, version: str, *, is_shunned: bool = True) -> None:
        """Mean this version where none is named only if it is chosen, or the only one; or not."""
        if is_shunned:
            self._shunned.add((name, version))
        else:
            self._shunned.discard((name, version))

    def _versions(self, name: str) -> dict[str, Endpoint]:
        if name not in self._by_name:
            msg = f"Model not found: {name}"
            raise ModelNotFound(msg)
        return self._by_name[name]
