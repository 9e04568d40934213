"""Tensors of another library to those of our networks."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from models.importers.conventions import Conventions, Kind, RegionConventions
from models.importers.errors import UnknownNetwork
from models.importers.maskrcnn_r50 import RegionNetwork
from models.importers.names import rename
from models.importers.shapes import RegionShape, TopDownShape
from models.importers.topdown_r50 import TopDownNetwork

__all__ = ("build_network", "convert_weights", "measure_shape")

Shape = RegionShape | TopDownShape

_BACKGROUND_LAST = (Kind.DETECTRON2_MASK, Kind.MMDET_MASK)
_SCORES = "roi_heads.box_predictor.cls_score"
_NORM = ("weight", "bias", "running_mean", "running_var")
_PER_CLASS = {  # tensors with so many rows per class, without the background
    "roi_heads.box_predictor.bbox_pred": 4,
    "roi_heads.mask_predictor.mask_fcn_logits": 1,
}


def convert_weights(
    kind: Kind, state: Mapping[str, Tensor], conventions: Conventions
) -> dict[str, Tensor]:
    """The weights of our network: renamed, normalisation folded, background first.

    Raises:
        UnknownNetwork: when the tensors are not those of the network.
    """
    weights = {k: v.float() for k, v in rename(kind, state).items()}
    try:
        _fold_norms(weights, conventions.norm_epsilon)
        if kind in _BACKGROUND_LAST:
            _put_background_first(weights)
        _check(weights, build_network(measure_shape(weights), conventions, "meta"))
    except (KeyError, ValueError, RuntimeError) as error:
        msg = f"this is no plain {kind}: {str(error).strip(chr(39))}"
        raise UnknownNetwork(msg) from error
    return weights


def build_network(shape: Shape, conventions: Conventions, device: str = "cpu") -> nn.Module:
    """The network in evaluation mode, with random weights (without any on the device "meta")."""
    with torch.device(device):
        if isinstance(shape, RegionShape) and isinstance(conventions, RegionConventions):
            return RegionNetwork(shape, conventions).eval()
        if isinstance(shape, TopDownShape):
            stride_in_1x1 = conventions.stride_in_1x1
            return TopDownNetwork(shape, stride_in_1x1=stride_in_1x1).eval()
    msg = "shape and conventions are of different networks"
    raise TypeError(msg)


def measure_shape(weights: Mapping[str, Tensor]) -> Shape:
    """Read the network's sizes off its weights.

    Raises:
        KeyError: when one is missing.
    """
    blocks = [
        len({n.split(".")[3] for n in weights if n.startswith(f"trunk.stages.{level}.")})
        for level in range(4)
    ]
    trunk = (blocks[0], blocks[1], blocks[2], blocks[3])
    width = _need(weights, "trunk.stem.weight").shape[0]
    if "final.weight" in weights:
        return TopDownShape(
            width=width,
            blocks=trunk,
            deconvolutions=_outputs(weights, "deconvolutions.", 1),
            keypoints=weights["final.weight"].shape[0],
        )
    mask = _outputs(weights, "roi_heads.mask_head.", 0)
    keypoints = weights.get("keypoint_predictor.kps_score_lowres.weight")
    if mask:
        mask += (_need(weights, "roi_heads.mask_predictor.conv5_mask.weight").shape[1],)
    return RegionShape(
        width=width,
        blocks=trunk,
        pyramid=_need(weights, "pyramid.inner_blocks.0.0.weight").shape[0],
        hidden=_need(weights, "roi_heads.box_head.fc6.weight").shape[0],
        classes=_need(weights, f"{_SCORES}.weight").shape[0],
        mask=mask,
        keypoint=_outputs(weights, "keypoint_head.", 0),
        keypoints=0 if keypoints is None else keypoints.shape[1],
    )


def _outputs(weights: Mapping[str, Tensor], start: str, axis: int) -> tuple[int, ...]:
    """Output channels of the numbered layers whose names start so, in order."""
    names = [n for n in weights if n.startswith(start) and n.endswith(".weight")]
    names.sort(key=lambda name: int(name.removeprefix(start).split(".")[0]))
    return tuple(weights[name].shape[axis] for name in names)


def _need(weights: Mapping[str, Tensor], name: str) -> Tensor:
    if name not in weights:
        msg = f"the tensor {name} is missing"
        raise KeyError(msg)
    return weights[name]


def _fold_norms(weights: dict[str, Tensor], epsilon: float) -> None:
    """Scale each convolution by the normalisation behind it, and give it its shift as bias."""
    end = ".norm.running_var"
    for base in [name.removesuffix(end) for name in weights if name.endswith(end)]:
        gain, shift, mean, variance = (_need(weights, f"{base}.norm.{part}") for part in _NORM)
        for part in _NORM:
            del weights[f"{base}.norm.{part}"]
        scale = gain.double() / torch.sqrt(variance.double() + epsilon)
        axis = 1 if base.startswith("deconvolutions.") else 0  # of the output channels
        sizes = [-1 if place == axis else 1 for place in range(4)]
        weight = weights[f"{base}.weight"].double() * scale.view(sizes)
        weights[f"{base}.weight"] = weight.float()
        weights[f"{base}.bias"] = (shift.double() - mean.double() * scale).float()


def _put_background_first(weights: dict[str, Tensor]) -> None:
    for part in ("weight", "bias"):
        scores = f"{_SCORES}.{part}"
        weights[scores] = _need(weights, scores).roll(1, dims=0)
        for base, rows in _PER_CLASS.items():
            name = f"{base}.{part}"
            tensor = _need(weights, name)
            weights[name] = torch.cat((torch.zeros_like(tensor[:rows]), tensor))


def _check(weights: Mapping[str, Tensor], network: nn.Module) -> None:
    expected = network.state_dict()
    missing = sorted(expected.keys() - weights.keys())
    spare = sorted(weights.keys() - expected.keys())
    if missing or spare:
        verb = "is missing" if missing else "is one too many"
        msg = f"the tensor {(missing or spare)[0]} {verb}"
        raise ValueError(msg)
    for name, tensor in expected.items():
        if tensor.shape != weights[name].shape:
            msg = f"{name} has the shape {tuple(weights[name].shape)}, not {tuple(tensor.shape)}"
            raise ValueError(msg)
