import asyncio
import json
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from serving.audit.log import AuditLog
from serving.audit.settings import AuditSettings
from serving.engine import Engine
from serving.errors import (
    ArchiveNotFound,
    Conflict,
    InferenceFailed,
    InvalidModel,
    WorkersNotStarted,
    WorkflowNotFound,
)
from serving.http.request import HttpRequest
from serving.http.workflows import WorkflowRoutes
from serving.model_config import ModelConfig
from serving.observe.metrics import ServerMetrics
from serving.protocol.exchange import RawRequest
from serving.settings import ServerSettings
from serving.workflow.war import open_workflow
from serving.workflow.workflows import Workflows

DOUBLE = """
def handle(data, context):
    if data is None:
        return None
    numbers = [row.get("data") or row.get("body") for row in data]
    return [str(2 * int(bytes(number))) for number in numbers]
"""
FUNCTIONS = """
import asyncio
import json

def strip(data, context):
    if data is None:
        return None
    return [bytes(row.get("data") or row.get("body")).strip() for row in data]

def add(data, context):
    if data is None:
        return None
    return [json.dumps({name: int(bytes(value)) for name, value in row.items()}) for row in data]
"""
SPEC = """
models:
  max-batch-delay: 5
  retry-attempts: 0
  twice: {url: double.mar}
  again: {url: double.mar, batch-size: 2}
dag:
  strip: [twice, again]
  twice: [add]
  again: [add]
"""


