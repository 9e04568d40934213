"""An object store for tests: moto's server in a process of its own, and ways to break it.

It stands in for a real one: moto checks conditions and writes in two steps, so a lock makes one of
them, as every real server does.
"""

import os
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from botocore.config import Config
from botocore.session import get_session

from animator.core.places import BucketPlace
from serving.bench.ports import free_ports
from tests.support_serve import ROOT, wait_until

KEY, SECRET = "test", "a-secret-of-the-tests"
BUCKET = "animator"


class ObjectServer:
    """A server that a test may stop and start again; what it holds goes with it.

    Where ANIMATOR_TEST_STORE names a real one, with our key and secret, that is used instead.
    """

    def __init__(self) -> None:
        (self.port,) = free_ports(1)
        self._given = os.environ.get("ANIMATOR_TEST_STORE")
        self.url = self._given or f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def place(self, prefix: str = "") -> BucketPlace:
        return BucketPlace(bucket=BUCKET, prefix=prefix, endpoint=self.url, path_style=True)

    @property
    def environment(self) -> dict[str, str]:
        """What AWS' own programs need; nothing of this machine's own settings."""
        return {
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def start(self) -> None:
        if self._given is None:
            command = (sys.executable, "-m", "tests.support_s3", str(self.port))
            self._process = subprocess.Popen(command, cwd=ROOT)
            wait_until(self._answers, 30, "the start of the object store")
        client = get_session().create_client(
            "s3",
            endpoint_url=self.url,
            region_name="us-east-1",
            aws_access_key_id=KEY,
            aws_secret_access_key=SECRET,
            config=Config(s3={"addressing_style": "path"}),
        )
        client.create_bucket(Bucket=BUCKET)
        client.close()

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def pause(self) -> None:
        """Let it say nothing until `go_on`."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def _answers(self) -> bool:
        try:
            urllib.request.urlopen(f"{self.url}/moto-api/", timeout=1).close()
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False
        return True


@contextmanager
def object_server() -> Iterator[ObjectServer]:
    server = ObjectServer()
    server.start()
    try:
        yield server
    finally:
        server.stop()


Wsgi = Callable[[dict[str, Any], Any], Iterable[bytes]]


def one_at_a_time(app: Wsgi) -> Wsgi:
    lock = threading.Lock()

    def answer(environment: dict[str, Any], start: Any) -> Iterable[bytes]:
        with lock:
            return list(app(environment, start))

    return answer


def main(port: int, host: str = "127.0.0.1") -> None:
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Quiet(WSGIRequestHandler):
        protocol_version = "HTTP/1.1"

        def log(self, *_: Any) -> None:
            """Nothing on the terminal."""

    app = one_at_a_time(DomainDispatcherApplication(create_backend_app))
    make_server(host, port, app, threaded=True, request_handler=Quiet).serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
