"""An address on which one of our servers listens."""

import socket

__all__ = ("url_of", "why_not_free")


def url_of(host: str, port: int) -> str:
    """Where this machine reaches what listens on that address, without a slash at the end."""
    near = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{near}]:{port}" if ":" in near else f"http://{near}:{port}"


def why_not_free(host: str, port: int) -> str | None:
    """Why one cannot listen there, in the system's words; None when one can."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            return error.strerror or str(error)
    return None
