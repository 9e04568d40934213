"""From what a model gave to the response: what was asked for, in the form it was asked for."""

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from serving.archive.manifest import Manifest
from serving.open_inference.classes import classify
from serving.protocol.infer import InferRequest, InferResponse
from serving.protocol.tensors import Tensors

__all__ = ("response_of",)


def response_of(manifest: Manifest, request: InferRequest, outputs: Tensors) -> InferResponse:
    """Answer a request with what the model of this manifest gave.

    Raises:
        BadInput: when classes are asked for of an output that is no numbers.
    """
    if any(wanted.classes for wanted in request.wants.values()):
        outputs = _as_wanted(manifest, request, outputs)
    return InferResponse(
        model_name=manifest.name,
        model_version=manifest.version,
        outputs=outputs,
        id=request.id,
        datatypes=_bf16_of(manifest),
    )


def _as_wanted(
    manifest: Manifest, request: InferRequest, outputs: Tensors
) -> dict[str, NDArray[Any]]:
    """Put classes in the place of outputs that are wanted so."""
    wanted = dict(outputs)
    for name, how in request.wants.items():
        if how.classes and name in wanted:
            wanted[name] = classify(
                wanted[name], how.classes, manifest.labels, has_batch_axis=manifest.batch.axis
            )
    return wanted


def _bf16_of(manifest: Manifest) -> Mapping[str, str]:
    return {each.name: "BF16" for each in manifest.outputs if each.datatype == "BF16"}
