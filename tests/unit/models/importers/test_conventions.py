"""What the libraries do differently: by hand, and against torchvision where it takes a side."""

import math
from typing import Literal

import cv2
import numpy as np
import pytest

pytest.importorskip("torch", reason="the importers need the extra `torch`")

import torch
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.image_list import ImageList
from torchvision.ops import MultiScaleRoIAlign

from models.importers.configs import read_config
from models.importers.conventions import CONVENTIONS, Kind, RegionConventions, TopDownConventions
from models.importers.errors import CannotImport
from models.importers.heatmaps import points_of_box, points_of_view
from models.importers.preparing import inner_box, prepare_crop, prepare_picture
from models.importers.regions import Anchors, RegionPool
from models.importers.resnet import ResNet
from tests.support_checkpoints import noise

SIZES = (32.0, 64.0, 128.0, 256.0, 512.0)
MAPS = {str(n): torch.rand(1, 4, 128 >> n, 160 >> n) for n in range(4)}
PICTURE = ImageList(torch.zeros(1, 3, 512, 640), [(500, 640)])


def test_exact_anchors_have_their_area_and_ratio_on_every_cell() -> None:
    maps = [torch.zeros(1, 1, size, size + 1) for size in (16, 8, 4, 2, 1)]
    (anchors,) = Anchors(SIZES, rounded=False)(PICTURE, maps)
    assert len(anchors) == 3 * (16 * 17 + 8 * 9 + 4 * 5 + 2 * 3 + 1 * 2)
    wide, square, tall = anchors[:3].tolist()
    half = 16 * math.sqrt(2)
    assert wide == pytest.approx([-half, -half / 2, half, half / 2])
    assert square == pytest.approx([-16, -16, 16, 16])
    assert tall == pytest.approx([-half / 2, -half, half / 2, half])
    assert anchors[4].tolist() == pytest.approx([-12, -16, 20, 16])  # the next column, 4 px on
    assert anchors[3 * 17 + 1].tolist() == pytest.approx([-16, -12, 16, 20])  # the next row
    assert anchors[-2].tolist() == pytest.approx([64 - 256, -256, 64 + 256, 256])


def test_rounded_anchors_are_torchvisions() -> None:
    maps = [torch.zeros(1, 1, n, n + 3) for n in (60, 30, 15, 8, 4)]
    theirs = AnchorGenerator(tuple((int(s),) for s in SIZES), ((0.5, 1.0, 2.0),) * 5)
    (expected,) = theirs(PICTURE, maps)
    (anchors,) = Anchors(SIZES, rounded=True)(PICTURE, maps)
    assert torch.equal(anchors, expected)


def test_pooling_that_is_not_aligned_is_torchvisions() -> None:
    corners = torch.rand(200, 2) * 300
    sides = torch.rand(200, 2) ** 3 * 330 + 2
    boxes = torch.cat((corners, corners + sides), dim=1)
    theirs = MultiScaleRoIAlign(["0", "1", "2", "3"], 7, 2)
    expected = theirs(MAPS, [boxes], [(512, 640)])
    pooled = RegionPool(7, aligned=False, samples=2)(MAPS, [boxes], None)
    assert torch.allclose(pooled, expected, atol=1e-6)


def test_aligned_pooling_reads_a_ramp_at_the_places_of_its_cells() -> None:
    # value = x in pixels at a cell's centre; pooled cells then tell where they lie
    ramp = (torch.arange(160.0) * 4 + 2).expand(1, 1, 128, 160)
    maps = {**{str(n): torch.zeros(1, 1, 2, 2) for n in (1, 2, 3)}, "0": ramp}
    maps = {name: maps[name] for name in "0123"}
    box = torch.tensor([[100.0, 100.0, 170.0, 170.0]])
    pooled = RegionPool(7, aligned=True, samples=0)(maps, [box], None)
    assert pooled[0, 0, 3].tolist() == pytest.approx([105, 115, 125, 135, 145, 155, 165])


@pytest.mark.parametrize("first", [True, False])
def test_stride_moves_between_the_convolutions_of_a_stage(first: bool) -> None:
    network = ResNet(4, (1, 1, 1, 1), first)
    maps = network(torch.zeros(1, 3, 64, 64))
    assert [tuple(m.shape[1:]) for m in maps] == [(16, 16, 16), (32, 8, 8), (64, 4, 4), (128, 2, 2)]
    block = network.get_submodule("stages.1.0")
    strides = [getattr(block, name).stride[0] for name in ("conv1", "conv2", "conv3", "shortcut")]
    assert strides == ([2, 1, 1, 2] if first else [1, 2, 1, 2])


def test_picture_is_scaled_to_the_shorter_side_unless_the_longer_gets_too_long() -> None:
    conventions = RegionConventions(resampling="opencv", short_side=64, long_side=100)
    planes = prepare_picture(noise(128, 160), conventions)
    assert planes.pixels.shape == (1, 3, 64, 96)
    assert planes.size.tolist() == [64, 80]
    assert planes.scale.tolist() == [0.5, 0.5]
    assert not planes.pixels[..., 80:].any()
    assert prepare_picture(noise(50, 200), conventions).size.tolist() == [25, 100]


