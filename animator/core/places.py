"""Where things are kept that several machines share."""

import re
from urllib.parse import urlsplit

import msgspec

__all__ = ("BucketPlace", "SentinelPlace", "read_bucket", "read_sentinels")

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


class SentinelPlace(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A Redis of which sentinels say where its master is.

    Attributes:
        sentinels: host and port of each.
        master: name of the master, as the sentinels know it.
        server: URL of any such server: user, password, database and options; its host says nothing.
    """

    sentinels: tuple[tuple[str, int], ...]
    master: str
    server: str


def read_sentinels(url: str) -> SentinelPlace | None:
    """The place that ``redis+sentinel://USER:WORD@HOST:PORT,HOST:PORT/MASTER/DB`` names.

    Returns:
        None, when the URL is that of a single server.

    Raises:
        ValueError: when the URL is that of sentinels, but names none, or no master.
    """
    parts = urlsplit(url)
    scheme, _, kind = parts.scheme.partition("+")
    if kind != "sentinel":
        return None
    credentials, at, hosts = parts.netloc.rpartition("@")
    master, _, database = parts.path.removeprefix("/").partition("/")
    sentinels = tuple(_read_host(host) for host in hosts.split(","))
    if not master:
        msg = "name the master: redis+sentinel://HOST:26379,HOST:26379/MASTER"
        raise ValueError(msg)
    query = f"?{parts.query}" if parts.query else ""
    server = f"{scheme}://{credentials}{at}master/{database or 0}{query}"
    return SentinelPlace(sentinels=sentinels, master=master, server=server)


def _read_host(text: str) -> tuple[str, int]:
    parts = urlsplit(f"//{text}")
    if parts.hostname is None:
        msg = "name the sentinels: redis+sentinel://HOST:26379,HOST:26379/MASTER"
        raise ValueError(msg)
    return parts.hostname, parts.port or 26379
