"""What a client of the Open Inference Protocol asks of a model and gets, whatever the wire."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from serving.errors import BadInput, NotAllowed
from serving.protocol.tensors import Buffer, Tensors

__all__ = (
    "NO_REGIONS",
    "InferRequest",
    "InferResponse",
    "Place",
    "Regions",
    "SequenceMark",
    "Wanted",
    "check_wanted",
    "flag_from",
    "place_from",
    "priority_from",
    "sequence_from",
    "timeout_from",
    "wanted_from",
    "whole_number_from",
)

_MICROSECONDS = 1e-6

Parameters = Mapping[str, Any]
"""As on the wire: name to text, number or flag."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a tensor lies in shared memory.

    Attributes:
        region: name of a registered region.
        offset: of the tensor in it, bytes, >= 0.
        size: of the tensor, or of the room for it, bytes, >= 0.
    """

    region: str
    offset: int
    size: int


class Regions(Protocol):
    """Shared memory that clients registered."""

    def read(self, place: Place) -> bytes:
        """Copy what lies there.

        Raises:
            BadInput: when there is no such region, or the place is not within it.
        """
        ...

    def write(self, place: Place, data: Buffer) -> None:
        """Copy data there.

        Raises:
            BadInput: likewise, or when the data is larger than the place.
        """
        ...


class _NoRegions:
    """Of a server that takes none."""

    def read(self, place: Place) -> bytes:
        """Refuse."""
        raise self._refusal(place)

    def write(self, place: Place, data: Buffer) -> None:
        """Refuse."""
        raise self._refusal(place)

    def _refusal(self, place: Place) -> NotAllowed:
        msg = f"no shared memory is taken here, so no region {place.region!r}: send the data itself"
        return NotAllowed(msg)


NO_REGIONS: Regions = _NoRegions()
"""Refuses every tensor in shared memory."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How one output is wanted.

    Attributes:
        is_binary: as raw bytes and not as JSON.
        classes: > 0: in its place that many of its largest elements, each as the text
            "value:index" or "value:index:label".
        place: where in shared memory it shall be put; None: it comes with the answer.
    """

    is_binary: bool = False
    classes: int = 0
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class SequenceMark:
    """Which requests belong together.

    Attributes:
        id: of the sequence; not empty.
        is_start: whether this is its first request.
        is_end: whether it is its last.
    """

    id: str
    is_start: bool = False
    is_end: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class InferRequest:
    """What a client asks of a model.

    Attributes:
        inputs: the named arrays.
        id: given back in the response.
        wants: how each output is wanted; empty asks for every output.
        wants_binary: how outputs travel that `wants` does not name.
        timeout_s: seconds the client waits for the answer; None leaves it to the server.
        priority: 0 is the usual one, of the others 1 comes first.
        sequence: None: the request stands alone.
        parameters: those of the client's own making, and all others as they came.
    """

    inputs: Tensors
    id: str = ""
    wants: Mapping[str, Wanted] = field(default_factory=dict)
    wants_binary: bool = False
    timeout_s: float | None = None
    priority: int = 0
    sequence: SequenceMark | None = None
    parameters: Parameters = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class InferResponse:
    """What a model answers.

    Attributes:
        model_name: who answered.
        model_version: which version of it.
        outputs: the named arrays.
        id: of the request.
        datatypes: what an output is declared as, where its array does not tell: "BF16".
    """

    model_name: str
    model_version: str
    outputs: Tensors
    id: str = ""
    datatypes: Mapping[str, str] = field(default_factory=dict)


def check_wanted(wants: Mapping[str, Wanted], outputs: Tensors) -> None:
    """Refuse to leave out what is wanted.

    Raises:
        BadInput: when an output is wanted that the model does not give.
    """
    missing = [repr(name) for name in sorted(wants) if name not in outputs]
    if missing:
        there = ", ".join(outputs) or "none"
        msg = f"the model gives no output {', '.join(missing)}; there are: {there}"
        raise BadInput(msg)


def wanted_from(parameters: Parameters, *, is_binary: bool) -> Wanted:
    """Read how an output is wanted; `is_binary` holds where the parameters do not say.

    Raises:
        BadInput: when a parameter is not what the protocol says.
    """
    if not parameters:
        return _BINARY if is_binary else _JSON
    if len(parameters) == 1 and "binary_data" in parameters:
        return _BINARY if flag_from(parameters, "binary_data", default=False) else _JSON
    return Wanted(
        is_binary=flag_from(parameters, "binary_data", default=is_binary),
        classes=whole_number_from(parameters, "classification"),
        place=place_from(parameters),
    )


def place_from(parameters: Parameters) -> Place | None:
    """Read where a tensor lies in shared memory; None where it does not.

    Raises:
        BadInput: when the place is not told wholly.
    """
    region = parameters.get("shared_memory_region")
    if region is None and "shared_memory_byte_size" not in parameters:
        return None
    if not isinstance(region, str) or "shared_memory_byte_size" not in parameters:
        msg = "shared_memory_region and shared_memory_byte_size come together, or not at all"
        raise BadInput(msg)
    return Place(
        region=region,
        offset=whole_number_from(parameters, "shared_memory_offset"),
        size=whole_number_from(parameters, "shared_memory_byte_size"),
    )


def timeout_from(parameters: Parameters) -> float | None:
    """Read the time-out, which the protocol gives in microseconds; 0 means none, as in Triton.

    Raises:
        BadInput: when it is no whole number >= 0.
    """
    microseconds = whole_number_from(parameters, "timeout")
    return microseconds * _MICROSECONDS if microseconds else None


def priority_from(parameters: Parameters) -> int:
    """Read the priority; 0, the usual one, where none is given.

    Raises:
        BadInput: when it is no whole number >= 0.
    """
    return whole_number_from(parameters, "priority")


def sequence_from(parameters: Parameters) -> SequenceMark | None:
    """Read which sequence a request belongs to; None, an id of 0 or an empty one means none.

    Raises:
        BadInput: when the id is neither text nor a number, or a mark comes without an id.
    """
    name = parameters.get("sequence_id", 0)
    if isinstance(name, bool) or not isinstance(name, str | int):
        msg = f"parameter sequence_id must be text or a number, got {name!r}"
        raise BadInput(msg)
    is_start = flag_from(parameters, "sequence_start", default=False)
    is_end = flag_from(parameters, "sequence_end", default=False)
    if name not in (0, ""):
        return SequenceMark(id=str(name), is_start=is_start, is_end=is_end)
    if is_start or is_end:
        msg = "sequence_start and sequence_end need a sequence_id that is neither 0 nor empty"
        raise BadInput(msg)
    return None


def flag_from(parameters: Parameters, name: str, *, default: bool) -> bool:
    """Read a flag.

    Raises:
        BadInput: when it is neither true nor false.
    """
    value = parameters.get(name, default)
    if not isinstance(value, bool):
        msg = f"parameter {name} must be true or false, got {value!r}"
        raise BadInput(msg)
    return value


def whole_number_from(parameters: Parameters, name: str) -> int:
    """Read a whole number >= 0; 0 where there is none.

    Raises:
        BadInput: when it is something else.
    """
    value = parameters.get(name, 0)
    if type(value) is not int or value < 0:
        msg = f"parameter {name} must be a whole number >= 0, got {value!r}"
        raise BadInput(msg)
    return value


_BINARY = Wanted(is_binary=True)
_JSON = Wanted()
