"""Long lists in parts: how many, after which one, and where the next part is (RFC 8288)."""

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias
from urllib.parse import urlencode

from litestar import Request
from litestar.exceptions import ValidationException
from litestar.params import QueryParameter

__all__ = ("After", "Limit", "cut_part", "link_next")

Limit: TypeAlias = Annotated[int, QueryParameter(ge=1, le=100, description="at most so many")]
After: TypeAlias = Annotated[
    str | None, QueryParameter(description="id of the last one of the part before")
]


def cut_part(ids: Sequence[str], after: str | None, limit: int) -> tuple[Sequence[str], bool]:
    """The part of a list after an id, and whether more follow.

    Raises:
        ValidationException: when the id is not in the list (any more).
    """
    if after is not None and after not in ids:
        msg = "There is nothing of this id to go on after; begin again without `after`."
        raise ValidationException(msg)
    begin = 0 if after is None else ids.index(after) + 1
    return ids[begin : begin + limit], begin + limit < len(ids)


def link_next(request: Request[Any, Any, Any], limit: int, last: str) -> dict[str, str]:
    """The header that says where the next part is."""
    query = urlencode({"limit": limit, "after": last})
    return {"Link": f'<{request.url.path}?{query}>; rel="next"'}
