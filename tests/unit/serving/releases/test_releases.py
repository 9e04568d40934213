import asyncio
import time
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
import pytest

from serving.archive.folder import open_folder
from serving.errors import (
    BadInput,
    Conflict,
    InferenceFailed,
    ModelNotFound,
    NotAllowed,
    ReleaseNotFound,
    VersionNotFound,
    VersionRolledBack,
)
from serving.handlers.points import MetricPoint
from serving.protocol.asker import Client
from serving.protocol.exchange import RawReply, RawRequest
from serving.releases.metrics import ReleaseMetrics
from serving.releases.plan import CanaryPlan, ReleasePlan, ShadowPlan, SplitPlan, Sticky
from serving.releases.release import Release
from serving.releases.trial import Trial
from serving.workers.messages import Item, Outcome
from tests.unit.serving.releases.conftest import ITEM, House, put_model, reopened
from tests.unit.serving.releases.support_pool import FunctionPool

CANARY = CanaryPlan(model="m", version="1.1", stable="1.0", steps=(0.2, 0.5), step_requests=5)
BY_USER = Sticky(by="header", name="x-user")


def failing(_: Item) -> Outcome:
    raise InferenceFailed("told to")


def _told(version: str, _: Item) -> Outcome:
    return RawReply(version.encode())


async def test_canary_gets_its_share_and_then_more_until_it_has_all(house: House) -> None:
    await house.releases.begin(CANARY, by="management")
    found = await house.ask_many(300)
    assert 30 < found.count("1.1") < 95
    house.look()
    assert house.releases.read("m").share == 0.2, "its time has not come"
    house.look(after_s=301)
    assert house.releases.read("m").share == 0.5
    house.look(after_s=602)
    assert house.releases.read("m").share == 0.5, "too few have asked"
    await house.ask_many(30)
    house.look(after_s=602)
    report = house.releases.read("m")
    assert (report.state, report.share, report.step) == ("completed", 1, 2)
    assert set(await house.ask_many(50)) == {"1.1"}
    assert house.engine.registry.default_version("m") == "1.1"
    assert [event.kind for event in house.events] == ["begun", "stepped", "completed"]
    assert [event.share for event in house.events] == [0.2, 0.5, 1]
    assert house.pools["1.0"].min_workers == 1


async def test_version_before_may_lose_its_workers_in_the_end(house: House) -> None:
    plan = msgspec.structs.replace(CANARY, keep_stable=False)
    await house.releases.begin(plan, by="management")
    house.releases.steering.promote("m", by="management")
    await asyncio.sleep(0.01)
    assert house.pools["1.0"].min_workers == 0


async def test_failing_canary_goes_back_is_drained_and_is_not_tried_again(house: House) -> None:
    house.pools["1.1"].function = failing
    await house.releases.begin(CANARY, by="management")
    await house.ask_and_look(100)
    report = house.releases.read("m")
    assert (report.state, report.share) == ("rolled_back", 0)
    assert report.reason.startswith("version 1.1 failed")
    assert report.numbers["stable_failures"] == 0
    assert set(await house.ask_many(50)) == {"1.0"}
    await asyncio.sleep(0.01)
    assert house.pools["1.1"].min_workers == 0
    event = house.events[-1]
    assert (event.kind, event.by, event.share_before, event.share) == (
        "rolled_back", "itself", 0.2, 0,
    )  # fmt: skip
    assert house.releases.was_rolled_back("m", "1.1")
    with pytest.raises(VersionRolledBack, match="again=true"):
        await house.releases.begin(CANARY, by="watch")
    await house.releases.begin(CANARY, by="management", again=True)
    assert house.pools["1.1"].min_workers == 1


async def test_version_that_was_made_the_default_meanwhile_goes_back_all_the_same(
    house: House,
) -> None:
    house.pools["1.1"].function = failing
    await house.releases.begin(CANARY, by="management")
    house.engine.set_default("m", "1.1")
    await house.ask_and_look(100)
    assert set(await house.ask_many(20)) == {"1.0"}


