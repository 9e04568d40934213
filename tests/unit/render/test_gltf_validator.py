"""The Khronos validator on our glTF: no error, no warning."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from animator.core.scene import Placement
from animator.render.gltf import gltf_of
from tests.unit.render.test_gltf import make_arm, stage_of

WEB = Path(__file__).parents[3] / "web"

PROGRAM = """
const validator = require("gltf-validator");
const bytes = new Uint8Array(require("fs").readFileSync(process.argv[1]));
validator.validateBytes(bytes).then((report) => console.log(JSON.stringify(report.issues)));
"""


@pytest.mark.parametrize("figures", [1, 2])
def test_validator_finds_nothing_wrong(tmp_path: Path, figures: int) -> None:
    node = shutil.which("node")
    if node is None or not (WEB / "node_modules" / "gltf-validator").is_dir():
        pytest.skip("the glTF validator is not installed: run `npm ci` in web/")
    stage = stage_of(*[make_arm()] * figures, placements=(Placement(),) * figures)
    (tmp_path / "a.glb").write_bytes(gltf_of(stage))
    command = [node, "-e", PROGRAM, str(tmp_path / "a.glb")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=WEB, check=True)
    issues = json.loads(done.stdout)
    assert (issues["numErrors"], issues["numWarnings"]) == (0, 0), issues["messages"]
