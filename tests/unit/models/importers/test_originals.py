"""The originals at full size, with random weights, where they are installed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("torch", reason="the importers need the extra `torch`")

import torch

from models.importers.description import WEIGHTS, read_description
from models.importers.importing import ImportOptions, import_checkpoint
from models.importers.maskrcnn_r50 import RegionNetwork
from models.importers.preparing import prepare_picture
from models.importers.torch_route import load_network
from serving.local import LocalPredictor
from tests.support_checkpoints import noise, write_mar, write_pickle

PICTURE = noise(200, 160)
CLOSE = 1e-3  # largest difference, as a share of the largest value
ONLY_WEIGHTS = ImportOptions(graph=False)
HEADS = {  # spread of what random heads answer, so that they find many different things
    "objectness_logits": 2.0,
    "rpn_cls": 2.0,
    "anchor_deltas": 0.3,
    "rpn_reg": 0.3,
    "cls_score": 1.0,
    "fc_cls": 1.0,
    "bbox_pred": 0.5,
    "fc_reg": 0.5,
    "mask_head.predictor": 2.0,
    "conv_logits": 2.0,
    "final_layer": 0.3,
}

Arrays = list[NDArray[Any]]


def randomise(network: Any, run: Any) -> None:
    """Weights under which signals neither vanish nor explode, and heads that answer with spread."""
    torch.manual_seed(3)
    for name, module in network.named_modules():
        if getattr(module, "running_var", None) is not None:
            size = module.running_var.shape
            ends_block = name.endswith(("bn3", "conv3.norm"))
            module.running_var.copy_(torch.rand(size) + 0.5)
            module.running_mean.copy_(torch.randn(size) * 0.1)
            module.weight.data.copy_((torch.rand(size) * 0.4 + 0.8) * (0.3 if ends_block else 1))
            module.bias.data.copy_(torch.randn(size) * 0.1)
        elif isinstance(module, torch.nn.Conv2d | torch.nn.ConvTranspose2d | torch.nn.Linear):
            spread = (2 / module.weight[0].numel()) ** 0.5
            module.weight.data.copy_(torch.randn(module.weight.shape) * spread)
    seen = [_spread(m, s) for n, m in network.named_modules() for k, s in HEADS.items() if k in n]
    run()
    for hook in seen:
        hook.remove()


def _spread(head: Any, spread: float) -> Any:
    """Scale a head to the spread and a mean of zero when it first answers."""
    done: list[bool] = []

    def scale(_: object, __: object, answer: Any) -> Any:
        if done or not isinstance(answer, torch.Tensor):
            return None
        done.append(True)
        factor = spread / answer.std()
        axes = [axis for axis in range(answer.dim()) if axis != 1]
        mean = answer.mean(axes) * factor
        head.weight.data.mul_(factor)
        head.bias.data.mul_(factor).sub_(mean)
        return answer * factor - mean.view(1, -1, *[1] * (answer.dim() - 2))

    return head.register_forward_hook(scale)


def assert_close(ours: Arrays, theirs: Arrays) -> None:
    for a, b in zip(ours, theirs, strict=True):
        assert a.shape == b.shape
        assert np.abs(a - b).max() <= CLOSE * np.abs(b).max()


def assert_same_network(folder: Path, pixels: Any, theirs: Arrays) -> None:
    """Pyramid, objectness and box changes on the library's own input."""
    description = read_description(folder)
    assert description.regions is not None
    network = load_network(description, folder / WEIGHTS)
    assert isinstance(network, RegionNetwork)
    planes = prepare_picture(PICTURE, description.regions[1])
    assert_close([planes.pixels], [pixels.numpy()])
    with torch.inference_mode():
        maps = list(network.features(pixels).values())
        objectness, changes = network.rpn.head(maps)
    assert_close([t.numpy() for t in (*maps, *objectness, *changes)], theirs)


def assert_same_figures(folder: Path, theirs: Mapping[str, NDArray[Any]]) -> None:
    """Boxes, scores and masks of the picture, end to end, in whatever order."""
    ours = LocalPredictor(folder.parent, 1).infer(folder.name, {"image": PICTURE})
    assert len(theirs["boxes"]) > 20
    apart = np.abs(ours["boxes"][None] - theirs["boxes"][:, None]).max(axis=2).argmin(axis=1)
    assert sorted(apart) == list(range(len(ours["boxes"])))
    for name, array in theirs.items():
        assert_close([ours[name][apart]], [array])


def test_detectron2(tmp_path: Path) -> None:
    reason = "compares with detectron2, which is installed from its source"
    config = pytest.importorskip("detectron2.config", reason=reason).get_cfg()
    transforms = pytest.importorskip("detectron2.data.transforms")
    config.MODEL.merge_from_other_cfg(_mask_rcnn_of_the_zoo(type(config)))
    model = pytest.importorskip("detectron2.modeling").build_model(config).eval()
    bgr = np.ascontiguousarray(PICTURE[:, :, ::-1])
    scaled = transforms.ResizeShortestEdge([800, 800], 1333).get_transform(bgr).apply_image(bgr)
    image = torch.from_numpy(scaled.astype(np.float32).transpose(2, 0, 1).copy())
    items = [{"image": image, "height": PICTURE.shape[0], "width": PICTURE.shape[1]}]
    with torch.inference_mode():
        randomise(model, lambda: model(items))
        pixels = model.preprocess_image(items).tensor
        maps = list(model.backbone(pixels).values())
        objectness, changes = model.proposal_generator.rpn_head(maps)
        found = model.inference(items, do_postprocess=False)[0]
        boxes = found.pred_boxes.clone()
        boxes.scale(PICTURE.shape[1] / image.shape[2], PICTURE.shape[0] / image.shape[1])
    file = write_pickle(tmp_path / "a.pkl", model.state_dict())
    folder = import_checkpoint(file, tmp_path / "m" / "d", options=ONLY_WEIGHTS).folder
    assert_same_network(folder, pixels, [t.numpy() for t in (*maps, *objectness, *changes)])
    theirs = {"boxes": boxes.tensor, "scores": found.scores, "masks": found.pred_masks[:, 0]}
    assert_same_figures(folder, {name: part.numpy() for name, part in theirs.items()})


