import pytest

from serving.bench.limits import parse_limit
from serving.bench.measured import Trial
from serving.bench.search import ETA, best_of, full_grid, halving
from serving.bench.setting import Setting, Space
from tests.unit.serving.bench.simulated import TIMING, Simulated, throughput_of, trial

SPACE = Space(
    batch_size=(1, 2, 4, 8, 16, 32),
    max_batch_delay_ms=(0.0, 5.0),
    workers=(1, 2, 4, 8),
    concurrency=(1, 4, 16, 64),
)
DEFAULT = Space()


def true_best(space: Space, limit_ms: float) -> float:
    rates = [throughput_of(setting) for setting in space.grid()]
    return max(rate for rate, p99_ms in rates if p99_ms <= limit_ms)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("limit_ms", [35.0, 70.0, 150.0])
@pytest.mark.parametrize("space", [SPACE, DEFAULT], ids=["176 settings", "the 36 of the defaults"])
def test_halving_is_within_five_percent_of_the_grid_in_a_fifth_of_its_time(
    space: Space, limit_ms: float, seed: int
) -> None:
    settings, limits = list(space.grid()), [parse_limit(f"p99={limit_ms}ms")]
    grid, quick = Simulated(seed=seed), Simulated(seed=seed + 100)
    whole_s = TIMING.whole_s
    of_grid = best_of(full_grid(settings, grid.attempt, whole_s), limits)
    of_quick = best_of(halving(settings, quick.attempt, whole_s, limits), limits)
    assert of_grid is not None
    assert of_quick is not None
    assert quick.cost_s <= grid.cost_s / 5
    rate, p99_ms = throughput_of(of_quick.setting)
    assert rate >= 0.95 * throughput_of(of_grid.setting)[0]
    assert rate >= 0.95 * true_best(space, limit_ms)
    assert p99_ms <= limit_ms


def test_halving_tries_all_briefly_and_few_for_long() -> None:
    settings = [Setting(batch_size=size) for size in range(1, 51)]
    tried: list[tuple[int, float]] = []

    def attempt(setting: Setting, seconds: float) -> Trial:
        tried.append((setting.batch_size, seconds))
        return trial(setting, seconds, throughput=setting.batch_size, p99_ms=1.0)

    halving(settings, attempt, 25.0, [])
    assert ETA == 5
    assert tried[:50] == [(size, 1.0) for size in range(1, 51)]
    assert tried[50:60] == [(size, 5.0) for size in range(41, 51)]
    assert tried[60:] == [(50, 25.0), (49, 25.0)]


def test_where_the_best_breaks_the_limit_in_the_long_trial_the_next_is_tried() -> None:
    settings = [Setting(batch_size=size) for size in (1, 2, 3)]
    long: list[int] = []

    def attempt(setting: Setting, seconds: float) -> Trial:
        if seconds == 25.0:
            long.append(setting.batch_size)
        is_late = setting.batch_size == 3 and seconds == 25.0
        return trial(setting, seconds, setting.batch_size, 120.0 if is_late else 90.0)

    limits = [parse_limit("p99=100ms")]
    best = best_of(halving(settings, attempt, 25.0, limits), limits)
    assert best is not None
    assert best.setting.batch_size == 2
    assert long == [3, 2]


def test_where_nothing_keeps_the_limit_not_everything_is_tried_for_long() -> None:
    settings = [Setting(batch_size=size) for size in range(1, 51)]
    seconds_of: list[float] = []

    def attempt(setting: Setting, seconds: float) -> Trial:
        seconds_of.append(seconds)
        return trial(setting, seconds, 10.0, 200.0)

    limits = [parse_limit("p99=100ms")]
    assert best_of(halving(settings, attempt, 25.0, limits), limits) is None
    assert seconds_of.count(25.0) == 10


def test_most_clients_that_keep_the_limit_are_looked_for_by_halves() -> None:
    settings = [Setting(concurrency=clients) for clients in (1, 2, 4, 8, 16)]
    simulated: list[int] = []

    def attempt(setting: Setting, seconds: float) -> Trial:
        simulated.append(setting.concurrency)
        return trial(setting, seconds, 100.0, 50.0 * setting.concurrency)

    halving(settings, attempt, 25.0, [parse_limit("p99=100ms")])
    # From the middle down; 2 keep the limit, so that 1 is of no use.
    assert simulated == [4, 2, 2, 2]


