"""Twelve hosts, of which one after the other fails: nothing that was accepted is lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts.network import Network, require_namespaces
from tests.hosts.report import account_for, write_report
from tests.hosts.town import Town
from tests.hosts.trials import plan
from tests.support_haproxy import find_haproxy

OWN = {"serving-keys.json", "serving-audit.jsonl", "scratch"}
"""What a part may keep in its folder: nothing that anybody would miss."""


@pytest.fixture
def network(tmp_path: Path) -> Iterator[Network]:
    require_namespaces()
    find_haproxy()
    with Network(tmp_path) as network:
        yield network


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_no_job_is_lost_whatever_host_or_link_fails(network: Network) -> None:
    with Town(network) as town:
        for trial in plan(town):
            town.suffer(trial)
        town.call_people_home(within=180)
    account = account_for(town)
    print(write_report(town, account))
    assert account.lost == []
    assert account.missing == []
    assert account.sent > 100
    assert account.done + account.failed.total() == account.sent
    parts = ("models-1", "models-2", "worker-1", "worker-2", "web-1", "web-2")
    kept = {path.name for part in parts for path in town[part].folder.iterdir()}
    assert kept <= OWN
