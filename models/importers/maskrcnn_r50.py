"""Mask R-CNN and keypoint R-CNN on a ResNet with a feature pyramid (He et al. 2017).

One network for the weights of torchvision, detectron2 and mmdet; what they do differently is in
`RegionConventions`. Background is the first class here, as in torchvision.
"""

from collections import OrderedDict

import torch
from torch import Tensor, nn
from torchvision.models.detection.faster_rcnn import FastRCNNPredictor, TwoMLPHead
from torchvision.models.detection.image_list import ImageList
from torchvision.models.detection.keypoint_rcnn import KeypointRCNNHeads, KeypointRCNNPredictor
from torchvision.models.detection.mask_rcnn import MaskRCNNHeads, MaskRCNNPredictor
from torchvision.models.detection.roi_heads import RoIHeads
from torchvision.models.detection.rpn import RegionProposalNetwork, RPNHead
from torchvision.ops import FeaturePyramidNetwork
from torchvision.ops.feature_pyramid_network import LastLevelMaxPool

from models.importers.conventions import RegionConventions
from models.importers.regions import Anchors, RegionPool
from models.importers.resnet import EXPANSION, ResNet
from models.importers.shapes import RegionShape

__all__ = ("RegionNetwork",)

_LEAST_SCORE = 0.05
_DETECTIONS = 100
_PROPOSALS = 1000


class RegionNetwork(nn.Module):
    """Figures of one picture: boxes, and masks or keypoint heatmaps."""

    def __init__(self, shape: RegionShape, conventions: RegionConventions) -> None:
        super().__init__()
        self.trunk = ResNet(shape.width, shape.blocks, conventions.stride_in_1x1)
        channels = [shape.width * EXPANSION * 2**level for level in range(4)]
        self.pyramid = FeaturePyramidNetwork(channels, shape.pyramid, LastLevelMaxPool())
        self.rpn = _proposals(shape, conventions)
        self.roi_heads = _heads(shape, conventions)
        self.keypoint_pool = _pool(conventions, 14)
        if shape.keypoint:
            self.keypoint_head = KeypointRCNNHeads(shape.pyramid, shape.keypoint)
            self.keypoint_predictor = KeypointRCNNPredictor(shape.keypoint[-1], shape.keypoints)

    def forward(
        self, image: Tensor, size: Tensor, expected: Tensor | None = None
    ) -> tuple[Tensor, ...]:
        """Find things; with `expected`, the keypoints of one.

        Args:
            image: (1, 3, H, W) float, normalised; H and W are multiples of 32.
            size: (2,) int64, height and width of the picture in it, from the upper left; the rest
                is zero.
            expected: see `look`.

        Returns:
            What `look` returns, or, best first: boxes (N, 4) xyxy in pixels of the image, scores
            (N,) >= 0.05, labels (N,) int64 with 1 for the first class, and masks (N, 28, 28)
            probability where the network has them.
        """
        features = self.features(image)
        found = self.detect(image, features, size)
        return found if expected is None else self.look(features, found, expected)

    def features(self, image: Tensor) -> "OrderedDict[str, Tensor]":
        """The pyramid's maps, strides 4 to 64."""
        maps = self.trunk(image)
        named = OrderedDict((str(i), m) for i, m in enumerate(maps))
        features: OrderedDict[str, Tensor] = self.pyramid(named)
        return features

    def detect(
        self, image: Tensor, features: "OrderedDict[str, Tensor]", size: Tensor
    ) -> tuple[Tensor, ...]:
        """As `forward`, with the features at hand."""
        sizes = [(size[0], size[1])]
        # Tensors as sizes keep a traced graph open for pictures of other sizes.
        images = ImageList(image, sizes)
        proposals, _ = self.rpn(images, features)
        (found,), _ = self.roi_heads(features, proposals, sizes)
        parts = (found["boxes"], found["scores"], found["labels"])
        return (*parts, found["masks"][:, 0]) if "masks" in found else parts

    def look(
        self, features: "OrderedDict[str, Tensor]", found: tuple[Tensor, ...], expected: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Keypoints of the best thing of the first class.

        Args:
            features: from `features`.
            found: from `detect`.
            expected: (1, 4) xyxy in pixels of the image, where to look when nothing was found.

        Returns:
            The box (1, 4) that was looked at, and heatmap logits (1, K, 56, 56) over it.
        """
        boxes, _, labels = found[:3]
        box = torch.cat((boxes[labels == 1], expected))[:1]
        pooled = self.keypoint_pool(features, [box], None)
        heatmaps: Tensor = self.keypoint_predictor(self.keypoint_head(pooled))
        return box, heatmaps


def _proposals(shape: RegionShape, conventions: RegionConventions) -> RegionProposalNetwork:
    sizes = conventions.anchor_sizes
    return RegionProposalNetwork(
        anchor_generator=Anchors(sizes, rounded=conventions.anchors_rounded),
        head=RPNHead(shape.pyramid, 3),
        fg_iou_thresh=0.7,
        bg_iou_thresh=0.3,
        batch_size_per_image=256,
        positive_fraction=0.5,
        pre_nms_top_n={"training": _PROPOSALS, "testing": _PROPOSALS},
        post_nms_top_n={"training": _PROPOSALS, "testing": _PROPOSALS},
        nms_thresh=0.7,
    )


def _heads(shape: RegionShape, conventions: RegionConventions) -> RoIHeads:
    has_masks = len(shape.mask) > 0
    return RoIHeads(
        box_roi_pool=_pool(conventions, 7),
        box_head=TwoMLPHead(shape.pyramid * 49, shape.hidden),
        box_predictor=FastRCNNPredictor(shape.hidden, shape.classes),
        fg_iou_thresh=0.5,
        bg_iou_thresh=0.5,
        batch_size_per_image=512,
        positive_fraction=0.25,
        bbox_reg_weights=(10.0, 10.0, 5.0, 5.0),
        score_thresh=_LEAST_SCORE,
        nms_thresh=0.5,
        detections_per_img=_DETECTIONS,
        mask_roi_pool=_pool(conventions, 14) if has_masks else None,
        mask_head=MaskRCNNHeads(shape.pyramid, shape.mask[:-1], 1) if has_masks else None,
        mask_predictor=(
            MaskRCNNPredictor(shape.mask[-2], shape.mask[-1], shape.classes) if has_masks else None
        ),
    )


def _pool(conventions: RegionConventions, side: int) -> RegionPool:
    return RegionPool(
        side, aligned=conventions.pooling_aligned, samples=conventions.pooling_samples
    )
