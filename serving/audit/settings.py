"""AuditSettings: where changes are written down, and how much of it is kept."""

from typing import Annotated

import msgspec

__all__ = ("AuditSettings",)


class AuditSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where changes are written down; the table `[serving.audit]`, or `SERVING_AUDIT_...`.

    Attributes:
        file: JSON, one entry a line; "": the latest are kept in memory alone, and lost at the end.
        required: whether a change is refused where its entry cannot be written.
        max_bytes: of the file; then it is put aside and a new one begun.
        max_files: that are kept, with the one that is written; the oldest goes.
        refused_per_hour: entries of attempts without the right key, and again so many of attempts
            that failed; more are counted, and told in one entry.
    """

    file: str = ""
    required: bool = False
    max_bytes: Annotated[int, msgspec.Meta(ge=4096, le=1 << 30)] = 5 << 20
    max_files: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 20
    refused_per_hour: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 100
