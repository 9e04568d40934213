"""Addresses: where the listeners are, as TorchServe writes it."""

import contextlib
import errno
import os
import re
import socket
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from serving.errors import ServingError
from serving.settings import InvalidSettings, ServerSettings

__all__ = ("Address", "CannotListen", "addresses_of", "bind", "parse_address")

_ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-fA-F:.]+\]|[^:/\[\]]+)(?::(?P<port>[0-9]{1,5}))?/?",
    re.IGNORECASE,
)
_USUAL_PORTS = {"http": 80, "https": 443}
_BACKLOG = 2048


class CannotListen(ServingError):
    """A port is taken, or the address is not this machine's."""

    code = "cannot_listen"


@dataclass(frozen=True, slots=True)
class Address:
    """Where one listener is.

    Attributes:
        host: name or number; "" for a socket in the file system.
        port: 0 chooses a free one.
        path: of the socket in the file system; "" for TCP.
        is_tls: whether clients talk TLS.
    """

    host: str = ""
    port: int = 0
    path: str = ""
    is_tls: bool = False

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        return bool(self.path) or self.host in {"localhost", "::1"} or self.host.startswith("127.")


def parse_address(text: str) -> Address:
    """Read `http://host:port`, `https://host:port` or `unix:/path`.

    Raises:
        InvalidSettings: when it is none of these.
    """
    if text.startswith("unix:/"):
        return Address(path=text.removeprefix("unix:"))
    match = _ADDRESS.fullmatch(text)
    port = int(match["port"]) if match and match["port"] else None
    if match is None or (port or 0) > 65535:
        msg = f"{text!r} is no address: write http://host:port, https://host:port or unix:/path"
        raise InvalidSettings(msg)
    scheme = match["scheme"].lower()
    return Address(
        host=match["host"].strip("[]"),
        port=_USUAL_PORTS[scheme] if port is None else port,
        is_tls=scheme == "https",
    )


def addresses_of(settings: ServerSettings) -> tuple[Address, Address, Address]:
    """Where inference, management and metrics are.

    Raises:
        InvalidSettings: when an address is none; when management would be open to everybody.
    """
    found = tuple(
        parse_address(text) if text else Address(host=settings.host, port=port)
        for text, port in (
            (settings.inference_address, settings.inference_port),
            (settings.management_address, settings.management_port),
            (settings.metrics_address, settings.metrics_port),
        )
    )
    inference, management, metrics = found
    is_open = settings.token_authorization == "off" and not management.is_local
    if is_open and settings.compat != "torchserve":
        msg = (
            f"management on {management.host} would let anybody who reaches it change what runs "
            "here: keep it on 127.0.0.1, or ask for tokens (token_authorization)"
        )
        raise InvalidSettings(msg)
    return inference, management, metrics


def bind(address: Address) -> socket.socket:
    """Make a socket at an address.

    Raises:
        CannotListen: when that cannot be done.
    """
    try:
        return _bind_path(address.path) if address.path else _bind_port(address)
    except OSError as error:
        # The system's own numbers are positive; a name that is not known has a negative one.
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        where = address.path or f"{address.host} port {address.port}"
        msg = f"cannot listen on {where}: {reason}"
        if error.errno == errno.EADDRINUSE:
            msg += "; choose another port, or end what listens there"
        raise CannotListen(msg) from error


@contextlib.contextmanager
def bound(address: Address) -> Iterator[socket.socket]:
    """Make a socket at an address, and remove it in the end.

    Raises:
        CannotListen: when that cannot be done.
    """
    with contextlib.closing(bind(address)) as found:
        try:
            yield found
        finally:
            if address.path:
                Path(address.path).unlink(missing_ok=True)


def _bind_port(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    return socket.create_server((address.host, address.port), family=family, backlog=_BACKLOG)


def _bind_path(path: str) -> socket.socket:
    """Take the place of a socket that a server before has left; of nothing else."""
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISSOCK(Path(path).stat().st_mode) and not _is_answered(path):
            Path(path).unlink()
    found = socket.socket(socket.AF_UNIX)
    try:
        found.bind(path)
        # Whoever may open the file may ask: its owner, and the group.
        Path(path).chmod(0o660)
        found.listen(_BACKLOG)
    except BaseException:
        found.close()
        raise
    return found


def _is_answered(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
        except OSError:
            return False
        return True
