import re
from pathlib import Path

import msgspec
import pytest

from serving.releases.plan import CanaryPlan, ReleasePlan, SplitPlan, Sticky
from serving.settings import read_settings

PAGE = (Path(__file__).parents[4] / "docs" / "releases.md").read_text()


def test_settings_of_the_page_are_taken(tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml\n(\[serving\.releases.+?)```", PAGE, re.DOTALL)
    (tmp_path / "serving.toml").write_text(text)
    releases = read_settings(tmp_path / "serving.toml", {}).releases
    canary, split = releases.values()
    assert isinstance(canary, CanaryPlan)
    assert isinstance(split, SplitPlan)
    assert canary.shares == (0.01, 0.05, 0.25, 0.5, 1)
    assert canary.sticky == Sticky(by="header", name="x-user")
    assert split.weights == {"1.0": 90, "1.1": 10}


def test_request_of_the_page_is_a_plan() -> None:
    (text,) = re.findall(r"-d '(\{\s+\"kind\".+?)'", PAGE, re.DOTALL)
    plan: ReleasePlan = msgspec.json.decode(text, type=ReleasePlan)
    assert isinstance(plan, CanaryPlan)
    assert plan.sticky.name == "who"


@pytest.mark.parametrize(
    ("steps", "shares"),
    [((0.5, 0.1), (0.1, 0.5, 1)), ((0.2, 0.2, 1.0), (0.2, 1)), ((1.0,), (1,))],
)
def test_steps_ascend_to_all(steps: tuple[float, ...], shares: tuple[float, ...]) -> None:
    assert CanaryPlan(version="2", steps=steps).shares == shares


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"kind": "canary"}', "version"),
        ('{"kind": "canary", "version": "2", "steps": []}', "steps"),
        ('{"kind": "canary", "version": "2", "steps": [0]}', "steps"),
        ('{"kind": "canary", "version": "2", "steps": [1.5]}', "steps"),
        ('{"kind": "canary", "version": "2", "share": 0.5}', "share"),
        ('{"kind": "canary", "version": "2", "guard": {"false_alarms": 0}}', "false_alarms"),
        ('{"kind": "canary", "version": "2", "sticky": {"by": "cookie"}}', "sticky"),
        ('{"kind": "canary", "version": "2", "sticky": {"by": "none", "name": "x"}}', "sticky"),
        ('{"kind": "canary", "version": "2", "sticky": {"by": "header", "name": "a b"}}', "name"),
        ('{"kind": "split", "weights": {"1": 1}}', "weights"),
        ('{"kind": "split", "weights": {"1": 1, "2": 0}}', "weights"),
        ('{"kind": "shadow", "version": "2", "most_at_once": 65}', "most_at_once"),
        ('{"kind": "blue", "version": "2"}', "blue"),
    ],
)
def test_plan_that_cannot_be_followed_is_refused(text: str, error: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=error):
        msgspec.json.decode(text, type=ReleasePlan)
