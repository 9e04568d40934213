"""Calls of gRPC are in the access log and among the counted requests, as those of HTTP are."""

import asyncio
import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import aio

from serving.grpc import inference, management, open_inference
from serving.protocol.proto.generated import open_inference_pb2 as oip
from serving.protocol.proto.generated import torchserve_inference_pb2 as ts
from serving.protocol.proto.generated import torchserve_management_pb2 as tm
from serving.services import ACCESS_LOG, Services
from serving.settings import ServerSettings

PING = f"{inference.NAME}/Ping"
PREDICT = f"{inference.NAME}/Predictions"
LIST = f"{management.NAME}/ListModels"
STREAM = f"{open_inference.NAMES[0]}/ModelStreamInfer"


@asynccontextmanager
async def served(
    tmp_path: Path, **fields: str
) -> AsyncIterator[tuple[Services, aio.Channel, aio.Channel]]:
    """A server without models, and channels to inference and management."""
    settings = ServerSettings(
        models_dir=str(tmp_path),
        key_file=str(tmp_path / "keys.json"),
        grpc_inference_port=0,
        grpc_management_port=0,
        **fields,  # type: ignore[arg-type]
    )
    services = Services(settings)
    services.tokens.start()
    servers = services.grpc()
    await servers.start()
    try:
        async with (
            aio.insecure_channel(f"127.0.0.1:{servers.inference_port}") as asked,
            aio.insecure_channel(f"127.0.0.1:{servers.management_port}") as managed,
        ):
            yield services, asked, managed
    finally:
        await servers.stop(0)


async def ask(channel: aio.Channel, method: str, request: bytes = b"") -> None:
    call: Any = channel.unary_unary(f"/{method}")
    await call(request, timeout=10)


def counted(services: Services) -> dict[str, float]:
    text = services.reference_metrics.as_text()
    found = re.findall(r"^Requests(\dXX)\{.*?\} (\S+)$", text, re.MULTILINE)
    return {kind: float(number) for kind, number in found}


def logged(caplog: pytest.LogCaptureFixture) -> list[tuple[str, int]]:
    """Method and code of each line; the client and the time are anybody's."""
    form = r'127\.0\.0\.1:\d+ "gRPC (\S+) HTTP/2\.0" (\d+) \d+'
    lines = [re.fullmatch(form, record.getMessage()) for record in caplog.records]
    return [(line[1], int(line[2])) for line in lines if line]


async def test_calls_are_logged_and_counted_by_how_they_ended(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, ACCESS_LOG):
        async with served(tmp_path) as (services, asked, managed):
            await ask(asked, PING)
            unknown = ts.PredictionsRequest(model_name="dog").SerializeToString()
            with pytest.raises(aio.AioRpcError):
                await ask(asked, PREDICT, unknown)
            with pytest.raises(aio.AioRpcError):
                await ask(managed, LIST, tm.ListModelsRequest().SerializeToString())
            assert counted(services) == {"2XX": 1, "4XX": 2}
    assert logged(caplog) == [(PING, 0), (PREDICT, 5), (LIST, 16)]


async def test_the_references_counts_are_of_http_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fields = {"compat": "torchserve", "token_authorization": "off"}
    with caplog.at_level(logging.INFO, ACCESS_LOG):
        async with served(tmp_path, **fields) as (services, asked, _):
            await ask(asked, PING)
            assert counted(services) == {}
    assert logged(caplog) == [(PING, 0)]


async def test_a_stream_is_logged_when_it_ends_or_its_client_leaves(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    request = oip.ModelInferRequest(model_name="dog").SerializeToString()

    async def one() -> AsyncIterator[bytes]:
        yield request

    async def never() -> AsyncIterator[bytes]:
        yield request
        await asyncio.Event().wait()

    with caplog.at_level(logging.INFO, ACCESS_LOG):
        async with served(tmp_path) as (_, asked, _managed):
            stream: Any = asked.stream_stream(f"/{STREAM}")
            assert len([part async for part in stream(one())]) == 1
            left = stream(never())
            await left.read()
            left.cancel()
            async with asyncio.timeout(10):
                while len(logged(caplog)) < 2:
                    await asyncio.sleep(0.01)
    first, second = logged(caplog)
    assert first == (STREAM, 0)
    # Whoever cancels ends its requests, too: which of the two is seen first is gRPC's choice.
    assert second in [(STREAM, 0), (STREAM, grpc.StatusCode.CANCELLED.value[0])]
