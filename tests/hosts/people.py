"""People who hand in drawings and have them animated, from a host of their own, until told to end.

Prints a line of JSON for each thing that happens, and, once its input is closed, what became of it
all: `python -m tests.hosts.people URL PEOPLE`.
"""

import contextlib
import json
import random
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import httpx

from animator.client import Client
from animator.client.errors import RequestRefused
from animator.core.animation import AnimationFormat
from animator.core.documents import AnimationDocument, DrawingDocument
from animator.core.errors import AnimatorError
from tests.support_serve import draw_doll

PATIENCE = 90.0
"""Seconds for which somebody tries; longer than any fault lasts."""

_PAUSE = 0.2


class Crowd:
    """What is known of all their jobs."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._jobs: dict[str, str] = {}
        self._made: list[tuple[str, AnimationDocument]] = []

    def come_and_go(self, seed: int) -> None:
        """Visit after visit."""
        rng = random.Random(seed)
        while not self._is_over.wait(_PAUSE):
            begun = time.monotonic()
            try:
                self._visit(rng)
                self.tell("visit", begun=begun, how="done")
            except AnimatorError as error:
                how = error.told if isinstance(error, RequestRefused) else error.code
                self.tell("visit", begun=begun, how=how or error.message, why=error.message)

    def _visit(self, rng: random.Random) -> None:
        with Client(self._url, patience=PATIENCE) as client:
            drawing = client.upload(draw_doll() + rng.randbytes(8), "doll.png")
            self._follow(client, drawing)
            film = client.animate(drawing, motion="wave", side=128, formats=(AnimationFormat.GIF,))
            self._follow(client, film)
            self._fetch(client, film)
            with self._lock:
                self._made.append((client.token or "", film))

    def _follow(self, client: Client, made: DrawingDocument | AnimationDocument) -> None:
        begun, kind = time.monotonic(), type(made).__name__.removesuffix("Document").lower()
        with self._lock:
            self._jobs[made.job] = client.token or ""
        self.tell("accepted", job=made.job, kind=kind)
        try:
            client.follow(made.job)
        except AnimatorError as error:
            self.tell("failed", job=made.job, kind=kind, code=error.code, why=error.message)
            raise
        self.tell("done", job=made.job, kind=kind, seconds=time.monotonic() - begun)

    @staticmethod
    def _fetch(client: Client, film: AnimationDocument) -> None:
        with tempfile.TemporaryDirectory() as folder:
            data = client.save(film, Path(folder) / "film.gif").read_bytes()
        if not data.startswith(b"GIF89a"):
            raise RequestRefused("The film is no GIF.", "no_gif")

    def end(self, threads: list[threading.Thread]) -> None:
        """Let all come home; then look at each job and each film once more."""
        self._is_over.set()
        for thread in threads:
            thread.join()
        for job, token in self._jobs.items():
            self.tell("stands", job=job, state=self._how_it_stands(job, token))
        for token, film in self._made:
            with Client(self._url, token=token, patience=PATIENCE) as client:
                try:
                    self._fetch(client, film)
                    self.tell("film", id=film.id, is_there=True)
                except AnimatorError as error:
                    self.tell("film", id=film.id, is_there=False, why=error.message)

    def _how_it_stands(self, job: str, token: str) -> str:
        """Once it is over; else whatever is said of it in the end."""
        end, state = time.monotonic() + PATIENCE, ""
        while state not in ("done", "failed") and time.monotonic() < end:
            with contextlib.suppress(httpx.HTTPError):
                cookies = {"animator_owner": token}
                answer = httpx.get(f"{self._url}/api/jobs/{job}", cookies=cookies, timeout=10)
                state = answer.json()["state"] if answer.is_success else str(answer.status_code)
            time.sleep(0 if state in ("done", "failed") else 0.5)
        return state

    def tell(self, what: str, **more: Any) -> None:
        """Print what happened now."""
        with self._lock:
            print(json.dumps({"what": what, "at": time.monotonic(), **more}), flush=True)


def main(url: str, people: int) -> None:
    crowd = Crowd(url)
    threads = [threading.Thread(target=crowd.come_and_go, args=(i,)) for i in range(people)]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    crowd.end(threads)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
