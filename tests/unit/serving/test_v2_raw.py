"""Requests that are the one input's data alone."""

import numpy as np
import pytest

from serving.errors import BadInput
from serving.protocol.metadata import TensorMetadata
from serving.protocol.v2_raw import decode_raw_request


def declared(datatype: str, *shape: int) -> TensorMetadata:
    return TensorMetadata(name="x", datatype=datatype, shape=shape)


@pytest.mark.parametrize(
    ("tensor", "shape"),
    [
        (declared("FP32", 2, 3), [2, 3]),
        (declared("FP32", -1, 3), [2, 3]),
        (declared("FP32", 6), [6]),
        (declared("UINT8", 2, -1), [2, 12]),
        (declared("BF16", -1), [12]),
    ],
    ids=str,
)
def test_open_size_is_told_by_the_number_of_bytes(tensor: TensorMetadata, shape: list[int]) -> None:
    request = decode_raw_request(bytes(24), [tensor])
    assert list(request.inputs["x"].shape) == shape
    assert request.wants_binary


def test_body_is_the_one_element_of_bytes() -> None:
    array = decode_raw_request(b"\xff\xd8picture", [declared("BYTES", 1)]).inputs["x"]
    assert array.tolist() == [b"\xff\xd8picture"]
    assert array.dtype == np.object_


@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        ([], "this has 0"),
        ([declared("FP32", 1), declared("FP32", 1)], "this has 2"),
        ([declared("FP32", -1, -1)], "does not tell the shape"),
        ([declared("FP32", -1, 0)], "does not tell the shape"),
        ([declared("FP32", -1, 5)], "do not fill the shape"),
        ([declared("FP64", -1, 5)], "do not fill the shape"),
    ],
    ids=["none", "two", "two open", "nothing", "part of a row", "less than a row"],
)
def test_other_models_need_a_header(inputs: list[TensorMetadata], text: str) -> None:
    with pytest.raises(BadInput, match=text):
        decode_raw_request(bytes(24), inputs)
