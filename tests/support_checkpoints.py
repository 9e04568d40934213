"""Small checkpoints in the dialects of the libraries that others train with."""

import io
import json
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torchvision.models.detection import KeypointRCNN, MaskRCNN
from torchvision.models.detection.backbone_utils import BackboneWithFPN
from torchvision.models.detection.faster_rcnn import FastRCNNPredictor, TwoMLPHead
from torchvision.models.detection.keypoint_rcnn import KeypointRCNNHeads, KeypointRCNNPredictor
from torchvision.models.detection.mask_rcnn import MaskRCNNHeads, MaskRCNNPredictor
from torchvision.models.resnet import Bottleneck
from torchvision.ops import FrozenBatchNorm2d

State = dict[str, Tensor]

_STEM = 8
_WIDTH = 16
_HIDDEN = 32


def noise(height: int, width: int) -> NDArray[np.uint8]:
    """Pixels without repetition, so that no two regions of a picture score alike."""
    return np.random.default_rng(5).integers(0, 256, (height, width, 3), dtype=np.uint8)


def tiny_mask_rcnn(classes: int = 2) -> MaskRCNN:
    """torchvision's network with one block a stage and thin heads; scores above the threshold."""
    torch.manual_seed(11)
    network = MaskRCNN(
        _backbone(),
        box_head=TwoMLPHead(_WIDTH * 49, _HIDDEN),
        box_predictor=FastRCNNPredictor(_HIDDEN, classes),
        mask_head=MaskRCNNHeads(_WIDTH, (_WIDTH, _WIDTH), 1),
        mask_predictor=MaskRCNNPredictor(_WIDTH, 8, classes),
        min_size=128,
        max_size=224,
    )
    return _randomise(network)


def tiny_keypoint_rcnn() -> KeypointRCNN:
    """Likewise with a keypoint head."""
    torch.manual_seed(11)
    network = KeypointRCNN(
        _backbone(),
        box_head=TwoMLPHead(_WIDTH * 49, _HIDDEN),
        box_predictor=FastRCNNPredictor(_HIDDEN, 2),
        keypoint_head=KeypointRCNNHeads(_WIDTH, (24, 24)),
        keypoint_predictor=KeypointRCNNPredictor(24, 17),
        min_size=128,
        max_size=224,
    )
    return _randomise(network)


def top_down_state(keypoints: int = 17, prefix: str = "keypoint_head.") -> State:
    """mmpose's network: torchvision's trunk, deconvolutions at places 0, 3 and 6."""
    torch.manual_seed(11)
    state = {f"backbone.{k}": v for k, v in _randomise(_trunk()).state_dict().items()}
    channels = 32 * _STEM
    for place in (0, 3, 6):
        state[f"{prefix}deconv_layers.{place}.weight"] = torch.randn(channels, 8, 4, 4) * 0.02
        norm = _randomise(nn.BatchNorm2d(8)).state_dict()
        state |= {f"{prefix}deconv_layers.{place + 1}.{k}": v for k, v in norm.items()}
        channels = 8
    state[f"{prefix}final_layer.weight"] = torch.randn(keypoints, 8, 1, 1)
    state[f"{prefix}final_layer.bias"] = torch.rand(keypoints)
    return state


def to_detectron2(state: Mapping[str, Tensor]) -> State:
    """torchvision's state as detectron2 names and orders it."""
    return _translate(
        state,
        {
            "backbone.body.conv1": "backbone.bottom_up.stem.conv1",
            "backbone.body.bn1": "backbone.bottom_up.stem.conv1.norm",
            **{
                f"backbone.body.layer{n}.0.{theirs}": f"backbone.bottom_up.res{n + 1}.0.{ours}"
                for n in (1, 2, 3, 4)
                for theirs, ours in _block("norm", "shortcut", "shortcut.norm").items()
            },
            **{
                f"backbone.fpn.inner_blocks.{n}.0": f"backbone.fpn_lateral{n + 2}" for n in range(4)
            },
            **{f"backbone.fpn.layer_blocks.{n}.0": f"backbone.fpn_output{n + 2}" for n in range(4)},
            "rpn.head.conv.0.0": "proposal_generator.rpn_head.conv",
            "rpn.head.cls_logits": "proposal_generator.rpn_head.objectness_logits",
            "rpn.head.bbox_pred": "proposal_generator.rpn_head.anchor_deltas",
            "roi_heads.box_head.fc6": "roi_heads.box_head.fc1",
            "roi_heads.box_head.fc7": "roi_heads.box_head.fc2",
            "roi_heads.box_predictor.cls_score": "roi_heads.box_predictor.cls_score",
            "roi_heads.box_predictor.bbox_pred": "roi_heads.box_predictor.bbox_pred",
            "roi_heads.mask_head.0.0": "roi_heads.mask_head.mask_fcn1",
            "roi_heads.mask_head.1.0": "roi_heads.mask_head.mask_fcn2",
            "roi_heads.mask_predictor.conv5_mask": "roi_heads.mask_head.deconv",
            "roi_heads.mask_predictor.mask_fcn_logits": "roi_heads.mask_head.predictor",
        },
    )


