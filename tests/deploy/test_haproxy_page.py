"""What HAProxy, as we ship it, hands on to the page's replicas, and what it sends again."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import httpx
import pytest

from tests.support_haproxy import haproxy


class Echo(ThreadingHTTPServer):
    """Answers what it was sent; a request for /drop is taken, and not answered."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Routes)
        self.asked: list[str] = []


class _Routes(BaseHTTPRequestHandler):
    server: Echo

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != "/api/health":
            self.server.asked.append(f"{self.command} {self.path}")
        if self.path == "/drop":
            self.close_connection = True
            return
        body = json.dumps({name.lower(): value for name, value in self.headers.items()}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_PUT = do_GET

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def echoes() -> Iterator[list[Echo]]:
    echoes = [Echo(), Echo()]
    threads = [Thread(target=echo.serve_forever) for echo in echoes]
    for thread in threads:
        thread.start()
    yield echoes
    for echo, thread in zip(echoes, threads, strict=True):
        echo.shutdown()
        echo.server_close()
        thread.join()


@pytest.fixture(scope="module")
def page(echoes: list[Echo], tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    ports = [echo.server_port for echo in echoes]
    with (
        haproxy(tmp_path_factory.mktemp("haproxy"), web=ports, proxies="127.0.0.2") as proxy,
        httpx.Client(base_url=f"http://{proxy.page}") as page,
    ):
        yield page


def test_nobody_but_a_proxy_says_whose_request_it_is(page: httpx.Client) -> None:
    claimed = {"X-Forwarded-For": "6.6.6.6", "X-Forwarded-Proto": "https"}
    seen = page.get("/", headers=claimed).json()
    assert (seen["x-forwarded-for"], seen["x-forwarded-proto"]) == ("127.0.0.1", "http")
    believed = httpx.HTTPTransport(local_address="127.0.0.2")
    with httpx.Client(base_url=page.base_url, transport=believed) as proxy:
        seen = proxy.get("/", headers=claimed).json()
    assert seen["x-forwarded-for"] == "6.6.6.6, 127.0.0.2"
    assert seen["x-forwarded-proto"] == "https"


def test_request_keeps_its_ids_or_is_given_one(page: httpx.Client) -> None:
    ids = {"x-request-id": "mine.7", "traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}
    assert page.get("/", headers=ids).json().items() >= ids.items()
    given = page.get("/").json()["x-request-id"]
    assert 16 <= len(given) <= 64
    assert page.get("/").json()["x-request-id"] != given


@pytest.mark.parametrize(("method", "times"), [("GET", 4), ("POST", 1), ("PUT", 1)])
def test_only_what_changes_nothing_is_sent_again(
    page: httpx.Client, echoes: list[Echo], method: str, times: int
) -> None:
    for echo in echoes:
        echo.asked.clear()
    # Of a connection that was used before it would hang up, as servers do.
    assert httpx.request(method, page.base_url.join("/drop")).status_code == 502
    counts = [len(echo.asked) for echo in echoes]
    assert sum(counts) == times
    assert max(counts) - min(counts) <= 1
