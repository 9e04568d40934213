"""TorchServe's workflow API: `/workflows` on the management port, `/wfpredict` on the other."""

from collections.abc import Awaitable, Callable

from serving.errors import BadInput, NotAllowed
from serving.http.inference import Target, raw_request
from serving.http.replies import json_reply, status_reply
from serving.http.request import HttpRequest
from serving.management import NOT_ALLOWED
from serving.protocol.exchange import RawReply
from serving.settings import ServerSettings
from serving.workflow.workflows import Workflows

__all__ = ("WorkflowRoutes",)

_PAGE = 100
"""Workflows on a page where the client asks for none, or for more."""

_Answer = Callable[[], Awaitable[RawReply]]


class WorkflowRoutes:
    """The workflow API.

    Args:
        workflows: what is served.
        settings: whether workflows may be registered and removed.
    """

    def __init__(self, workflows: Workflows, settings: ServerSettings) -> None:
        self._workflows = workflows
        self._settings = settings

    def manage(self, request: HttpRequest) -> _Answer | None:
        """Find what answers `/workflows` and `/workflows/{name}`; None for other addresses."""
        match request.segments:
            case ("workflows",):
                return lambda: self._all(request)
            case ("workflows", name):
                return lambda: self._one(request, name)
        return None

    def predict(self, request: HttpRequest) -> _Answer | None:
        """Find what answers `/wfpredict/{name}`; None for other addresses."""
        match request.segments:
            case ("wfpredict", name):
                raw = raw_request(request, Target(name), self._settings.sequence_headers)
                return lambda: self._workflows.predict(name, raw)
        return None

    async def _all(self, request: HttpRequest) -> RawReply:
        if request.method in {"GET", "HEAD"}:
            limit = _number(request, "limit") or _PAGE
            start = _number(request, "next_page_token") or 0
            return json_reply(self._workflows.page(min(limit, _PAGE), start))
        if request.method.upper() != "POST":
            raise NotAllowed(NOT_ALLOWED)
        self._check_may_change()
        if not request.parameter("url"):
            raise BadInput("Parameter url is required.")
        name = await self._workflows.register(
            request.parameter("url"),
            name=request.parameter("workflow_name") or "",
            response_timeout=_number(request, "response_timeout"),
            startup_timeout=_number(request, "startup_timeout"),
        )
        return status_reply(f"Workflow {name} has been registered and scaled successfully.")

    async def _one(self, request: HttpRequest, name: str) -> RawReply:
        if request.method in {"GET", "HEAD"}:
            return json_reply([self._workflows.describe(name)])
        if request.method != "DELETE":
            raise NotAllowed(NOT_ALLOWED)
        self._check_may_change()
        await self._workflows.unregister(name)
        return status_reply(f'Workflow "{name}" unregistered')

    def _check_may_change(self) -> None:
        if not self._settings.enable_model_api:
            raise NotAllowed(NOT_ALLOWED)


def _number(request: HttpRequest, name: str) -> int | None:
    text = request.parameter(name)
    if text is None:
        return None
    if not text.isdecimal() or len(text) > 9:
        msg = f"{name} must be a whole number, got {text[:20]!r}"
        raise BadInput(msg)
    return int(text)
