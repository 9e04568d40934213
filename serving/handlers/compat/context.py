"""Context: what a handler is told of its model and of the requests before it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = ("Context", "RequestProcessor")


class Context:
    """Given to a handler when it is initialised and with each batch."""

    def __init__(
        self,
        model_name: str,
        model_dir: str,
        manifest: Any,
        batch_size: int | None,
        gpu: int | None,
        mms_version: str,
        limit_max_image_pixels: bool = True,
        metrics: Any = None,
        model_yaml_config: Any = None,
    ) -> None:
        self.model_name = model_name
        self.manifest = manifest
        self.metrics = metrics
        self.model_yaml_config = model_yaml_config
        self.stopping_criteria: Sequence[Callable[[Any], bool | None]] | None = None
        self.request_ids: Mapping[int, str] | None = None
        self.request_processor: Sequence[RequestProcessor] | None = None
        self.header_key_sequence_id = "ts_request_sequence_id"
        self.header_key_sequence_start = "ts_request_sequence_start"
        self.header_key_sequence_end = "ts_request_sequence_end"
        self._system_properties = {
            "model_dir": model_dir,
            "gpu_id": gpu,
            "batch_size": batch_size,
            "server_name": "MMS",
            "server_version": mms_version,
            "limit_max_image_pixels": limit_max_image_pixels,
        }

    @property
    def system_properties(self) -> dict[str, Any]:
        """The model's folder, the GPU's number, the batch size and the server's name."""
        return self._system_properties

    def get_request_id(self, idx: int = 0) -> str | None:
        """Tell the id of the request at that place in the batch."""
        return None if self.request_ids is None else self.request_ids.get(idx)

    def get_request_header(self, idx: int, key: str) -> Any:
        """Tell one header of a request; None without it."""
        return self._request(idx).get_request_property(key)

    def get_all_request_header(self, idx: int) -> dict[str, Any]:
        """Tell all headers of a request."""
        return self._request(idx).get_request_properties()

    def get_sequence_id(self, idx: int) -> Any:
        """Tell which sequence a request belongs to."""
        return self.get_request_header(idx, self.header_key_sequence_id)

    def set_response_content_type(self, idx: int, value: str) -> None:
        """Say what the reply to a request is."""
        self.set_response_header(idx, "content-type", value)

    def get_response_content_type(self, idx: int) -> str | None:
        """Tell what the reply to a request is said to be."""
        return self.get_response_headers(idx).get("content-type")

    def set_response_header(self, idx: int, key: str, value: str) -> None:
        """Set one header of a reply."""
        self._request(idx).add_response_property(key, value)

    def get_response_headers(self, idx: int) -> dict[str, str]:
        """Tell the headers of a reply."""
        return self._request(idx).get_response_headers()

    def set_response_status(self, code: int = 200, phrase: str = "", idx: int = 0) -> None:
        """Set the status of one reply; without requests, nothing happens."""
        if self.request_processor is not None:
            self._request(idx).report_status(code, phrase)

    def set_all_response_status(self, code: int = 200, phrase: str = "") -> None:
        """Set the status of all replies of the batch."""
        for idx in range(len(self.request_processor or ())):
            self._request(idx).report_status(code, phrase)

    def get_response_status(self, idx: int) -> tuple[int, str | None]:
        """Tell code and phrase of a reply."""
        request = self._request(idx)
        return request.get_response_status_code(), request.get_response_status_phrase()

    def _request(self, idx: int) -> "RequestProcessor":
        if self.request_processor is None:
            msg = "there are no requests while a handler is initialised"
            raise RuntimeError(msg)
        return self.request_processor[idx]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Context) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]


class RequestProcessor:
    """One request's headers, and what a handler says of its reply."""

    def __init__(self, request_header: dict[str, Any]) -> None:
        self._request_header = request_header
        self._response_header: dict[str, str] = {}
        self._status_code = 200
        self._reason_phrase: str | None = None

    def get_request_property(self, key: str) -> Any:
        """Tell one header of the request; its name is taken in any case."""
        found = self._request_header.get(key)
        return self._request_header.get(key.lower()) if found is None else found

    def get_request_properties(self) -> dict[str, Any]:
        """Tell all headers of the request."""
        return self._request_header

    def report_status(self, code: int, reason_phrase: str | None = None) -> None:
        """Set the reply's status."""
        self._status_code = code
        self._reason_phrase = reason_phrase

    def get_response_status_code(self) -> int:
        """Tell the reply's status."""
        return self._status_code

    def get_response_status_phrase(self) -> str | None:
        """Tell the reply's phrase."""
        return self._reason_phrase

    def add_response_property(self, key: str, value: str) -> None:
        """Set one header of the reply."""
        self._response_header[key] = value

    def get_response_header(self, key: str) -> str | None:
        """Tell one header of the reply."""
        return self._response_header.get(key)

    def get_response_headers(self) -> dict[str, str]:
        """Tell all headers of the reply."""
        return self._response_header
