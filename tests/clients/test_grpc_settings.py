"""gRPC as the settings say: tokens, TLS, age of connections, the reference's ways, and none."""

import asyncio
import json
import signal
import socket
from pathlib import Path
from typing import Any

import grpc
import pytest

from serving.grpc import inference, management, open_inference
from serving.http.tls import pem_pair
from serving.protocol.proto.generated import open_inference_pb2 as oip
from serving.protocol.proto.generated import torchserve_inference_pb2 as ts
from serving.protocol.proto.generated import torchserve_management_pb2 as tm
from serving.settings import ServerSettings
from tests.support_clients import MODELS, server_for_clients, wait_for_addresses
from tests.support_contract import start_server, stop_server
from tests.support_grpc import Stub, code_of, nap_request


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """Private key and certificate of localhost."""
    paths = (tmp_path / "key.pem", tmp_path / "certificate.pem")
    for path, data in zip(paths, pem_pair(ServerSettings()), strict=True):
        path.write_bytes(data)
    return paths


def ping(channel: grpc.Channel, **options: Any) -> str:
    stub = Stub(channel, inference.NAME)
    answer = stub.call("Ping", ts.Nothing(), ts.TorchServeHealthResponse, **options)
    return str(json.loads(answer.health)["status"])


def ready(channel: grpc.Channel, **options: Any) -> bool:
    stub = Stub(channel, open_inference.NAMES[0])
    request = oip.ModelReadyRequest(name="echo")
    return bool(stub.call("ModelReady", request, oip.ModelReadyResponse, **options).ready)


def listed(channel: grpc.Channel, **options: Any) -> int:
    stub = Stub(channel, management.NAME)
    answer = stub.call("ListModels", tm.ListModelsRequest(), tm.ManagementResponse, **options)
    return len(json.loads(answer.msg)["models"])


def bearer(key: str) -> list[tuple[str, str]]:
    return [("authorization", f"Bearer {key}")]


