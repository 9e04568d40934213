"""AuditEntry: one change, as a line of JSON that carries the hash of the line before it."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

import msgspec

from serving.errors import ServingError

__all__ = (
    "FIRST",
    "FORMAT",
    "AuditAction",
    "AuditEntry",
    "NoEntry",
    "digest",
    "encode",
    "read_entry",
)

FORMAT = 1
"""Of the entries that are written now."""

FIRST = "0" * 64
"""What stands for the hash of the line before the very first."""

AuditAction = Literal[
    "start",
    "stop",
    "register",
    "unregister",
    "scale",
    "set_default",
    "load",
    "unload",
    "reload",
    "register_workflow",
    "unregister_workflow",
    "renew_key",
    "deploy",
    "reject",
    "begin_release",
    "step_release",
    "pause_release",
    "resume_release",
    "promote_release",
    "abort_release",
    "roll_back_release",
    "renew_release",
    "set_weights",
    "set_shadow",
    "refuse",
    "suppress",
]
"""What is done. "refuse" is an attempt that did not come as far as a change; "suppress" tells how
many more of those there were."""


class NoEntry(ServingError):
    """A line is no entry of an audit log."""

    code = "no_audit_entry"


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One change.

    Attributes:
        format: of this entry.
        sequence: 1, 2, 3 ...
        time: in UTC.
        who: see `Actor`; so are `key`, `address`, `via`, `agent` and `request_id`.
        what: an `AuditAction`; a later version may know more of them.
        model: its name; "": it is about no model.
        version: of the model.
        before: what was so before it.
        after: what is so now.
        reason: why; of an attempt that failed, what the caller was told.
        result: "ok", "begun" (the entry of its end follows), or the code of the error.
        previous: SHA-256 of the line before, in hexadecimal.
    """

    format: int
    sequence: int
    time: datetime
    who: str
    what: str
    result: str
    previous: str
    key: str = ""
    address: str = ""
    via: str = ""
    agent: str = ""
    request_id: str = ""
    model: str = ""
    version: str = ""
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    reason: str = ""


_DECODER = msgspec.json.Decoder(AuditEntry)


def encode(entry: AuditEntry) -> bytes:
    """Write an entry as a line, without its end."""
    return msgspec.json.encode(entry)


def digest(line: bytes) -> str:
    """Hash a line, without its end: SHA-256, in hexadecimal."""
    return hashlib.sha256(line).hexdigest()


def read_entry(line: bytes) -> AuditEntry:
    """Read a line.

    Raises:
        NoEntry: when it is none.
    """
    try:
        return _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        msg = f"this is no entry of an audit log: {error}"
        raise NoEntry(msg) from error
