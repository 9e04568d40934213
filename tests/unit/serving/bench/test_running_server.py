import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from serving.bench.management import Management
from serving.bench.running_server import RunningServer

DESCRIBED = {
    "modelName": "cat",
    "modelVersion": "1.0",
    "modelUrl": "cat.mar",
    "minWorkers": 1,
    "maxWorkers": 1,
    "batchSize": 4,
    "maxBatchDelay": 50,
}


class Described(BaseHTTPRequestHandler):
    """Says of every model how it is served."""

    def do_GET(self) -> None:
        body = json.dumps([DESCRIBED]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def peer() -> Iterator[HTTPServer]:
    with HTTPServer(("127.0.0.1", 0), Described) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_server_that_died_meanwhile_is_told_and_raises_nothing(
    peer: HTTPServer, caplog: pytest.LogCaptureFixture
) -> None:
    url = f"http://127.0.0.1:{peer.server_port}"
    management = Management(url, url, "")
    running = RunningServer(url, management, "cat")
    peer.shutdown()
    peer.server_close()
    running.close()
    (said,) = [record.message for record in caplog.records if "serving" in record.name]
    assert said.startswith("cat is not served as before: no management API answers at ")
    with pytest.raises(RuntimeError, match="closed"):
        management.describe("cat")
