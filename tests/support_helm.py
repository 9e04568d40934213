"""The chart as Helm itself renders it."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support_serve import ROOT

CHART = ROOT / "deploy" / "helm" / "animator"
NEEDED = ("redis.existingSecret=redis", "storage.url=s3://drawings/school")
"""What nobody can guess."""

Manifest = dict[str, Any]


def helm(*arguments: str) -> subprocess.CompletedProcess[str]:
    beside = Path(sys.executable).with_name("helm")
    program = str(beside) if beside.is_file() else shutil.which("helm")
    if program is None:
        pytest.skip("no helm: install it, or run python -m tests.deploy.fetch_helm")
    return subprocess.run(
        (program, *arguments), capture_output=True, text=True, timeout=60, check=False
    )


def render(settings: Sequence[str] = NEEDED) -> list[Manifest]:
    """All that would be created, for a release called `demo`."""
    flags = [word for setting in settings for word in ("--set", setting)]
    found = helm("template", "demo", str(CHART), "--namespace", "school", *flags)
    assert found.returncode == 0, found.stderr
    return [document for document in yaml.safe_load_all(found.stdout) if document]


def named(manifests: Sequence[Manifest], kind: str, name: str) -> Manifest:
    (found,) = (m for m in manifests if (m["kind"], m["metadata"]["name"]) == (kind, name))
    return found
