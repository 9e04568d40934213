"""ReleaseRecord: releases' changes as entries of the audit log."""

from collections.abc import Mapping

from serving.audit.actor import Actor
from serving.audit.entry import AuditAction
from serving.audit.log import AuditLog, Change
from serving.releases.events import ReleaseEvent, ReleaseEventKind

__all__ = ("ReleaseRecord",)

_ACTIONS: Mapping[ReleaseEventKind, AuditAction] = {
    "begun": "begin_release",
    "stepped": "step_release",
    "paused": "pause_release",
    "resumed": "resume_release",
    "completed": "promote_release",
    "rolled_back": "roll_back_release",
    "aborted": "abort_release",
    "renewed": "renew_release",
}
"""What is restored after a restart is no change."""

_ACTORS = {"itself": Actor("canary"), "settings": Actor("start"), "watch": Actor("watcher")}
"""Who acts by itself; others are told by whoever let them in."""


class ReleaseRecord:
    """Writes them there.

    Args:
        log: the audit log.
    """

    def __init__(self, log: AuditLog) -> None:
        self._log = log

    def note(self, event: ReleaseEvent) -> None:
        """Write one down."""
        action = _ACTIONS.get(event.kind)
        if action is None:
            return
        change = Change(
            model=event.model,
            version=event.version,
            before={"stable": event.stable, "share": event.share_before},
            after={"stable": event.stable, "share": event.share, **event.numbers},
            reason=event.reason,
        )
        self._log.note(action, change, by=_ACTORS.get(event.by))