def pack(path: Path, manifest_name: str, manifest: object, files: dict[str, str]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(manifest_name, json.dumps(manifest))
        for name, text in files.items():
            archive.writestr(name, text)


def pack_war(path: Path, files: dict[str, str], **said: str) -> None:
    workflow = {"workflowName": "sums", "specFile": "spec.yaml", "handler": "functions.py", **said}
    pack(path, "WAR-INF/MANIFEST.json", {"workflow": workflow}, files)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    store = tmp_path / "store"
    store.mkdir()
    model = {"modelName": "double", "modelVersion": "1.0", "handler": "double.py"}
    pack(store / "double.mar", "MAR-INF/MANIFEST.json", {"model": model}, {"double.py": DOUBLE})
    pack_war(store / "sums.war", {"spec.yaml": SPEC, "functions.py": FUNCTIONS})
    return store


@asynccontextmanager
async def running(store: Path) -> AsyncIterator[tuple[Engine, Workflows, ServerSettings]]:
    settings = ServerSettings(
        models_dir=str(store), enable_model_api=True, defaults=ModelConfig(device="cpu")
    )
    engine = Engine(settings, ServerMetrics())
    await engine.start()
    try:
        yield engine, Workflows(engine, settings, AuditLog(AuditSettings())), settings
    finally:
        await engine.stop(grace_s=0)


async def test_workflow_of_models_and_functions_answers_then_goes(store: Path) -> None:
    async with running(store) as (engine, workflows, settings):
        routes = WorkflowRoutes(workflows, settings)

        async def ask(method: str, path: str, query: str = "", body: bytes = b"") -> object:
            request = HttpRequest(method=method, path=path, query=query, body=body)
            answer = routes.manage(request) or routes.predict(request)
            assert answer is not None
            return json.loads((await answer()).body)

        assert await ask("POST", "/workflows", "url=sums.war") == {
            "status": "Workflow sums has been registered and scaled successfully."
        }
        assert await ask("GET", "/workflows") == {
            "workflows": [{"workflowName": "sums", "workflowUrl": "sums.war"}]
        }
        assert await ask("GET", "/workflows/sums") == [
            {
                "workflowName": "sums",
                "workflowUrl": "sums.war",
                "minWorkers": 1,
                "maxWorkers": 1,
                "batchSize": 1,
                "maxBatchDelay": 5,
                "workflowDag": "{strip=[twice, again], twice=[add], again=[add]}",
            }
        ]
        assert await ask("POST", "/wfpredict/sums", body=b" 21\n") == {"twice": 42, "again": 42}
        assert set(engine.registry.names) == {
            f"sums__{node}" for node in ("strip", "twice", "again", "add")
        }
        with pytest.raises(InferenceFailed, match=r"Error executing (twice|again)"):
            await workflows.predict("sums", RawRequest(fields={"body": b"no number"}))
        with pytest.raises(Conflict, match="already registered"):
            await workflows.register("sums.war")
        assert await ask("DELETE", "/workflows/sums") == {"status": 'Workflow "sums" unregistered'}
        assert engine.registry.names == []
        with pytest.raises(WorkflowNotFound):
            await workflows.predict("sums", RawRequest(fields={"body": b"1"}))
        assert {path.name for path in store.iterdir()} == {"double.mar", "sums.war"}


async def test_workflow_with_a_node_that_cannot_start_leaves_nothing(store: Path) -> None:
    broken = FUNCTIONS.replace("def add", "def other")
    pack_war(store / "broken.war", {"spec.yaml": SPEC, "functions.py": broken})

    async with running(store) as (engine, workflows, _):
        with pytest.raises(WorkersNotStarted, match=r"Workflow Node add failed to register"):
            await workflows.register("broken.war")

        assert engine.registry.names == []
        assert workflows.page(100, 0).workflows == ()


async def test_workflow_whose_model_is_not_in_the_store_is_refused(store: Path) -> None:
    (store / "double.mar").unlink()

    async with running(store) as (engine, workflows, _):
        with pytest.raises(WorkersNotStarted, match="Workflow Node twice failed"):
            await workflows.register("sums.war")
        with pytest.raises(ArchiveNotFound):
            await workflows.register("nothing.war")

        assert engine.registry.names == []


def test_workflow_takes_the_name_that_it_is_given(store: Path, tmp_path: Path) -> None:
    stored = open_workflow(store / "sums.war", tmp_path / "work", "sums.war", "totals")

    assert stored.name == "totals"
    assert stored.function("add", {}).manifest.name == "totals__add"
    stored.discard()
    assert list((tmp_path / "work").iterdir()) == []


@pytest.mark.parametrize(
    ("files", "said", "reason"),
    [
        ({"functions.py": FUNCTIONS}, {}, "no file spec.yaml"),
        ({"spec.yaml": SPEC}, {}, "no file functions.py"),
        ({"spec.yaml": SPEC, "functions.py": ""}, {"specFile": "../../etc/passwd"}, "no file"),
        ({"spec.yaml": "a: [", "functions.py": ""}, {}, "specification is not valid"),
        ({"spec.yaml": SPEC, "functions.py": ""}, {"workflowName": "a b"}, "cannot be the name"),
        ({"spec.yaml": "dag: {a/b: []}", "functions.py": ""}, {}, "cannot be the name"),
        ({"../evil.py": "", "spec.yaml": SPEC}, {}, "evil.py"),
    ],
)
def test_archive_that_is_no_workflow_is_refused_and_leaves_nothing(
    files: dict[str, str], said: dict[str, str], reason: str, tmp_path: Path
) -> None:
    pack_war(tmp_path / "w.war", files, **said)

    with pytest.raises(InvalidModel, match=reason):
        open_workflow(tmp_path / "w.war", tmp_path / "work", "w.war")

    assert list((tmp_path / "work").iterdir()) == []
    assert not (tmp_path / "evil.py").exists()


def test_file_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "w.war").write_bytes(b"no zip")

    with pytest.raises(InvalidModel, match=r"w\.war"):
        open_workflow(tmp_path / "w.war", tmp_path / "work", "w.war")


async def test_of_a_workflow_whose_client_is_gone_while_it_is_loaded_nothing_stays(
    store: Path,
) -> None:
    slow = {"double.py": "import time\ntime.sleep(0.5)\n" + DOUBLE}
    model = {"modelName": "double", "modelVersion": "1.0", "handler": "double.py"}
    pack(store / "double.mar", "MAR-INF/MANIFEST.json", {"model": model}, slow)
    async with running(store) as (engine, workflows, _):
        asking = asyncio.create_task(workflows.register("sums.war"))
        async with asyncio.timeout(20):
            while "sums__twice" not in engine.registry.names:
                await asyncio.sleep(0.01)
            asking.cancel()
            await asyncio.wait([asking])
        assert asking.cancelled()
        assert list(engine.registry.names) == []
        assert await workflows.register("sums.war") == "sums"
