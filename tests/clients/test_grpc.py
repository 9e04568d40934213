"""TorchServe's services over gRPC, and what holds for every call."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import grpc
import numpy as np
import pytest

from serving.grpc import inference, management, open_inference
from serving.protocol.proto.generated import health_pb2
from serving.protocol.proto.generated import open_inference_pb2 as oip
from serving.protocol.proto.generated import torchserve_inference_pb2 as ts
from serving.protocol.proto.generated import torchserve_management_pb2 as tm
from tests.support_clients import Addresses
from tests.support_grpc import Stub, code_of, nap_request


@pytest.fixture
def channel(addresses: Addresses) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(addresses.grpc) as found:
        yield found


@pytest.fixture
def torchserve(channel: grpc.Channel) -> Stub:
    return Stub(channel, inference.NAME)


@pytest.fixture
def protocol(channel: grpc.Channel) -> Stub:
    return Stub(channel, open_inference.NAMES[0])


@pytest.fixture
def manager(addresses: Addresses) -> Iterator[Stub]:
    with grpc.insecure_channel(addresses.grpc_management) as found:
        yield Stub(found, management.NAME)


def predict(stub: Stub, model: str, **fields: bytes) -> bytes:
    request = ts.PredictionsRequest(model_name=model, input=fields)
    answer: bytes = stub.call("Predictions", request, ts.PredictionResponse).prediction
    return answer


def nap(stub: Stub, seconds: float, **options: Any) -> int:
    """Let the model sleep; how many naps it has taken."""
    answer = stub.call("ModelInfer", nap_request(seconds), oip.ModelInferResponse, **options)
    return int(np.frombuffer(answer.raw_output_contents[0], np.int64)[0])


def test_ping_tells_the_health_as_rest_does(torchserve: Stub) -> None:
    answer = torchserve.call("Ping", ts.Nothing(), ts.TorchServeHealthResponse)
    assert json.loads(answer.health) == {"status": "Healthy"}


def test_probes_are_told_of_server_and_model(channel: grpc.Channel) -> None:
    stub = Stub(channel, "grpc.health.v1.Health")
    for name in ("", "echo"):
        request = health_pb2.HealthCheckRequest(service=name)
        answer = stub.call("Check", request, health_pb2.HealthCheckResponse)
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
    with pytest.raises(grpc.RpcError) as failure:
        stub.call(
            "Check",
            health_pb2.HealthCheckRequest(service="dog"),
            health_pb2.HealthCheckResponse,
        )
    assert code_of(failure) is grpc.StatusCode.NOT_FOUND


def test_prediction_of_a_body(torchserve: Stub) -> None:
    assert json.loads(predict(torchserve, "nap", data=b"0")) >= 0


def test_parts_of_a_streamed_answer_come_one_by_one(torchserve: Stub) -> None:
    stream = torchserve.method("unary_stream", "StreamPredictions", ts.PredictionResponse)
    request = ts.PredictionsRequest(model_name="parts", input={"data": b"x"})
    parts = [answer.prediction for answer in stream(request, timeout=20)]
    assert parts == [b"one ", b"two ", b'["x", {}]']
    assert predict(torchserve, "parts", data=b"y") == b'one two ["y", {}]'


def test_requests_of_a_sequence_are_answered_in_order_with_their_errors(torchserve: Stub) -> None:
    both = torchserve.method("stream_stream", "StreamPredictions2", ts.PredictionResponse)
    end = {"ts_request_sequence_end": b"true"}
    requests = [
        ts.PredictionsRequest(model_name="parts", input={"data": b"a"}, sequence_id="s"),
        ts.PredictionsRequest(model_name="parts", input={"data": b"b"}),
        ts.PredictionsRequest(model_name="dog", input={"data": b"c"}, sequence_id="s"),
        ts.PredictionsRequest(model_name="parts", input={"data": b"d", **end}, sequence_id="s"),
    ]
    first, no_id, no_model, last = both(iter(requests), timeout=20)
    assert json.loads(first.prediction.removeprefix(b"one two ")) == [
        "a",
        {"ts_request_sequence_id": "s"},
    ]
    assert (first.sequence_id, first.HasField("status")) == ("s", False)
    assert no_id.status.message == "Parameter sequenceId is required."
    assert no_model.status.code == grpc.StatusCode.NOT_FOUND.value[0]
    assert json.loads(last.prediction.removeprefix(b"one two ")) == [
        "d",
        {"ts_request_sequence_id": "s", "ts_request_sequence_end": "true"},
    ]


def test_sequence_that_begins_gets_its_id_from_the_server(torchserve: Stub) -> None:
    both = torchserve.method("stream_stream", "StreamPredictions2", ts.PredictionResponse)
    start = {"data": b"a", "ts_request_sequence_start": b"true"}
    (answer,) = both(iter([ts.PredictionsRequest(model_name="parts", input=start)]), timeout=20)
    assert answer.sequence_id.startswith("ts-seq-")
    _, told = json.loads(answer.prediction.removeprefix(b"one two "))
    assert told == {
        "ts_request_sequence_id": answer.sequence_id,
        "ts_request_sequence_start": "true",
    }


@pytest.mark.parametrize(
    ("model", "data", "code"),
    [
        ("dog", b"", grpc.StatusCode.NOT_FOUND),
        ("", b"", grpc.StatusCode.INVALID_ARGUMENT),
        ("nap", b"nan", grpc.StatusCode.INTERNAL),
        ("nap", b"much", grpc.StatusCode.INVALID_ARGUMENT),
        ("parts", b"refuse", grpc.StatusCode.INTERNAL),
    ],
    ids=["no model", "no name", "model fails", "bad body", "handler's own status"],
)
def test_failed_prediction_has_its_code(
    torchserve: Stub, model: str, data: bytes, code: grpc.StatusCode
) -> None:
    with pytest.raises(grpc.RpcError) as failure:
        predict(torchserve, model, data=data)
    assert code_of(failure) is code


def test_models_are_listed_described_and_scaled(manager: Stub) -> None:
    def ask(method: str, request: Any) -> str:
        message: str = manager.call(method, request, tm.ManagementResponse).msg
        return message

    listed = json.loads(ask("ListModels", tm.ListModelsRequest(limit=2)))
    assert [each["modelName"] for each in listed["models"]] == ["echo", "halves"]
    assert listed["nextPageToken"] == "2"
    described = json.loads(ask("DescribeModel", tm.DescribeModelRequest(model_name="echo")))
    assert described[0]["minWorkers"] == 1
    request = tm.ScaleWorkerRequest(model_name="echo", min_worker=2, synchronous=True)
    assert ask("ScaleWorker", request) == "Workers scaled to 2 for model: echo"
    request = tm.ScaleWorkerRequest(model_name="echo", min_worker=1, synchronous=True)
    assert ask("ScaleWorker", request) == "Workers scaled to 1 for model: echo"
    text = ask("SetDefault", tm.SetDefaultRequest(model_name="echo", model_version="1"))
    assert text == 'Default version successfully updated for model "echo" to "1"'


@pytest.mark.parametrize(
    ("method", "request_", "code"),
    [
        ("RegisterModel", tm.RegisterModelRequest(), grpc.StatusCode.INVALID_ARGUMENT),
        ("RegisterModel", tm.RegisterModelRequest(url="no.mar"), grpc.StatusCode.NOT_FOUND),
        ("DescribeModel", tm.DescribeModelRequest(model_name="dog"), grpc.StatusCode.NOT_FOUND),
        ("UnregisterModel", tm.UnregisterModelRequest(model_name="dog"), grpc.StatusCode.NOT_FOUND),
        (
            "SetDefault",
            tm.SetDefaultRequest(model_name="echo", model_version="9"),
            grpc.StatusCode.NOT_FOUND,
        ),
        (
            "ScaleWorker",
            tm.ScaleWorkerRequest(model_name="echo", min_worker=2, max_worker=1),
            grpc.StatusCode.INVALID_ARGUMENT,
        ),
    ],
    ids=["no url", "no archive", "describe", "unregister", "no version", "fewer than kept"],
)
def test_refused_management_has_its_code(
    manager: Stub, method: str, request_: Any, code: grpc.StatusCode
) -> None:
    with pytest.raises(grpc.RpcError) as failure:
        manager.call(method, request_, tm.ManagementResponse)
    assert code_of(failure) is code


@pytest.mark.parametrize("name", open_inference.NAMES)
def test_protocol_is_served_under_both_names(channel: grpc.Channel, name: str) -> None:
    assert nap(Stub(channel, name), 0) >= 0


def test_unknown_model_is_an_error_under_torchserves_name(channel: grpc.Channel) -> None:
    stub = Stub(channel, open_inference.NAMES[1])
    with pytest.raises(grpc.RpcError) as failure:
        stub.call("ModelReady", oip.ModelReadyRequest(name="dog"), oip.ModelReadyResponse)
    assert code_of(failure) is grpc.StatusCode.NOT_FOUND


@pytest.mark.parametrize(
    ("datatype", "field", "values"),
    [
        ("BOOL", "bool_contents", [True, False]),
        ("INT8", "int_contents", [-128, 127]),
        ("INT64", "int64_contents", [-(2**63), 2**63 - 1]),
        ("UINT16", "uint_contents", [0, 65535]),
        ("UINT64", "uint64_contents", [0, 2**64 - 1]),
        ("FP32", "fp32_contents", [0.5, -1.0]),
        ("FP64", "fp64_contents", [0.1, -1e300]),
        ("BYTES", "bytes_contents", [b"\xff", b""]),
    ],
)
def test_lists_are_answered_with_lists(
    protocol: Stub, datatype: str, field: str, values: list[Any]
) -> None:
    contents = oip.InferTensorContents(**{field: values})
    tensor = oip.ModelInferRequest.InferInputTensor(
        name="x", datatype=datatype, shape=[2], contents=contents
    )
    request = oip.ModelInferRequest(model_name="echo", inputs=[tensor])
    answer = protocol.call("ModelInfer", request, oip.ModelInferResponse)
    assert not answer.raw_output_contents
    assert list(getattr(answer.outputs[0].contents, field)) == values


def test_long_lists_are_read_and_written(protocol: Stub) -> None:
    values = (np.arange(100_000) / 8).tolist()
    contents = oip.InferTensorContents(fp32_contents=values)
    tensor = oip.ModelInferRequest.InferInputTensor(
        name="x", datatype="FP32", shape=[len(values)], contents=contents
    )
    request = oip.ModelInferRequest(model_name="echo", inputs=[tensor])
    answer = protocol.call("ModelInfer", request, oip.ModelInferResponse)
    assert list(answer.outputs[0].contents.fp32_contents) == values


def test_model_that_reads_requests_itself_gets_the_protocols_json(protocol: Stub) -> None:
    contents = oip.InferTensorContents(fp32_contents=[1.5, 2.5])
    tensor = oip.ModelInferRequest.InferInputTensor(
        name="x", datatype="FP32", shape=[1, 2], contents=contents
    )
    request = oip.ModelInferRequest(model_name="parts", id="7", inputs=[tensor])
    answer = protocol.call("ModelInfer", request, oip.ModelInferResponse)
    assert (answer.id, answer.outputs[0].name) == ("7", "x-again")
    assert list(answer.outputs[0].shape) == [1, 2]
    assert list(answer.outputs[0].contents.fp32_contents) == [1.5, 2.5]


def _tensor(**fields: Any) -> Any:
    return oip.ModelInferRequest.InferInputTensor(
        **({"name": "x", "datatype": "INT8", "shape": [1]} | fields)
    )


@pytest.mark.parametrize(
    ("tensors", "raw", "text"),
    [
        ([_tensor(), _tensor()], [b"1", b"2"], "two tensors are called 'x'"),
        ([_tensor()], [b"1", b"2"], "more raw_input_contents than inputs"),
        ([_tensor()], [b"12"], "do not fill the shape"),
        ([_tensor(contents={"int_contents": [1]})], [b"1"], "no contents of its own"),
        ([_tensor(contents={"int_contents": [200]})], [], "does not fit datatype INT8"),
        ([_tensor(datatype="FP16")], [], "sent in raw_input_contents"),
        ([_tensor(datatype="QUBIT")], [b"1"], "unknown datatype 'QUBIT'"),
        ([_tensor(name="a"), _tensor()], [b"1"], "each input has one of them"),
    ],
    ids=["twice", "more", "size", "both", "range", "no list", "type", "fewer"],
)
def test_bad_tensors_are_refused(
    protocol: Stub, tensors: list[Any], raw: list[bytes], text: str
) -> None:
    request = oip.ModelInferRequest(model_name="echo", inputs=tensors, raw_input_contents=raw)
    with pytest.raises(grpc.RpcError) as failure:
        protocol.call("ModelInfer", request, oip.ModelInferResponse)
    assert code_of(failure) is grpc.StatusCode.INVALID_ARGUMENT
    assert text in str(failure.value.details())


def test_stream_is_answered_in_order_and_survives_errors(protocol: Stub) -> None:
    stream = protocol.method("stream_stream", "ModelStreamInfer", oip.ModelStreamInferResponse)
    tensor = _tensor()
    requests = [
        oip.ModelInferRequest(
            model_name="dog" if number == 3 else "echo",
            id=str(number),
            inputs=[tensor],
            raw_input_contents=[bytes([number])],
        )
        for number in range(100)
    ]
    answers = list(stream(iter(requests), timeout=20))
    assert [answer.infer_response.id for answer in answers] == [str(n) for n in range(100)]
    assert answers[3].error_message == "Model not found: dog"
    assert answers[99].infer_response.raw_output_contents[0] == bytes([99])


async def test_what_a_vanished_client_asked_is_not_computed(
    addresses: Addresses, protocol: Stub
) -> None:
    before = nap(protocol, 0)
    async with grpc.aio.insecure_channel(addresses.grpc) as channel:
        method = Stub(channel, open_inference.NAMES[0]).method(
            "unary_unary", "ModelInfer", oip.ModelInferResponse
        )
        calls = [method(nap_request(0.3)) for _ in range(6)]
        await asyncio.sleep(0.1)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
    # One nap was under way, and its number of those taken comes with the next answer.
    assert await asyncio.to_thread(nap, protocol, 0) - before <= 1


def test_call_past_its_deadline_is_not_computed(protocol: Stub) -> None:
    before = nap(protocol, 0)
    request = nap_request(0.4)
    method = protocol.method("unary_unary", "ModelInfer", oip.ModelInferResponse)
    under_way = method.future(request, timeout=20)
    with pytest.raises(grpc.RpcError) as failure:
        method(request, timeout=0.1)
    assert code_of(failure) is grpc.StatusCode.DEADLINE_EXCEEDED
    under_way.result()
    assert nap(protocol, 0) == before + 1


def test_too_large_a_message_is_refused(protocol: Stub) -> None:
    request = oip.ModelInferRequest(
        model_name="echo",
        inputs=[_tensor(shape=[5_000_000])],
        raw_input_contents=[bytes(5_000_000)],
    )
    with pytest.raises(grpc.RpcError) as failure:
        protocol.call("ModelInfer", request, oip.ModelInferResponse)
    assert code_of(failure) is grpc.StatusCode.RESOURCE_EXHAUSTED
