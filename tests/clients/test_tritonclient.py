"""Triton's own client, over HTTP and over gRPC: one test for both wherever they can the same."""

import uuid
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support_clients import Addresses

triton_http = pytest.importorskip("tritonclient.http")
triton_grpc = pytest.importorskip("tritonclient.grpc")
shared = pytest.importorskip("tritonclient.utils.shared_memory")
utils = pytest.importorskip("tritonclient.utils")
ml_dtypes = pytest.importorskip("ml_dtypes")

NUMBERS = {
    "BOOL": np.bool_,
    "UINT8": np.uint8,
    "UINT16": np.uint16,
    "UINT32": np.uint32,
    "UINT64": np.uint64,
    "INT8": np.int8,
    "INT16": np.int16,
    "INT32": np.int32,
    "INT64": np.int64,
    "FP16": np.float16,
    "FP32": np.float32,
    "FP64": np.float64,
}


@pytest.fixture(params=["http", "grpc"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def module(kind: str) -> Any:
    return triton_http if kind == "http" else triton_grpc


@pytest.fixture
def client(kind: str, module: Any, addresses: Addresses) -> Iterator[Any]:
    with module.InferenceServerClient(getattr(addresses, kind)) as found:
        yield found


@pytest.fixture
def http(addresses: Addresses) -> Iterator[Any]:
    with triton_http.InferenceServerClient(addresses.http) as found:
        yield found


def as_dict(kind: str, answer: Any) -> Any:
    """The same JSON from both: gRPC's answers are messages."""
    if kind == "http":
        return answer
    from google.protobuf.json_format import MessageToDict

    return MessageToDict(answer, preserving_proto_field_name=True)


def tensor(module: Any, name: str, array: NDArray[Any], datatype: str) -> Any:
    given = module.InferInput(name, array.shape, datatype)
    given.set_data_from_numpy(array)
    return given


def infer(client: Any, module: Any, model: str, name: str, array: Any, **options: Any) -> Any:
    datatype = options.pop("datatype", None) or utils.np_to_triton_dtype(array.dtype)
    return client.infer(model, [tensor(module, name, array, datatype)], **options)


def test_server_and_model_are_live_and_ready(client: Any) -> None:
    assert client.is_server_live()
    assert client.is_server_ready()
    assert client.is_model_ready("echo")
    assert client.is_model_ready("echo", "1")
    assert not client.is_model_ready("dog")


def test_server_names_the_extensions_that_it_speaks(kind: str, client: Any) -> None:
    metadata = as_dict(kind, client.get_server_metadata())
    assert metadata["name"] == "serving"
    assert set(metadata["extensions"]) == {
        "binary_tensor_data",
        "classification",
        "model_configuration",
        "model_repository",
        "schedule_policy",
        "statistics",
        "system_shared_memory",
    }


def test_metadata_and_configuration_have_the_batch_axis_where_the_protocol_says(
    kind: str, client: Any
) -> None:
    metadata = as_dict(kind, client.get_model_metadata("totals"))
    assert metadata["versions"] == ["1"]
    assert [int(size) for size in metadata["inputs"][0]["shape"]] == [-1, 3]
    config = as_dict(kind, client.get_model_config("totals", "1"))
    config = config.get("config", config)
    assert (config["name"], config["max_batch_size"]) == ("totals", 4)
    assert config["input"][0]["data_type"] == "TYPE_FP32"
    assert [int(size) for size in config["input"][0]["dims"]] == [3]
    plain = as_dict(kind, client.get_model_config("scores"))
    assert plain.get("config", plain).get("max_batch_size", 0) == 0


@pytest.mark.parametrize("datatype", NUMBERS)
def test_numbers_come_back_as_they_were(client: Any, module: Any, datatype: str) -> None:
    array: NDArray[Any] = np.array([[0, 1, 7], [1, 0, 100]]).astype(NUMBERS[datatype])
    answer = infer(client, module, "echo", "x", array, request_id="17")
    back = answer.as_numpy("x")
    np.testing.assert_array_equal(back, array)
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    response = answer.get_response()
    assert (response["id"] if isinstance(response, dict) else response.id) == "17"


def test_bytes_come_back_as_they_were(client: Any, module: Any) -> None:
    array = np.array([[b"\xff\x00", b""], ["ä".encode(), b"plain"]], dtype=np.object_)
    answer = infer(client, module, "echo", "x", array, datatype="BYTES")
    assert answer.as_numpy("x").tolist() == array.tolist()


def test_bf16_comes_back_as_it_was(client: Any, module: Any) -> None:
    array = np.array([1.0, -2.5, 0.00390625], ml_dtypes.bfloat16)  # all of them exact in BF16
    answer = infer(client, module, "halves", "x", array, datatype="BF16")
    np.testing.assert_array_equal(answer.as_numpy("y").astype(np.float32), [1, -2.5, 0.00390625])
    assert answer.as_numpy("count") == 3


@pytest.mark.parametrize("binary", [(True, True), (True, False), (False, True), (False, False)])
def test_http_tensors_may_be_json_or_binary_each_way(http: Any, binary: tuple[bool, bool]) -> None:
    given, wanted = binary
    array = np.array([1.5, 2.5], np.float32)
    tensor = triton_http.InferInput("x", [2], "FP32")
    tensor.set_data_from_numpy(array, binary_data=given)
    outputs = [triton_http.InferRequestedOutput("x", binary_data=wanted)]
    answer = http.infer("echo", [tensor], outputs=outputs)
    np.testing.assert_array_equal(answer.as_numpy("x"), array)
    assert ("data" in answer.get_output("x")) != wanted


@pytest.mark.parametrize("algorithm", ["gzip", "deflate"])
def test_http_bodies_may_be_compressed_both_ways(http: Any, algorithm: str) -> None:
    array = np.zeros(50_000, np.float32)
    answer = infer(
        http,
        triton_http,
        "echo",
        "x",
        array,
        request_compression_algorithm=algorithm,
        response_compression_algorithm=algorithm,
    )
    np.testing.assert_array_equal(answer.as_numpy("x"), array)


def test_only_wanted_outputs_come(client: Any, module: Any) -> None:
    array = np.array([1.0], ml_dtypes.bfloat16)
    outputs = [module.InferRequestedOutput("count")]
    answer = infer(client, module, "halves", "x", array, datatype="BF16", outputs=outputs)
    assert answer.as_numpy("count") == 1
    assert answer.as_numpy("y") is None


def test_largest_elements_come_as_classes(client: Any, module: Any) -> None:
    array = np.array([0.25, 4.0, -1.0, 4.0], np.float32)
    outputs = [module.InferRequestedOutput("scores", class_count=3)]
    answer = infer(client, module, "scores", "x", array, outputs=outputs)
    assert answer.as_numpy("scores").tolist() == [
        b"4.000000:1:dog",
        b"4.000000:3",
        b"0.250000:0:cat",
    ]


def test_text_has_no_classes(client: Any, module: Any) -> None:
    outputs = [module.InferRequestedOutput("x", class_count=1)]
    array = np.array([b"a"], dtype=np.object_)
    with pytest.raises(utils.InferenceServerException, match="only an output of numbers"):
        infer(client, module, "echo", "x", array, datatype="BYTES", outputs=outputs)


def test_output_that_the_model_does_not_have_is_told(client: Any, module: Any) -> None:
    outputs = [module.InferRequestedOutput("z")]
    with pytest.raises(utils.InferenceServerException, match="no output 'z'; there are: x"):
        infer(client, module, "echo", "x", np.zeros(1, np.float32), outputs=outputs)


@pytest.mark.parametrize("rows", [1, 4, 9], ids=["one row", "a batch", "more than a batch"])
def test_each_row_of_a_batch_axis_is_an_item(client: Any, module: Any, rows: int) -> None:
    array = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3)
    answer = infer(client, module, "totals", "row", array)
    np.testing.assert_array_equal(answer.as_numpy("total"), array.sum(axis=1, keepdims=True))
    assert answer.as_numpy("together").max() <= 4


def test_missing_batch_axis_is_refused(client: Any, module: Any) -> None:
    with pytest.raises(utils.InferenceServerException, match=r"row must be FP32 \[3\], got"):
        infer(client, module, "totals", "row", np.zeros(3, np.float32))


def test_unknown_model_and_version_are_told(kind: str, client: Any, module: Any) -> None:
    for model, text in (("dog", "Model not found: dog"), ("echo", "does not exist")):
        with pytest.raises(utils.InferenceServerException, match=text) as failure:
            infer(client, module, model, "x", np.zeros(1, np.float32), model_version="9")
        expected = {"http": "404", "grpc": "StatusCode.NOT_FOUND"}
        assert failure.value.status() == expected[kind]


def test_failing_model_and_passed_deadline_are_told(kind: str, client: Any, module: Any) -> None:
    with pytest.raises(utils.InferenceServerException, match="not a number") as failure:
        infer(client, module, "nap", "seconds", np.array([np.nan], np.float32))
    assert failure.value.status() == {"http": "500", "grpc": "StatusCode.INTERNAL"}[kind]
    with pytest.raises(utils.InferenceServerException, match=r"within 0\.1 s") as failure:
        infer(client, module, "nap", "seconds", np.array([1], np.float32), timeout=100_000)
    expected = {"http": "504", "grpc": "StatusCode.DEADLINE_EXCEEDED"}
    assert failure.value.status() == expected[kind]


def test_statistics_count_requests_items_and_batches(kind: str, client: Any, module: Any) -> None:
    def count() -> tuple[int, int, int]:
        answer = as_dict(kind, client.get_inference_statistics("totals"))
        (model,) = answer["model_stats"]
        success = int(model["inference_stats"]["success"].get("count", 0))
        return int(model.get("inference_count", 0)), int(model.get("execution_count", 0)), success

    before = count()
    infer(client, module, "totals", "row", np.ones((8, 3), np.float32))
    items, batches, requests = (b - a for a, b in zip(before, count(), strict=True))
    assert items == 8
    assert 2 <= batches <= 8
    assert requests == 1
    everything = as_dict(kind, client.get_inference_statistics())
    (model,) = (each for each in everything["model_stats"] if each["name"] == "totals")
    for lap in ("compute_input", "compute_infer", "compute_output"):
        assert int(model["inference_stats"][lap]["count"]) >= items
        assert int(model["inference_stats"][lap]["ns"]) > 0
    assert {each["name"] for each in everything["model_stats"]} >= {"echo", "totals", "scores"}


def test_model_is_unloaded_and_loaded(kind: str, client: Any) -> None:
    def state() -> str:
        index = as_dict(kind, client.get_model_repository_index())
        models = index if isinstance(index, list) else index["models"]
        (found,) = (each["state"] for each in models if each["name"] == "scores")
        return str(found)

    assert state() == "READY"
    client.unload_model("scores")
    assert state() == "UNAVAILABLE"
    assert not client.is_model_ready("scores")
    client.load_model("scores")
    client.load_model("scores")  # loaded already: loaded anew
    assert state() == "READY"
    with pytest.raises(utils.InferenceServerException, match="Model not found: dog"):
        client.load_model("dog")
    with pytest.raises(utils.InferenceServerException, match="without config"):
        client.load_model("scores", config="{}")


def test_settings_are_told_and_not_changed(kind: str, client: Any) -> None:
    trace = as_dict(kind, client.get_trace_settings())
    assert "trace_level" in (trace if kind == "http" else trace["settings"])
    log = as_dict(kind, client.get_log_settings())
    assert "log_info" in (log if kind == "http" else log["settings"])
    with pytest.raises(utils.InferenceServerException, match="not traced"):
        client.update_trace_settings(settings={"trace_rate": "1"})


@pytest.fixture
def region(client: Any) -> Iterator[tuple[str, Any]]:
    """A registered region of 64 bytes, and the client's own hold of it."""
    name = f"region-{uuid.uuid4()}"
    handle = shared.create_shared_memory_region(name, f"/{name}", 64)
    try:
        client.register_system_shared_memory(name, f"/{name}", 64)
        yield name, handle
        client.unregister_system_shared_memory(name)
    finally:
        shared.destroy_shared_memory_region(handle)


def test_tensors_go_by_shared_memory(client: Any, module: Any, region: tuple[str, Any]) -> None:
    name, handle = region
    array = np.arange(4, dtype=np.float32)
    shared.set_shared_memory_region(handle, [array])
    given = module.InferInput("x", [4], "FP32")
    given.set_shared_memory(name, 16)
    wanted = module.InferRequestedOutput("x")
    wanted.set_shared_memory(name, 16, offset=32)
    client.infer("echo", [given], outputs=[wanted])
    back = shared.get_contents_as_numpy(handle, np.float32, [4], offset=32)
    np.testing.assert_array_equal(back, array)


def test_regions_are_told_and_forgotten(
    kind: str, client: Any, module: Any, region: tuple[str, Any]
) -> None:
    name, _ = region
    status = as_dict(kind, client.get_system_shared_memory_status(name))
    (found,) = status if kind == "http" else status["regions"].values()
    assert (found["name"], found["key"], int(found["byte_size"])) == (name, f"/{name}", 64)
    client.unregister_system_shared_memory()
    client.unregister_cuda_shared_memory()
    given = module.InferInput("x", [4], "FP32")
    given.set_shared_memory(name, 16)
    with pytest.raises(utils.InferenceServerException, match="no shared memory region"):
        client.infer("echo", [given])


@pytest.mark.parametrize("place", [(80, 0), (16, 56)], ids=["too long", "too far"])
def test_places_beyond_a_region_are_refused(
    client: Any, module: Any, region: tuple[str, Any], place: tuple[int, int]
) -> None:
    size, offset = place
    given = module.InferInput("x", [size // 4], "FP32")
    given.set_shared_memory(region[0], size, offset=offset)
    with pytest.raises(utils.InferenceServerException, match="are not within region"):
        client.infer("echo", [given])


def test_output_that_does_not_fit_is_refused(
    client: Any, module: Any, region: tuple[str, Any]
) -> None:
    wanted = module.InferRequestedOutput("x")
    wanted.set_shared_memory(region[0], 8)
    with pytest.raises(utils.InferenceServerException, match="16 bytes does not fit into 8"):
        infer(client, module, "echo", "x", np.zeros(4, np.float32), outputs=[wanted])


@pytest.mark.parametrize(
    ("key", "text"),
    [("/nowhere-at-all", "No such file"), ("/../etc/passwd", "no key"), ("/serving-1", "no key")],
    ids=["missing", "outside", "the server's own"],
)
def test_other_memory_is_not_registered(client: Any, key: str, text: str) -> None:
    with pytest.raises(utils.InferenceServerException, match=text):
        client.register_system_shared_memory("other", key, 8)
