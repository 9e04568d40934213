"""Anchors and pooling of regions, with the switches in which the libraries differ."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torchvision.models.detection.image_list import ImageList
from torchvision.ops import roi_align

__all__ = ("Anchors", "RegionPool")

_RATIOS = (0.5, 1.0, 2.0)  # height per width
_FINEST = 4  # stride of the finest map, pixels
_LEVELS = 4  # maps that regions are pooled from
_CANONICAL_SIDE = 224.0  # a region of this side is pooled from stride 16 (Lin et al. 2017)


class Anchors(nn.Module):
    """Three boxes on every cell of every map.

    Args:
        sizes: root of their area on each map, pixels.
        rounded: boxes of whole pixels, and strides by division of the image's size by the map's;
            else exact boxes, and strides of 4, 8, 16 and so on.
    """

    def __init__(self, sizes: Sequence[float], *, rounded: bool) -> None:
        super().__init__()
        self._sizes = sizes
        self._rounded = rounded

    def forward(self, images: ImageList, maps: Sequence[Tensor]) -> list[Tensor]:
        """Boxes (A, 4) xyxy of each image, pixels, in the order of maps, rows, columns, shapes."""
        height, width = images.tensors.shape[-2:]
        levels = []
        for level, (size, cells) in enumerate(zip(self._sizes, maps, strict=True)):
            rows, columns = cells.shape[-2:]
            strides = (_FINEST << level, _FINEST << level)
            if self._rounded:
                strides = (height // rows, width // columns)
            y = torch.arange(rows, device=cells.device, dtype=torch.float32) * strides[0]
            x = torch.arange(columns, device=cells.device, dtype=torch.float32) * strides[1]
            places = torch.stack(torch.meshgrid(y, x, indexing="ij")[::-1] * 2, dim=-1)
            levels.append((places[:, :, None] + self._shapes(size).to(places)).reshape(-1, 4))
        return [torch.cat(levels)] * len(images.image_sizes)

    def _shapes(self, size: float) -> Tensor:
        """Boxes (3, 4) around the origin."""
        heights = torch.sqrt(torch.tensor(_RATIOS)) * size
        widths = size * size / heights
        boxes = torch.stack((-widths, -heights, widths, heights), dim=1) / 2
        return boxes.round() if self._rounded else boxes


class RegionPool(nn.Module):
    """Each region's features from the map that suits its size.

    Args:
        side: of the result, cells.
        aligned: see RegionConventions.pooling_aligned.
        samples: see RegionConventions.pooling_samples.
    """

    def __init__(self, side: int, *, aligned: bool, samples: int) -> None:
        super().__init__()
        self._side = side
        self._aligned = aligned
        self._samples = samples

    def forward(self, maps: Mapping[str, Tensor], boxes: Sequence[Tensor], _: object) -> Tensor:
        """Features (N, C, side, side) of boxes (N, 4) xyxy of each image, pixels."""
        rows = [torch.cat((torch.full_like(b[:, :1], i), b), 1) for i, b in enumerate(boxes)]
        regions = torch.cat(rows)
        finest = list(maps.values())[:_LEVELS]
        levels = _levels(regions[:, 1:])
        parts, places = [], []
        for level, cells in enumerate(finest):
            (mine,) = torch.where(levels == level)
            side, scale = (self._side, self._side), 1.0 / (_FINEST << level)
            parts.append(roi_align(cells, regions[mine], side, scale, self._samples, self._aligned))
            places.append(mine)
        # gathered, not scattered: a traced graph then takes any count of boxes
        return torch.cat(parts)[torch.argsort(torch.cat(places))]


def _levels(boxes: Tensor) -> Tensor:
    """Which map each box (N, 4) is pooled from."""
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    levels = torch.floor(2 + torch.log2(torch.sqrt(areas) / _CANONICAL_SIDE + 1e-8))
    return levels.clamp(0, _LEVELS - 1).to(torch.int64)
