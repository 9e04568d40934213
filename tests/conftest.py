"""Fixtures that all tests share."""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no reason to fail: what is tested is the answer, not its speed.
settings.register_profile("steady", deadline=None)
settings.load_profile("steady")

SHARED = Path(os.environ.get("ANIMATOR_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of real drawings with annotations; it is not part of the project."""
    if not SHARED.is_dir():
        pytest.skip(f"no test drawings in {SHARED} (set ANIMATOR_TEST_DATA to their folder)")
    return SHARED


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: Playwright's event loop runs as long as their browser is open, and
    no test that uses asyncio can run beside it."""
    items.sort(key=lambda item: "e2e" in item.path.parts)


def pytest_collection_finish() -> None:
    """What was imported and collected stays; a quarter of the time went into looking at it again
    and again for garbage. What tests make is looked at less often than Python would."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000)