def to_mmdet(state: Mapping[str, Tensor]) -> State:
    """torchvision's state as mmdet names and orders it."""
    return _translate(
        state,
        {
            "backbone.body.conv1": "backbone.conv1",
            "backbone.body.bn1": "backbone.bn1",
            **{
                f"backbone.body.layer{n}.0.{part}": f"backbone.layer{n}.0.{part}"
                for n in (1, 2, 3, 4)
                for part in _block("", "", "")
            },
            **{
                f"backbone.fpn.inner_blocks.{n}.0": f"neck.lateral_convs.{n}.conv" for n in range(4)
            },
            **{f"backbone.fpn.layer_blocks.{n}.0": f"neck.fpn_convs.{n}.conv" for n in range(4)},
            "rpn.head.conv.0.0": "rpn_head.rpn_conv",
            "rpn.head.cls_logits": "rpn_head.rpn_cls",
            "rpn.head.bbox_pred": "rpn_head.rpn_reg",
            "roi_heads.box_head.fc6": "roi_head.bbox_head.shared_fcs.0",
            "roi_heads.box_head.fc7": "roi_head.bbox_head.shared_fcs.1",
            "roi_heads.box_predictor.cls_score": "roi_head.bbox_head.fc_cls",
            "roi_heads.box_predictor.bbox_pred": "roi_head.bbox_head.fc_reg",
            "roi_heads.mask_head.0.0": "roi_head.mask_head.convs.0.conv",
            "roi_heads.mask_head.1.0": "roi_head.mask_head.convs.1.conv",
            "roi_heads.mask_predictor.conv5_mask": "roi_head.mask_head.upsample",
            "roi_heads.mask_predictor.mask_fcn_logits": "roi_head.mask_head.conv_logits",
        },
    )


def write_mar(file: Path, content: object, members: Mapping[str, str] | None = None) -> Path:
    """What TorchServe's archiver makes of a checkpoint and other files."""
    buffer = io.BytesIO()
    torch.save(content, buffer)
    model = {"modelName": "m", "serializedFile": "best.pth", "handler": "mmdet_handler.py"}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("MAR-INF/MANIFEST.json", json.dumps({"model": model}))
        archive.writestr("best.pth", buffer.getvalue())
        archive.writestr("mmdet_handler.py", "raise SystemExit('must not run')")
        for name, text in (members or {}).items():
            archive.writestr(name, text)
    return file


def write_pickle(file: Path, state: Mapping[str, Tensor]) -> Path:
    """What detectron2's model zoo publishes."""
    arrays = {name: tensor.numpy() for name, tensor in state.items()}
    content = {"model": arrays, "__author__": "somebody", "matching_heuristics": True}
    file.write_bytes(pickle.dumps(content))
    return file


def _backbone() -> BackboneWithFPN:
    levels = {f"layer{n}": str(n - 1) for n in (1, 2, 3, 4)}
    channels = [4 * _STEM * 2**n for n in range(4)]
    return BackboneWithFPN(_trunk(), levels, channels, _WIDTH)


def _trunk() -> nn.Sequential:
    """torchvision's ResNet with an eighth of the channels, and one of its blocks a stage."""
    norm = FrozenBatchNorm2d
    parts: dict[str, nn.Module] = {
        "conv1": nn.Conv2d(3, _STEM, 7, stride=2, padding=3, bias=False),
        "bn1": norm(_STEM),
        "relu": nn.ReLU(),
        "maxpool": nn.MaxPool2d(3, stride=2, padding=1),
    }
    channels = _STEM
    for level in range(4):
        inner, stride = _STEM * 2**level, 1 if level == 0 else 2
        shortcut = nn.Conv2d(channels, 4 * inner, 1, stride=stride, bias=False)
        side = nn.Sequential(shortcut, norm(4 * inner))
        block = Bottleneck(channels, inner, stride, side, norm_layer=norm)
        parts[f"layer{level + 1}"] = nn.Sequential(block)
        channels = 4 * inner
    return nn.Sequential(OrderedDict(parts))


def _randomise(network: Any) -> Any:
    norms: list[Any] = [m for m in network.modules() if hasattr(m, "running_var")]
    for norm in norms:
        size = norm.running_var.shape
        norm.running_var.copy_(torch.rand(size) + 0.5)
        norm.running_mean.copy_(torch.randn(size) * 0.1)
        norm.weight.data.copy_(torch.rand(size) * 0.4 + 0.5)
        norm.bias.data.copy_(torch.randn(size) * 0.1)
    if hasattr(network, "rpn"):
        # random weights are sure of nothing; these see many things, the first class above all
        rpn = network.rpn.head
        for head, gain in ((rpn.cls_logits, 3000.0), (rpn.bbox_pred, 300.0)):
            head.weight.data.mul_(gain)
        scores = network.roi_heads.box_predictor.cls_score
        scores.weight.data.mul_(100.0)
        scores.bias.data[1] = 2.0
    return network.eval()


def _block(norm: str, shortcut: str, shortcut_norm: str) -> dict[str, str]:
    """Parts of a bottleneck: torchvision's names to another library's."""
    return {
        **{f"conv{n}": f"conv{n}" for n in (1, 2, 3)},
        **{f"bn{n}": f"conv{n}.{norm}" for n in (1, 2, 3)},
        "downsample.0": shortcut,
        "downsample.1": shortcut_norm,
    }


def _translate(state: Mapping[str, Tensor], names: Mapping[str, str]) -> State:
    translated = {}
    for name, tensor in state.items():
        base, _, part = name.rpartition(".")
        if base not in names:
            continue  # the trunk's classifier, which the pyramid leaves out
        moved = tensor
        if base.endswith("cls_score"):
            moved = torch.cat((tensor[1:], tensor[:1]))
        elif base.endswith("bbox_pred") and base.startswith("roi_heads"):
            moved = tensor[4:]
        elif base.endswith("mask_fcn_logits"):
            moved = tensor[1:]
        translated[f"{names[base]}.{part}"] = moved.clone()
    return translated
