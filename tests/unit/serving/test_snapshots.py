import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from serving.admission import RegisterRequest
from serving.audit.log import AuditLog
from serving.audit.settings import AuditSettings
from serving.engine import Engine
from serving.management import Management
from serving.observe.metrics import ServerMetrics
from serving.orders import Batches
from serving.properties import parse_properties
from serving.settings import ServerSettings
from serving.snapshots import Snapshots, latest_snapshot
from serving.startup import restore
from tests.support_archives import pack


@asynccontextmanager
async def started(settings: ServerSettings) -> AsyncIterator[tuple[Engine, Management]]:
    engine = Engine(settings, ServerMetrics())
    try:
        yield engine, Management(engine, settings, AuditLog(AuditSettings()))
    finally:
        await engine.stop(0)


@pytest.mark.parametrize(
    ("of_archive", "asked", "expected"),
    [("", 250, 250.0), ("sloP99Ms: 80\n", None, 80.0), ("sloP99Ms: 80\n", 0, None)],
    ids=["set while it ran", "of the archive", "the archive's was taken away"],
)
def test_slo_is_kept_over_a_restart(
    tmp_path: Path, of_archive: str, asked: int | None, expected: float | None
) -> None:
    pack(
        tmp_path / "cat.mar",
        {
            "handler.py": "def handle(data, context):\n    return data\n",
            "model-config.yaml": f"minWorkers: 0\nmaxWorkers: 0\n{of_archive}",
        },
        modelName="cat",
        configFile="model-config.yaml",
    )
    settings = ServerSettings(
        models_dir=str(tmp_path), log_dir=str(tmp_path / "logs"), snapshots=True
    )

    async def main() -> None:
        async with started(settings) as (engine, management):
            await management.load(RegisterRequest(url="cat.mar"))
            if asked is not None:
                await management.rebatch("cat", None, Batches(None, None, asked))
            Snapshots(settings, engine).save()
        path = latest_snapshot(tmp_path / "logs")
        assert path is not None
        snapshot = parse_properties(path.read_text())["model_snapshot"]
        async with started(settings) as (engine, management):
            await restore(management, settings, snapshot)
            assert engine.registry.find("cat").config.slo_p99_ms == expected

    asyncio.run(main())
