"""Deployer: from something that was found to a version that is served, checked before it is."""

import asyncio
import dataclasses
import logging
from collections.abc import Callable
from contextlib import suppress

import msgspec

from serving.admission import Admission, Admitted, RegisterRequest
from serving.archive.check import describe_archive
from serving.archive.content import digest_of
from serving.archive.stored import StoredModel, discard
from serving.audit.log import Change
from serving.engine import Engine
from serving.errors import InvalidModel, ServingError
from serving.registry.repository import version_rank
from serving.releases.plan import CanaryPlan
from serving.releases.releases import Releases
from serving.settings import InvalidSettings
from serving.watch.brought import Brought, owning, take_away
from serving.watch.found import Found
from serving.watch.records import Outcome, Record
from serving.watch.settings import WatchSettings
from serving.watch.waiting import NotNow

__all__ = ("Deployer",)

_BY = "watch"

_log = logging.getLogger(__name__)


class Deployer:
    """Makes versions served of what was found.

    Args:
        engine: serves them.
        admission: opens them, and says how they are served.
        releases: releases them, where they are.
        settings: what becomes of a new version.

    Attributes:
        was_taken_back: whether a model's version took itself back with a content of this digest.
        holder_of: given a key and a model's version, where else that is, and with which digest.
        on_change: called when what is served has changed.

    Raises:
        InvalidSettings: when the canary's plan is none.
    """

    def __init__(
        self, engine: Engine, admission: Admission, releases: Releases, settings: WatchSettings
    ) -> None:
        self._engine = engine
        self._registry = engine.registry
        self._admission = admission
        self._releases = releases
        self._settings = settings
        self._plan = _canary_plan(settings)
        self.was_taken_back: Callable[[str, str, str], bool] = lambda *_: False
        self.holder_of: Callable[[str, str, str], tuple[str, str] | None] = lambda *_: None
        self.on_change: Callable[[], None] = lambda: None

    async def deploy(
        self,
        found: Found,
        brought: Brought,
        known: Record | None,
        change: Change,
        *,
        is_return: bool,
    ) -> Record:
        """Serve it, and release it if its model is served already; what is known of it then.

        Args:
            found: what it is.
            brought: where it is on this machine; it goes with the model, or at once.
            known: what was known of its key.
            change: told what is done.
            is_return: whether it is served as it lies there, without a release.

        Raises:
            NotNow: when a release of its model goes on.
            ServingError: why it is not served.
            OSError: when it cannot be read.
        """
        try:
            digest = await asyncio.to_thread(digest_of, brought.path)
        except BaseException:
            take_away(brought)
            raise
        if known is not None and known.digest == digest and not is_return:
            take_away(brought)
            change.is_dropped = True
            return msgspec.structs.replace(known, signature=found.signature)
        admitted = await self._admit(found, brought)
        manifest = admitted.stored.manifest
        record = Record(
            signature=found.signature,
            outcome="served",
            digest=digest,
            model=manifest.name,
            version=manifest.version,
        )
        change.model, change.version = manifest.name, manifest.version
        change.before = self._registry.state_of(manifest.name)
        try:
            outcome = self._outcome(found.key, record, change, is_return=is_return)
        except (InvalidModel, NotNow):
            discard(admitted.stored)
            raise
        if outcome != "served":
            discard(admitted.stored)
            return msgspec.structs.replace(record, outcome=outcome)
        await self._serve(admitted, digest, change, is_return=is_return)
        if change.before is not None and self._settings.release == "none":
            record = msgspec.structs.replace(record, is_beside=True)
        state = self._registry.state_of(manifest.name) or {}
        change.after = {**state, "key": found.key, "sha256": digest}
        self.on_change()
        return record

    def _outcome(self, key: str, record: Record, change: Change, *, is_return: bool) -> Outcome:
        """What shall become of what lies at a key, by what is known of others.

        Raises:
            InvalidModel: when its version is another one already.
            NotNow: when a release of its model goes on.
        """
        name, version = record.model, record.version
        holder = self.holder_of(key, name, version)
        if holder is not None:
            where, digest = holder
            if digest != record.digest:
                msg = f"{name} version {version} is {where} already; number it anew"
                raise InvalidModel(msg)
            change.reason += f"; it is the same as {where}"
            return "passed_over"
        if self.was_taken_back(name, version, record.digest):
            change.reason += "; the same content took itself back before, so it is not served"
            return "rolled_back"
        if self._releases.is_on(name) and not is_return:
            raise NotNow(name)
        return "served"

    def put_beside(self, model: str, version: str) -> None:
        """Let a version answer only who names it, from when it is served."""
        self._registry.shun(model, version)

    async def remove(self, record: Record, change: Change) -> None:
        """Serve a version no longer; what it was asked is answered.

        The default one makes way for the highest of the others first.

        Raises:
            NotNow: when a release of its model goes on.
            ServingError: why it goes on.
        """
        name, version = record.model, record.version
        change.model, change.version = name, version
        change.before = self._registry.state_of(name)
        if change.before is None or version not in change.before["workers"]:
            change.is_dropped = True
            return
        if self._releases.is_on(name):
            raise NotNow(name)
        others = [
            each.manifest.version
            for each in self._registry.versions(name)
            if each.manifest.version != version
        ]
        if others and self._registry.default_version(name) == version:
            self._engine.set_default(name, others[0])
        await self._engine.unregister(name, version)
        change.after = self._registry.state_of(name)
        self.on_change()

    async def _admit(self, found: Found, brought: Brought) -> Admitted:
        """Open and check it.

        Raises:
            ServingError: why it cannot be served.
        """
        request = RegisterRequest(url=found.key.rpartition("/")[2])
        try:
            admitted = await self._admission.admit_path(brought.path, request)
        except BaseException:
            take_away(brought)
            raise
        stored = owning(admitted.stored, brought)
        try:
            await asyncio.to_thread(_check, stored)
        except BaseException:
            discard(stored)
            raise
        return dataclasses.replace(admitted, stored=stored)

    async def _serve(
        self, admitted: Admitted, digest: str, change: Change, *, is_return: bool
    ) -> None:
        stored, config = admitted.stored, admitted.config
        name, version = stored.manifest.name, stored.manifest.version
        state = self._registry.state_of(name)
        if state is not None and version in state["workers"]:
            await self._serve_again(admitted, digest, change)
        elif state is None or is_return:
            await self._engine.register(stored, config)
        elif version_rank(version) < version_rank(state["default"]):
            change.reason += "; it is older than the default version, and answers who names it"
            await self._beside(admitted)
        else:
            await self._release(admitted)

    async def _serve_again(self, admitted: Admitted, digest: str, change: Change) -> None:
        """Serve another content of a version that is served; the same is left as it is."""
        stored = admitted.stored
        name, version = stored.manifest.name, stored.manifest.version
        if self._registry.find(name, version).stored.sha256 == digest:
            # An operator has registered it, and has an entry for that.
            change.is_dropped = True
            discard(stored)
        elif self._releases.was_rolled_back(name, version):
            # What was taken back gets its trial from the beginning.
            await self._engine.unregister(name, version)
            await self._release(admitted)
        else:
            change.reason += "; its content has changed"
            await self._engine.replace(stored)

    async def _release(self, admitted: Admitted) -> None:
        name, version = admitted.stored.manifest.name, admitted.stored.manifest.version
        if self._settings.release == "canary":
            await self._introduce(admitted)
            return
        await self._beside(admitted)
        if self._settings.release == "default":
            self._registry.shun(name, version, is_shunned=False)
            if self._registry.default_version(name) != version:
                self._engine.set_default(name, version)

    async def _introduce(self, admitted: Admitted) -> None:
        stored = admitted.stored
        name, version = stored.manifest.name, stored.manifest.version
        plan = msgspec.structs.replace(self._plan, model=name, version=version)
        # That its content is another than what was taken back has been seen to.
        again = self._releases.was_rolled_back(name, version)
        try:
            await self._releases.introduce(
                stored, plan, by=_BY, config=admitted.config, again=again
            )
        except ServingError:
            # Somebody else may have registered the same version meanwhile, which is to stay.
            if self._is_served(stored):
                await self._engine.unregister(name, version)
            else:
                discard(stored)
            raise

    def _is_served(self, stored: StoredModel) -> bool:
        manifest = stored.manifest
        with suppress(ServingError):
            return self._registry.find(manifest.name, manifest.version).stored is stored
        return False

    async def _beside(self, admitted: Admitted) -> None:
        """Serve a version that answers only who names it."""
        manifest = admitted.stored.manifest
        # Before, for it is listed while its workers still load it.
        self.put_beside(manifest.name, manifest.version)
        await self._engine.register(admitted.stored, admitted.config)


def _check(stored: StoredModel) -> None:
    """Look at it as far as that can be done without running its code.

    Raises:
        InvalidModel: when it cannot be served.
    """
    for sentence in describe_archive(stored):
        _log.debug("%s: %s", stored.url, sentence)


def _canary_plan(settings: WatchSettings) -> CanaryPlan:
    try:
        return msgspec.convert({"kind": "canary", "version": "*", **settings.canary}, CanaryPlan)
    except msgspec.ValidationError as error:
        msg = f"watch.canary: {error}"
        raise InvalidSettings(msg) from error
