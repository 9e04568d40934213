"""What a program of `torch.export.save` takes and gives, read from the file itself."""

import zipfile
from pathlib import Path
from typing import Any

import msgspec

from serving.errors import InvalidModel
from serving.protocol.metadata import TensorMetadata

__all__ = ("read_pt2_signature",)

_MOST_BYTES = 256 << 20
"""The graph of a large network has some megabytes."""

_DATATYPES = {
    1: "UINT8",
    2: "INT8",
    3: "INT16",
    4: "INT32",
    5: "INT64",
    6: "FP16",
    7: "FP32",
    8: "FP64",
    12: "BOOL",
    13: "BF16",
    28: "UINT16",
    34: "UINT32",
    35: "UINT64",
}
"""Numbers of the element types in the schema of torch.export (torch/_export/serde/schema.py)."""

_Signature = tuple[tuple[TensorMetadata, ...], tuple[TensorMetadata, ...]]


def read_pt2_signature(path: Path) -> _Signature | None:
    """Read the inputs and outputs of a program, with all their axes; -1 where a size is free.

    Inputs have the names of `forward`'s parameters. Outputs have the names of a dictionary's keys
    where `forward` gives one, else "output_0", "output_1" and so on.

    Returns:
        None for a package of AOTInductor, which does not say it.

    Raises:
        InvalidModel: when the file is no such program, or takes or gives anything but tensors.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = [n for n in archive.namelist() if n.endswith("models/model.json")]
            if not names:
                return None
            if archive.getinfo(names[0]).file_size > _MOST_BYTES:
                msg = "its graph is too large"
                raise ValueError(msg)
            return _read(msgspec.json.decode(archive.read(names[0]), type=dict[str, Any]))
    except (OSError, ValueError, LookupError, TypeError, zipfile.BadZipFile) as error:
        msg = f"{path.name} is no exported program that can be served: {error}"
        raise InvalidModel(msg) from error


def _read(program: dict[str, Any]) -> _Signature:
    module = program["graph_module"]
    values = module["graph"]["tensor_values"]
    signature = module["signature"]
    inputs = [
        _name_of(spec["user_input"]["arg"])
        for spec in signature["input_specs"]
        if "user_input" in spec
    ]
    outputs = [
        _name_of(spec["user_output"]["arg"])
        for spec in signature["output_specs"]
        if "user_output" in spec
    ]
    keys = _output_keys(module) or [f"output_{i}" for i in range(len(outputs))]
    return (
        tuple(_tensor(name, values[name]) for name in inputs),
        tuple(_tensor(key, values[name]) for key, name in zip(keys, outputs, strict=True)),
    )


def _name_of(argument: dict[str, Any]) -> str:
    if "as_tensor" not in argument:
        msg = "it takes or gives something else than tensors"
        raise ValueError(msg)
    name: str = argument["as_tensor"]["name"]
    return name


def _output_keys(module: dict[str, Any]) -> list[str]:
    """Keys of the dictionary that `forward` gives; none when it gives something else."""
    entry = module["module_call_graph"][0]
    _, spec = msgspec.json.decode(entry["signature"]["out_spec"])
    if spec["type"] not in {"builtins.dict", "collections.OrderedDict"}:
        return []
    keys = msgspec.json.decode(spec["context"])
    return keys if all(isinstance(key, str) for key in keys) else []


def _tensor(name: str, value: dict[str, Any]) -> TensorMetadata:
    datatype = _DATATYPES.get(value["dtype"])
    if datatype is None:
        msg = f"the elements of {name} are of a type that cannot be sent"
        raise ValueError(msg)
    sizes = tuple(size.get("as_int", -1) for size in value["sizes"])
    return TensorMetadata(name=name, datatype=datatype, shape=sizes)