def test_less_load_is_tried_where_what_seemed_good_breaks_the_limit_after_all() -> None:
    # Briefly the middle load kept the limit, so that less was not tried.
    settings = [Setting(concurrency=clients) for clients in (1, 8, 32)]

    def attempt(setting: Setting, seconds: float) -> Trial:
        latency_ms = 11.0 * setting.concurrency + (20.0 if seconds > 5 else 0.0)
        return trial(setting, seconds, setting.concurrency, latency_ms)

    limits = [parse_limit("p99=100ms")]
    best = best_of(halving(settings, attempt, 25.0, limits), limits)
    assert best is not None
    assert best.setting.concurrency == 1


def test_throughput_that_must_be_reached_is_looked_for_with_more_load() -> None:
    settings = [Setting(concurrency=clients) for clients in (1, 2, 4)]
    limits = [parse_limit("throughput=35/s"), parse_limit("p99=1s")]
    found = halving(
        settings, lambda s, seconds: trial(s, seconds, 10.0 * s.concurrency, 90.0), 25.0, limits
    )
    best = best_of(found, limits)
    assert best is not None
    assert best.setting.concurrency == 4


def test_lone_client_who_waits_for_company_does_not_end_the_row() -> None:
    # As TorchServe: one client waits for the whole delay, four fill the batch at once.
    latency = {1: 200.0, 4: 20.0, 8: 40.0}
    settings = [Setting(concurrency=clients) for clients in latency]
    found = halving(
        settings,
        lambda s, seconds: trial(s, seconds, s.concurrency, latency[s.concurrency]),
        25.0,
        limits := [parse_limit("p99=100ms")],
    )
    best = best_of(found, limits)
    assert best is not None
    assert best.setting.concurrency == 8


@pytest.mark.parametrize(
    ("limit", "expected"),
    [("p99=100ms", 8), ("p99=50ms", 4), ("errors=1%", 4), ("p99=1ms", None), ("memory=1MB", 16)],
)
def test_best_keeps_the_limits(limit: str, expected: int | None) -> None:
    trials = [
        trial(Setting(batch_size=4), 10.0, 400.0, 45.0),
        trial(Setting(batch_size=8), 10.0, 800.0, 90.0, errors=0.02),
        trial(Setting(batch_size=16), 10.0, 900.0, 130.0, errors=0.02),
    ]
    best = best_of(trials, [parse_limit(limit)])
    assert (best.setting.batch_size if best else None) == expected


def test_best_is_of_the_longest_trials_and_takes_the_fewer_workers_of_equals() -> None:
    trials = [
        trial(Setting(batch_size=32), 1.0, 9999.0, 5.0),
        trial(Setting(workers=4), 10.0, 1000.0, 5.0),
        trial(Setting(workers=2), 10.0, 995.0, 6.0),
        trial(Setting(workers=1), 10.0, 900.0, 6.0),
    ]
    best = best_of(trials, [])
    assert best is not None
    assert best.setting.workers == 2


def test_what_could_not_be_tried_is_never_best() -> None:
    broken = Trial(setting=Setting(), seconds=10.0, problem="it does not start")
    assert best_of([broken], []) is None
    assert halving([Setting()], lambda s, seconds: broken, 10.0, []) == [broken]


def test_grid_counts_equal_settings_once() -> None:
    space = Space(
        batch_size=(1, 4), max_batch_delay_ms=(0.0, 5.0), workers=(1,), concurrency=(8, 2)
    )
    grid = list(space.grid())
    assert [(s.batch_size, s.max_batch_delay_ms, s.concurrency) for s in grid] == [
        (1, 0.0, 2), (1, 0.0, 8), (4, 0.0, 2), (4, 0.0, 8), (4, 5.0, 2), (4, 5.0, 8),
    ]  # fmt: skip
