"""EnsembleSpec: models and functions that work on tensors, as a folder's `ensemble.toml` says."""

from pathlib import Path
from typing import Annotated

import msgspec

from serving.archive.manifest import ModelName
from serving.errors import InvalidModel, reason_of
from serving.protocol.metadata import TensorMetadata

__all__ = ("ENSEMBLE_FILE", "EnsembleOutput", "EnsembleSpec", "Step", "read_ensemble")

ENSEMBLE_FILE = "ensemble.toml"

_Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z_]\w*$", max_length=64)]
_Value = Annotated[str, msgspec.Meta(pattern=r"^\w+(\.\w+)?$", max_length=130)]


class Step(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One step: a model, or a function of the ensemble's own folder.

    Attributes:
        name: its outputs are `name.output` for the steps after it.
        model: name of a model that is served; "" where there is a function.
        version: of the model; "": its default.
        function: "file.py:function"; takes its inputs as arrays by name and returns a dict of
            arrays; "" where there is a model.
        inputs: what the step calls a tensor to the value it is: an input of the ensemble, or
            `step.output`.
        for_each: inputs that are taken row by row, along their first axis; the step then runs once
            a row, and each of its outputs is one row.
    """

    name: _Name
    inputs: Annotated[dict[str, _Value], msgspec.Meta(min_length=1)]
    model: str = ""
    version: str = ""
    function: Annotated[str, msgspec.Meta(pattern=r"^([\w/]+\.py:[A-Za-z_]\w*)?$")] = ""
    for_each: tuple[str, ...] = ()


class EnsembleOutput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the ensemble gives.

    Attributes:
        name: of the tensor.
        datatype: as in the Open Inference Protocol.
        shape: -1 for a size that varies; where there are no rows at all, such a size is 0.
        value: `step.output`; its rows become the first axis.
    """

    name: str
    datatype: str
    shape: tuple[int, ...]
    value: _Value


class EnsembleSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An ensemble.

    Attributes:
        name: as in the URL.
        version: as in the URL.
        inputs: what an item holds, without a batch axis.
        outputs: what a result holds.
        steps: in the order in which they are written; each uses values from before it.
    """

    name: ModelName
    version: ModelName = "1"
    inputs: Annotated[tuple[TensorMetadata, ...], msgspec.Meta(min_length=1)]
    outputs: Annotated[tuple[EnsembleOutput, ...], msgspec.Meta(min_length=1)]
    steps: Annotated[tuple[Step, ...], msgspec.Meta(min_length=1, max_length=100)]


def read_ensemble(folder: Path) -> EnsembleSpec:
    """Read the ensemble of a folder.

    Raises:
        InvalidModel: when the file is not valid, a step is neither model nor function, or uses a
            value that nothing before it gives.
    """
    path = folder / ENSEMBLE_FILE
    try:
        spec = msgspec.toml.decode(path.read_bytes(), type=EnsembleSpec)
        _check(spec)
    except (OSError, msgspec.DecodeError, InvalidModel) as error:
        msg = f"{path}: {reason_of(error)}"
        raise InvalidModel(msg) from error
    return spec


def _check(spec: EnsembleSpec) -> None:
    """Follow the values from step to step; what a model gives is known only to the model."""
    inputs = {tensor.name for tensor in spec.inputs}
    steps: set[str] = set()
    for step in spec.steps:
        if bool(step.model) == bool(step.function):
            msg = f"step {step.name} must be either a model or a function"
            raise InvalidModel(msg)
        if step.name in steps | inputs:
            msg = f"the name {step.name} is taken twice"
            raise InvalidModel(msg)
        if unknown := set(step.for_each) - set(step.inputs):
            msg = f"step {step.name} takes {', '.join(sorted(unknown))} by row, which is no input"
            raise InvalidModel(msg)
        for value in step.inputs.values():
            _check_value(value, inputs, steps)
        steps.add(step.name)
    for output in spec.outputs:
        _check_value(output.value, inputs, steps)


def _check_value(value: str, inputs: set[str], steps: set[str]) -> None:
    step, dot, _ = value.partition(".")
    if step not in (steps if dot else inputs):
        msg = f"nothing gives the value {value} where it is used"
        raise InvalidModel(msg)
