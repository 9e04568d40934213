"""Ports of this machine that are free."""

import socket

__all__ = ("free_ports",)


def free_ports(count: int) -> tuple[int, ...]:
    """So many ports of this machine that nobody listens on just now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = tuple(int(one.getsockname()[1]) for one in sockets)
    for one in sockets:
        one.close()
    return ports
