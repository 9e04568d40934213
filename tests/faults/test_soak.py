"""Half a minute of the soak itself, with faults: whoever changes the product finds it in order."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc"),
]


@pytest.mark.parametrize("form", ["whole", "parts"])
def test_half_a_minute_of_soak_loses_nothing(form: str, tmp_path: Path, shared_data: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.soak", "--form", form, "--output", str(tmp_path)]
    command += ["--minutes", "0.5", "--fault-every", "10", "--every", "4"]
    command += ["--data", str(shared_data / "drawings")]
    subprocess.run(command, cwd=ROOT, check=True, timeout=170)
    told = json.loads((tmp_path / "soak.json").read_bytes())
    assert len(told["jobs"]) >= 2
    assert {job["fate"] for job in told["jobs"]} <= {"done", "failed", "withdrawn"}
    assert len(told["faults"]) == 2
    assert all(fault["works"] is not None for fault in told["faults"])
