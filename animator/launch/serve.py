"""Serve: check what is needed, then run the services of a role until told to stop."""

import fcntl
import logging
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from animator.core.errors import StorageRefused, StorageUnavailable
from animator.launch.address import why_not_free
from animator.launch.embedded_redis import is_redis_up, remove_orphan
from animator.launch.problems import CannotStart
from animator.launch.roles import Role, plan_services, ports_of
from animator.launch.supervisor import Supervisor
from animator.settings import Settings
from animator.store import LOOK, open_stores

__all__ = ("serve",)

logger = logging.getLogger(__name__)


def serve(role: Role, settings: Settings, on_ready: Callable[[], None]) -> None:
    """Run a role until SIGTERM, SIGINT or SIGHUP; all it started has ended when this returns.

    Args:
        role: which services.
        settings: for all of them.
        on_ready: called once, when every service is ready.

    Raises:
        CannotStart: when a port is taken, the data folder is in use, there is no Redis, the store
            is not for us, or a service does not start.
    """
    for flag, (host, port) in ports_of(role, settings).items():
        _check_port(flag, host, port)
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    if role is Role.ALL:
        with _hold_data_dir(settings):
            if settings.redis_url is None:
                remove_orphan(settings.redis)
            # What killed jobs left behind.
            shutil.rmtree(settings.scratch_dir, ignore_errors=True)
            _check_storage(settings)
            _run(role, settings, on_ready)
        return
    if role in (Role.WEB, Role.WORKER):
        _check_redis(role, settings)
        _check_storage(settings)
    _run(role, settings, on_ready)


def _run(role: Role, settings: Settings, on_ready: Callable[[], None]) -> None:
    Supervisor(plan_services(role, settings), settings.drain_seconds).run(on_ready)


def _check_port(flag: str, host: str, port: int) -> None:
    reason = why_not_free(host, port)
    if reason is not None:
        msg = f"Cannot listen on {host}, port {port}: {reason}. Choose another port with {flag}."
        raise CannotStart(msg)


def _check_redis(role: Role, settings: Settings) -> None:
    if settings.redis_url is None and not is_redis_up(settings.redis):
        msg = f"The role {role} needs a Redis: set REDIS_URL (or --redis-url), or run "
        msg += f"`animator serve` over the same data folder, {settings.data_dir}."
        raise CannotStart(msg)


def _check_storage(settings: Settings) -> None:
    """Refuse a store that is the wrong one; one that is away may come back."""
    try:
        open_stores(settings.storage, LOOK).probe()
    except StorageRefused as error:
        raise CannotStart(error.reason) from error
    except StorageUnavailable as error:
        logger.warning("%s It is used as soon as it is back.", error.reason)


@contextmanager
def _hold_data_dir(settings: Settings) -> Iterator[None]:
    """Keep a second server from the same folder; the lock ends with this process."""
    with (settings.data_dir / "serve.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            msg = f"Another Animator serves from {settings.data_dir}. "
            msg += "Stop it, or choose another folder with --data-dir."
            raise CannotStart(msg) from error
        yield