async def test_requests_of_ensembles_and_workflows_are_drawn_as_well(house: House) -> None:
    await house.releases.begin(CANARY, by="management")
    house.pools["1.1"].function = lambda _: {"x": np.ones(1, np.float32)}
    found = [float((await house.engine.infer("m", ITEM))["x"][0]) for _ in range(100)]
    assert 5 < sum(found) < 40
    for version in ("1.0", "1.1"):
        house.pools[version].function = partial(_told, version)
    raw = [await house.engine.ask("m", RawRequest({"body": b""})) for _ in range(100)]
    assert {reply.body for reply in raw} == {b"1.0", b"1.1"}
    assert sum(arm.requests for arm in house.releases.read("m").arms) == 200


async def test_requests_under_way_are_answered_before_the_workers_of_a_canary_go(
    house: House,
) -> None:
    await house.releases.begin(msgspec.structs.replace(CANARY, steps=(0.99,)), by="management")
    house.pools["1.1"].is_held = True
    asking = [asyncio.create_task(house.ask()) for _ in range(20)]
    await asyncio.sleep(0.01)
    house.releases.steering.abort("m", by="management", reason="enough")
    await asyncio.sleep(0.06)
    assert house.pools["1.1"].min_workers == 1, "somebody waits for it"
    for answer in house.pools["1.1"].held:
        answer()
    assert "1.1" in await asyncio.gather(*asking)
    await asyncio.sleep(0.06)
    assert house.pools["1.1"].min_workers == 0
    assert house.releases.read("m").reason == "enough"


async def test_version_that_is_tried_again_keeps_its_workers_though_it_was_to_rest(
    house: House,
) -> None:
    plan = msgspec.structs.replace(CANARY, steps=(0.99,))
    await house.releases.begin(plan, by="management")
    house.pools["1.1"].is_held = True
    asking = [asyncio.create_task(house.ask()) for _ in range(20)]
    await asyncio.sleep(0.01)
    house.releases.steering.abort("m", by="management")
    await house.releases.begin(plan, by="management")
    for answer in house.pools["1.1"].held:
        answer()
    await asyncio.gather(*asking)
    await asyncio.sleep(0.12)
    assert house.pools["1.1"].min_workers == 1


async def test_default_keeps_its_workers_though_it_was_to_rest(house: House) -> None:
    await house.releases.begin(CANARY, by="management")
    house.releases.steering.abort("m", by="management")
    house.engine.set_default("m", "1.1")
    await asyncio.sleep(0.01)
    assert house.pools["1.1"].min_workers == 1


