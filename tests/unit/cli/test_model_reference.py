import shutil
from pathlib import Path

import pytest

from animator.__main__ import main
from serving.observe.reference import read_reference
from tests.support_serve import TINY_MODELS, draw_doll

MEASURE = """
    def measure(self, item, outputs):
        return {"side": item["image"].shape[0], "found": len(outputs["boxes"])}
"""


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """The stand-ins, of which the detector measures."""
    folder = tmp_path / "models"
    shutil.copytree(TINY_MODELS, folder)
    handler = folder / "drawn_humanoid_detector" / "handler.py"
    text = handler.read_text()
    handler.write_text(text.replace("    def encode", f"{MEASURE}\n    def encode", 1))
    return folder


def test_pictures_become_a_reference_beside_each_model(models: Path, tmp_path: Path) -> None:
    pictures = tmp_path / "pictures" / "of one class"
    pictures.mkdir(parents=True)
    for name in ("a.png", "b.PNG"):
        (pictures / name).write_bytes(draw_doll())
    (pictures / "broken.jpg").write_bytes(b"no picture")
    (pictures / "notes.txt").write_text("no picture")
    words = ["--data", str(tmp_path / "pictures"), "--models-dir", str(models)]
    assert main(["models", "reference", *words]) == 0
    reference = read_reference(models / "drawn_humanoid_detector")
    assert reference is not None
    assert reference.source == "2 pictures"
    assert reference.statistics.keys() == {"side", "found"}
    assert reference.statistics["found"].mean == 1
    other = read_reference(models / "drawn_humanoid_pose_estimator")
    assert other is not None
    assert other.statistics == {}


def test_folder_without_pictures_is_one_sentence(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--data", str(tmp_path / "nowhere"), "--models-dir", str(models)]
    assert main(["models", "reference", *words]) == 1
    assert "There are no pictures in" in capsys.readouterr().err
