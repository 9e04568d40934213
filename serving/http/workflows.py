"""TorchServe's workflow API: `/workflows` on the management port, `/wfpredict` on the other."""

from collections.abc import Awaitable, Callable

from serving.errors import BadInput
from serving.http.replies import json_reply, status_reply
from serving.http.request import HttpRequest
from serving.http.routing import ASKING, check_method
from serving.http.targets import Target, raw_request
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
                if self._settings.compat != "torchserve":
                    check_method(request, *ASKING)
                raw = raw_request(request, Target(name), self._settings.sequence_headers)
                return lambda: self._workflows.predict(name, raw)
        return None

    async def _all(self, request: HttpRequest) -> RawReply:
        if request.method in {"GET", "HEAD"}:
            limit = _number(request, "limit") or _PAGE
            start = _number(request, "next_page_token") or 0
            return json_reply(self._workflows.page(min(limit, _PAGE), start))
        check_method(request, *self._verbs("POST"))
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
        check_method(request, *self._verbs("DELETE"))
        await self._workflows.unregister(name)
        return status_reply(f'Workflow "{name}" unregistered')

    def _verbs(self, changing: str) -> tuple[str, ...]:
        """What may be asked: to look, and where models may be changed to change."""
        return ("GET", changing) if self._settings.enable_model_api else ("GET",)


def _number(request: HttpRequest, name: str) -> int | None:
    text = request.parameter(name)
    if text is None:
        return None
    if not text.isdecimal() or len(text) > 9:
        msg = f"{name} must be a whole number, got {text[:20]!r}"
        raise BadInput(msg)
    return int(text)
