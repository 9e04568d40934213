"""The parameters of a request, whatever the wire."""

import json
from typing import Any

import numpy as np
import pytest

from serving.errors import BadInput, NotAllowed
from serving.protocol.infer import (
    NO_REGIONS,
    InferRequest,
    InferResponse,
    Place,
    SequenceMark,
    Wanted,
    place_from,
    priority_from,
    sequence_from,
    timeout_from,
    wanted_from,
)
from serving.protocol.tensors import Buffer
from serving.protocol.v2 import decode_request, encode_response


class Board:
    """Regions that remember."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.places: list[Place] = []
        self.written: list[bytes] = []

    def read(self, place: Place) -> bytes:
        self.places.append(place)
        return self.data

    def write(self, place: Place, data: Buffer) -> None:
        self.places.append(place)
        self.written.append(bytes(data))


SHARED = {"shared_memory_region": "r", "shared_memory_byte_size": 2, "shared_memory_offset": 7}


def body(**tensor: Any) -> bytes:
    given = {"name": "x", "datatype": "INT8", "shape": [2], **tensor}
    outputs = [{"name": "y", "parameters": {"classification": 3}}]
    parameters = {"priority": 2, "sequence_id": "s", "sequence_end": True, "own": 1.5}
    return json.dumps({"inputs": [given], "outputs": outputs, "parameters": parameters}).encode()


def test_request_in_shared_memory_is_read_whole() -> None:
    board = Board(b"\x05\x06")
    request = decode_request(body(parameters=SHARED), regions=board)
    assert request.inputs["x"].tolist() == [5, 6]
    assert board.places == [Place("r", offset=7, size=2)]
    assert request.wants == {"y": Wanted(classes=3)}
    assert request.priority == 2
    assert request.sequence == SequenceMark("s", is_end=True)
    assert request.parameters["own"] == 1.5


def test_output_is_put_into_its_place_and_leaves_the_answer() -> None:
    board = Board(b"")
    outputs = {"y": np.array([1, 2], np.int8)}
    response = InferResponse(model_name="m", model_version="1", outputs=outputs)
    wants = {"y": Wanted(place=Place("r", 7, 2))}
    payload = encode_response(response, InferRequest(inputs={}, wants=wants), board)
    assert board.written == [b"\x01\x02"]
    assert payload.header_length is None
    assert json.loads(bytes(payload.body))["outputs"] == [
        {"name": "y", "datatype": "INT8", "shape": [2]}
    ]


def test_data_twice_is_refused() -> None:
    with pytest.raises(BadInput, match="and not in both"):
        decode_request(body(parameters=SHARED, data=[1, 2]), regions=Board(b""))


def test_shared_memory_is_refused_where_none_is_taken() -> None:
    with pytest.raises(NotAllowed, match="no shared memory is taken"):
        decode_request(body(parameters=SHARED))
    with pytest.raises(NotAllowed, match="no shared memory is taken"):
        NO_REGIONS.write(Place("r", 0, 1), b"")


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, None),
        ({"binary_data": True}, None),
        (SHARED, Place("r", 7, 2)),
        ({"shared_memory_region": "r", "shared_memory_byte_size": 0}, Place("r", 0, 0)),
    ],
    ids=["none", "another", "all", "no offset"],
)
def test_place_is_read(parameters: dict[str, Any], expected: Place | None) -> None:
    assert place_from(parameters) == expected


@pytest.mark.parametrize(
    "parameters",
    [
        {"shared_memory_region": "r"},
        {"shared_memory_byte_size": 2},
        SHARED | {"shared_memory_region": 5},
        SHARED | {"shared_memory_offset": -1},
        SHARED | {"shared_memory_byte_size": 1.5},
    ],
    ids=["no size", "no region", "no name", "before", "half"],
)
def test_bad_place_is_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="shared_memory"):
        place_from(parameters)


@pytest.mark.parametrize(
    ("parameters", "is_binary", "expected"),
    [
        ({}, True, Wanted(is_binary=True)),
        ({}, False, Wanted()),
        ({"binary_data": False}, True, Wanted()),
        ({"binary_data": True}, False, Wanted(is_binary=True)),
        ({"classification": 2}, True, Wanted(is_binary=True, classes=2)),
        (SHARED, False, Wanted(place=Place("r", 7, 2))),
    ],
    ids=str,
)
def test_wish_for_an_output_is_read(
    parameters: dict[str, Any], is_binary: bool, expected: Wanted
) -> None:
    assert wanted_from(parameters, is_binary=is_binary) == expected


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, None),
        ({"sequence_id": 0}, None),
        ({"sequence_id": ""}, None),
        ({"sequence_id": 42}, SequenceMark("42")),
        ({"sequence_id": "a", "sequence_start": True}, SequenceMark("a", is_start=True)),
    ],
    ids=str,
)
def test_sequence_is_read(parameters: dict[str, Any], expected: SequenceMark | None) -> None:
    assert sequence_from(parameters) == expected


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"sequence_id": True}, "must be text or a number"),
        ({"sequence_id": [1]}, "must be text or a number"),
        ({"sequence_start": True}, "need a sequence_id"),
        ({"sequence_id": 1, "sequence_end": "yes"}, "true or false"),
    ],
    ids=["flag", "list", "no id", "no flag"],
)
def test_bad_sequence_is_refused(parameters: dict[str, Any], text: str) -> None:
    with pytest.raises(BadInput, match=text):
        sequence_from(parameters)


def test_time_and_priority_are_read() -> None:
    assert timeout_from({"timeout": 1_500_000}) == 1.5
    assert timeout_from({}) is None
    assert priority_from({"priority": 3}) == 3
    with pytest.raises(BadInput, match="priority must be a whole number"):
        priority_from({"priority": -1})
