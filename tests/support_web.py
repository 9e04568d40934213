"""The page's folder, and node, which runs its modules."""

import shutil
from pathlib import Path

import pytest

WEB = Path(__file__).parents[1] / "web"


@pytest.fixture
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed: the page's modules are tested by its runner")
    return found
