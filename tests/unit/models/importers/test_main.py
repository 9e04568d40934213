from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the importers need the extra `torch`")

import torch

from models.importers.__main__ import main
from models.importers.description import read_description
from models.importers.detector_handler import ImportedDetectorHandler
from models.importers.pose_handler import ImportedPoseHandler
from serving.archive.manifest import read_manifest
from serving.handlers.handler import HandlerContext
from tests.support_checkpoints import noise, tiny_mask_rcnn, to_mmdet, top_down_state


@pytest.fixture
def pose_file(tmp_path: Path) -> Path:
    torch.save({"state_dict": top_down_state()}, tmp_path / "pose.pth")
    return tmp_path / "pose.pth"


def test_command_imports_and_says_what(
    pose_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "theirs"
    given = [str(pose_file), "--out", str(folder), "--half", "--no-graph", "--set", "rgb=false"]
    assert main([*given, "--set", "box_padding=1.5"]) == 0
    said = capsys.readouterr().out
    assert "theirs, a pose model from mmpose-top-down, float16" in said
    top_down = read_description(folder).top_down
    assert top_down is not None
    assert (top_down[1].rgb, top_down[1].box_padding) == (False, 1.5)
    assert "model.onnx" not in read_manifest(folder).files


def test_command_says_why_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "holiday.pth"
    file.write_bytes(b"a letter")
    assert main([str(file), "--out", str(tmp_path / "m")]) == 1
    assert "holiday.pth is not imported: the file is neither" in capsys.readouterr().err


def test_handlers_refuse_each_others_models(pose_file: Path, tmp_path: Path) -> None:
    torch.save(to_mmdet(tiny_mask_rcnn().state_dict()), tmp_path / "mask.pth")
    main([str(pose_file), "--out", str(tmp_path / "pose"), "--no-graph"])
    main([str(tmp_path / "mask.pth"), "--out", str(tmp_path / "mask"), "--no-graph"])
    with pytest.raises(ValueError, match="is no detector"):
        ImportedDetectorHandler().load(HandlerContext(model_dir=str(tmp_path / "pose")))
    with pytest.raises((ValueError, TypeError), match="finds no keypoints"):
        ImportedPoseHandler().load(HandlerContext(model_dir=str(tmp_path / "mask")))


def test_handlers_answer_what_the_annotation_script_reads(pose_file: Path, tmp_path: Path) -> None:
    main([str(pose_file), "--out", str(tmp_path / "pose"), "--no-graph"])
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
