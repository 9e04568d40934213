"""What a model declares to take, against what it is given."""

from collections.abc import Sequence

from serving.errors import BadInput
from serving.protocol.metadata import TensorMetadata
from serving.protocol.tensors import Tensors, carrier_of, datatype_of

__all__ = ("check_inputs",)


def check_inputs(item: Tensors, declared: Sequence[TensorMetadata]) -> None:
    """Compare an item with what the model declares; a model that declares nothing takes all.

    Raises:
        BadInput: when an array is missing, unknown, of another type, or of another shape.
    """
    if not declared:
        return
    names = {tensor.name for tensor in declared}
    if item.keys() != names:
        msg = f"the model takes {sorted(names)}, got {sorted(item)}"
        raise BadInput(msg)
    for tensor in declared:
        array = item[tensor.name]
        actual = datatype_of(array)
        if actual != carrier_of(tensor.datatype) or not _fits(array.shape, tensor.shape):
            msg = (
                f"{tensor.name} must be {tensor.datatype} {list(tensor.shape)}, "
                f"got {actual} {list(array.shape)}"
            )
            raise BadInput(msg)


def _fits(shape: Sequence[int], declared: Sequence[int]) -> bool:
    return len(shape) == len(declared) and all(
        size in (actual, -1) for actual, size in zip(shape, declared, strict=True)
    )
