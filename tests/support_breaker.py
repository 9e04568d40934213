"""What stands before an object store and breaks what a test wants broken, one request at a time."""

import http.client
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

Fault = Literal["pass", "cut", "drop", "empty", "late", "lose", "stall", "500", "503"]
"""Pass it on; cut the answer's bytes short; close without a word; answer well, with no bytes; say
that ours came too late; close after it was done; say nothing for long; answer with an error."""

_ERROR = "<Error><Code>{}</Code><Message>broken</Message></Error>"
_ANSWERS = {
    "late": (400, _ERROR.format("RequestTimeout")),
    "500": (500, _ERROR.format("InternalError")),
    "503": (503, _ERROR.format("InternalError")),
    "empty": (206, ""),
}


class Breaker:
    """Passes requests on to a server, but for the faults that are due."""

    def __init__(self, server: str) -> None:
        self.server = server.removeprefix("http://")
        self.faults: list[Fault] = []
        self.seen: list[str] = []
        self.stall = 3.0

        class Handler(BaseHTTPRequestHandler):
            breaker = self
            protocol_version = "HTTP/1.1"  # else a client waits a second for leave to send

            def answer(self) -> None:
                self.breaker.handle(self)
                self.close_connection = True

            do_GET = do_PUT = do_HEAD = do_DELETE = answer

            def log_message(self, *_: object) -> None:
                """Nothing on the terminal."""

        self._listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._listener.server_address[1]}"
        self._thread = threading.Thread(target=self._listener.serve_forever, args=(0.05,))

    def handle(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        fault = self.faults.pop(0) if self.faults else "pass"
        self.seen.append(f"{request.command} {fault}")
        if fault == "stall":
            time.sleep(self.stall)
        elif fault in _ANSWERS:
            status, text = _ANSWERS[fault]
            request.send_response(status)
            request.send_header("Content-Length", str(len(text)))
            request.end_headers()
            request.wfile.write(text.encode())
        elif fault != "drop":
            self._pass_on(request, body, fault)

    def _pass_on(self, request: BaseHTTPRequestHandler, body: bytes, fault: Fault) -> None:
        there = http.client.HTTPConnection(self.server, timeout=10)
        headers = {name: value for name, value in request.headers.items() if name != "Expect"}
        there.request(request.command, request.path, body, headers)
        answer = there.getresponse()
        data = answer.read()
        there.close()
        if fault == "lose":
            return
        request.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("server", "date", "connection", "transfer-encoding"):
                request.send_header(name, value)
        request.end_headers()
        request.wfile.write(data[: len(data) // 2] if fault == "cut" else data)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._listener.shutdown()
        self._listener.server_close()
        self._thread.join()


@contextmanager
def breaking(server: str) -> Iterator[Breaker]:
    breaker = Breaker(server)
    breaker.start()
    try:
        yield breaker
    finally:
        breaker.stop()
