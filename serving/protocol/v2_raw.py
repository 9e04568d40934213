"""A request that is the one input's data alone, without any JSON: an extension of Triton's."""

import math
from collections.abc import Sequence

from serving.errors import BadInput
from serving.protocol.infer import InferRequest
from serving.protocol.metadata import TensorMetadata
from serving.protocol.tensors import Buffer, array_from_bytes, element_size, objects_from

__all__ = ("decode_raw_request",)


def decode_raw_request(body: Buffer, declared: Sequence[TensorMetadata]) -> InferRequest:
    """Read a body that is the one input's data alone: `Inference-Header-Content-Length: 0`.

    Raises:
        BadInput: when the model declares not exactly one input, or the data does not tell its
            shape.
    """
    if len(declared) != 1:
        msg = f"a body without a JSON header is for models of one input, this has {len(declared)}"
        raise BadInput(msg)
    (only,) = declared
    if only.datatype == "BYTES":
        # The element is the body itself, with no length before it.
        array = objects_from([bytes(body)])
    else:
        array = array_from_bytes(body, only.datatype, _guess_shape(only, len(body)))
    return InferRequest(inputs={only.name: array}, wants_binary=True)


def _guess_shape(declared: TensorMetadata, size: int) -> list[int]:
    """Fill in the one size that is open from the number of bytes."""
    known = math.prod(size for size in declared.shape if size >= 0)
    element = element_size(declared.datatype)
    open_sizes = sum(size < 0 for size in declared.shape)
    if open_sizes > 1 or (open_sizes == 1 and known == 0):
        msg = f"the data alone does not tell the shape of {declared.name} {list(declared.shape)}"
        raise BadInput(msg)
    return [size // (known * element) if each < 0 else each for each in declared.shape]
