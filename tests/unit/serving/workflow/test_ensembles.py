import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from serving.engine import Engine
from serving.errors import BadInput, InferenceFailed, InvalidModel
from serving.model_config import ModelConfig
from serving.observe.metrics import ServerMetrics
from serving.protocol.exchange import RawRequest
from serving.settings import ServerSettings
from serving.workflow.ensembles import load_ensembles
from tests.support_drawings import draw_stick_figure, paper

ROOT = Path(__file__).parents[4]
EXAMPLE = ROOT / "docs" / "examples" / "drawn_figures"

SQUARES = """
name = "squares"
inputs = [{name = "numbers", datatype = "INT64", shape = [-1]}]
outputs = [{name = "squares", datatype = "INT64", shape = [-1], value = "square.square"}]
[[steps]]
name = "square"
function = "steps.py:square"
inputs = {number = "numbers"}
for_each = ["number"]
"""
STEPS = """
def square(number):
    if number == 13:
        raise ValueError("unlucky")
    return {"square": number * number}
"""


@asynccontextmanager
async def running(models: Path, ensembles: Path) -> AsyncIterator[Engine]:
    settings = ServerSettings(models_dir=str(models), defaults=ModelConfig(device="cpu"))
    engine = Engine(settings, ServerMetrics())
    await engine.start(lambda: load_ensembles(engine, ensembles))
    try:
        yield engine
    finally:
        await engine.stop(grace_s=0)


def write(folder: Path, text: str = SQUARES, steps: str = STEPS) -> Path:
    (folder / "squares").mkdir(parents=True)
    (folder / "squares" / "ensemble.toml").write_text(text)
    (folder / "squares" / "steps.py").write_text(steps)
    return folder


async def test_ensemble_of_a_function_answers_by_row(tmp_path: Path) -> None:
    folder = write(tmp_path)

    async with running(folder, folder) as engine:
        answer = await engine.infer("squares", {"numbers": np.array([2, 3, -4])})
        assert answer["squares"].tolist() == [4, 9, 16]

        endpoint = engine.registry.find("squares")
        assert endpoint.is_ready
        assert [each.name for each in endpoint.manifest.outputs] == ["squares"]
        assert endpoint.describe().workers == ()
        with pytest.raises(InferenceFailed, match="unlucky"):
            await engine.infer("squares", {"numbers": np.array([2, 13])})
        with pytest.raises(BadInput, match="numbers must be INT64"):
            await engine.infer("squares", {"numbers": np.array([0.5])})
        with pytest.raises(BadInput, match="takes tensors"):
            await engine.ask("squares", RawRequest(fields={"body": b"2"}))
        with pytest.raises(BadInput, match="scale the models of its steps"):
            await engine.scale("squares", None, 2, 2, wait=True)

        await engine.unregister("squares__square")
        assert not endpoint.is_ready


@pytest.mark.parametrize(
    ("text", "steps", "reason"),
    [
        (SQUARES.replace('function = "steps.py:square"', 'model = "absent"'), STEPS, "no model"),
        (SQUARES, "def other(number): ...", "cannot load the function steps.py:square"),
        (SQUARES, "1 / 0", "ZeroDivisionError"),
    ],
    ids=["model that is not served", "function that is not there", "file that fails"],
)
async def test_ensemble_that_cannot_work_stops_the_start(
    text: str, steps: str, reason: str, tmp_path: Path
) -> None:
    folder = write(tmp_path, text, steps)

    with pytest.raises(InvalidModel, match=reason):
        async with running(folder, folder):
            pass


async def test_shipped_example_finds_a_figure_and_its_keypoints(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "drawn_figures")
    image = draw_stick_figure(paper(320, 400))

    async with running(ROOT / "models", tmp_path) as engine:
        found = await engine.infer("drawn_figures", {"image": image})
        blank = await engine.infer("drawn_figures", {"image": np.full_like(image, 255)})

    assert found["boxes"].shape == (1, 4)
    assert found["keypoints"].shape == (1, 17, 2)
    box = found["boxes"][0]
    inside = (found["keypoints"][0] >= box[:2] - 20) & (found["keypoints"][0] <= box[2:] + 20)
    assert inside.all()
    assert blank["boxes"].shape == (0, 4)
    assert blank["keypoints"].shape == (0, 17, 2)
