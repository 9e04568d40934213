"""Rude clients: who send slowly, break off, do not read, or sit there and say nothing."""

import contextlib
import random
import socket
import threading
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

__all__ = ("hang_up_half_way", "send_slowly", "sit_idle", "stop_reading")

_PIECE = 512
_PAUSE_S = 0.2


def send_slowly(url: str, picture: bytes, until: threading.Event) -> None:
    """Hand in a picture, 512 bytes at a time, five times a second."""
    with contextlib.suppress(OSError), _connect(url) as line:
        line.sendall(_head(url, len(picture)))
        for start in range(0, len(picture), _PIECE):
            if until.wait(_PAUSE_S):
                return
            line.sendall(picture[start : start + _PIECE])
        line.recv(4096)


def hang_up_half_way(url: str, picture: bytes, rng: random.Random) -> None:
    """Say how much is to come, send some of it, and hang up, sometimes without a goodbye."""
    with contextlib.suppress(OSError), _connect(url) as line:
        line.sendall(_head(url, len(picture)) + picture[: rng.randrange(len(picture))])
        if rng.random() < 0.5:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")


def stop_reading(url: str, path: str, until: threading.Event) -> None:
    """Ask for a page again and again over one line, and read nothing."""
    with contextlib.suppress(OSError), _connect(url) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        request = f"GET {path} HTTP/1.1\r\nHost: {urlsplit(url).netloc}\r\n\r\n".encode()
        while not until.wait(_PAUSE_S):
            line.sendall(request)


def sit_idle(urls: Sequence[str], count: int, seconds: float) -> int:
    """Open many connections, half of them with half a head, and keep them; how many there were."""
    lines = []
    for number in range(count):
        with contextlib.suppress(OSError):
            line = _connect(urls[number % len(urls)])
            lines.append(line)
            if number % 2:
                line.sendall(b"GET / HTTP/1.1\r\nHost: ")
    time.sleep(seconds)
    for line in lines:
        line.close()
    return len(lines)


def _connect(url: str) -> socket.socket:
    parts = urlsplit(url)
    return socket.create_connection((parts.hostname or "", parts.port or 80), timeout=5)


def _head(url: str, length: int) -> bytes:
    lines = (
        "POST /api/drawings HTTP/1.1",
        f"Host: {urlsplit(url).netloc}",
        "Content-Type: application/octet-stream",
        f"Content-Length: {length}",
    )
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
