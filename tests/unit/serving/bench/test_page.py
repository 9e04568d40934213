import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from serving.bench.limits import parse_limit
from serving.bench.measured import Trial
from serving.bench.page import Report, pareto, report_page
from serving.bench.plots import ticks
from serving.bench.setting import Setting
from serving.bench.wording import short
from tests.unit.serving.bench.simulated import trial

TRIALS = [
    trial(Setting(batch_size=size), 10.0, rate, p99_ms)
    for size, rate, p99_ms in [
        (1, 100, 10),
        (2, 200, 20),
        (4, 150, 30),
        (8, 400, 80),
        (16, 400, 90),
    ]
]


def page(trials: list[Trial], best: Trial | None) -> str:
    return report_page(
        Report("cat <1>", [("asked", "a & b")], trials, [parse_limit("p99=50ms")], best, "x = 1")
    )


def test_front_is_what_no_other_beats_in_both() -> None:
    assert [t.setting.batch_size for t in pareto(TRIALS)] == [1, 2, 8]


def test_page_needs_nothing_else_and_tells_the_best_first() -> None:
    text = page(TRIALS, TRIALS[1])
    assert not re.search(r"https?://|<script|<link|url\(|@import", text)
    assert "cat &lt;1&gt;" in text
    assert "a &amp; b" in text
    assert text.index("<strong>200/s</strong>") < text.index("<svg")
    assert text.count('<circle class="best"') == 1
    assert text.count("<tr") == 1 + len(TRIALS)
    rows = re.findall(r"<tr class=\"(\w+)\"><th>batch (\d+)", text)
    assert rows == [("best", "2"), ("good", "4"), ("good", "1"), ("bad", "8"), ("bad", "16")]


def test_plots_are_well_formed_and_stay_in_their_frame() -> None:
    for plot in re.findall(r"<svg.+?</svg>", page(TRIALS, None), re.DOTALL):
        root = ET.fromstring(plot)  # our own text
        width, height = map(float, root.attrib["viewBox"].split()[2:])
        for circle in root.iter("circle"):
            assert 0 <= float(circle.attrib["cx"]) <= width
            assert 0 <= float(circle.attrib["cy"]) <= height


def test_first_looks_are_rings_and_come_after_whole_trials() -> None:
    brief = trial(Setting(batch_size=32), 1.0, 500, 10)
    text = page([*TRIALS, brief], TRIALS[1])
    assert text.count('<circle class="good hollow"') == 1
    rows = re.findall(r"<tr class=\"(\w+)\"><th>batch (\d+)", text)
    assert rows[:4] == [("best", "2"), ("good", "4"), ("good", "1"), ("good", "32")]
    assert "rings were tried only briefly" in text
    assert "rings" not in page(TRIALS, None)


@pytest.mark.parametrize(
    ("value", "expected"), [(1449.6, "1450"), (123456.0, "123000"), (0.0123, "0.0123"), (7.0, "7")]
)
def test_numbers_are_written_without_powers_of_ten(value: float, expected: str) -> None:
    assert short(value) == expected


def test_page_of_nothing_but_problems_tells_them() -> None:
    text = page([Trial(setting=Setting(), seconds=1.0, problem="it does <not> start")], None)
    assert "it does &lt;not&gt; start" in text
    assert "No setting stays inside p99=50ms" in text
    assert "<svg" not in text


@pytest.mark.parametrize(
    ("least", "most", "is_log", "expected"),
    [
        (0.0, 100.0, False, [0, 20, 40, 60, 80, 100]),
        (0.0, 7.0, False, [0, 2, 4, 6]),
        (8.0, 120.0, True, [10, 20, 50, 100]),
    ],
)
def test_ticks_are_round(least: float, most: float, is_log: bool, expected: list[float]) -> None:
    found = ticks(least, most, is_log)
    assert found == pytest.approx(expected)
    assert all(low < high for low, high in pairwise(found))
