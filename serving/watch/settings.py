"""WatchSettings: whether new models and versions are served by themselves, and how."""

from typing import Annotated, Any, Literal

import msgspec

__all__ = ("WatchRelease", "WatchSettings")

WatchRelease = Literal["default", "canary", "none"]
"""What becomes of a new version: it answers at once, after a canary, or only who names it."""


class WatchSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is watched; the table `[serving.watch]`, or `watch = true`, or `SERVING_WATCH_...`.

    Whoever can write there runs code as the server's user.

    Attributes:
        enabled: whether anything is.
        source: a folder, or `s3://bucket/prefix`; "": the folder of models.
        interval_s: between two looks, seconds, give or take a tenth.
        release: what becomes of a new version of a model that is served already.
        canary: fields of a canary's plan, such as `steps`.
        unregister_removed: whether a version that is taken away there is served no longer.
        max_bytes: of an archive, or of all files of a folder.
        max_count: archives and folders that are looked at.
        state_file: where it is kept what was seen; "": `config/watched.json` in `log_dir`, and
            nowhere without that.
        s3_endpoint: address of an object store that is not AWS'; "": AWS'.
        s3_region: of the bucket.
        s3_path_style: whether the bucket stands in the path, not in the host's name.
    """

    enabled: bool = False
    source: str = ""
    interval_s: Annotated[float, msgspec.Meta(ge=0.1, le=3600)] = 5.0
    release: WatchRelease = "default"
    canary: dict[str, Any] = {}
    unregister_removed: bool = False
    max_bytes: Annotated[int, msgspec.Meta(ge=1)] = 8 << 30
    max_count: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 1000
    state_file: str = ""
    s3_endpoint: str = ""
    s3_region: str = ""
    s3_path_style: bool = False
