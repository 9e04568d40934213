"""Alert rules and Prometheus' configuration, checked by Prometheus' own tool."""

from pathlib import Path

import pytest
import yaml

from tests.support_prometheus import DEPLOY, promtool

RULES = DEPLOY / "prometheus" / "alerts.yml"
TESTS = Path(__file__).parent / "alerts_test.yml"


@pytest.mark.parametrize("name", ["local.yml", "compose.yml"])
def test_configuration_is_valid_with_its_rules(name: str) -> None:
    found = promtool("check", "config", str(DEPLOY / "prometheus" / name))
    assert found.returncode == 0, found.stderr


def test_alerts_speak_when_they_should_and_only_then() -> None:
    found = promtool("test", "rules", str(TESTS))
    assert found.returncode == 0, found.stdout + found.stderr


def test_every_alert_is_tested_and_says_what_to_do() -> None:
    (group,) = yaml.safe_load(RULES.read_text())["groups"]
    tested = TESTS.read_text()
    for rule in group["rules"]:
        assert f'alertname="{rule["alert"]}"' in tested
        assert rule["labels"]["severity"] in ("page", "warn")
        assert rule["annotations"].keys() == {"summary", "action"}
