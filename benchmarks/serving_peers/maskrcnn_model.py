"""torchvision's Mask R-CNN R50-FPN, bounded to 192 pixels so that a run stays short."""

import torch
from torchvision.models.detection.backbone_utils import resnet_fpn_backbone
from torchvision.models.detection.mask_rcnn import MaskRCNN


class Detector(MaskRCNN):  # type: ignore[misc]
    """Random weights find a hundred figures or none; this threshold leaves none."""

    def __init__(self) -> None:
        super().__init__(
            resnet_fpn_backbone(backbone_name="resnet50", weights=None),
            91,
            box_score_thresh=0.9,
            min_size=192,
            rpn_post_nms_top_n_test=50,
        )


def write_weights(path: str) -> None:
    """Write random weights, the same each time."""
    torch.manual_seed(0)
    torch.save(Detector().state_dict(), path)
