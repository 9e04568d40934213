from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the importers need the extra `torch`")

import torch

from models.importers.detector_handler import ImportedDetectorHandler
from models.importers.importing import ImportOptions, import_checkpoint
from models.importers.pose_handler import ImportedPoseHandler
from serving.handlers.handler import HandlerContext
from tests.support_checkpoints import noise, tiny_mask_rcnn, to_mmdet, top_down_state

QUICK = ImportOptions(graph=False)


@pytest.fixture
def pose_file(tmp_path: Path) -> Path:
    torch.save({"state_dict": top_down_state()}, tmp_path / "pose.pth")
    return tmp_path / "pose.pth"


def test_handlers_refuse_each_others_models(pose_file: Path, tmp_path: Path) -> None:
    torch.save(to_mmdet(tiny_mask_rcnn().state_dict()), tmp_path / "mask.pth")
    import_checkpoint(pose_file, tmp_path / "pose", options=QUICK)
    import_checkpoint(tmp_path / "mask.pth", tmp_path / "mask", options=QUICK)
    with pytest.raises(ValueError, match="is no detector"):
        ImportedDetectorHandler().load(HandlerContext(model_dir=str(tmp_path / "pose")))
    with pytest.raises((ValueError, TypeError), match="finds no keypoints"):
        ImportedPoseHandler().load(HandlerContext(model_dir=str(tmp_path / "mask")))


def test_handlers_answer_what_the_annotation_script_reads(pose_file: Path, tmp_path: Path) -> None:
    import_checkpoint(pose_file, tmp_path / "pose", options=QUICK)
    handler = ImportedPoseHandler()
    handler.load(HandlerContext(model_dir=str(tmp_path / "pose")))
    first, second = handler.infer([{"image": noise(80, 60)}, {"image": noise(50, 90)}])
    answer = handler.encode(second)
    assert isinstance(answer, list)
    assert [len(row) for row in answer[0]["keypoints"]] == [3] * 17
    assert answer[0]["keypoints"][4][:2] == second["keypoints"][4].tolist()
    assert first["keypoints"].tolist() != second["keypoints"].tolist()


def test_inference_before_loading_says_so() -> None:
    for handler in (ImportedDetectorHandler(), ImportedPoseHandler()):
        with pytest.raises(RuntimeError, match="load comes before infer"):
            handler.infer([{"image": noise(8, 8)}])
        with pytest.raises(ValueError, match="not a picture"):
            handler.decode(b"nothing")
