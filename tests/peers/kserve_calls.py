"""What KServe's own SDK gets from a server, as JSON; run by an interpreter that has the SDK.

python kserve_calls.py URL GRPC_ADDRESS
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
from kserve import InferenceRESTClient, InferInput, InferRequest, RESTConfig
from kserve.inference_client import InferenceGRPCClient
from kserve.protocol.infer_type import RequestedOutput

NUMBERS: dict[str, Any] = {
    "BOOL": np.bool_,
    "UINT8": np.uint8,
    "INT16": np.int16,
    "INT64": np.int64,
    "FP16": np.float16,
    "FP32": np.float32,
    "FP64": np.float64,
}


def request(
    model: str, name: str, array: Any, datatype: str, *, binary: bool, **more: Any
) -> InferRequest:
    given = InferInput(name=name, shape=list(array.shape), datatype=datatype)
    given.set_data_from_numpy(array, binary_data=binary)
    return InferRequest(model_name=model, infer_inputs=[given], **more)


def told(response: Any, name: str) -> dict[str, Any]:
    array = response.outputs[[each.name for each in response.outputs].index(name)].as_numpy()
    values = [each.decode() if isinstance(each, bytes) else each for each in array.ravel().tolist()]
    return {"id": response.id, "shape": list(array.shape), "values": values}


async def failure(work: Awaitable[object]) -> str:
    try:
        await work
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "none"


async def both(ask: Callable[[InferRequest], Awaitable[Any]], *, is_rest: bool) -> dict[str, Any]:
    """What REST and gRPC can both do."""
    found: dict[str, Any] = {}
    array = np.array([[0, 1, 7], [1, 0, 100]])
    for datatype, dtype in NUMBERS.items():
        for binary in (True, False):
            if not binary and datatype == "FP16":
                continue  # the SDK has no list for it
            asked = request(
                "echo", "x", array.astype(dtype), datatype, binary=binary, request_id="17"
            )
            found[f"{datatype} {'binary' if binary else 'list'}"] = told(await ask(asked), "x")
    text = np.array(["ä".encode(), b""], dtype=np.object_)
    asked = request("echo", "x", text, "BYTES", binary=True)
    found["BYTES"] = told(await ask(asked), "x")
    rows = np.ones((3, 3), np.float32)
    asked = request("totals", "row", rows, "FP32", binary=is_rest)
    found["rows"] = told(await ask(asked), "total")
    wanted = [RequestedOutput("scores", {"classification": 1})]
    scores = np.array([0, 3, 2, 1], np.float32)
    asked = request("scores", "x", scores, "FP32", binary=is_rest, request_outputs=wanted)
    found["classes"] = told(await ask(asked), "scores")
    found["failure"] = await failure(ask(request("dog", "x", rows, "FP32", binary=True)))
    return found


async def main(url: str, address: str) -> None:
    found: dict[str, Any] = {}
    async with InferenceRESTClient(RESTConfig(protocol="v2")) as rest:
        found["rest"] = await both(
            lambda asked: rest.infer(url, asked, model_name=asked.model_name), is_rest=True
        )
        found["rest"]["states"] = [
            await rest.is_server_live(url),
            await rest.is_server_ready(url),
            await rest.is_model_ready(url, "echo"),
            await rest.is_model_ready(url, "dog"),
        ]
    async with InferenceGRPCClient(address) as grpc:
        found["grpc"] = await both(grpc.infer, is_rest=False)
        found["grpc"]["states"] = [
            await grpc.is_server_live(),
            await grpc.is_server_ready(),
            await grpc.is_model_ready("echo"),
            await grpc.is_model_ready("dog"),
        ]
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
