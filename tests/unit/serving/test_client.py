import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from serving.client import Client
from serving.errors import (
    BadInput,
    DeadlineExceeded,
    InferenceFailed,
    ModelNotFound,
    NoWorker,
    Overloaded,
    ServerUnavailable,
    ServingError,
    WorkerDied,
)
from serving.protocol.v2 import (
    HEADER_LENGTH,
    InferRequest,
    InferResponse,
    decode_request,
    encode_response,
)


class Peer:
    """A server that answers as it is told; without an answer it echoes the tensors."""

    def __init__(self) -> None:
        self.status = 200
        self.body: bytes | None = None
        self.headers: dict[str, str] = {}
        self.requests: list[InferRequest] = []
        self.delay = threading.Event()
        self.delay.set()


@pytest.fixture
def peer() -> Peer:
    return Peer()


@pytest.fixture
def url(peer: Peer) -> Iterator[str]:
    class Routes(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            request = decode_request(data, int(self.headers[HEADER_LENGTH]))
            peer.requests.append(request)
            peer.delay.wait()
            response = InferResponse(model_name="m", model_version="1", outputs=request.inputs)
            payload = encode_response(response, request)
            body = bytes(payload.body) if peer.body is None else peer.body
            self.send_response(peer.status)
            if peer.body is None:
                self.send_header(HEADER_LENGTH, str(payload.header_length))
            for name, value in peer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self.send_response(peer.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *arguments: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Routes) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        peer.delay.set()
        server.shutdown()
        thread.join()


def ask(url: str, timeout_s: float = 5) -> None:
    with Client(url, timeout_s=timeout_s) as client:
        client.infer("m", {"x": np.zeros(1)})


def test_tensors_go_and_come_as_they_are(url: str, peer: Peer) -> None:
    image = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    with Client(url, timeout_s=5) as client:
        answer = client.infer("m", {"image": image, "name": np.array([b"\xff"], object)})
    assert peer.requests[0].timeout_s == 5
    assert peer.requests[0].wants_binary
    np.testing.assert_array_equal(answer["image"], image)
    assert answer["name"].tolist() == [b"\xff"]


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, {"error": "e", "code": "bad_input"}, BadInput),
        (404, {"error": "e", "code": "model_not_found"}, ModelNotFound),
        (500, {"error": "e", "code": "worker_died"}, WorkerDied),
        (503, {"error": "e", "code": "queue_full"}, Overloaded),
        (503, {"error": "e", "code": "no_worker"}, NoWorker),
        (504, {"error": "e", "code": "deadline_exceeded"}, DeadlineExceeded),
        (400, {"error": "e"}, BadInput),
        (404, {"error": "e"}, ModelNotFound),
        (429, {"error": "e"}, Overloaded),
        (503, {"error": "e"}, ServerUnavailable),
        (500, {"error": "e"}, InferenceFailed),
        (500, {"error": "e", "code": "of a newer server"}, InferenceFailed),
    ],
    ids=lambda value: str(value) if isinstance(value, int) else None,
)
def test_errors_are_typed(
    url: str, peer: Peer, status: int, body: dict[str, str], kind: type[ServingError]
) -> None:
    peer.status, peer.body = status, json.dumps(body).encode()
    with pytest.raises(ServingError, match=r"^e$") as caught:
        ask(url)
    assert type(caught.value) is kind


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}"], ids=["", "html", "list", "object"])
def test_error_of_a_stranger_keeps_its_status(url: str, peer: Peer, body: bytes) -> None:
    peer.status, peer.body = 418, body
    with pytest.raises(InferenceFailed, match="HTTP 418"):
        ask(url)


def test_proxy_without_a_server_is_a_server_that_may_come_back(url: str, peer: Peer) -> None:
    peer.status, peer.body = 502, b"<html>"
    with pytest.raises(ServerUnavailable, match="HTTP 502"):
        ask(url)


def test_retry_after_is_handed_on(url: str, peer: Peer) -> None:
    peer.status, peer.body, peer.headers = 503, b'{"error": "full"}', {"Retry-After": "7"}
    with pytest.raises(ServerUnavailable) as caught:
        ask(url)
    assert caught.value.retry_after_s == 7


def test_answer_that_is_none_is_a_failure(url: str, peer: Peer) -> None:
    peer.body = b"fine!"
    with pytest.raises(InferenceFailed, match="cannot be read"):
        ask(url)


def test_server_that_is_not_there_is_unavailable() -> None:
    with pytest.raises(ServerUnavailable, match="no model server answers at http://127"):
        ask("http://127.0.0.1:9")


def test_server_that_does_not_answer_exceeds_the_deadline(
    url: str, peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("serving.client._GRACE_S", 0.0)
    peer.delay.clear()
    with pytest.raises(DeadlineExceeded, match=r"within 0\.1 s"):
        ask(url, timeout_s=0.1)


@pytest.mark.parametrize(("status", "expected"), [(200, True), (503, False)])
def test_readiness_is_the_servers(url: str, peer: Peer, status: int, expected: bool) -> None:
    peer.status = status
    with Client(url) as client:
        assert client.is_ready() is expected


def test_server_that_is_not_there_is_not_ready() -> None:
    with Client("http://127.0.0.1:9") as client:
        assert not client.is_ready()
