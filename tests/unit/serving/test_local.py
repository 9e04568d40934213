import os
from pathlib import Path

import numpy as np
import pytest

from serving.errors import BadInput, InferenceFailed, InvalidModel, ModelNotFound
from serving.local import LocalPredictor


def test_model_runs_in_this_process(models_dir: Path) -> None:
    predictor = LocalPredictor(models_dir)
    answer = predictor.infer("fragile", {"seconds": np.zeros(1, np.float32)})
    assert int(answer["pid"]) == os.getpid()


def test_models_are_loaded_when_first_asked_and_only_once(tmp_path: Path) -> None:
    put_model(tmp_path, "self.loads = globals().setdefault('LOADS', []); self.loads.append(1)")
    predictor = LocalPredictor(tmp_path / "models", threads=3)
    for _ in range(2):
        assert predictor.infer("cat", {})["loads"].tolist() == [1]


def test_handler_learns_its_folder_and_threads(tmp_path: Path) -> None:
    put_model(tmp_path, "self.loads = [context.threads, len(context.model_dir)]")
    answer = LocalPredictor(tmp_path / "models", threads=3).infer("cat", {})
    assert answer["loads"].tolist() == [3, len(str(tmp_path / "models" / "cat"))]


def test_unknown_model_is_told(models_dir: Path) -> None:
    with pytest.raises(ModelNotFound, match="dog"):
        LocalPredictor(models_dir).infer("dog", {})


def test_inputs_other_than_declared_are_refused(models_dir: Path) -> None:
    with pytest.raises(BadInput, match="takes \\['seconds'\\]"):
        LocalPredictor(models_dir).infer("fragile", {})


def test_failure_of_the_model_is_typed(models_dir: Path) -> None:
    with pytest.raises(InferenceFailed, match="ArithmeticError"):
        LocalPredictor(models_dir).infer("fragile", {"seconds": np.array([np.nan], np.float32)})


def test_model_that_cannot_be_loaded_says_why(tmp_path: Path) -> None:
    put_model(tmp_path, "raise OSError('no weights')")
    with pytest.raises(InvalidModel, match="cat cannot be loaded: OSError: no weights"):
        LocalPredictor(tmp_path / "models").infer("cat", {})


def test_constructing_a_predictor_reads_nothing(tmp_path: Path) -> None:
    LocalPredictor(tmp_path / "nowhere")


def put_model(folder: Path, load: str) -> None:
    model = folder / "models" / "cat"
    model.mkdir(parents=True)
    (model / "manifest.json").write_text('{"name": "cat", "handler": "handler.py:Cat"}')
    (model / "handler.py").write_text(
        "import numpy as np\n"
        "class Cat:\n"
        f"    def load(self, context): {load}\n"
        "    def decode(self, body): return {}\n"
        "    def infer(self, batch): return [{'loads': np.array(self.loads)} for _ in batch]\n"
        "    def encode(self, outputs): return {}\n"
    )
