"""RunningServer: one that runs already, ours or TorchServe."""

import logging
from urllib.parse import urlsplit

import psutil

from serving.bench.management import Described, Management
from serving.bench.setting import Setting
from serving.bench.subject import await_workers, change, is_served_so
from serving.bench.usage import family_of, listener_of
from serving.errors import BadInput, ModelNotFound, ServerUnavailable

__all__ = ("RunningServer",)

_LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})

_log = logging.getLogger(__name__)


class RunningServer:
    """A server that runs already; its model is registered anew with other numbers.

    Args:
        url: of its inference.
        management: of the same server.
        model: name of the model.
        archive: to register it by when it is not served; "" when it must be.
    """

    def __init__(self, url: str, management: Management, model: str, archive: str = "") -> None:
        parts = urlsplit(url)
        if parts.scheme != "http" or not parts.hostname:
            msg = f"{url} is no address to be measured: it must be http://host:port"
            raise BadInput(msg)
        self.place = parts.hostname, parts.port or 80
        self._management = management
        self._model = model
        self._archive = archive
        self._before = self._describe()
        if self._before is not None:
            # A change that fails on its way leaves the model unserved.
            self._archive = archive or self._before.model_url

    def prepare(self, setting: Setting) -> None:
        """Serve the model so, unless it is."""
        if setting.device or setting.precision:
            msg = "device and precision of a running server cannot be changed: leave --url away"
            raise BadInput(msg)
        now = self._describe()
        if now is None:
            self._management.register(self._archive, self._model, setting)
        elif not is_served_so(now, setting):
            change(self._management, self._model, now.model_url, setting)
        await_workers(self._management, self._model, setting)

    def processes(self) -> list[psutil.Process]:
        """Who listens there and all below, on this machine, where the system tells."""
        pid = listener_of(self.place[1]) if self.place[0] in _LOCAL else None
        return family_of(pid) if pid else []

    def metrics(self) -> str:
        """Of the server."""
        return self._management.metrics()

    def close(self) -> None:
        """Serve the model as before; a server that is gone meanwhile is told in the log.

        Raises:
            ServingError: when it cannot be served as before.
        """
        try:
            self._restore()
        except ServerUnavailable as error:
            # What the measurement found must not be lost with it.
            _log.warning("%s is not served as before: %s", self._model, error)
        finally:
            self._management.close()

    def _restore(self) -> None:
        before, now = self._before, self._describe()
        former = _setting_of(before) if before else None
        if now is None or former is None or not is_served_so(now, former):
            if now is not None:
                self._management.unregister(self._model)
            if before is not None and former is not None:
                self._management.register(before.model_url, self._model, former)

    def _describe(self) -> Described | None:
        try:
            return self._management.describe(self._model)
        except ModelNotFound:
            if self._archive:
                return None
            raise


def _setting_of(found: Described) -> Setting:
    return Setting(
        batch_size=found.batch_size,
        max_batch_delay_ms=found.max_batch_delay,
        workers=max(found.min_workers, 1),
    )
