"""Conventions: what the libraries do differently with the same weights.

Facts from the libraries' documentation and default configurations; a file's tensors do not tell
them, so each kind of file has its defaults, and a configuration or the user may say otherwise.
"""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec

__all__ = (
    "CONVENTIONS",
    "Conventions",
    "Kind",
    "RegionConventions",
    "TopDownConventions",
)

Colour = tuple[float, float, float]
_Size = Annotated[int, msgspec.Meta(ge=32, le=4096)]

_RGB_MEAN = (123.675, 116.28, 103.53)
_RGB_DEVIATION = (58.395, 57.12, 57.375)
_BGR_MEAN = (103.53, 116.28, 123.675)


class Kind(StrEnum):
    """Which library wrote which network."""

    TORCHVISION_MASK = "torchvision-mask-rcnn"
    TORCHVISION_KEYPOINT = "torchvision-keypoint-rcnn"
    DETECTRON2_MASK = "detectron2-mask-rcnn"
    MMDET_MASK = "mmdet-mask-rcnn"
    MMPOSE_TOP_DOWN = "mmpose-top-down"


class Conventions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every network has.

    Attributes:
        rgb: whether the network takes RGB; else BGR.
        mean: of pixels 0..255, in the network's order of channels.
        deviation: what pixels less the mean are divided by.
        stride_in_1x1: whether a stage halves its maps in its first 1x1 convolution; else in 3x3.
        norm_epsilon: added to variances when normalisation is folded, >= 0.
    """

    rgb: bool = True
    mean: Colour = _RGB_MEAN
    deviation: Colour = _RGB_DEVIATION
    stride_in_1x1: bool = False
    norm_epsilon: float = 1e-5


class RegionConventions(Conventions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What Mask R-CNN and its kin have beside.

    Attributes:
        resampling: "float" scales normalised numbers, linear, size rounded down; "opencv" scales
            bytes, linear; "pillow" scales bytes, linear, with antialiasing.
        short_side: to which a picture's shorter side is scaled, pixels,
        long_side: unless its longer side would become longer than this, pixels.
        anchor_sizes: root of the area of the anchors of each level, pixels.
        anchors_rounded: whether anchors are whole pixels and strides follow from the maps' sizes;
            else both are exact.
        pooling_aligned: whether regions are pooled half a cell further up and left, which is exact.
        pooling_samples: samples per cell and axis; 0: as many as the region has pixels.
    """

    resampling: Literal["float", "opencv", "pillow"]
    short_side: _Size = 800
    long_side: _Size = 1333
    anchor_sizes: tuple[float, float, float, float, float] = (32, 64, 128, 256, 512)
    anchors_rounded: bool = False
    pooling_aligned: bool = True
    pooling_samples: Annotated[int, msgspec.Meta(ge=0, le=16)] = 0


class TopDownConventions(Conventions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a top-down pose network has beside.

    Attributes:
        input_width: of the network's input, pixels.
        input_height: likewise.
        box_padding: the network sees a box this many times as large as the figure's.
    """

    input_width: _Size = 192
    input_height: _Size = 256
    box_padding: float = 1.25


_TORCHVISION = RegionConventions(
    resampling="float",
    mean=(0.485 * 255, 0.456 * 255, 0.406 * 255),
    deviation=(0.229 * 255, 0.224 * 255, 0.225 * 255),
    anchors_rounded=True,
    pooling_aligned=False,
    pooling_samples=2,
)

CONVENTIONS: dict[Kind, RegionConventions | TopDownConventions] = {
    Kind.TORCHVISION_MASK: _TORCHVISION,
    Kind.TORCHVISION_KEYPOINT: _TORCHVISION,
    Kind.DETECTRON2_MASK: RegionConventions(
        resampling="pillow",
        rgb=False,
        mean=_BGR_MEAN,
        deviation=(1.0, 1.0, 1.0),
        stride_in_1x1=True,
    ),
    Kind.MMDET_MASK: RegionConventions(resampling="opencv"),
    Kind.MMPOSE_TOP_DOWN: TopDownConventions(),
}
"""What holds where nothing says otherwise."""