def _mask_rcnn_of_the_zoo(node: Any) -> Any:
    """What the zoo's mask_rcnn_R_50_FPN sets, for one class on the CPU."""
    levels = ["p2", "p3", "p4", "p5", "p6"]
    return node(
        {
            "META_ARCHITECTURE": "GeneralizedRCNN",
            "DEVICE": "cpu",
            "WEIGHTS": "",
            "MASK_ON": True,
            "BACKBONE": node({"NAME": "build_resnet_fpn_backbone"}),
            "RESNETS": node({"OUT_FEATURES": ["res2", "res3", "res4", "res5"]}),
            "FPN": node({"IN_FEATURES": ["res2", "res3", "res4", "res5"]}),
            "ANCHOR_GENERATOR": node({"SIZES": [[32], [64], [128], [256], [512]]}),
            "RPN": node(
                {"IN_FEATURES": levels, "PRE_NMS_TOPK_TEST": 1000, "POST_NMS_TOPK_TEST": 1000}
            ),
            "ROI_HEADS": node(
                {"NAME": "StandardROIHeads", "IN_FEATURES": levels[:4], "NUM_CLASSES": 1}
            ),
            "ROI_BOX_HEAD": node(
                {"NAME": "FastRCNNConvFCHead", "NUM_FC": 2, "POOLER_RESOLUTION": 7}
            ),
            "ROI_MASK_HEAD": node(
                {"NAME": "MaskRCNNConvUpsampleHead", "NUM_CONV": 4, "POOLER_RESOLUTION": 14}
            ),
        }
    )


def test_mmdet(tmp_path: Path) -> None:
    pytest.importorskip("mmdet", reason="compares with mmdet 3 and mmcv with its operators")
    mmcv = pytest.importorskip("mmcv")
    model = _build("mmdet", "mask_rcnn/mask-rcnn_r50_fpn_1x_coco.py")
    scaled = mmcv.imrescale(np.ascontiguousarray(PICTURE[:, :, ::-1]), (1333, 800))
    height, width = scaled.shape[:2]
    factors = (width / PICTURE.shape[1], height / PICTURE.shape[0])
    sample = pytest.importorskip("mmdet.structures").DetDataSample(
        metainfo={"img_shape": (height, width), "ori_shape": PICTURE.shape[:2]}
        | {"pad_shape": (height, width), "scale_factor": factors}
    )
    image = torch.from_numpy(scaled.transpose(2, 0, 1).copy())
    data = model.data_preprocessor({"inputs": [image], "data_samples": [sample]}, False)
    pixels, samples = data["inputs"], data["data_samples"]
    with torch.inference_mode():
        randomise(model, lambda: model.predict(pixels, samples))
        maps = model.extract_feat(pixels)
        objectness, changes = model.rpn_head(maps)
        found = model.predict(pixels, samples)[0].pred_instances
    file = write_mar(tmp_path / "a.mar", {"state_dict": model.state_dict()})
    folder = import_checkpoint(file, tmp_path / "m" / "d", options=ONLY_WEIGHTS).folder
    assert_same_network(folder, pixels, [t.numpy() for t in (*maps, *objectness, *changes)])
    boxes = found.bboxes.numpy().clip(0, [PICTURE.shape[1], PICTURE.shape[0]] * 2)
    assert_same_figures(folder, {"boxes": boxes, "scores": found.scores.numpy()})


def test_mmpose(tmp_path: Path) -> None:
    pytest.importorskip("mmpose", reason="compares with mmpose 1 and xtcocotools")
    place = "body_2d_keypoint/topdown_heatmap/coco/td-hm_res50_8xb64-210e_coco-256x192.py"
    model = _build("mmpose", place)
    pixels = torch.randn(1, 3, 256, 192)
    with torch.inference_mode():
        randomise(model, lambda: model.head(model.backbone(pixels)))
        heatmaps = model.head(model.backbone(pixels))
    file = write_mar(tmp_path / "a.mar", {"state_dict": model.state_dict()})
    folder = import_checkpoint(file, tmp_path / "p", options=ONLY_WEIGHTS).folder
    network = load_network(read_description(folder), folder / WEIGHTS)
    with torch.inference_mode():
        assert_close([network(pixels).numpy()], [heatmaps.numpy()])


def _build(library: str, place: str) -> Any:
    """A model from the configuration that the library's wheel brings along, for one class."""
    package = pytest.importorskip(library)
    pytest.importorskip(f"{library}.utils").register_all_modules()
    config = pytest.importorskip("mmengine.config").Config
    read = config.fromfile(Path(str(package.__file__)).parent / ".mim" / "configs" / place)
    read.model.backbone.init_cfg = None
    for head in (read.model.get("roi_head") or {}).values():
        if isinstance(head, dict) and "num_classes" in head:
            head["num_classes"] = 1
    return pytest.importorskip(f"{library}.registry").MODELS.build(read.model).eval()
