"""The client: one method for each thing that can be done with drawings."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
import msgspec

from animator.client.errors import ServerUnreachable, error_from_code
from animator.client.transport import Transport
from animator.core.animation import format_of
from animator.core.annotation import Annotation
from animator.core.documents import AnimationDocument, AnimationRequest, DrawingDocument
from animator.core.errors import EncodingFailed
from animator.core.job import JobEvent
from animator.core.motion import MotionInfo

__all__ = ("Client",)

OnProgress = Callable[[JobEvent], None]
Made = TypeVar("Made", DrawingDocument, AnimationDocument)

_COOKIE = "animator_owner"
_ANSWER_TIMEOUT = 30.0
_PART = 100
_JSON = {"Content-Type": "application/json"}


class Client:
    """A server, as one owner sees it; to be used in a `with` statement, or closed.

    All methods raise the errors of `animator.core.errors` by the code that the server tells, and
    `ServerUnreachable` when it does not answer.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8000",
        *,
        key: str | None = None,
        token: str | None = None,
        patience: float = 30.0,
    ) -> None:
        """Prepare to ask; nothing is sent yet.

        Args:
            url: of the server.
            key: an API key. Without one, the first upload makes an owner: see `token`.
            token: of an owner that was made before.
            patience: seconds for which a request is sent again where that is safe.
        """
        http = httpx.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            cookies={_COOKIE: token} if token else {},
            timeout=_ANSWER_TIMEOUT,
        )
        self._server = Transport(http, patience)

    @property
    def token(self) -> str | None:
        """Makes another client the same owner; None before the first upload. Keep it secret."""
        return next((c.value for c in self._server.http.cookies.jar if c.name == _COOKIE), None)

    def close(self) -> None:
        """Let go of the connections."""
        self._server.http.close()

    def __enter__(self) -> Self:
        """Nothing: the connections are made when they are needed."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Let go of the connections."""
        self.close()

    def upload(self, picture: str | Path | bytes, name: str = "") -> DrawingDocument:
        """Hand in a picture; the same again is the same drawing.

        Args:
            picture: a file, or its bytes.
            name: to show; the file's own when left out.
        """
        data = picture if isinstance(picture, bytes) else Path(picture).read_bytes()
        if not isinstance(picture, bytes):
            name = name or Path(picture).name
        how = {"params": {"name": name}, "content": data}
        return self._server.ask(DrawingDocument, "POST", "/api/drawings", is_safe_twice=True, **how)

    def wait(self, made: Made, on_progress: OnProgress = lambda _: None) -> Made:
        """Wait until a drawing is read, or an animation made; how it stands then.

        Args:
            made: as `upload` or `animate` gave it.
            on_progress: called with each news of the job.
        """
        self.follow(made.job, on_progress)
        kind = type(made)
        return self._server.ask(kind, "GET", f"{_folder_of(made)}/{made.id}")

    def follow(self, job: str, on_progress: OnProgress = lambda _: None) -> None:
        """Wait until a job is done; an error of ours when it fails."""
        for event in self._events(job):
            on_progress(event)
            if event.problem is not None:
                raise error_from_code(event.problem.code, event.problem.message)

    def annotation(self, drawing: DrawingDocument) -> Annotation:
        """The figures of a drawing that has been read, once nothing of them is missing."""
        found = self._server.ask(Annotation, "GET", f"/api/drawings/{drawing.id}/annotation")
        if found.job is None:
            return found
        self.follow(found.job)
        return self._server.ask(Annotation, "GET", f"/api/drawings/{drawing.id}/annotation")

    def correct(self, drawing: DrawingDocument, annotation: Annotation) -> Annotation:
        """Store corrected figures; what of them is None is found again by a job.

        Args:
            drawing: whose figures they are.
            annotation: as `annotation` gave it, with other figures.

        Raises:
            Conflict: when somebody else changed them meanwhile.
        """
        path = f"/api/drawings/{drawing.id}/annotation"
        how = {"content": msgspec.json.encode(annotation), "headers": _stored(annotation)}
        # Sent twice it would be in conflict with itself.
        return self._server.ask(Annotation, "PUT", path, is_safe_twice=False, **how)

    def motions(self) -> tuple[MotionInfo, ...]:
        """What figures can do."""
        return self._server.ask(tuple[MotionInfo, ...], "GET", "/api/motions")

    def animate(self, drawing: DrawingDocument, **request: Any) -> AnimationDocument:
        """Ask for an animation of a drawing that has been read.

        Args:
            drawing: the drawing.
            request: the fields of `AnimationRequest`, such as `motion="wave"`.
        """
        body = msgspec.json.encode(AnimationRequest(**request))
        path = f"/api/drawings/{drawing.id}/animations"
        return self._server.ask(AnimationDocument, "POST", path, content=body, headers=_JSON)

    def save(self, animation: AnimationDocument, file: str | Path) -> Path:
        """Write a file of an animation that is done; its name says which format.

        Raises:
            EncodingFailed: when the name says none.
            NotFound: when the animation was not asked for in this format.
        """
        target = Path(file)
        form = format_of(target.name)
        if form is None:
            msg = f"{target.name} ends in no format that is known: .gif, .mp4, .webm or the like."
            raise EncodingFailed(msg)
        path = f"/api/animations/{animation.id}/file.{form.suffix}"
        target.write_bytes(self._server.send("GET", path).content)
        return target

    def save_everything(self, drawing: DrawingDocument, file: str | Path) -> Path:
        """Write a zip with the picture, its figures, and every file that is ready."""
        target = Path(file)
        path = f"/api/drawings/{drawing.id}/everything.zip"
        target.write_bytes(self._server.send("GET", path).content)
        return target

    def share(self, animation: AnimationDocument, days: int = 30) -> str:
        """Address of a page that shows an animation to everybody who knows it, for some days."""
        path = f"/api/animations/{animation.id}/shares"
        share = self._server.ask(dict[str, Any], "POST", path, json={"days": days})
        return str(self._server.http.base_url.join(share["url"]))

    def drawings(self) -> Iterator[DrawingDocument]:
        """All your drawings, newest first."""
        return self._list(DrawingDocument, "/api/drawings")

    def animations(self, drawing: DrawingDocument) -> Iterator[AnimationDocument]:
        """All animations of a drawing, newest first."""
        return self._list(AnimationDocument, f"/api/drawings/{drawing.id}/animations")

    def delete(self, made: DrawingDocument | AnimationDocument) -> None:
        """Forget a drawing with all that was made of it, or one animation."""
        self._server.send("DELETE", f"{_folder_of(made)}/{made.id}", is_safe_twice=False)

    def delete_everything(self) -> None:
        """Forget all that you handed in, and the owner."""
        self._server.send("DELETE", "/api/owner")

    def _events(self, job: str) -> Iterator[JobEvent]:
        """News of a job to its end; a stream that breaks off is taken up again."""
        state = "queued"
        while state not in ("done", "failed"):
            try:
                with self._server.stream(f"/api/jobs/{job}/events") as answer:
                    for line in answer.iter_lines():
                        if line.startswith("data:"):
                            event = msgspec.json.decode(line.removeprefix("data:"), type=JobEvent)
                            state = event.state
                            yield event
            except ServerUnreachable:
                # Whether it is away for long, this finds out, and waits for it.
                self._server.ask(JobEvent, "GET", f"/api/jobs/{job}")

    def _list(self, kind: type[Made], path: str) -> Iterator[Made]:
        address: str | None = f"{path}?limit={_PART}"
        while address is not None:
            answer = self._server.send("GET", address)
            yield from msgspec.json.decode(answer.content, type=list[kind])  # type: ignore[valid-type]
            address = answer.links.get("next", {}).get("url")


def _folder_of(made: DrawingDocument | AnimationDocument) -> str:
    return "/api/drawings" if isinstance(made, DrawingDocument) else "/api/animations"


def _stored(annotation: Annotation) -> dict[str, str]:
    """Says which revision is changed."""
    return {**_JSON, "If-Match": f'"{annotation.revision}"'}
