"""What is refused, for load or as a client's mistake, beside what a version answers badly."""

from itertools import count

import msgspec
import pytest

from serving.errors import (
    BadInput,
    DeadlineExceeded,
    InferenceFailed,
    InputTooLarge,
    NotAllowed,
    NoWorker,
    Overloaded,
    ServerUnavailable,
    ServingError,
    WorkerDied,
    WouldBeLate,
)
from serving.protocol.asker import Client
from serving.protocol.exchange import RawReply
from serving.releases.plan import CanaryPlan, Sticky
from serving.releases.report import ArmReport
from serving.releases.result import Result, result_of
from serving.workers.messages import Item, Outcome
from tests.unit.serving.releases.conftest import ITEM, House

CANARY = CanaryPlan(model="m", version="1.1", stable="1.0", steps=(0.2, 0.5), step_requests=5)
BY_USER = Sticky(by="header", name="x-user")


class Every:
    """Refuses every so many requests, the first of them."""

    def __init__(self, nth: int, error: ServingError) -> None:
        self._nth, self._error, self._numbers = nth, error, count()

    def __call__(self, _: Item) -> Outcome:
        return self._error if next(self._numbers) % self._nth == 0 else ITEM


def arm_of(house: House, version: str) -> ArmReport:
    return next(arm for arm in house.releases.read("m").arms if arm.version == version)


async def client_of(house: House, version: str) -> Client:
    """Somebody whom this version answers each time."""
    for number in count():
        client = Client({"x-user": str(number)})
        if await house.ask(client) == version:
            return client
    raise AssertionError


@pytest.mark.parametrize(
    ("outcome", "result"),
    [
        (ITEM, "ok"),
        (RawReply(b"", status=399), "ok"),
        (RawReply(b"", status=400), "rejected"),
        (RawReply(b"", status=404), "rejected"),
        (RawReply(b"", status=429), "shed"),
        (RawReply(b"", status=500), "failed"),
        (RawReply(b"", status=503), "failed"),
        (BadInput("b"), "rejected"),
        (InputTooLarge("b"), "rejected"),
        (NotAllowed("b"), "rejected"),
        (Overloaded("b"), "shed"),
        (WouldBeLate("b"), "shed"),
        (ServerUnavailable("b"), "shed"),
        (NoWorker("b"), "failed"),
        (WorkerDied("b"), "failed"),
        (InferenceFailed("b"), "failed"),
        (DeadlineExceeded("b"), "failed"),
    ],
)
def test_outcome_speaks_of_the_model_of_load_or_of_the_client(
    outcome: object, result: Result
) -> None:
    assert result_of(outcome) == result


async def test_client_who_stays_with_the_canary_cannot_take_it_back_by_mistakes(
    house: House,
) -> None:
    plan = msgspec.structs.replace(CANARY, sticky=BY_USER)
    await house.releases.begin(plan, by="management")
    somebody = await client_of(house, "1.1")
    other = await client_of(house, "1.0")
    for _ in range(100):
        house.pools["1.1"].function = lambda _: BadInput("no picture")
        await house.ask(somebody)
        house.pools["1.1"].function = lambda _: ITEM
        await house.ask(somebody)
        await house.ask(other)
        house.look()
    report = house.releases.read("m")
    assert (report.state, report.share) == ("running", 0.2)
    arm = arm_of(house, "1.1")
    assert (arm.rejected, arm.failures, arm.shed) == (100, 0, 0)
    assert report.progress["rejections"] >= 1
    house.look(after_s=301)
    assert house.releases.read("m").share == 0.2, "somebody has to look first"
    house.releases.steering.promote("m", by="management")


async def test_clients_mistakes_that_fall_on_both_versions_hold_nothing_up(house: House) -> None:
    for version in ("1.0", "1.1"):
        house.pools[version].function = Every(3, BadInput("no picture"))
    await house.releases.begin(CANARY, by="management")
    await house.ask_and_look(200)
    arm = arm_of(house, "1.0")
    assert (arm.failures, arm.error_rate) == (0, 0)
    assert arm.rejected > arm.requests / 4
    house.look(after_s=301)
    assert house.releases.read("m").share == 0.5


async def test_canary_that_rejects_what_the_version_before_takes_goes_back(house: House) -> None:
    house.pools["1.1"].function = Every(2, BadInput("it wants another field"))
    await house.releases.begin(CANARY, by="management")
    await house.ask_and_look(300)
    report = house.releases.read("m")
    assert report.state == "rolled_back"
    assert report.reason.startswith("version 1.1 rejected, as clients' mistakes, ")
    assert report.numbers["stable_rejected"] == 0
    assert house.releases.course.releases["m"].kept.rule == "rejections"


async def test_canary_that_rejects_all_gets_no_larger_for_it_has_answered_nothing(
    house: House,
) -> None:
    house.pools["1.1"].function = lambda _: BadInput("it wants another field")
    await house.releases.begin(CANARY, by="management")
    while arm_of(house, "1.1").rejected < 6:
        await house.ask()
    house.look(after_s=301)
    assert house.releases.read("m").share == 0.2


async def test_canary_that_sheds_more_goes_back_for_that_and_not_for_errors(house: House) -> None:
    house.pools["1.1"].function = Every(2, Overloaded("its queue is full"))
    await house.releases.begin(CANARY, by="management")
    await house.ask_and_look(300)
    report = house.releases.read("m")
    assert report.state == "rolled_back"
    assert report.reason.startswith("version 1.1 shed, having too much to do, ")
    assert house.releases.course.releases["m"].kept.rule == "shedding"
    arm = arm_of(house, "1.1")
    assert (arm.failures, arm.rejected) == (0, 0)
    assert arm.shed > 0
    assert report.progress == {}


@pytest.mark.parametrize(
    "shedding", [("1.0",), ("1.0", "1.1")], ids=["the version before", "both alike"]
)
async def test_load_that_the_canary_is_not_to_blame_for_is_nothing_against_it(
    house: House, shedding: tuple[str, ...]
) -> None:
    for version in shedding:
        house.pools[version].function = Every(2, Overloaded("its queue is full"))
    await house.releases.begin(CANARY, by="management")
    await house.ask_and_look(200)
    report = house.releases.read("m")
    assert report.state == "running"
    assert arm_of(house, "1.0").shed > arm_of(house, "1.0").requests / 3
    house.look(after_s=301)
    assert house.releases.read("m").share == 0.5


async def test_refusals_that_come_at_once_do_not_make_a_version_look_quick(house: House) -> None:
    await house.releases.begin(CANARY, by="management")
    house.pools["1.0"].function = Every(2, Overloaded("its queue is full"))
    await house.ask_many(60)
    release = house.releases.course.releases["m"]
    assert release.stable.latency.count == len(release.stable.latencies)
    assert release.stable.latency.count == arm_of(house, "1.0").requests
