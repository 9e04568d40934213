"""ChoiceHeaders: what an answer tells of the choice of its version."""

from collections.abc import Sequence

from serving.releases.choosing import Pick, Split

__all__ = ("CHOICE_HEADER", "ChoiceHeaders")

CHOICE_HEADER = "x-model-choice"
"""Tells, beside the version that answered, of which release that was and by what it was chosen."""

COOKIE_DAYS = 30
"""How long a browser keeps the cookie that it is known by, days."""

_DAY_S = 24 * 60 * 60


class ChoiceHeaders:
    """What answers tell while the shares are these.

    Args:
        release: its id.
        split: the versions' shares.
        cookie: name of the cookie that clients are known by; "": it is not that.
    """

    def __init__(self, release: str, split: Split, cookie: str) -> None:
        self._release = release
        self._split = split
        self._cookie = cookie
        self._made: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {}

    def of(self, pick: Pick) -> Sequence[tuple[str, str]]:
        """What the answer tells of this choice."""
        key = (pick.version, pick.by)
        headers = self._made.get(key)
        if headers is None:
            share = self._split.shares[pick.version]
            told = f"release={self._release}; by={pick.by}; share={share:.6g}"
            headers = self._made[key] = ((CHOICE_HEADER, told),)
        if not pick.new_cookie:
            return headers
        cookie = (
            f"{self._cookie}={pick.new_cookie}; Path=/; Max-Age={COOKIE_DAYS * _DAY_S}; "
            "HttpOnly; SameSite=Lax"
        )
        return (*headers, ("set-cookie", cookie))
