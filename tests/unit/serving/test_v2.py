import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from serving.errors import BadInput
from serving.protocol.infer import Wanted
from serving.protocol.tensors import DATATYPES, Tensors
from serving.protocol.v2 import (
    InferRequest,
    InferResponse,
    Payload,
    decode_request,
    decode_response,
    encode_request,
    encode_response,
)

TENSORS = st.dictionaries(
    st.text(max_size=8),
    st.sampled_from([name for name in DATATYPES if name != "BYTES"]).flatmap(
        lambda name: hnp.arrays(DATATYPES[name], hnp.array_shapes(min_dims=0, min_side=0))
    ),
    max_size=4,
)


def check_equal(left: Tensors, right: Tensors) -> None:
    assert list(left) == list(right)
    for name in left:
        np.testing.assert_array_equal(left[name], right[name])


@given(TENSORS, st.text(max_size=5), st.none() | st.integers(1, 10**9))
def test_request_survives_the_wire(inputs: Tensors, name: str, microseconds: int | None) -> None:
    timeout_s = None if microseconds is None else microseconds * 1e-6
    wants = {"a": Wanted(is_binary=True), "b": Wanted()}
    request = InferRequest(inputs=inputs, id=name, wants=wants, timeout_s=timeout_s)
    payload = encode_request(request)
    back = decode_request(payload.body, payload.header_length)
    check_equal(back.inputs, inputs)
    assert (back.id, back.wants, back.wants_binary) == (name, wants, False)
    assert back.timeout_s == pytest.approx(timeout_s)


@given(TENSORS, st.booleans())
def test_response_survives_the_wire(outputs: Tensors, is_binary: bool) -> None:
    if not is_binary:
        outputs = {name: np.nan_to_num(array) for name, array in outputs.items()}
    response = InferResponse(model_name="m", model_version="2", outputs=outputs, id="7")
    payload = encode_response(response, InferRequest(inputs={}, wants_binary=is_binary))
    assert (payload.header_length is not None) == (is_binary and bool(outputs))
    back = decode_response(payload.body, payload.header_length)
    assert (back.model_name, back.model_version, back.id) == ("m", "2", "7")
    check_equal(back.outputs, outputs)


@given(st.binary(max_size=200), st.none() | st.integers(-5, 300))
def test_any_body_is_read_or_refused(body: bytes, header_length: int | None) -> None:
    with pytest.raises(BadInput):
        decode_request(body, header_length)


@given(
    st.fixed_dictionaries(
        {"name": st.text(max_size=2), "datatype": st.sampled_from(["FP32", "BYTES", "X"])},
        optional={
            "shape": st.lists(st.integers(-1, 3), max_size=3),
            "data": st.lists(st.integers() | st.text(max_size=2), max_size=4),
            "parameters": st.dictionaries(
                st.just("binary_data_size"), st.integers(-1, 20) | st.text(max_size=2)
            ),
        },
    ),
    st.binary(max_size=20),
)
def test_any_tensor_is_read_or_refused(tensor: dict[str, Any], data: bytes) -> None:
    header = json.dumps({"inputs": [tensor, tensor | {"name": "other"}]}).encode()
    try:
        request = decode_request(header + data, len(header))
    except BadInput:
        return
    assert all(list(array.shape) == tensor["shape"] for array in request.inputs.values())


def body(**fields: Any) -> bytes:
    tensor = {"name": "x", "datatype": "UINT8", "shape": [2], "data": [1, 2]}
    return json.dumps({"inputs": [tensor], **fields}).encode()


def test_json_and_binary_tensors_may_be_mixed() -> None:
    header = json.dumps(
        {
            "inputs": [
                {
                    "name": "a",
                    "datatype": "UINT8",
                    "shape": [2],
                    "parameters": {"binary_data_size": 2},
                },
                {"name": "b", "datatype": "BYTES", "shape": [1], "data": ["text"]},
                {
                    "name": "c",
                    "datatype": "FP16",
                    "shape": [1],
                    "parameters": {"binary_data_size": 2},
                },
            ],
            "outputs": [{"name": "y", "parameters": {"binary_data": True}}, {"name": "z"}],
        }
    ).encode()
    request = decode_request(header + b"\x05\x06\x00\x3c", len(header))
    assert request.inputs["a"].tolist() == [5, 6]
    assert request.inputs["b"].tolist() == [b"text"]
    assert request.inputs["c"].tolist() == [1.0]
    assert request.wants == {"y": Wanted(is_binary=True), "z": Wanted()}


