"""Releases whose version gets another content while they go on."""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec
import pytest

from serving.audit.log import AuditLog
from serving.audit.reading import AuditQuery
from serving.audit.settings import AuditSettings
from serving.errors import InferenceFailed
from serving.handlers.points import MetricPoint
from serving.releases.plan import CanaryPlan, ShadowPlan, SplitPlan
from serving.releases.record import ReleaseRecord
from serving.releases.report import ArmReport, ReleaseReport
from serving.workers.messages import Item, Outcome
from tests.unit.serving.releases.conftest import ITEM, House, reopened
from tests.unit.serving.releases.support_pool import FunctionPool

CANARY = CanaryPlan(model="m", version="1.1", stable="1.0", steps=(0.2, 0.5), step_requests=5)


def failing(_: Item) -> Outcome:
    raise InferenceFailed("told to")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[FunctionPool]:
    """The pools of what is loaded anew."""
    made: list[FunctionPool] = []

    def make(*_: object) -> FunctionPool:
        made.append(FunctionPool(lambda _: ITEM))
        return made[-1]

    monkeypatch.setattr("serving.registry.crew.WorkerPool", make)
    return made


def write_weights(house: House, version: str, text: str) -> None:
    (house.folder / f"m-{version}" / "weights.bin").write_text(text)


async def replace(house: House, version: str, text: str) -> None:
    """Serve another content of a version, without a pause."""
    write_weights(house, version, text)
    await house.engine.reload("m", version)


async def register_anew(house: House, version: str, text: str) -> None:
    await house.engine.unregister("m", version)
    write_weights(house, version, text)
    await house.add(version)


def arms_of(report: ReleaseReport) -> dict[str, ArmReport]:
    return {arm.version: arm for arm in report.arms}


@pytest.mark.parametrize("change", [replace, register_anew], ids=["reloaded", "registered anew"])
async def test_canary_with_another_content_is_tried_from_the_beginning(
    house: House, made: list[FunctionPool], change: Callable[[House, str, str], Awaitable[None]]
) -> None:
    await house.releases.begin(msgspec.structs.replace(CANARY, step_requests=21), by="management")
    house.releases.steering.step("m", by="management")
    house.pools["1.1"].points = [_point(2.0)]
    await house.ask_many(60)
    await change(house, "1.1", "others")
    await house.ask_many(20)
    report = house.releases.read("m")
    assert (report.state, report.share, report.step) == ("running", 0.2, 0)
    assert sum(arm.requests for arm in report.arms) <= 20, "what answered before is another model"
    assert not arms_of(report)["1.1"].metrics
    event = house.events[-1]
    assert (event.kind, event.by) == ("renewed", "itself")
    assert (event.share_before, event.share) == (0.5, 0.2)
    assert event.reason.startswith("the content of version 1.1 is another (SHA-256 ")
    assert report.reason == "", "the release has not ended"
    house.look(after_s=301)
    assert house.releases.read("m").share == 0.2, "it has not earned the next step again"


async def test_failures_of_a_content_of_before_do_not_take_another_one_back(
    house: House, made: list[FunctionPool]
) -> None:
    house.pools["1.1"].function = failing
    await house.releases.begin(CANARY, by="management")
    await house.ask_many(60)
    await replace(house, "1.1", "mended")
    house.look()
    assert house.releases.read("m").state == "running"
    await house.ask_and_look(60)
    assert house.releases.read("m").state == "running"
    made[0].function = failing
    await house.ask_and_look(100)
    assert house.releases.read("m").state == "rolled_back"


async def test_answers_that_workers_of_before_still_owe_are_no_evidence(
    house: House, made: list[FunctionPool]
) -> None:
    await house.releases.begin(msgspec.structs.replace(CANARY, steps=(0.9,)), by="management")
    before = house.pools["1.1"]
    before.is_held, before.function, before.points = True, failing, [_point(5.0)]
    asking = [asyncio.create_task(house.ask()) for _ in range(20)]
    await asyncio.sleep(0.01)
    await replace(house, "1.1", "mended")
    house.look()
    for answer in before.held:
        answer()
    assert "1.1" in await asyncio.gather(*asking)
    arm = arms_of(house.releases.read("m"))["1.1"]
    assert (arm.requests, arm.failures, arm.metrics) == (0, 0, {})


async def test_another_content_of_the_version_before_keeps_the_step_and_begins_to_count_anew(
    house: House, made: list[FunctionPool]
) -> None:
    await house.releases.begin(CANARY, by="management")
    house.releases.steering.step("m", by="management")
    await house.ask_many(30)
    rounds = house.releases.course.releases["m"].kept.rounds
    await replace(house, "1.0", "others")
    house.look()
    report = house.releases.read("m")
    assert (report.share, sum(arm.requests for arm in report.arms)) == (0.5, 0)
    assert house.releases.course.releases["m"].kept.rounds > rounds, "less may be spent"


async def test_other_version_of_a_split_keeps_what_it_has_done(
    house: House, made: list[FunctionPool]
) -> None:
    await house.add("1.2")
    weights = {"1.0": 1.0, "1.1": 1.0, "1.2": 1.0}
    await house.releases.begin(SplitPlan(model="m", stable="1.0", weights=weights), by="management")
    await house.ask_many(90)
    before = arms_of(house.releases.read("m"))
    await replace(house, "1.1", "others")
    house.look()
    after = arms_of(house.releases.read("m"))
    assert (after["1.1"].requests, after["1.1"].share) == (0, before["1.1"].share)
    assert after["1.2"].requests == before["1.2"].requests > 0


async def test_copies_are_counted_anew_for_another_content(
    house: House, made: list[FunctionPool]
) -> None:
    plan = ShadowPlan(model="m", version="1.1", stable="1.0", share=1.0)
    await house.releases.begin(plan, by="management")
    for _ in range(10):
        await house.ask()
        await asyncio.sleep(0.002)
    await replace(house, "1.1", "others")
    house.look()
    shadow = house.releases.read("m").shadow
    assert shadow is not None
    assert shadow.agreed + shadow.differed + shadow.failed + shadow.dropped == 0


async def test_content_that_became_another_while_the_server_was_down_is_tried_anew(
    house: House,
) -> None:
    await house.releases.begin(CANARY, by="management")
    house.releases.steering.step("m", by="management")
    write_weights(house, "1.1", "others")
    again = await reopened(house)
    report = again.releases.read("m")
    assert (report.state, report.share) == ("running", 0.2)
    assert "renewed" in [event.kind for event in report.events]
    third = await reopened(again)
    kinds = [event.kind for event in third.releases.read("m").events]
    assert kinds.count("renewed") == 1, "it is known by now"
    await third.releases.stop()
    await third.engine.stop(0)


async def test_audit_log_tells_that_a_release_begins_anew(
    house: House, made: list[FunctionPool]
) -> None:
    log = AuditLog(AuditSettings())
    await house.releases.begin(CANARY, by="management")
    await replace(house, "1.1", "others")
    house.look()
    ReleaseRecord(log).note(house.events[-1])
    (entry,) = (await log.page(AuditQuery())).entries
    assert (entry.who, entry.what, entry.version) == ("canary", "renew_release", "1.1")
    assert "content" in entry.reason


def _point(value: float) -> MetricPoint:
    return MetricPoint(name="score", value=value, kind="statistic")
