"""Shapes: the sizes of a network, as its weights tell them."""

import msgspec

__all__ = ("RegionShape", "TopDownShape")


class TrunkShape(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sizes of the ResNet below.

    Attributes:
        width: channels of the stem; 64 in a plain ResNet.
        blocks: of each stage; (3, 4, 6, 3) is ResNet-50.
    """

    width: int
    blocks: tuple[int, int, int, int]


class RegionShape(TrunkShape, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sizes of a Mask R-CNN or keypoint R-CNN.

    Attributes:
        pyramid: channels of the pyramid.
        hidden: of the box head's layers.
        classes: with the background.
        mask: channels of each convolution of the mask head, and of its deconvolution last; empty:
            there is none.
        keypoint: channels of each convolution of the keypoint head; empty: there is none.
        keypoints: count of heatmaps.
    """

    pyramid: int
    hidden: int
    classes: int
    mask: tuple[int, ...] = ()
    keypoint: tuple[int, ...] = ()
    keypoints: int = 0


class TopDownShape(TrunkShape, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sizes of a top-down pose network.

    Attributes:
        deconvolutions: output channels of each deconvolution.
        keypoints: count of heatmaps.
    """

    deconvolutions: tuple[int, ...]
    keypoints: int