def test_binary_outputs_by_default_can_be_overridden_for_one() -> None:
    request = decode_request(
        body(
            parameters={"binary_data_output": True},
            outputs=[{"name": "y"}, {"name": "z", "parameters": {"binary_data": False}}],
        )
    )
    assert request.wants_binary
    assert request.wants == {"y": Wanted(is_binary=True), "z": Wanted()}


def test_response_holds_only_what_is_wanted_in_the_wanted_form() -> None:
    outputs: Tensors = {
        "y": np.array([1], np.uint8),
        "z": np.array([2], np.uint8),
        "w": np.zeros(9),
    }
    response = InferResponse(model_name="m", model_version="1", outputs=outputs)
    payload = encode_response(
        response, InferRequest(inputs={}, wants={"z": Wanted(is_binary=True), "y": Wanted()})
    )
    assert payload.header_length is not None
    header = json.loads(bytes(payload.body[: payload.header_length]))
    assert header["outputs"] == [
        {"name": "z", "datatype": "UINT8", "shape": [1], "parameters": {"binary_data_size": 1}},
        {"name": "y", "datatype": "UINT8", "shape": [1], "data": [1]},
    ]
    assert bytes(payload.body[payload.header_length :]) == b"\x02"


def test_output_that_the_model_does_not_have_is_refused() -> None:
    response = InferResponse(model_name="m", model_version="1", outputs={"y": np.zeros(1)})
    with pytest.raises(BadInput, match="no output 'q', 'r'; there are: y"):
        encode_response(response, InferRequest(inputs={}, wants=dict.fromkeys("rqy", Wanted())))


def test_unknown_fields_are_passed_over() -> None:
    assert decode_request(body(extension={"a": 1})).inputs["x"].tolist() == [1, 2]


def test_zero_is_no_timeout() -> None:
    assert decode_request(body(parameters={"timeout": 0})).timeout_s is None
    assert decode_request(body(parameters={"timeout": 2_500_000})).timeout_s == 2.5


@pytest.mark.parametrize(
    ("data", "header_length", "text"),
    [
        (b"{}", None, "missing required field `inputs`"),
        (b"[" * 100_000, None, "not what the protocol says"),
        (b"\xff", None, "not what the protocol says"),
        (b"{}", 3, "is 3, the body has 2 bytes"),
        (body() + b"zz", len(body()), "2 bytes of data belong to no tensor"),
        (body(parameters={"timeout": -1}), None, "timeout must be"),
        (body(parameters={"timeout": True}), None, "timeout must be"),
        (body(parameters={"binary_data_output": 1}), None, "must be true or false"),
        (b'{"inputs":[{"name":"x","datatype":"UINT8","shape":[1]}]}', None, "tensor 'x': its data"),
    ],
    ids=[
        "no inputs",
        "deep",
        "no text",
        "header too long",
        "data left over",
        "negative time",
        "no time",
        "no flag",
        "no data",
    ],
)
def test_bad_requests_are_refused(data: bytes, header_length: int | None, text: str) -> None:
    with pytest.raises(BadInput, match=text):
        decode_request(data, header_length)


def test_two_tensors_of_one_name_are_refused() -> None:
    tensor = {"name": "x", "datatype": "UINT8", "shape": [1], "data": [1]}
    with pytest.raises(BadInput, match="two tensors are called 'x'"):
        decode_request(json.dumps({"inputs": [tensor, tensor]}).encode())


@pytest.mark.parametrize("size", [True, -1, 3, "2"], ids=["bool", "negative", "too many", "text"])
def test_bad_binary_sizes_are_refused(size: object) -> None:
    tensor = {"name": "x", "datatype": "UINT8", "shape": [2]}
    header = json.dumps({"inputs": [tensor | {"parameters": {"binary_data_size": size}}]}).encode()
    with pytest.raises(BadInput, match="binary_data_size is"):
        decode_request(header + b"\1\2", len(header))


def test_payload_of_json_alone_has_no_header_length() -> None:
    assert encode_request(InferRequest(inputs={})).header_length is None
    assert isinstance(encode_request(InferRequest(inputs={})), Payload)
