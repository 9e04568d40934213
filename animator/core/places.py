"""Where things are kept that several machines share."""

import re

import msgspec

__all__ = ("BucketPlace", "read_bucket")

_BUCKET = re.compile(r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:/[A-Za-z0-9._-]+)*)/?")


class BucketPlace(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a bucket in an object store that speaks S3; credentials are no part of it.

    Attributes:
        bucket: its name.
        prefix: how all names of ours begin, with a slash at its end; empty: it is all ours.
        endpoint: address of the server; None: Amazon's, or what AWS_ENDPOINT_URL_S3 says.
        region: of the bucket; None: what AWS_DEFAULT_REGION or the profile says, else us-east-1.
        path_style: whether the bucket stands in the path of addresses, not in the host's name.
    """

    bucket: str
    prefix: str = ""
    endpoint: str | None = None
    region: str | None = None
    path_style: bool = False


def read_bucket(url: str) -> BucketPlace:
    """The place that ``s3://bucket/prefix`` names.

    Raises:
        ValueError: when it names none.
    """
    matched = _BUCKET.fullmatch(url)
    if matched is None:
        msg = f"a store is s3://BUCKET or s3://BUCKET/PREFIX, got {url!r:.100}"
        raise ValueError(msg)
    prefix = matched.group(2).removeprefix("/")
    return BucketPlace(bucket=matched.group(1), prefix=f"{prefix}/" if prefix else "")
