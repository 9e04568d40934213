"""Models that read requests themselves: they get the protocol's JSON, and answer with it.

TorchServe's handlers do so behind its envelope "kservev2".
"""

import base64
from collections.abc import Mapping
from typing import Any

import msgspec
from numpy.typing import NDArray

from serving.errors import BadInput, InferenceFailed
from serving.protocol.exchange import RawRequest, whole_body
from serving.protocol.infer import InferRequest
from serving.protocol.json_tensors import array_to_json
from serving.protocol.tensors import Tensors, datatype_of, element_to_bytes
from serving.protocol.v2 import decode_response
from serving.registry.endpoint import Endpoint

__all__ = ("ask_in_json",)


async def ask_in_json(
    endpoint: Endpoint,
    request: InferRequest,
    sequence_headers: tuple[str, str, str],
    *,
    timeout_s: float | None,
) -> Tensors:
    """Let a model that reads requests itself answer tensors.

    Args:
        endpoint: the model.
        request: what is asked.
        sequence_headers: names of the headers of a sequence's id, start and end.
        timeout_s: how long the caller waits, seconds; None: as configured.

    Raises:
        InferenceFailed: when the answer is not the protocol's.
        ServingError: why there is no answer.
    """
    asked = RawRequest(
        fields={"body": _body(endpoint.manifest.name, request)},
        content_types={"body": "application/json"},
        headers=_headers(request, sequence_headers),
        request_id=request.id,
    )
    reply = await endpoint.ask(asked, timeout_s)
    return _outputs(await whole_body(reply), reply.status)


def _body(model: str, request: InferRequest) -> bytes:
    inputs = [
        {
            "name": name,
            "datatype": datatype_of(array),
            "shape": list(array.shape),
            "data": _data(array),
        }
        for name, array in request.inputs.items()
    ]
    return msgspec.json.encode({"id": request.id, "model_name": model, "inputs": inputs})


def _data(array: NDArray[Any]) -> msgspec.Raw:
    if datatype_of(array) != "BYTES":
        return array_to_json(array)
    # As the reference does with what comes by gRPC, for bytes need not be text.
    texts = [base64.b64encode(element_to_bytes(element)).decode() for element in array.ravel()]
    return msgspec.Raw(msgspec.json.encode(texts))


def _headers(request: InferRequest, names: tuple[str, str, str]) -> Mapping[str, str]:
    mark = request.sequence
    if mark is None:
        return {}
    name, start, end = names
    headers = {name: mark.id}
    if mark.is_start:
        headers[start] = "true"
    if mark.is_end:
        headers[end] = "true"
    return headers


def _outputs(body: bytes, status: int) -> Tensors:
    if status >= 400:
        msg = f"the model answered with status {status}: {body[:200].decode(errors='replace')}"
        raise InferenceFailed(msg)
    try:
        return decode_response(body).outputs
    except BadInput as error:
        msg = f"the model's answer is not of the Open Inference Protocol: {error}"
        raise InferenceFailed(msg) from error
