"""No library tells its makers what it is used for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
GRAPH = ROOT / "models" / "drawn_humanoid_detector" / "model.onnx"

OPEN = {
    "by a model": "from models.onnx_session import open_session; open_session(Path(graph), 1)",
    "by the server": "import serving.backends.onnx, onnxruntime; "
    "onnxruntime.InferenceSession(graph)",
}


@pytest.mark.parametrize("statement", OPEN.values(), ids=OPEN)
def test_onnx_runtime_opens_no_session_with_its_makers(statement: str, tmp_path: Path) -> None:
    # Where it is to report, it notes the number of its session in the folder of temporary files.
    quiet = {k: v for k, v in os.environ.items() if not k.startswith(("ORT_", "CI"))}
    program = f"from pathlib import Path; graph = {str(GRAPH)!r}; {statement}"
    subprocess.run(
        (sys.executable, "-c", program),
        env={**quiet, "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)},
        check=True,
        timeout=60,
    )
    assert list(tmp_path.iterdir()) == []
