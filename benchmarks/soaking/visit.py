"""A visit: one owner, what he asks for, and what became of each of his jobs."""

import json
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import httpx
import msgspec

from animator.client import RequestRefused, ServerUnreachable
from animator.client.transport import Transport
from animator.core.animation import FORMATS
from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.documents import AnimationDocument, AnimationRequest, DrawingDocument
from animator.core.errors import AnimatorError
from animator.core.job import JobEvent
from benchmarks.soaking.ledger import Ledger

__all__ = ("JobNotDone", "Visit", "Waiting", "code_of")

_ANSWER_S = 30.0
_PATIENCE_S = 60.0
_SHORT_S = 5.0
_LONGEST_WAIT_S = 120.0

_JSON = {"Content-Type": "application/json"}

Check = Callable[[], object]


class JobNotDone(Exception):
    """A job of a visit did not end as it was hoped; the ledger tells how."""


class Visit:
    """One owner with his drawings.

    Args:
        url: of the product.
        ledger: where accepted jobs are noted.
    """

    def __init__(self, url: str, ledger: Ledger) -> None:
        self.http = httpx.Client(base_url=url, timeout=_ANSWER_S)
        self._server = Transport(self.http, patience=_PATIENCE_S)
        self._ledger = ledger
        self._checks: dict[str, Check] = {}

    @property
    def open_jobs(self) -> list[str]:
        """Those of which nobody knows yet what became of them."""
        return [job for job in self._checks if self._ledger.is_open(job)]

    def upload(self, picture: bytes, kind: str = "drawing") -> DrawingDocument:
        """Hand in a drawing; its job is in the ledger."""
        how = {"params": {"name": "soak"}, "content": picture}
        drawing = self._server.ask(
            DrawingDocument, "POST", "/api/drawings", is_safe_twice=True, **how
        )
        self._accept(drawing.job, kind, lambda: self._see_picture(drawing.id))
        return drawing

    def annotation(self, drawing: DrawingDocument) -> Annotation:
        """The figures of a drawing that was read."""
        return self._server.ask(Annotation, "GET", f"/api/drawings/{drawing.id}/annotation")

    def animate(
        self, drawing: DrawingDocument, kind: str = "animation", **how: Any
    ) -> AnimationDocument:
        """Ask for an animation; its job is in the ledger, and is done when all its files come."""
        body = msgspec.json.encode(AnimationRequest(**how))
        path = f"/api/drawings/{drawing.id}/animations"
        made = self._server.ask(AnimationDocument, "POST", path, content=body, headers=_JSON)
        self._accept(made.job, kind, lambda: self._fetch_files(made))
        return made

    def change(
        self, drawing: DrawingDocument, figure: FigureAnnotation, change: dict[str, Any]
    ) -> Annotation:
        """Change a figure; where something is then to be found, that job is in the ledger."""
        before = self.annotation(drawing)
        answer = self.ask(
            "PATCH",
            f"/api/drawings/{drawing.id}/figures/{figure.id}",
            json=change,
            headers={"If-Match": f'"{before.revision}"'},
        )
        after = msgspec.json.decode(answer.content, type=Annotation)
        if after.job is not None:
            self._accept(after.job, "correction", lambda: self._see_complete(drawing))
        return after

    def upload_motion(self, data: bytes, name: str) -> tuple[str, str]:
        """Hand in a motion file; its job is in the ledger. Its name, and the job."""
        answer = self.ask("POST", "/api/motions", params={"name": name}, content=data)
        told = json.loads(answer.content)
        self._accept(told["job"], "motion", lambda: self._see_motion(told["name"]))
        return str(told["name"]), str(told["job"])

    def ask(self, method: str, path: str, **how: Any) -> httpx.Response:
        """Any other request, once, as this owner.

        Raises:
            AnimatorError: the refusal, by its code.
            ServerUnreachable: when there is no answer.
        """
        return self._server.send(method, path, is_safe_twice=False, **how)

    def listen_a_moment(self, job: str) -> None:
        """Begin to follow a job, and break off at its first news."""
        with self._server.stream(f"/api/jobs/{job}/events") as answer:
            next(answer.iter_lines(), None)

    def wait(self, job: str, hear: Callable[[str], object] = len) -> None:
        """Wait until a job has ended, and its result was seen.

        Args:
            job: which.
            hear: told each line of the news.

        Raises:
            JobNotDone: when it failed, or that cannot be told just now.
        """
        until = time.monotonic() + _LONGEST_WAIT_S
        # Where the stream breaks or is refused, the job is asked for all the same.
        with suppress(AnimatorError), self._server.stream(f"/api/jobs/{job}/events") as answer:
            for line in answer.iter_lines():
                hear(line)
        while not self.conclude(job) and time.monotonic() < until:
            time.sleep(1.0)
        if self._ledger.fate(job) != "done":
            raise JobNotDone(job)

    def conclude(self, job: str) -> bool:
        """Ask once where a job stands, and note it when it is over; whether it is."""
        if not self._ledger.is_open(job):
            return True
        try:
            answer = self.http.get(f"/api/jobs/{job}", timeout=_SHORT_S)
        except httpx.HTTPError:
            return False
        if answer.status_code == 404:
            self._ledger.close(job, "lost", "job_unknown", "The product does not know it.")
        elif answer.is_success:
            self._note(job, msgspec.json.decode(answer.content, type=JobEvent))
        return not self._ledger.is_open(job)

    def withdraw(self) -> None:
        """Delete everything while jobs are under way: nobody waits for them any more."""
        for job in self.open_jobs:
            self._ledger.close(job, "withdrawn")
        self.leave()

    def leave(self) -> None:
        """Delete everything."""
        if self.http.cookies:
            self._server.send("DELETE", "/api/owner")

    def close(self) -> None:
        """Let go of the connections."""
        self.http.close()

    def _accept(self, job: str, kind: str, check: Check) -> None:
        self._checks[job] = check
        self._ledger.accept(job, kind)

    def _note(self, job: str, event: JobEvent) -> None:
        if event.state == "failed" and event.problem is not None:
            self._ledger.close(job, "failed", event.problem.code, event.problem.message)
        elif event.state == "failed":
            self._ledger.close(job, "failed", "", "No problem is told.")
        elif event.state == "done":
            self._note_done(job)

    def _note_done(self, job: str) -> None:
        """A job is done once its result was seen; that it is not there is a loss."""
        try:
            self._checks[job]()
        except ServerUnreachable:
            return
        except AnimatorError as error:
            if code_of(error) in ("internal_error", "job_failed"):
                return  # it may be there all the same; asked again later
            self._ledger.close(job, "lost", code_of(error), f"Done, but: {error.message}")
        else:
            self._ledger.close(job, "done")

    def _see_picture(self, drawing: str) -> None:
        self.ask("GET", f"/api/drawings/{drawing}/annotation")
        self.ask("GET", f"/api/drawings/{drawing}/picture")

    def _see_complete(self, drawing: DrawingDocument) -> None:
        self.ask("GET", f"/api/drawings/{drawing.id}/annotation")

    def _see_motion(self, name: str) -> None:
        answer = self.ask("GET", "/api/motions")
        if name not in {motion["name"] for motion in json.loads(answer.content)}:
            raise RequestRefused("The motion is not in the list.", told="motion_missing")

    def _fetch_files(self, made: AnimationDocument) -> None:
        for form in made.request.formats:
            path = f"/api/animations/{made.id}/file.{FORMATS[form].suffix}"
            if not self.ask("GET", path).content:
                raise RequestRefused("The file is empty.", told="file_empty")


def code_of(error: AnimatorError) -> str:
    """The code that the server told."""
    return error.told if isinstance(error, RequestRefused) and error.told else error.code


class Waiting:
    """Visits whose jobs were not over when their people left; they are asked again until they are.

    Those whose jobs are over are deleted.
    """

    def __init__(self) -> None:
        self._visits: list[Visit] = []
        self._lock = threading.Lock()

    def add(self, visit: Visit) -> None:
        """Look after a visit."""
        with self._lock:
            self._visits.append(visit)

    def look(self) -> int:
        """Ask once for each; how many are left."""
        with self._lock:
            visits, self._visits = self._visits, []
        left = [visit for visit in visits if not _is_gone(visit)]
        with self._lock:
            self._visits.extend(left)
            return len(self._visits)


def _is_gone(visit: Visit) -> bool:
    if not all([visit.conclude(job) for job in visit.open_jobs]):
        return False
    try:
        visit.leave()
    except AnimatorError:
        return False
    visit.close()
    return True
