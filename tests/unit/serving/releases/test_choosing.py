import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving.protocol.asker import NOBODY, Client
from serving.releases.choosing import Split, cookie_of
from serving.releases.plan import Sticky

BY_USER = Sticky(by="header", name="X-User")
COUNT = 20_000


def share_of(versions: list[str], version: str) -> float:
    return Counter(versions)[version] / len(versions)


def test_each_version_gets_its_share_of_requests() -> None:
    split = Split({"1.0": 90, "1.1": 10}, Sticky(), "x")
    found = [split.choose(NOBODY) for _ in range(COUNT)]
    assert {pick.by for pick in found} == {"drawn"}
    deviation = math.sqrt(0.1 * 0.9 / COUNT)
    assert abs(share_of([pick.version for pick in found], "1.1") - 0.1) < 5 * deviation


@pytest.mark.parametrize("weights", [(0.5, 0.3, 0.2), (1, 1, 98), (7, 2, 1)])
def test_each_version_gets_its_share_of_clients(weights: tuple[float, float, float]) -> None:
    split = Split(dict(zip("abc", weights, strict=True)), BY_USER, "x")
    found = [split.version_of(f"user {number}") for number in range(COUNT)]
    for version, weight in zip("abc", weights, strict=True):
        share = weight / sum(weights)
        deviation = math.sqrt(share * (1 - share) / COUNT)
        assert abs(share_of(found, version) - share) < 5 * deviation
        assert split.shares[version] == pytest.approx(share)


def test_version_without_weight_gets_nobody_and_one_with_all_everybody() -> None:
    for sticky in (Sticky(), BY_USER):
        split = Split({"1.0": 0, "1.1": 1}, sticky, "x")
        askers = [Client({"x-user": str(number)}) for number in range(500)]
        assert {split.choose(asker).version for asker in askers} == {"1.1"}


@given(st.text(min_size=1), st.floats(0.001, 0.999), st.floats(0.001, 0.999))
def test_nobody_is_moved_back_when_a_share_grows(key: str, one: float, other: float) -> None:
    less, more = sorted((one, other))
    before = Split({"new": less, "old": 1 - less}, BY_USER, "x").version_of(key)
    after = Split({"new": more, "old": 1 - more}, BY_USER, "x").version_of(key)
    assert (before, after) != ("new", "old")


@given(st.text(min_size=1), st.floats(0.1, 10), st.floats(0.1, 10))
def test_growth_of_one_of_three_moves_nobody_between_the_others(
    key: str, weight: float, more: float
) -> None:
    before = Split({"a": 1, "b": 2, "c": weight}, BY_USER, "x").version_of(key)
    after = Split({"a": 1, "b": 2, "c": weight + more}, BY_USER, "x").version_of(key)
    assert after in (before, "c")


def test_other_releases_take_other_clients_first() -> None:
    clients = [f"user {number}" for number in range(5000)]
    both = [Split({"new": 0.1, "old": 0.9}, BY_USER, salt) for salt in ("one", "other")]
    taken = [{key for key in clients if split.version_of(key) == "new"} for split in both]
    # A tenth of a tenth are taken by both by chance.
    assert 20 < len(taken[0] & taken[1]) < 90


def test_same_header_means_the_same_version_and_none_is_drawn() -> None:
    split = Split({"new": 0.5, "old": 0.5}, BY_USER, "x")
    for number in range(20):
        asker = Client({"x-user": str(number)})
        picks = {split.choose(asker) for _ in range(20)}
        assert len(picks) == 1
        assert picks.pop().by == "header"
    assert {split.choose(NOBODY).by for _ in range(20)} == {"drawn"}
    assert {split.choose(NOBODY).version for _ in range(100)} == {"new", "old"}


def test_same_address_means_the_same_version() -> None:
    split = Split({"new": 0.5, "old": 0.5}, Sticky(by="address"), "x")
    picks = {split.choose(Client(address="203.0.113.9")) for _ in range(50)}
    assert len(picks) == 1
    assert split.choose(Client(address="203.0.113.9")).by == "address"


def test_cookie_is_given_to_who_has_none_and_means_the_same_version() -> None:
    split = Split({"new": 0.5, "old": 0.5}, Sticky(by="cookie", name="who"), "x")
    for _ in range(30):
        first = split.choose(NOBODY)
        assert first.new_cookie
        again = split.choose(Client({"cookie": f"a=b; who={first.new_cookie}; c=d"}))
        assert (again.version, again.by, again.new_cookie) == (first.version, "cookie", "")


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("who=me", "me"),
        ("a=b; who=me", "me"),
        ('who="me"', "me"),
        ("whom=you; who=me; who=other", "me"),
        ("who", ""),
        ("", ""),
    ],
)
def test_cookie_is_found_by_its_name(header: str, value: str) -> None:
    assert cookie_of(header, "who") == value