async def test_version_that_is_loaded_anew_stays_in_its_release_and_is_still_judged(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[FunctionPool] = []

    class MadePool(OwnPool):
        def __init__(self, *_: object) -> None:
            super().__init__()
            made.append(self)

    monkeypatch.setattr("serving.registry.crew.WorkerPool", MadePool)
    await house.releases.begin(CANARY, by="management")
    await house.ask_many(50)
    await house.engine.reload("m", "1.1")
    (pool,) = made
    pool.points = [_point("score", 1)]
    await house.ask_many(50)
    house.look(after_s=31)
    report = house.releases.read("m")
    (arm,) = (arm for arm in report.arms if arm.version == "1.1")
    assert (report.state, report.share) == ("running", 0.2)
    assert sum(each.requests for each in report.arms) == 100
    assert 0 < arm.metrics["score"].count < arm.requests
    pool.function = failing
    await house.ask_and_look(100)
    assert house.releases.read("m").state == "rolled_back"
    await asyncio.sleep(0.01)
    assert pool.min_workers == 0


async def test_paused_canary_gets_no_larger_and_still_goes_back(house: House) -> None:
    await house.releases.begin(CANARY, by="management")
    assert house.releases.steering.pause("m", by="management").state == "paused"
    house.releases.steering.pause("m", by="management")
    await house.ask_many(100)
    house.look(after_s=1000)
    assert house.releases.read("m").share == 0.2
    assert house.releases.steering.resume("m", by="management").state == "running"
    house.look(after_s=1000)
    assert house.releases.read("m").share == 0.5
    house.releases.steering.pause("m", by="management")
    house.pools["1.1"].function = failing
    await house.ask_and_look(100)
    assert house.releases.read("m").state == "rolled_back"
    kinds = [event.kind for event in house.events]
    assert kinds == ["begun", "paused", "resumed", "stepped", "paused", "rolled_back"]


async def test_canary_that_drifts_goes_back(house: House) -> None:
    await house.releases.begin(msgspec.structs.replace(CANARY, steps=(0.5,)), by="management")
    values = np.random.default_rng(1).normal(0, 1, 400)
    for value in values:
        house.pools["1.0"].points = [_point("score", value), _point("size", value)]
        house.pools["1.1"].points = [_point("score", value + 2), _point("size", value)]
        await house.ask()
    house.look()
    report = house.releases.read("m")
    assert report.state == "rolled_back"
    assert report.reason.startswith("score of version 1.1 is spread otherwise")
    assert report.numbers["ks_at_least"] > 0.2


async def test_drift_that_is_meant_is_passed_over(house: House) -> None:
    guard = msgspec.structs.replace(CANARY.guard, drift_ignore=("score",))
    plan = msgspec.structs.replace(CANARY, steps=(0.5,), guard=guard)
    await house.releases.begin(plan, by="management")
    house.pools["1.0"].points = [_point("score", 1)]
    house.pools["1.1"].points = [_point("score", 2)]
    await house.ask_many(300)
    house.look()
    assert house.releases.read("m").state == "running"


async def test_canary_whose_worker_takes_longer_goes_back(house: House) -> None:
    await house.releases.begin(CANARY, by="management")
    house.pools["1.1"].seconds = 0.03
    await house.ask_and_look(200)
    report = house.releases.read("m")
    assert report.state == "rolled_back"
    assert "1.5 times as long" in report.reason
    assert report.numbers["work_s"] == pytest.approx(0.03)
    assert report.numbers["stable_work_s"] == pytest.approx(0.01)


async def test_canary_that_hangs_goes_back_before_it_answers(house: House) -> None:
    await house.releases.begin(msgspec.structs.replace(CANARY, steps=(0.5,)), by="management")
    stable = house.releases.course.releases["m"].stable
    # What a busy machine takes for an answer now and then is not slow by this.
    stable.latencies.extend([0.5] * 100)
    house.look()
    house.pools["1.1"].is_held = True
    asking = []
    for _ in range(60):
        asking.append(asyncio.create_task(house.ask()))
        await asyncio.sleep(0)
        while stable.in_flight:
            await asyncio.sleep(0)
        house.look(after_s=10)
    assert house.releases.read("m").state == "rolled_back"
    for answer in house.pools["1.1"].held:
        answer()
    await asyncio.gather(*asking)


async def test_without_a_worker_the_new_version_is_passed_over_and_goes_back_in_time(
    house: House,
) -> None:
    await house.releases.begin(CANARY, by="management")
    house.pools["1.1"].has_worker = False
    assert set(await house.ask_many(50)) == {"1.0"}
    arms = {arm.version: arm for arm in house.releases.read("m").arms}
    assert arms["1.1"].requests == 0
    assert arms["1.0"].requests < 50, "who stood in is not counted"
    house.look()
    house.look(after_s=29)
    assert house.releases.read("m").state == "running"
    house.pools["1.1"].has_worker = True
    house.look(after_s=31)
    assert house.releases.read("m").state == "running"
    house.pools["1.1"].has_worker = False
    house.look(after_s=40)
    house.look(after_s=71)
    report = house.releases.read("m")
    assert report.state == "rolled_back"
    assert report.reason == "version 1.1 has had no worker for 31 s"


async def test_version_that_is_taken_out_is_passed_over_and_goes_back(house: House) -> None:
    await house.releases.begin(CANARY, by="management")
    await house.engine.unregister("m", "1.1")
    assert set(await house.ask_many(20)) == {"1.0"}
    house.look()
    house.look(after_s=31)
    assert house.releases.read("m").reason == "version 1.1 is not served for 31 s"


async def test_who_names_a_version_is_answered_by_it_and_not_counted(house: House) -> None:
    await house.releases.begin(CANARY, by="management")
    for version in ("1.0", "1.1"):
        endpoint, choice = house.engine.registry.choose("m", version, Client())
        assert (endpoint.manifest.version, choice) == (version, None)
    with pytest.raises(VersionNotFound):
        house.engine.registry.choose("m", "3.0", Client())
    with pytest.raises(ModelNotFound):
        house.engine.registry.choose("n", None, Client())


async def test_answer_tells_by_what_its_version_was_chosen(house: House) -> None:
    await house.releases.begin(msgspec.structs.replace(CANARY, sticky=BY_USER), by="management")
    name = house.releases.read("m").id
    endpoint, choice = house.engine.registry.choose("m", None, Client({"x-user": "ann"}))
    share = {"1.0": 0.8, "1.1": 0.2}[endpoint.manifest.version]
    assert choice is not None
    assert choice.headers == (("x-model-choice", f"release={name}; by=header; share={share}"),)


async def test_cookie_is_set_once(house: House) -> None:
    plan = msgspec.structs.replace(CANARY, sticky=Sticky(by="cookie", name="who"))
    await house.releases.begin(plan, by="management")
    _, choice = house.engine.registry.choose("m", None, Client())
    assert choice is not None
    (name, value) = choice.headers[1]
    assert name == "set-cookie"
    assert value.startswith("who=")
    assert value.endswith("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax")
    _, again = house.engine.registry.choose("m", None, Client({"cookie": value.split(";")[0]}))
    assert again is not None
    assert len(again.headers) == 1


SPLIT = SplitPlan(model="m", stable="1.0", weights={"1.0": 50, "1.1": 50})


def answer(house: House, version: str, seconds: float, outcome: Outcome = ITEM) -> None:
    """Let a version have answered a request in that time."""
    release = house.releases.course.releases["m"]
    trial = Trial(release.arms[version], {"1.1": 0.5}, (), release)
    release.ended(trial, seconds, outcome, lambda other: other.infer(ITEM))


async def test_split_reports_what_differs_and_how_surely(house: House) -> None:
    await house.releases.begin(SPLIT, by="management")
    for number in range(100):
        # Both take as long, and one of them fails.
        answer(house, "1.0", 0.010 + 0.001 * (number % 7))
        answer(house, "1.1", 0.010 + 0.001 * (number % 7), InferenceFailed("told to"))
        for version, kept in (("1.0", 0.0), ("1.1", float(number % 2))):
            house.releases.feed_back("m", version, "kept", kept)
            house.releases.feed_back("m", version, "same", 1.0)
    house.look(after_s=1e6)
    report = house.releases.read("m")
    assert report.state == "running", "a split ends when somebody ends it"
    by_metric = {each.metric: each for each in report.comparisons}
    errors = by_metric["error_rate"]
    assert (errors.version, errors.against, errors.estimate) == ("1.1", "1.0", 1)
    assert errors.is_significant
    assert errors.p_value < 1e-10
    assert 0.8 < errors.low < errors.high == 1
    kept_more = by_metric["kept"]
    assert kept_more.is_significant
    assert 0.25 < kept_more.low < kept_more.estimate == 0.5 < kept_more.high < 0.75
    assert not by_metric["same"].is_significant
    latency = by_metric["latency_s"]
    assert latency.estimate == pytest.approx(0, abs=1e-12)
    assert latency.low < 0 < latency.high
    assert not latency.is_significant
    arm = next(arm for arm in report.arms if arm.version == "1.1")
    assert (arm.requests, arm.error_rate) == (100, 1)
    assert arm.error_rate_low > 0.9
    assert arm.metrics["kept"].count == arm.requests


async def test_split_reports_that_a_version_takes_longer(house: House) -> None:
    await house.releases.begin(SPLIT, by="management")
    for number in range(100):
        answer(house, "1.0", 0.010 + 0.001 * (number % 7))
        answer(house, "1.1", 0.014 + 0.001 * (number % 7))
    (latency,) = (
        each for each in house.releases.read("m").comparisons if each.metric == "latency_s"
    )
    assert latency.estimate == pytest.approx(0.004)
    assert 0.002 < latency.low < latency.high < 0.006
    assert latency.is_significant


async def test_split_of_three_has_a_share_for_each(house: House) -> None:
    await house.add("1.2")
    plan = SplitPlan(model="m", stable="1.0", weights={"1.0": 2, "1.1": 1, "1.2": 1})
    await house.releases.begin(plan, by="management")
    found = await house.ask_many(400)
    assert all(60 < found.count(version) < 140 for version in ("1.1", "1.2"))
    with pytest.raises(BadInput, match="more than two"):
        house.releases.steering.step("m", by="management", share=0.5)
    house.releases.steering.abort("m", by="management")
    await asyncio.sleep(0.01)
    assert [house.pools[version].min_workers for version in ("1.0", "1.1", "1.2")] == [1, 0, 0]


async def test_clients_metrics_count_while_a_release_is_on(house: House) -> None:
    with pytest.raises(ReleaseNotFound):
        house.releases.feed_back("m", "1.1", "liked", 1)
    await house.releases.begin(CANARY, by="management")
    for value in (1.0, 0.0, float("nan")):
        house.releases.feed_back("m", "1.1", "liked", value)
    with pytest.raises(ReleaseNotFound):
        house.releases.feed_back("m", "3.0", "liked", 1)
    (arm,) = (arm for arm in house.releases.read("m").arms if arm.version == "1.1")
    assert (arm.metrics["liked"].count, arm.metrics["liked"].mean) == (2, 0.5)
    for number in range(100):
        house.releases.feed_back("m", "1.1", f"metric{number}", 1)
    (arm,) = (arm for arm in house.releases.read("m").arms if arm.version == "1.1")
    assert len(arm.metrics) == 64


async def test_numbers_too_large_to_be_squared_do_not_hide_how_a_release_stands(
    house: House,
) -> None:
    await house.releases.begin(CANARY, by="management")
    for _ in range(50):
        house.releases.feed_back("m", "1.1", "liked", 1e200)
        house.releases.feed_back("m", "1.0", "liked", -1e308)
    assert all(not arm.metrics for arm in house.releases.read("m").arms)


async def test_failures_at_ever_other_odds_are_weighed_and_not_hoarded(house: House) -> None:
    plan = SplitPlan(model="m", stable="1.0", weights={"1.0": 1, "1.1": 1}, sticky=BY_USER)
    for pool in house.pools.values():
        pool.function = failing
    await house.releases.begin(plan, by="management")
    release = house.releases.course.releases["m"]
    for number in range(50):
        await house.ask(Client({"x-user": str(number)}))
        house.look()
    assert not any(evidence._counts for evidence in release.evidence.values())


async def test_release_that_cannot_be_looked_at_does_not_hide_the_others(
    house: House, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.releases.begin(CANARY, by="management")
    release = house.releases.course.releases["m"]
    broken = Release(msgspec.structs.replace(release.kept), house.engine.registry)
    monkeypatch.setattr(broken, "look", lambda now: 1 / 0)
    house.releases.course.releases = {"a": broken, "m": release}
    house.pools["1.1"].function = failing
    await house.ask_and_look(100)
    assert house.releases.read("m").state == "rolled_back"
    assert "cannot be looked at" in caplog.text


async def test_step_promote_and_abort_do_so_at_once(house: House) -> None:
    await house.releases.begin(CANARY, by="management")
    assert house.releases.steering.step("m", by="management").share == 0.5
    assert house.releases.steering.step("m", by="management", share=0.3).step == 0
    assert house.releases.steering.step("m", by="management").share == 0.5
    with pytest.raises(BadInput, match="at most 1"):
        house.releases.steering.step("m", by="management", share=1.5)
    house.pools["1.1"].has_worker = False
    with pytest.raises(Conflict, match="no worker"):
        house.releases.steering.promote("m", by="management")
    house.pools["1.1"].has_worker = True
    assert house.releases.steering.step("m", by="management", share=1).state == "completed"
    with pytest.raises(Conflict, match="is over"):
        house.releases.steering.abort("m", by="management")


@pytest.mark.parametrize(
    ("plan", "error", "text"),
    [
        (CanaryPlan(model="m", version="1.1", stable="1.1"), BadInput, "name both"),
        (CanaryPlan(model="m", version="9", stable="1.0"), VersionNotFound, "9"),
        (CanaryPlan(model="n", version="9", stable="1.0"), ModelNotFound, "n"),
        (SplitPlan(model="m", stable="1.0", weights={"1.1": 1, "3": 1}), BadInput, "stable"),
    ],
    ids=["same version", "no such version", "no such model", "without the stable one"],
)
async def test_release_of_what_cannot_be_told_apart_is_refused(
    house: House, plan: ReleasePlan, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        await house.releases.begin(plan, by="management")
    assert not house.releases.is_on("m")


async def test_second_release_of_a_model_is_refused(house: House) -> None:
    await house.releases.begin(CANARY, by="management")
    with pytest.raises(Conflict, match="is on"):
        await house.releases.begin(CANARY, by="management")


async def test_sequences_are_not_released(house: House) -> None:
    await house.add("2.0", sequence_batching=True)
    with pytest.raises(BadInput, match="sequences"):
        await house.releases.begin(
            CanaryPlan(model="m", version="2.0", stable="1.0"), by="management"
        )


async def test_there_are_no_releases_in_the_ways_of_the_reference(tmp_path: Path) -> None:
    house = House(tmp_path, compat="torchserve")
    with pytest.raises(NotAllowed):
        await house.releases.begin(CANARY, by="management")


class OwnPool(FunctionPool):
    """What a model gets that brings none."""

    def __init__(self, *_: object) -> None:
        super().__init__(lambda _: ITEM)


async def test_version_that_is_introduced_does_not_answer_everything_as_the_highest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("serving.registry.crew.WorkerPool", OwnPool)
    house = House(tmp_path)
    plan = CanaryPlan(version="?", steps=(0.2,))
    first, second, third = (
        open_folder(put_model(tmp_path, version)) for version in ("1.0", "1.1", "1.2")
    )
    assert await house.releases.introduce(first, plan, by="watch") is None
    plan = msgspec.structs.replace(plan, version="1.1")
    report = await house.releases.introduce(second, plan, by="watch")
    assert report is not None
    assert (report.stable, report.candidate, report.share) == ("1.0", "1.1", 0.2)
    assert house.engine.registry.default_version("m") == "1.0"
    with pytest.raises(Conflict, match="is on"):
        await house.releases.introduce(third, plan, by="watch")
    house.releases.steering.abort("m", by="management")
    assert house.engine.registry.default_version("m") == "1.0"
    await house.releases.stop()
    await house.engine.stop(0)


async def test_version_that_cannot_be_introduced_is_no_less_than_before(
    house: House, tmp_path: Path
) -> None:
    plan = CanaryPlan(version="1.1")
    with pytest.raises(Conflict, match="registered"):
        await house.releases.introduce(open_folder(tmp_path / "m-1.1"), plan, by="watch")
    assert house.engine.registry.default_version("m") == "1.1"


async def test_canary_goes_on_after_a_restart_where_it_was(house: House) -> None:
    await house.releases.begin(msgspec.structs.replace(CANARY, sticky=BY_USER), by="management")
    house.releases.steering.step("m", by="management")
    clients = [Client({"x-user": str(number)}) for number in range(40)]
    before = [await house.ask(client) for client in clients]
    again = await reopened(house)
    report = again.releases.read("m")
    assert (report.state, report.share, report.step) == ("running", 0.5, 1)
    assert report.arms[0].requests == 0
    assert [await again.ask(client) for client in clients] == before
    assert [event.kind for event in report.events] == ["begun", "stepped", "restored"]
    rounds = house.releases.course.releases["m"].kept.rounds
    again.look()
    assert again.releases.course.releases["m"].kept.rounds == rounds + 1, "less may be spent"
    await again.releases.stop()
    await again.engine.stop(0)


async def test_canary_that_went_back_stays_back_after_a_restart(house: House) -> None:
    house.pools["1.1"].function = failing
    await house.releases.begin(CANARY, by="management")
    await house.ask_and_look(100)
    again = await reopened(house, releases={"m": msgspec.structs.replace(CANARY, model="")})
    await asyncio.sleep(0.01)
    assert again.releases.read("m").state == "rolled_back"
    assert set(await again.ask_many(50)) == {"1.0"}, "though 1.1 is the highest"
    assert again.pools["1.1"].min_workers == 0
    assert again.releases.was_rolled_back("m", "1.1")
    await again.releases.stop()
    await again.engine.stop(0)


async def test_completed_release_holds_after_a_restart_and_is_not_begun_again(house: House) -> None:
    back = CanaryPlan(model="m", version="1.0", stable="1.1", steps=(0.5,))
    await house.releases.begin(back, by="management")
    house.releases.steering.promote("m", by="management")
    again = await reopened(house, releases={"m": msgspec.structs.replace(back, model="")})
    assert again.releases.read("m").state == "completed"
    assert set(await again.ask_many(20)) == {"1.0"}, "though 1.1 is higher"
    await again.releases.stop()
    await again.engine.stop(0)


async def test_release_of_the_settings_begins_once_the_models_are_there(tmp_path: Path) -> None:
    house = House(tmp_path, releases={"m": CanaryPlan(version="1.1", steps=(0.3,))})
    house.releases.restore()
    await house.add("1.0")
    await house.add("1.1")
    assert house.engine.registry.default_version("m") == "1.0"
    await house.releases.start()
    report = house.releases.read("m")
    assert (report.stable, report.share, house.events[0].by) == ("1.0", 0.3, "settings")
    await house.releases.stop()
    await house.engine.stop(0)


async def test_file_that_cannot_be_read_is_told_and_passed_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "releases.json").write_text("{")
    house = House(tmp_path)
    assert house.releases.reports == ()
    assert "releases of before are not known" in caplog.text
    assert (tmp_path / "releases.json.unreadable").read_text() == "{"


async def test_disk_that_takes_nothing_does_not_stop_a_release(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    (house.folder / "releases.json").mkdir()
    await house.releases.begin(CANARY, by="management")
    assert house.releases.is_on("m")
    assert "cannot keep the releases" in caplog.text


async def test_server_is_ready_without_the_version_that_is_tried(house: House) -> None:
    await house.engine.start()
    await house.releases.begin(CANARY, by="management")
    house.pools["1.1"].has_worker = False
    assert house.engine.is_ready
    house.pools["1.0"].has_worker = False
    assert not house.engine.is_ready


async def test_shadow_is_asked_copies_and_answers_nobody(house: House) -> None:
    plan = ShadowPlan(model="m", version="1.1", stable="1.0", share=1.0)
    house.pools["1.1"].function = lambda item: {"x": np.full(1, 1e-6, np.float32)}
    await house.releases.begin(plan, by="management")
    for _ in range(40):
        assert await house.ask() == "1.0"
        await asyncio.sleep(0.002)
    house.pools["1.1"].function = lambda item: {"x": np.ones(1, np.float32)}
    for _ in range(10):
        await house.ask()
        await asyncio.sleep(0.002)
    house.pools["1.1"].function = failing
    for _ in range(5):
        await house.ask()
        await asyncio.sleep(0.002)
    await asyncio.sleep(0.05)
    shadow = house.releases.read("m").shadow
    assert shadow is not None
    assert shadow.agreed + shadow.differed + shadow.failed + shadow.dropped == 55
    assert shadow.agreed >= 30
    assert shadow.differed >= 5
    assert shadow.failed >= 3
    assert shadow.agreement is not None
    assert shadow.agreement_low < shadow.agreement < shadow.agreement_high
    assert shadow.latency_mean_s is not None


async def test_shadow_that_hangs_delays_nobody_and_is_bounded(house: House) -> None:
    plan = ShadowPlan(model="m", version="1.1", stable="1.0", share=1.0, most_at_once=3)
    house.pools["1.1"].is_held = True
    await house.releases.begin(plan, by="management")
    began = time.monotonic()
    assert set(await house.ask_many(50)) == {"1.0"}
    assert time.monotonic() - began < 5
    await asyncio.sleep(0.01)
    shadow = house.releases.read("m").shadow
    assert shadow is not None
    assert shadow.dropped == 47
    assert len(house.pools["1.1"].held) == 3


async def test_nothing_is_copied_while_live_requests_wait(house: House) -> None:
    plan = ShadowPlan(model="m", version="1.1", stable="1.0", share=1.0)
    await house.releases.begin(plan, by="management")
    house.pools["1.0"].is_held = True
    first = asyncio.create_task(house.ask())
    await asyncio.sleep(0.01)
    house.pools["1.0"].has_worker = False
    second = asyncio.create_task(house.ask())
    await asyncio.sleep(0.01)
    house.pools["1.0"].held.pop()()
    await first
    shadow = house.releases.read("m").shadow
    assert shadow is not None
    assert shadow.dropped == 1
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)


async def test_shadow_has_no_steps_and_ends_as_others_do(house: House) -> None:
    await house.releases.begin(ShadowPlan(model="m", version="1.1", stable="1.0"), by="management")
    with pytest.raises(BadInput, match="no steps"):
        house.releases.steering.step("m", by="management")
    assert house.releases.steering.promote("m", by="management").state == "completed"
    assert set(await house.ask_many(5)) == {"1.1"}


async def test_split_has_no_next_step_but_a_share(house: House) -> None:
    plan = SplitPlan(model="m", stable="1.0", weights={"1.0": 1, "1.1": 1})
    await house.releases.begin(plan, by="management")
    with pytest.raises(BadInput, match="name the share"):
        house.releases.steering.step("m", by="management")
    assert house.releases.steering.step("m", by="management", share=0.25).share == 0.25


async def test_metrics_tell_shares_answers_and_what_went_back(house: House) -> None:
    house.metrics.add(ReleaseMetrics(house.releases))
    answers_all = 'serving_release_share{model_name="m",model_version="1.1"} 1.0'
    assert answers_all in house.metrics.as_text().decode(), "it is the highest"
    house.pools["1.1"].function = failing
    await house.releases.begin(CANARY, by="management")
    names = 'model_name="m",model_version="1.1"'
    text = house.metrics.as_text().decode()
    assert f"serving_release_share{{{names}}} 0.2" in text
    assert f'serving_release_progress{{{names},rule="errors"}} 0.0' in text
    await house.ask_and_look(100)
    text = house.metrics.as_text().decode()
    assert f'serving_release_requests_total{{{names},result="ok"}} 0.0' in text
    assert f"serving_release_share{{{names}}} 0.0" in text
    await asyncio.sleep(0.01)
    text = house.metrics.as_text().decode()
    assert f"serving_release_resting{{{names}}} 1.0" in text
    assert text.count("serving_release_resting{") == 1
    assert f'serving_release_rolled_back_timestamp_seconds{{{names},rule="errors"}}' in text
    assert 'serving_release_changes_total{change="rolled_back",model_name="m"} 1.0' in text


def _point(name: str, value: float) -> MetricPoint:
    return MetricPoint(name=name, value=float(value), kind="statistic")
