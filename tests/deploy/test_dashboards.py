"""Dashboards, as far as they can be checked without Grafana."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support_prometheus import DASHBOARDS, DEPLOY

COLUMNS = 24
KINDS = {"timeseries", "stat"}
UNITS = {"short", "s", "reqps", "ops", "percent", "percentunit", "decmbytes", "bytes"}


def _id(path: Path) -> str:
    return path.stem


@pytest.fixture(params=DASHBOARDS, ids=_id)
def board(request: pytest.FixtureRequest) -> Any:
    return json.loads(request.param.read_text())


def test_there_are_dashboards_of_models_and_of_the_product() -> None:
    assert [path.stem for path in DASHBOARDS] == ["animator-models", "animator-product"]


def test_board_has_what_grafana_asks_for(board: Any) -> None:
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,40}", board["uid"])
    assert board["title"] and board["schemaVersion"] >= 36
    assert board["time"] == {"from": "now-1h", "to": "now"}
    ids = [panel["id"] for panel in board["panels"]]
    assert len(set(ids)) == len(ids) > 10


def test_panels_lie_side_by_side(board: Any) -> None:
    taken: set[tuple[int, int]] = set()
    for panel in board["panels"]:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert at["x"] + at["w"] <= COLUMNS
        assert not cells & taken, panel["title"]
        taken |= cells


def test_panels_ask_the_data_source_that_is_provisioned(board: Any) -> None:
    folder = DEPLOY / "grafana" / "provisioning"
    (source,) = yaml.safe_load((folder / "datasources" / "prometheus.yml").read_text())[
        "datasources"
    ]
    for panel in board["panels"]:
        assert panel["type"] in KINDS
        assert panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"] in UNITS
        names = [target["refId"] for target in panel["targets"]]
        assert len(set(names)) == len(names) > 0
        for target in (panel, *panel["targets"]):
            assert target["datasource"] == {"type": source["type"], "uid": source["uid"]}


def test_variables_of_queries_are_declared(board: Any) -> None:
    declared = {variable["name"] for variable in board["templating"]["list"]}
    used = {
        name
        for panel in board["panels"]
        for target in panel["targets"]
        for name in re.findall(r"\$(\w+)", target["expr"])
    }
    assert used - {"__rate_interval"} <= declared
