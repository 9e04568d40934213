"""Many clients at once, with little effort of their own: HTTP/1.1 over plain sockets."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Answer:
    """What came; status 0 when the connection broke."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Connection:
    """One client, who keeps its connection."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname, parts.port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(
        self, path: str, body: bytes, *, method: str = "POST", part: float = 1.0
    ) -> None:
        """Send a request, or only the first part of its body."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port)
        head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
        self._streams[1].write(head.encode() + body[: int(len(body) * part)])
        await self._streams[1].drain()

    async def receive(self) -> Answer:
        """Wait for the answer."""
        assert self._streams is not None
        reader = self._streams[0]
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            fields = (line.partition(":") for line in head[1:] if line)
            headers = {name.lower(): value.strip() for name, _, value in fields}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
        except (OSError, asyncio.IncompleteReadError):
            self.close()
            return Answer(0, {}, b"")
        if headers.get("connection") == "close":
            self.close()
        return Answer(int(head[0].split()[1]), headers, body)

    async def ask(self, path: str, asked: dict[str, Any]) -> Answer:
        """Post JSON and wait for the answer."""
        await self.send(path, json.dumps(asked).encode())
        return await self.receive()

    def close(self) -> None:
        """Hang up."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def at_rate(
    per_second: float, count: int, do: Callable[[int], Awaitable[Answer]]
) -> list[Answer]:
    """Begin so many, evenly, whether or not the earlier ones are done (an open loop)."""
    loop = asyncio.get_running_loop()
    begun = loop.time()
    tasks = []
    for number in range(count):
        await asyncio.sleep(max(0.0, begun + number / per_second - loop.time()))
        tasks.append(asyncio.ensure_future(do(number)))
    return await asyncio.gather(*tasks)
