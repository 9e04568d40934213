"""Replies in TorchServe's form: its JSON, its errors, and the header fields of every answer."""

from typing import Any

import msgspec

from serving.errors import InputTooLarge, Unauthorized
from serving.http.call import encode_fields
from serving.http.problems import WrongMethod, problem_of
from serving.protocol.exchange import RawReply
from serving.protocol.torchserve import ErrorBody, StatusBody, encode_pretty
from serving.settings import ServerSettings

__all__ = ("JSON", "Replies", "json_reply", "status_reply", "text_reply")

JSON = "application/json"

# Those of every answer of the reference; a browser shall keep none.
_NO_CACHE = (
    ("pragma", "no-cache"),
    ("cache-control", "no-cache; no-store, must-revalidate, private"),
    ("expires", "Thu, 01 Jan 1970 00:00:00 UTC"),
)

_KEPT = 256
"""Kinds of answers whose header lines are kept: most answers of a model have the same."""

_CORS = ("origin", "methods", "headers")


def json_reply(value: msgspec.Struct | list[Any] | dict[str, Any], status: int = 200) -> RawReply:
    """Answer with JSON, two spaces of indent and a newline at the end."""
    return RawReply(encode_pretty(value), status=status, content_type=JSON)


def status_reply(text: str, status: int = 200) -> RawReply:
    """Answer with one sentence that says what was done."""
    return json_reply(StatusBody(status=text), status)


def text_reply(text: bytes, content_type: str) -> RawReply:
    """Answer with text of another kind."""
    return RawReply(text, content_type=content_type)


class Replies:
    """What every answer of a server has in common.

    Args:
        settings: whether it answers as the reference; and for which pages in a browser.

    Attributes:
        is_reference: whether it answers as the reference.
        may_change_models: whether models may be registered and removed.
        max_bytes: of an answer, or of each part of one that comes in parts.
    """

    def __init__(self, settings: ServerSettings) -> None:
        self.is_reference = settings.compat == "torchserve"
        self.may_change_models = settings.enable_model_api
        self.max_bytes = settings.max_response_bytes
        self._cors = tuple(
            (f"access-control-allow-{part}", value)
            for part in _CORS
            if (value := getattr(settings, f"cors_allowed_{part}"))
        )
        self._fixed = (*_NO_CACHE, *self._cors)
        self._lines: dict[tuple[str | None, tuple[tuple[str, str], ...]], bytes] = {}

    @property
    def allows_pages(self) -> bool:
        """Whether pages of another origin may ask."""
        return bool(self._cors)

    def fields_of(self, reply: RawReply, request_id: str) -> bytes:
        """Header fields of an answer, without those of length and framing; its own go first.

        Raises:
            ValueError: when one of its own cannot stand in a header.
        """
        key = (reply.content_type, reply.headers)
        lines = self._lines.get(key)
        if lines is None:
            lines = encode_fields(self._lasting_fields(reply))
            if len(self._lines) < _KEPT:
                self._lines[key] = lines
        return b"x-request-id: %b\r\n%b" % (request_id.encode(), lines)

    def _lasting_fields(self, reply: RawReply) -> list[tuple[str, str]]:
        """Those that the next answer of the kind has, too."""
        fields = [] if reply.content_type is None else [("content-type", reply.content_type)]
        fields += reply.headers
        own = {name.lower() for name, _ in reply.headers}
        return fields + [field for field in self._fixed if field[0] not in own]

    def closes_after(self, reply: RawReply) -> bool:
        """Whether the connection ends; the reference does that with every error."""
        return self.is_reference and reply.status >= 400

    def error(self, error: Exception) -> RawReply:
        """Answer with an error, in the reference's form."""
        if self.is_reference and isinstance(error, InputTooLarge):
            return RawReply(b"", status=413)
        problem = problem_of(error, is_reference=self.is_reference)
        body = ErrorBody(code=problem.status, type=problem.type, message=problem.message)
        headers: list[tuple[str, str]] = []
        if problem.retry_after_s is not None:
            headers.append(("retry-after", str(problem.retry_after_s)))
        if isinstance(error, WrongMethod):
            headers.append(("allow", ", ".join(error.methods)))
        if isinstance(error, Unauthorized) and problem.status == 401:
            headers.append(("www-authenticate", "Bearer"))
        return RawReply(
            encode_pretty(body),
            status=problem.status,
            headers=tuple(headers),
            content_type=JSON,
        )
