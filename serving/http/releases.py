"""Releases over REST: `/releases` on the management port, `/feedback` on that of inference."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Literal, TypeVar

import msgspec

from serving.audit.entry import AuditAction
from serving.audit.log import AuditLog
from serving.errors import BadInput
from serving.http.replies import json_reply
from serving.http.request import HttpRequest
from serving.http.routing import check_method
from serving.protocol.exchange import RawReply
from serving.releases.plan import ReleasePlan
from serving.releases.releases import Releases
from serving.releases.report import ReleaseList, ReleaseReport

__all__ = ("Abortion", "Feedback", "ReleaseRoutes", "Step")

_Answer = Callable[[], Awaitable[RawReply]]
_Body = TypeVar("_Body")
_Verb = Literal["step", "promote", "pause", "resume", "abort"]
_BY = "management"

_ACTIONS: Mapping[_Verb, AuditAction] = {
    "step": "step_release",
    "promote": "promote_release",
    "pause": "pause_release",
    "resume": "resume_release",
    "abort": "abort_release",
}


class Step(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a release is asked for that shall step.

    Attributes:
        share: of the requests, that the new version gets; None: a canary's next step.
    """

    share: Annotated[float, msgspec.Meta(gt=0, le=1)] | None = None


class Abortion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a release is told that shall end.

    Attributes:
        reason: why.
    """

    reason: Annotated[str, msgspec.Meta(max_length=500)] = ""


class Feedback(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a client says of an answer.

    Attributes:
        version: that gave it, as its header x-model-version tells.
        metric: what is measured.
        value: of it.
    """

    version: Annotated[str, msgspec.Meta(min_length=1, max_length=128)]
    metric: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
    value: float


_PLAN: msgspec.json.Decoder[ReleasePlan] = msgspec.json.Decoder(ReleasePlan)
_STEP = msgspec.json.Decoder(Step)
_ABORTION = msgspec.json.Decoder(Abortion)
_FEEDBACK = msgspec.json.Decoder(Feedback)


class ReleaseRoutes:
    """The addresses of releases; in the reference there are none.

    Args:
        releases: does what they ask.
        audit: takes note of what fails; of what is done, releases tell.
        is_reference: whether there are none.
    """

    def __init__(self, releases: Releases, audit: AuditLog, *, is_reference: bool) -> None:
        self._releases = releases
        self._audit = audit
        self._is_reference = is_reference

    def manage(self, request: HttpRequest) -> _Answer | None:
        """Find what answers an address of management; None: it is another's."""
        if self._is_reference:
            return None
        match request.segments:
            case ("releases",):
                return lambda: self._all(request)
            case ("releases", model):
                return lambda: self._one(request, model)
            case ("releases", model, "step" | "promote" | "pause" | "resume" | "abort" as verb):
                return lambda: self._change(request, model, verb)
        return None

    def hear(self, request: HttpRequest) -> _Answer | None:
        """Find what answers an address of inference; None: it is another's."""
        match request.segments:
            case ("feedback", model) if not self._is_reference:
                return lambda: self._feed_back(request, model)
        return None

    async def _all(self, request: HttpRequest) -> RawReply:
        check_method(request, "GET", "POST")
        if request.method != "POST":
            return json_reply(ReleaseList(releases=self._releases.reports))
        plan = _read(request, _PLAN)
        if not plan.model:
            raise BadInput("model is required")
        again = _flag(request, "again")
        async with self._audit.change("begin_release", plan.model, is_told=True):
            return json_reply(await self._releases.begin(plan, by=_BY, again=again), 201)

    async def _one(self, request: HttpRequest, model: str) -> RawReply:
        check_method(request, "GET")
        return json_reply(self._releases.read(model))

    async def _change(self, request: HttpRequest, model: str, verb: _Verb) -> RawReply:
        check_method(request, "POST")
        async with self._audit.change(_ACTIONS[verb], model, is_told=True):
            return json_reply(self._changed(request, model, verb))

    def _changed(self, request: HttpRequest, model: str, verb: _Verb) -> ReleaseReport:
        releases = self._releases
        match verb:
            case "step":
                return releases.steering.step(model, by=_BY, share=_read(request, _STEP).share)
            case "abort":
                return releases.steering.abort(
                    model, by=_BY, reason=_read(request, _ABORTION).reason
                )
            case "promote":
                return releases.steering.promote(model, by=_BY)
            case "pause":
                return releases.steering.pause(model, by=_BY)
            case "resume":
                return releases.steering.resume(model, by=_BY)

    async def _feed_back(self, request: HttpRequest, model: str) -> RawReply:
        check_method(request, "POST")
        said = _read(request, _FEEDBACK)
        self._releases.feed_back(model, said.version, said.metric, said.value)
        return json_reply({})


def _read(request: HttpRequest, decoder: msgspec.json.Decoder[_Body]) -> _Body:
    """Read a body of JSON; nothing counts as an empty object.

    Raises:
        BadInput: when it is not what the address takes.
    """
    try:
        return decoder.decode(request.body or b"{}")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        msg = f"the body is not what this address takes: {error}"
        raise BadInput(msg) from error


def _flag(request: HttpRequest, name: str) -> bool:
    text = request.parameter(name)
    if text not in {None, "true", "false"}:
        msg = f"{name} must be true or false, got {text[:20] if text else text!r}"
        raise BadInput(msg)
    return text == "true"
