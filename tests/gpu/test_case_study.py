"""The case study's table, on a machine with an NVIDIA GPU: pytest tests/gpu -s."""

from pathlib import Path

import pytest

from benchmarks.case_study import main
from serving.hardware import count_gpus

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not count_gpus(), reason="there is no NVIDIA GPU here, or no torch"),
]


def test_one_command_fills_the_table(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = sorted((shared_data / "drawings").glob("*.jpg"))[:1]
    brief = ["--seconds", "1", "--batch-size", "1,8", "--workers", "1,2"]
    flags = [*brief, "--output", str(tmp_path), "--data", *map(str, data)]
    assert main(flags) == 0
    told = capsys.readouterr().out
    print(told)
    rows = [
        line.split("|")[1:4] for line in told.splitlines() if line.startswith(("| CPU", "| GPU"))
    ]
    asked = {tuple(cell.strip() for cell in row) for row in rows}
    for device in ("GPU fp32", "GPU fp16"):
        assert {(device, batch, workers) for batch in "18" for workers in "12"} <= asked
        assert f"Best on {device}" in told
    assert "times the CPU" in told
