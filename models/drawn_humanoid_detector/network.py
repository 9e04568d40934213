"""The detector: torchvision's Mask R-CNN on a MobileNetV2 feature pyramid, with small heads.

He et al. 2017 (Mask R-CNN), Sandler et al. 2018 (MobileNetV2), Lin et al. 2017 (pyramid). Figures
are at least a tenth of the picture tall, so the pyramid starts at stride 8. The trunk's batch
normalisation is folded into its convolutions from the start: batches of four are too small for
statistics, and a fifth of a training step goes.
"""

import torch
from torch import nn
from torchvision.models import mobilenet_v2
from torchvision.models.detection import MaskRCNN
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.backbone_utils import BackboneWithFPN
from torchvision.models.detection.faster_rcnn import FastRCNNPredictor, TwoMLPHead
from torchvision.models.detection.mask_rcnn import MaskRCNNHeads, MaskRCNNPredictor
from torchvision.ops import MultiScaleRoIAlign

from models.drawn_humanoid_detector import INPUT_SIDE
from models.folding import fold_batch_norms

__all__ = ("INPUT_SIDE", "build_detector", "build_trunk")

_TAPS = {"6": "0", "13": "1", "17": "2"}  # last blocks of MobileNetV2 at strides 8, 16, 32
_CHANNELS = [32, 96, 320]
_WIDTH = 96
_CLASSES = 2  # paper and figure


def build_detector() -> MaskRCNN:
    """A detector with random weights for pictures of 320 x 320 pixels, RGB in [0, 1]."""
    levels = list(_TAPS.values())
    detector = MaskRCNN(
        _backbone(),
        min_size=INPUT_SIDE,
        max_size=INPUT_SIDE,
        rpn_anchor_generator=_anchors(),
        rpn_pre_nms_top_n_train=500,
        rpn_post_nms_top_n_train=150,
        rpn_pre_nms_top_n_test=200,
        rpn_post_nms_top_n_test=60,
        box_roi_pool=MultiScaleRoIAlign(levels, output_size=7, sampling_ratio=2),
        box_head=TwoMLPHead(_WIDTH * 49, 256),
        box_predictor=FastRCNNPredictor(256, _CLASSES),
        box_batch_size_per_image=48,
        box_detections_per_img=20,
        box_nms_thresh=0.5,
        mask_roi_pool=MultiScaleRoIAlign(levels, output_size=14, sampling_ratio=2),
        mask_head=MaskRCNNHeads(_WIDTH, (64, 64), 1),
        mask_predictor=MaskRCNNPredictor(64, 64, _CLASSES),
    )
    return detector.to(memory_format=torch.channels_last)


def build_trunk() -> nn.Sequential:
    """MobileNetV2 up to its last bottleneck, with its normalisation still in place."""
    trunk: nn.Sequential = mobilenet_v2(weights=None).features[:18]
    return trunk


def _backbone() -> BackboneWithFPN:
    trunk = fold_batch_norms(build_trunk().eval())
    return BackboneWithFPN(nn.Sequential(*trunk.children()), _TAPS, _CHANNELS, _WIDTH)


def _anchors() -> AnchorGenerator:
    sizes = ((40,), (80,), (150,), (270,))
    return AnchorGenerator(sizes, ((0.5, 1.0, 2.0),) * len(sizes))
