"""Replicas that HAProxy finds by their name, as compose.yaml has it do."""

import json
import socketserver
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx

from tests.support_haproxy import FILES, Proxy, running_haproxy
from tests.support_serve import wait_until

HEAD = 12
ADDRESS = 1


class Names(socketserver.ThreadingUDPServer):
    """A name server that knows where `web` is; of everything else it says that it is not."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Question)
        self.web: list[str] = []


class _Question(socketserver.BaseRequestHandler):
    server: Names

    def handle(self) -> None:
        query, socket = self.request
        end = query.index(0, HEAD) + 5
        is_web = query[HEAD:].startswith(b"\x03web\x00")
        wants_address = int.from_bytes(query[end - 4 : end - 2], "big") == ADDRESS
        found = self.server.web if is_web and wants_address else []
        flags = b"\x81\x80" if is_web else b"\x81\x83"
        counts = b"\x00\x01" + len(found).to_bytes(2, "big") + bytes(4)
        records = b"".join(
            b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x01\x00\x04" + bytes(map(int, one.split(".")))
            for one in found
        )
        answer = query[:2] + flags + counts + query[HEAD:end] + records
        socket.sendto(answer, self.client_address)


class _Replica(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps(self.request.getsockname()[0]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving(server: socketserver.BaseServer) -> Iterator[None]:
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def answering(proxy: Proxy) -> set[str]:
    """Addresses of those who answer."""
    return {httpx.get(f"http://{proxy.page}").json() for _ in range(8)}


def test_replicas_are_found_by_name_as_they_come_and_go(tmp_path: Path) -> None:
    names, first = Names(), ThreadingHTTPServer(("127.0.0.2", 0), _Replica)
    second = ThreadingHTTPServer(("127.0.0.3", first.server_port), _Replica)
    text = (FILES / "compose.cfg").read_text()
    text = text.replace("127.0.0.11:53", f"127.0.0.1:{names.server_address[1]}")
    text = text.replace("web:8000", f"web:{first.server_port}")
    with ExitStack() as stack:
        for server in (names, first, second):
            stack.enter_context(serving(server))
        proxy = stack.enter_context(running_haproxy(tmp_path, text))
        for there in (["127.0.0.2"], ["127.0.0.2", "127.0.0.3"], ["127.0.0.3"]):
            names.web = there
            wait_until(lambda there=there: answering_is(proxy, there), 30, f"{there} alone")  # type: ignore[misc]


def answering_is(proxy: Proxy, there: list[str]) -> bool:
    return proxy.up("web") == len(there) and answering(proxy) == set(there)