def test_colours_are_ordered_and_normalised() -> None:
    image = np.full((40, 40, 3), (10, 20, 30), np.uint8)
    conventions = RegionConventions(
        resampling="pillow", rgb=False, mean=(1, 2, 3), deviation=(1, 2, 1), short_side=40
    )
    planes = prepare_picture(image, conventions)
    assert planes.pixels[0, :, 0, 0].tolist() == [29, 9, 7]


@pytest.mark.parametrize("resampling", ["float", "opencv", "pillow"])
def test_sizes_are_rounded_as_the_library_does(
    resampling: Literal["float", "opencv", "pillow"],
) -> None:
    conventions = RegionConventions(resampling=resampling, short_side=100)
    planes = prepare_picture(noise(300, 500), conventions)
    assert planes.size.tolist() == [100, 166 if resampling == "float" else 167]


def test_figure_is_expected_where_callers_leave_space() -> None:
    # a figure of 100 x 300 with a tenth of 300 on each side
    assert inner_box(160, 360).tolist() == [30, 30, 130, 330]


def test_view_holds_the_figure_with_a_quarter_more_in_the_networks_proportions() -> None:
    view = prepare_crop(noise(360, 160), TopDownConventions())
    assert view.pixels.shape == (3, 256, 192)
    assert view.scale == pytest.approx(300 * 1.25 / 256)
    assert view.origin[1] == pytest.approx(180 - 187.5)
    assert view.origin[0] == pytest.approx(80 - 187.5 * 0.75)


def test_peak_moves_a_quarter_towards_its_higher_neighbour() -> None:
    heatmaps = np.zeros((3, 6, 5), np.float32)
    heatmaps[0, 2, 3], heatmaps[0, 2, 2], heatmaps[0, 3, 3] = 0.9, 0.2, 0.1
    heatmaps[1, 0, 0], heatmaps[1, 0, 1] = 1.5, 0.3  # at the rim nothing moves
    points, scores = points_of_view(heatmaps, 4.0)
    assert points[0].tolist() == pytest.approx([11, 9])
    assert points[1].tolist() == [0, 0]
    assert scores.tolist() == pytest.approx([0.9, 1, 0])


def test_peak_over_a_box_is_in_pixels_of_the_picture() -> None:
    heatmaps = np.zeros((1, 8, 8), np.float32)
    heatmaps[0, 2, 5] = 3.0
    points, scores = points_of_box(heatmaps, np.array([10, 20, 26, 52], np.float32))
    assert points[0].tolist() == pytest.approx([10 + 5.5 * 2, 20 + 2.5 * 4], abs=2)
    assert scores[0] == pytest.approx(cv2.resize(heatmaps[0], (16, 32), interpolation=2).max())


def test_detectron2s_yaml_is_read() -> None:
    text = """
MODEL:
  PIXEL_MEAN: [1.0, 2.0, 3.0]
  RESNETS: {STRIDE_IN_1X1: false}
  ROI_BOX_HEAD: {POOLER_TYPE: ROIAlign, POOLER_SAMPLING_RATIO: 2}
  ANCHOR_GENERATOR: {SIZES: [[8], [16], [32], [64], [128]]}
INPUT: {FORMAT: BGR, MAX_SIZE_TEST: 1000}
"""
    assert read_config(Kind.DETECTRON2_MASK, text) == {
        "mean": [1.0, 2.0, 3.0],
        "stride_in_1x1": False,
        "long_side": 1000,
        "rgb": False,
        "pooling_aligned": False,
        "pooling_samples": 2,
        "anchor_sizes": [8, 16, 32, 64, 128],
    }


def test_mmdets_python_is_read_and_not_run() -> None:
    text = """
raise SystemExit('must not run')
norm = dict(mean=[103.53, 116.28, 123.675], std=[1.0, 1.0, 1.0], to_rgb=False)
model = dict(backbone=dict(depth=50, style='caffe'), neck=make())
test = [{'type': 'MultiScaleFlipAug', 'img_scale': (1000, 600)}]
"""
    assert read_config(Kind.MMDET_MASK, text) == {
        "mean": [103.53, 116.28, 123.675],
        "deviation": [1.0, 1.0, 1.0],
        "rgb": False,
        "stride_in_1x1": True,
        "short_side": 600,
        "long_side": 1000,
    }


def test_mmposes_colours_from_nought_to_one_are_scaled() -> None:
    text = "x = dict(image_size=[288, 384], mean=[0.5, 0.4, 0.2], std=[0.2, 0.2, 0.2])"
    facts = read_config(Kind.MMPOSE_TOP_DOWN, text)
    assert facts["mean"] == pytest.approx([127.5, 102, 51])
    assert (facts["input_width"], facts["input_height"]) == (288, 384)


@pytest.mark.parametrize("kind", [Kind.DETECTRON2_MASK, Kind.MMDET_MASK])
def test_broken_configuration_is_refused(kind: Kind) -> None:
    with pytest.raises(CannotImport, match="configuration"):
        read_config(kind, "a: [1\nb = (")


def test_every_kind_has_conventions() -> None:
    assert CONVENTIONS.keys() == set(Kind)
