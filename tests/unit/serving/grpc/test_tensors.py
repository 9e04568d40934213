"""Tensors as messages."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from serving.errors import BadInput, ServingError
from serving.grpc.tensors import message_from_response, request_from_message
from serving.protocol.infer import NO_REGIONS, InferRequest, InferResponse, SequenceMark, Wanted
from serving.protocol.proto.generated.open_inference_pb2 import (
    InferParameter,
    InferTensorContents,
    ModelInferRequest,
)
from serving.protocol.tensors import DATATYPES, datatype_of

TYPES = [*DATATYPES, "BF16", "", "FP8"]
NUMBERS = [name for name in DATATYPES if name != "BYTES"]


def _contents(fields: dict[str, Any]) -> InferTensorContents:
    return InferTensorContents(**fields)


CONTENTS = st.fixed_dictionaries(
    {},
    optional={
        "bool_contents": st.lists(st.booleans(), max_size=4),
        "int_contents": st.lists(st.integers(-(2**31), 2**31 - 1), max_size=4),
        "uint64_contents": st.lists(st.integers(0, 2**64 - 1), max_size=4),
        "fp32_contents": st.lists(st.floats(width=32), max_size=4),
        "bytes_contents": st.lists(st.binary(max_size=3), max_size=4),
    },
).map(_contents)
PARAMETER = st.one_of(
    st.builds(InferParameter, bool_param=st.booleans()),
    st.builds(InferParameter, int64_param=st.integers(-5, 5)),
    st.builds(InferParameter, string_param=st.text(max_size=3)),
    st.builds(InferParameter, double_param=st.floats()),
    st.just(InferParameter()),
)
NAMES = st.sampled_from(
    ["timeout", "priority", "sequence_id", "classification", "shared_memory_region", "own"]
)
PARAMETERS = st.dictionaries(NAMES, PARAMETER, max_size=3)
TENSOR = st.builds(
    ModelInferRequest.InferInputTensor,
    name=st.text(max_size=2),
    datatype=st.sampled_from(TYPES),
    shape=st.lists(st.integers(-1, 4), max_size=3),
    contents=st.none() | CONTENTS,
    parameters=PARAMETERS,
)
OUTPUT = st.builds(
    ModelInferRequest.InferRequestedOutputTensor, name=st.text(max_size=2), parameters=PARAMETERS
)


@given(
    st.builds(
        ModelInferRequest,
        inputs=st.lists(TENSOR, max_size=3),
        outputs=st.lists(OUTPUT, max_size=2),
        parameters=PARAMETERS,
        raw_input_contents=st.lists(st.binary(max_size=8), max_size=3),
    )
)
def test_any_message_is_read_or_refused(message: ModelInferRequest) -> None:
    try:
        request = request_from_message(message, NO_REGIONS)
    except ServingError:
        return
    assert [list(array.shape) for array in request.inputs.values()] == [
        list(tensor.shape) for tensor in message.inputs
    ]


@given(
    st.sampled_from(NUMBERS).flatmap(lambda name: hnp.arrays(DATATYPES[name], (2, 3))),
    st.booleans(),
)
def test_numbers_survive_both_ways(array: NDArray[Any], is_raw: bool) -> None:
    response = InferResponse(model_name="m", model_version="1", outputs={"x": array})
    asked = InferRequest(inputs={}, wants_binary=is_raw)
    answer = message_from_response(response, asked, NO_REGIONS)
    assert bool(answer.raw_output_contents) == (is_raw or array.dtype == np.float16)
    (output,) = answer.outputs
    tensor = ModelInferRequest.InferInputTensor(
        name="x", datatype=datatype_of(array), shape=output.shape
    )
    if output.HasField("contents"):
        tensor.contents.CopyFrom(output.contents)
    message = ModelInferRequest(inputs=[tensor], raw_input_contents=answer.raw_output_contents)
    back = request_from_message(message, NO_REGIONS).inputs["x"]
    np.testing.assert_array_equal(back, array)
    assert back.dtype == array.dtype


def test_parameters_are_read_as_over_rest() -> None:
    message = ModelInferRequest(
        id="7",
        parameters={
            "timeout": InferParameter(int64_param=2_000_000),
            "priority": InferParameter(int64_param=1),
            "sequence_id": InferParameter(string_param="s"),
            "sequence_start": InferParameter(bool_param=True),
            "own": InferParameter(double_param=0.5),
            "empty": InferParameter(),
        },
        outputs=[
            ModelInferRequest.InferRequestedOutputTensor(
                name="y", parameters={"classification": InferParameter(int64_param=2)}
            )
        ],
    )
    request = request_from_message(message, NO_REGIONS)
    assert (request.id, request.timeout_s, request.priority) == ("7", 2.0, 1)
    assert request.sequence == SequenceMark("s", is_start=True)
    assert request.wants == {"y": Wanted(is_binary=True, classes=2)}
    assert request.parameters["own"] == 0.5
    assert "empty" not in request.parameters


def test_output_that_the_model_does_not_have_is_refused() -> None:
    response = InferResponse(model_name="m", model_version="1", outputs={"y": np.zeros(1)})
    with pytest.raises(BadInput, match="no output 'z'; there are: y"):
        message_from_response(response, InferRequest(inputs={}, wants={"z": Wanted()}), NO_REGIONS)


def test_bf16_and_bytes_have_their_own_forms() -> None:
    response = InferResponse(
        model_name="m",
        model_version="1",
        outputs={"b": np.array([b"\xff"], object), "h": np.array([1.0], np.float32)},
        datatypes={"h": "BF16"},
    )
    asked = InferRequest(inputs={}, wants={"b": Wanted()})
    answer = message_from_response(response, asked, NO_REGIONS)
    assert list(answer.outputs[0].contents.bytes_contents) == [b"\xff"]
    everything = message_from_response(response, InferRequest(inputs={}), NO_REGIONS)
    assert [output.datatype for output in everything.outputs] == ["BYTES", "BF16"]
    # BF16 has no list of its own, so the whole answer is raw.
    assert list(everything.raw_output_contents) == [b"\x01\0\0\0\xff", b"\x80\x3f"]
