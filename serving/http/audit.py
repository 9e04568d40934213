"""The audit log over REST: `GET /audit` on the management port."""

from collections.abc import Awaitable, Callable

import msgspec

from serving.audit.log import AuditLog
from serving.audit.reading import AuditQuery
from serving.errors import BadInput
from serving.http.replies import json_reply
from serving.http.request import HttpRequest
from serving.http.routing import check_method
from serving.protocol.exchange import RawReply

__all__ = ("AuditRoutes",)

_Answer = Callable[[], Awaitable[RawReply]]

_PARAMETERS = {name: name for name in AuditQuery.__struct_fields__} | {"below": "next_page_token"}
"""Fields of a query, and the parameters that set them."""

_NUMBERS = frozenset({"limit", "below"})


class AuditRoutes:
    """The address of the audit log.

    Args:
        audit: what is read.
        is_reference: whether there is no such address, as in the reference.
    """

    def __init__(self, audit: AuditLog, *, is_reference: bool) -> None:
        self._audit = audit
        self._is_reference = is_reference

    def find(self, request: HttpRequest) -> _Answer | None:
        """Find what answers a request; None when its address is another's."""
        if request.segments != ("audit",) or self._is_reference:
            return None
        return lambda: self._page(request)

    async def _page(self, request: HttpRequest) -> RawReply:
        """Answer with a page of entries, the latest first.

        Raises:
            BadInput: when a parameter is wrong.
        """
        check_method(request, "GET")
        said = {
            field: _read(value, is_number=field in _NUMBERS)
            for field, name in _PARAMETERS.items()
            if (value := request.parameter(name)) is not None
        }
        try:
            query = msgspec.convert(said, AuditQuery)
        except msgspec.ValidationError as error:
            msg = f"the audit log is not asked so: {error}"
            raise BadInput(msg) from error
        return json_reply(await self._audit.page(query))


def _read(text: str, *, is_number: bool) -> str | int:
    """A number where one is asked for and given; what is none is refused later, by its type."""
    is_good = is_number and text.isascii() and text.isdecimal() and len(text) < 18
    return int(text) if is_good else text
