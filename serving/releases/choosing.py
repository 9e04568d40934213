"""Split: which of several versions a request goes to, by weight, and the same for the same client.

A client's key is hashed to a number in (0, 1) for each version; the version wins whose -ln(number)
/ weight is least (rendezvous hashing, Thaler and Ravishankar 1998, with weights). So each version
gets exactly its share of the keys, and when one's weight grows, keys move to it and none between
the others: who has been answered by the new version is not answered by the old one again.
"""

import math
import random
import secrets
from collections.abc import Mapping
from hashlib import blake2b
from itertools import accumulate
from typing import NamedTuple

from serving.protocol.asker import Asker
from serving.releases.plan import Sticky

__all__ = ("Pick", "Split", "cookie_of")

_WORD = 8
_ABOVE = 1 << (8 * _WORD)


class Pick(NamedTuple):
    """What was chosen.

    Attributes:
        version: which.
        by: what the client was known by: "header", "cookie", "address"; "drawn": by nothing.
        new_cookie: for the client to be known by from now on; "": none.
    """

    version: str
    by: str
    new_cookie: str = ""


class Split:
    """Versions with weights.

    Args:
        weights: by version, >= 0, not all 0; only their proportions count.
        sticky: what clients are known by.
        salt: of the hashes: other releases take other clients first.
    """

    def __init__(self, weights: Mapping[str, float], sticky: Sticky, salt: str) -> None:
        total = sum(weights.values())
        self._shares = {version: weight / total for version, weight in weights.items()}
        self._versions = tuple(weights)
        self._cumulated = tuple(accumulate(self._shares.values()))
        self._sticky = sticky
        self._salt = blake2b(salt.encode(), digest_size=16).digest()

    @property
    def shares(self) -> Mapping[str, float]:
        """By version, in [0, 1]."""
        return self._shares

    def choose(self, asker: Asker) -> Pick:
        """Choose for a request."""
        by = self._sticky.by
        if by == "none":
            return Pick(self._draw(), "drawn")
        if by == "address":
            key = asker.address
        elif by == "header":
            key = asker.headers.get(self._sticky.name.lower(), "")
        else:
            key = cookie_of(asker.headers.get("cookie", ""), self._sticky.name)
            if not key:
                key = secrets.token_urlsafe(12)
                return Pick(self.version_of(key), by, key)
        return Pick(self.version_of(key), by) if key else Pick(self._draw(), "drawn")

    def version_of(self, key: str) -> str:
        """The version for a client's key: always the same while the weights are."""
        digest = blake2b(
            key.encode("utf-8", "replace"), digest_size=_WORD * len(self._versions), key=self._salt
        ).digest()
        best, least = self._versions[0], math.inf
        for index, (version, share) in enumerate(self._shares.items()):
            if share <= 0:
                continue
            word = int.from_bytes(digest[index * _WORD : (index + 1) * _WORD], "little")
            score = -math.log((word + 0.5) / _ABOVE) / share
            if score < least:
                best, least = version, score
        return best

    def _draw(self) -> str:
        point = random.random()  # nosec B311: a draw is no secret
        for version, end in zip(self._versions, self._cumulated, strict=True):
            if point < end:
                return version
        return next(version for version in reversed(self._versions) if self._shares[version] > 0)


def cookie_of(header: str, name: str) -> str:
    """The value of a cookie in a header Cookie; "": it is not there."""
    for part in header.split(";"):
        key, _, value = part.strip().partition("=")
        if key == name:
            return value.strip('"')
    return ""
