"""A real Prometheus reads all that is told, and every panel of the dashboards gets its data."""

import json
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx
import pytest

from tests.support_prometheus import (
    DASHBOARDS,
    Prometheus,
    adapter_queries,
    prometheus,
    promtool,
)
from tests.support_serve import ROOT, App, draw_doll, serving_app, wait_until

PANELS = [
    pytest.param(target["expr"], id=f"{board.stem}: {panel['title']} {target['refId']}")
    for board in DASHBOARDS
    for panel in json.loads(board.read_text())["panels"]
    for target in panel["targets"]
]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    # So that there is something to tell of it, all models have a limit of the latency.
    slo = {"SERVING_SLO_P99_MS": "60000"}
    data = tmp_path_factory.mktemp("data")
    with serving_app(data, models=ROOT / "models", more=slo) as app:
        yield app


@pytest.fixture(scope="module")
def watcher(app: App, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """Prometheus, after it has seen something of everything happen."""
    models, product = app.metrics
    targets = {"models": models, "animator": product}
    with prometheus(tmp_path_factory.mktemp("prometheus"), targets) as watcher:
        use(app)
        time.sleep(1.5)  # so that each series was seen
        use(app)  # and has grown since
        time.sleep(1.5)
        yield watcher


def use(app: App) -> None:
    """Read and animate a drawing; ask a model for what it can and what it cannot do."""
    picture = draw_doll() + time.time_ns().to_bytes(8, "big")  # the same one is known already
    drawing = app.upload(picture)
    assert app.wait_for_job(drawing["job"], within=90)["state"] == "done"
    animation = app.http.post(f"/api/drawings/{drawing['id']}/animations", json={}).json()
    assert app.wait_for_job(animation["job"], within=90)["state"] == "done"
    url = f"{app.models}/predictions/drawn_humanoid_detector"
    assert httpx.post(url, content=b"no picture", timeout=30).status_code == 400
    for _ in range(100):  # before that, drift is not told
        assert httpx.post(url, content=draw_doll(), timeout=30).status_code == 200
    for _ in range(2):
        with suppress(httpx.HTTPError):
            httpx.post(url, content=draw_doll(), headers={"timeout": "0.001"}, timeout=30)


@pytest.mark.slow
@pytest.mark.parametrize("expression", PANELS)
def test_every_panel_gets_data(watcher: Prometheus, expression: str) -> None:
    asked = expression.replace("$__rate_interval", "1m").replace("$model", ".*")
    wait_until(lambda: bool(watcher.query(asked)), 15, "data")


@pytest.mark.slow
@pytest.mark.parametrize("name", adapter_queries(""))
def test_autoscaler_gets_one_number(watcher: Prometheus, name: str) -> None:
    matchers = 'queue="animator"' if name.startswith("animator_") else ""
    (found,) = watcher.query(adapter_queries(matchers)[name])
    assert float(found["value"][1]) >= 0


@pytest.mark.slow
def test_rules_are_evaluated_and_all_parts_are_there(watcher: Prometheus) -> None:
    assert {one["metric"]["job"] for one in watcher.query("up == 1")} == {"models", "animator"}
    assert watcher.query('ALERTS{alertstate="firing"}') == []


@pytest.mark.slow
def test_what_is_told_keeps_to_the_conventions(app: App, watcher: Prometheus) -> None:
    for port in app.metrics:
        text = httpx.get(f"http://127.0.0.1:{port}/metrics").text
        ours = "".join(f"{line}\n" for line in text.splitlines() if is_ours(line))
        found = promtool("check", "metrics", text=ours)
        assert (found.returncode, found.stderr) == (0, "")
        # TorchServe's names are not those that the tool would choose, but it can read them.
        found = promtool("check", "metrics", text=text)
        assert "error while linting" not in found.stderr


def is_ours(line: str) -> bool:
    name: Any = re.match(r"(?:# \w+ )?(\w+)", line)
    return str(name[1]).startswith(("serving_", "animator_", "process_"))
