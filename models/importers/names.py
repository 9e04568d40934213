"""Names of tensors: from each library's to ours.

A trunk's normalisation gets the name of its convolution with `.norm` behind it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from models.importers.conventions import Kind
from models.importers.errors import UnknownNetwork

__all__ = ("recognise", "rename")


@dataclass(frozen=True, slots=True)
class _Rule:
    """A name to ours: `#` stands for a number, less `shift`; the last part of the name stays."""

    theirs: str
    ours: str
    shift: int = 0

    def apply(self, name: str) -> str | None:
        pattern = re.escape(self.theirs).replace(r"\#", r"(\d+)").replace("@", r"(\d+)")
        match = re.fullmatch(pattern + r"\.(\w+)", name)
        if match is None:
            return None
        *numbers, part = match.groups()
        ours = self.ours
        if "#" in ours:
            ours = ours.replace("#", str(int(numbers.pop(0)) - self.shift), 1)
        for number in numbers:
            ours = ours.replace("@", number, 1)
        return f"{ours}.{part}"


def _resnet(prefix: str) -> tuple[_Rule, ...]:
    """The trunk as torchvision and the mm libraries name it."""
    stage = f"{prefix}layer#.@."
    return (
        _Rule(f"{prefix}conv1", "trunk.stem"),
        _Rule(f"{prefix}bn1", "trunk.stem.norm"),
        _Rule(f"{stage}conv@", "trunk.stages.#.@.conv@", 1),
        _Rule(f"{stage}bn@", "trunk.stages.#.@.conv@.norm", 1),
        _Rule(f"{stage}downsample.0", "trunk.stages.#.@.shortcut", 1),
        _Rule(f"{stage}downsample.1", "trunk.stages.#.@.shortcut.norm", 1),
    )


_BOX = "roi_heads.box_predictor"
_MASK = "roi_heads.mask_predictor"

_TORCHVISION = (
    *_resnet("backbone.body."),
    _Rule("backbone.fpn.inner_blocks.#.0", "pyramid.inner_blocks.#.0"),
    _Rule("backbone.fpn.layer_blocks.#.0", "pyramid.layer_blocks.#.0"),
    _Rule("backbone.fpn.inner_blocks.#", "pyramid.inner_blocks.#.0"),
    _Rule("backbone.fpn.layer_blocks.#", "pyramid.layer_blocks.#.0"),
    _Rule("rpn.head.conv.0.0", "rpn.head.conv.0.0"),
    _Rule("rpn.head.conv", "rpn.head.conv.0.0"),
    _Rule("rpn.head.cls_logits", "rpn.head.cls_logits"),
    _Rule("rpn.head.bbox_pred", "rpn.head.bbox_pred"),
    _Rule("roi_heads.box_head.fc6", "roi_heads.box_head.fc6"),
    _Rule("roi_heads.box_head.fc7", "roi_heads.box_head.fc7"),
    _Rule("roi_heads.box_predictor.cls_score", f"{_BOX}.cls_score"),
    _Rule("roi_heads.box_predictor.bbox_pred", f"{_BOX}.bbox_pred"),
    _Rule("roi_heads.mask_head.#.0", "roi_heads.mask_head.#.0"),
    _Rule("roi_heads.mask_head.mask_fcn#", "roi_heads.mask_head.#.0", 1),
    _Rule("roi_heads.mask_predictor.conv5_mask", f"{_MASK}.conv5_mask"),
    _Rule("roi_heads.mask_predictor.mask_fcn_logits", f"{_MASK}.mask_fcn_logits"),
    _Rule("roi_heads.keypoint_head.#", "keypoint_head.#"),
    _Rule("roi_heads.keypoint_predictor.kps_score_lowres", "keypoint_predictor.kps_score_lowres"),
)

_DETECTRON2 = (
    _Rule("backbone.bottom_up.stem.conv1", "trunk.stem"),
    _Rule("backbone.bottom_up.stem.conv1.norm", "trunk.stem.norm"),
    _Rule("backbone.bottom_up.res#.@.conv@", "trunk.stages.#.@.conv@", 2),
    _Rule("backbone.bottom_up.res#.@.conv@.norm", "trunk.stages.#.@.conv@.norm", 2),
    _Rule("backbone.bottom_up.res#.@.shortcut", "trunk.stages.#.@.shortcut", 2),
    _Rule("backbone.bottom_up.res#.@.shortcut.norm", "trunk.stages.#.@.shortcut.norm", 2),
    _Rule("backbone.fpn_lateral#", "pyramid.inner_blocks.#.0", 2),
    _Rule("backbone.fpn_output#", "pyramid.layer_blocks.#.0", 2),
    _Rule("proposal_generator.rpn_head.conv", "rpn.head.conv.0.0"),
    _Rule("proposal_generator.rpn_head.objectness_logits", "rpn.head.cls_logits"),
    _Rule("proposal_generator.rpn_head.anchor_deltas", "rpn.head.bbox_pred"),
    _Rule("roi_heads.box_head.fc1", "roi_heads.box_head.fc6"),
    _Rule("roi_heads.box_head.fc2", "roi_heads.box_head.fc7"),
    _Rule("roi_heads.box_predictor.cls_score", f"{_BOX}.cls_score"),
    _Rule("roi_heads.box_predictor.bbox_pred", f"{_BOX}.bbox_pred"),
    _Rule("roi_heads.mask_head.mask_fcn#", "roi_heads.mask_head.#.0", 1),
    _Rule("roi_heads.mask_head.deconv", f"{_MASK}.conv5_mask"),
    _Rule("roi_heads.mask_head.predictor", f"{_MASK}.mask_fcn_logits"),
)

_MMDET = (
    *_resnet("backbone."),
    _Rule("neck.lateral_convs.#.conv", "pyramid.inner_blocks.#.0"),
    _Rule("neck.fpn_convs.#.conv", "pyramid.layer_blocks.#.0"),
    _Rule("rpn_head.rpn_conv", "rpn.head.conv.0.0"),
    _Rule("rpn_head.rpn_cls", "rpn.head.cls_logits"),
    _Rule("rpn_head.rpn_reg", "rpn.head.bbox_pred"),
    _Rule("roi_head.bbox_head.shared_fcs.0", "roi_heads.box_head.fc6"),
    _Rule("roi_head.bbox_head.shared_fcs.1", "roi_heads.box_head.fc7"),
    _Rule("roi_head.bbox_head.fc_cls", f"{_BOX}.cls_score"),
    _Rule("roi_head.bbox_head.fc_reg", f"{_BOX}.bbox_pred"),
    _Rule("roi_head.mask_head.convs.#.conv", "roi_heads.mask_head.#.0"),
    _Rule("roi_head.mask_head.upsample", f"{_MASK}.conv5_mask"),
    _Rule("roi_head.mask_head.conv_logits", f"{_MASK}.mask_fcn_logits"),
)

_MMPOSE = (
    *_resnet("backbone."),
    *(_Rule(f"{head}.final_layer", "final") for head in ("keypoint_head", "head")),
    # a deconvolution, its normalisation and a ReLU take three places each
    *(
        _Rule(f"{head}.deconv_layers.{3 * i + j}", f"deconvolutions.{i}{part}")
        for head in ("keypoint_head", "head")
        for i in range(5)
        for j, part in enumerate(("", ".norm"))
    ),
)

_RULES: Mapping[Kind, Sequence[_Rule]] = {
    Kind.TORCHVISION_MASK: _TORCHVISION,
    Kind.TORCHVISION_KEYPOINT: _TORCHVISION,
    Kind.DETECTRON2_MASK: _DETECTRON2,
    Kind.MMDET_MASK: _MMDET,
    Kind.MMPOSE_TOP_DOWN: _MMPOSE,
}

# tensors of which all but one kind have none
_MARKS = {
    "roi_heads.mask_predictor.conv5_mask.weight": Kind.TORCHVISION_MASK,
    "roi_heads.keypoint_predictor.kps_score_lowres.weight": Kind.TORCHVISION_KEYPOINT,
    "roi_heads.mask_head.predictor.weight": Kind.DETECTRON2_MASK,
    "roi_head.mask_head.conv_logits.weight": Kind.MMDET_MASK,
    "keypoint_head.final_layer.weight": Kind.MMPOSE_TOP_DOWN,
    "head.final_layer.weight": Kind.MMPOSE_TOP_DOWN,
}

# what libraries keep beside the weights, and what only training needs
_IDLE = re.compile(r".*\.num_batches_tracked|pixel_(mean|std)|.*\.cell_anchors\.\d|.*\bfc\.\w+")


def recognise(state: Mapping[str, Tensor]) -> Kind:
    """Tell which library wrote which network.

    Raises:
        UnknownNetwork: when it is none of those known here.
    """
    kinds = {kind for mark, kind in _MARKS.items() if mark in state}
    if len(kinds) == 1:
        return kinds.pop()
    known = ", ".join(Kind)
    some = ", ".join(list(state)[:3]) or "no tensor at all"
    msg = f"the file holds none of the networks {known}; it has {len(state)} tensors: {some} ..."
    raise UnknownNetwork(msg)


def rename(kind: Kind, state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors under our names; what only training needs is left out.

    Raises:
        UnknownNetwork: when a tensor is none of the network's.
    """
    renamed, strange = {}, []
    for name, tensor in state.items():
        ours = next((new for rule in _RULES[kind] if (new := rule.apply(name)) is not None), None)
        if ours is not None and not ours.endswith(".num_batches_tracked"):
            renamed[ours] = tensor
        elif ours is None and _IDLE.fullmatch(name) is None:
            strange.append(name)
    if strange:
        some = ", ".join(strange[:3])
        msg = f"this is no plain {kind}: it has {len(strange)} more tensors, such as {some}"
        raise UnknownNetwork(msg)
    return renamed