def test_calls_need_the_token_of_their_kind(echo: Path, tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    with server_for_clients(
        echo, SERVING_TOKEN_AUTHORIZATION="all", SERVING_KEY_FILE=str(keys)
    ) as addresses:
        known = json.loads(keys.read_text())
        with (
            grpc.insecure_channel(addresses.grpc) as channel,
            grpc.insecure_channel(addresses.grpc_management) as manager,
        ):
            assert ping(channel) == "Healthy"  # open to everybody
            assert ready(channel, metadata=bearer(known["inference"]["key"]))
            assert listed(manager, metadata=bearer(known["management"]["key"])) == 1
            for call, ask in ((ready, channel), (listed, manager)):
                for metadata in ([], bearer("wrong"), bearer(known["API"]["key"])):
                    with pytest.raises(grpc.RpcError) as failure:
                        call(ask, metadata=metadata)
                    assert code_of(failure) is grpc.StatusCode.UNAUTHENTICATED
            with pytest.raises(grpc.RpcError) as failure:
                listed(manager, metadata=bearer(known["inference"]["key"]))
            assert code_of(failure) is grpc.StatusCode.UNAUTHENTICATED
            for method, request in (
                ("RegisterModel", tm.RegisterModelRequest(url="echo.mar")),
                ("UnregisterModel", tm.UnregisterModelRequest(model_name="echo")),
            ):
                with pytest.raises(grpc.RpcError, match="Model API disabled") as failure:
                    Stub(manager, management.NAME).call(
                        method,
                        request,
                        tm.ManagementResponse,
                        metadata=bearer(known["management"]["key"]),
                    )
                assert code_of(failure) is grpc.StatusCode.PERMISSION_DENIED


def test_reference_mode_has_the_references_codes(echo: Path, tmp_path: Path) -> None:
    with server_for_clients(
        echo,
        SERVING_COMPAT="torchserve",
        SERVING_TOKEN_AUTHORIZATION="all",
        SERVING_KEY_FILE=str(tmp_path / "keys.json"),
    ) as addresses:
        key = json.loads((tmp_path / "keys.json").read_text())["inference"]["key"]
        with grpc.insecure_channel(addresses.grpc) as channel:
            with pytest.raises(grpc.RpcError) as failure:
                ping(channel)
            assert code_of(failure) is grpc.StatusCode.PERMISSION_DENIED
            request = ts.PredictionsRequest(model_name="dog")
            with pytest.raises(grpc.RpcError) as failure:
                Stub(channel, inference.NAME).call(
                    "Predictions", request, ts.PredictionResponse, metadata=bearer(key)
                )
            assert code_of(failure) is grpc.StatusCode.INTERNAL
            assert failure.value.details() == "Model not found: dog"


def test_calls_go_by_tls(echo: Path, tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    private_key, chain = certificate
    with server_for_clients(
        echo,
        SERVING_TOKEN_AUTHORIZATION="off",
        SERVING_ENABLE_GRPC_SSL="true",
        SERVING_PRIVATE_KEY_FILE=str(private_key),
        SERVING_CERTIFICATE_FILE=str(chain),
    ) as addresses:
        port = addresses.grpc.rpartition(":")[2]
        credentials = grpc.ssl_channel_credentials(chain.read_bytes())
        with grpc.secure_channel(f"localhost:{port}", credentials) as channel:
            assert ready(channel)
        with grpc.insecure_channel(addresses.grpc) as channel:
            with pytest.raises(grpc.RpcError) as failure:
                ready(channel)
            assert code_of(failure) is grpc.StatusCode.UNAVAILABLE


def test_old_connections_are_ended_and_calls_go_on(echo: Path) -> None:
    with server_for_clients(
        echo,
        SERVING_TOKEN_AUTHORIZATION="off",
        SERVING_GRPC_INFERENCE_MAX_CONNECTION_AGE_MS="300",
    ) as addresses:
        seen: list[grpc.ChannelConnectivity] = []
        with grpc.insecure_channel(addresses.grpc) as channel:
            channel.subscribe(seen.append)
            while seen.count(grpc.ChannelConnectivity.READY) < 2:
                assert ready(channel)
        assert grpc.ChannelConnectivity.IDLE in seen


def test_taken_port_is_told(echo: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with start_server(echo, SERVING_GRPC_INFERENCE_PORT=str(port)) as process:
            log = process.stderr.read() if process.stderr else ""
            assert process.wait(10) == 1
    assert f"cannot listen for gRPC on 127.0.0.1:{port}" in log


def test_server_without_grpc_does_not_load_it(echo: Path) -> None:
    with start_server(
        echo, SERVING_ENABLE_GRPC="false", SERVING_TOKEN_AUTHORIZATION="off"
    ) as process:
        try:
            for line in process.stderr or ():
                if "metrics on" in line:
                    break
            maps = Path(f"/proc/{process.pid}/maps").read_text()
            assert "libssl" in maps or "_ssl" in maps  # so that this looks at the right thing
            assert "grpc" not in maps
        finally:
            stop_server(process)


async def test_stop_answers_what_is_under_way_and_tells_that_it_is_not_ready(
    tmp_path: Path,
) -> None:
    models = tmp_path / "models"
    models.mkdir()
    (models / "nap").symlink_to(MODELS / "nap")
    with start_server(models, SERVING_TOKEN_AUTHORIZATION="off") as process:
        address = (await asyncio.to_thread(wait_for_addresses, process)).grpc
        async with grpc.aio.insecure_channel(address) as channel:
            stub = Stub(channel, open_inference.NAMES[0])
            infer = stub.method("unary_unary", "ModelInfer", oip.ModelInferResponse)
            ready = stub.method("unary_unary", "ServerReady", oip.ServerReadyResponse)
            assert (await ready(oip.ServerReadyRequest(), timeout=10)).ready
            calls = [infer(nap_request(0.1), timeout=20) for _ in range(16)]
            await asyncio.sleep(0.05)
            process.send_signal(signal.SIGTERM)
            while (await ready(oip.ServerReadyRequest(), timeout=10)).ready:
                await asyncio.sleep(0.01)
            answers = await asyncio.gather(*calls)
        assert len(answers) == 16
        assert await asyncio.to_thread(process.wait, 10) == 0
