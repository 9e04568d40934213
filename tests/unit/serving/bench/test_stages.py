import pytest

from serving.bench.stages import Histogram, read_histogram, stages_between

TEXT = """\
# TYPE serving_queue_seconds histogram
serving_queue_seconds_bucket{le="0.01",model_name="cat",model_version="1"} 10.0
serving_queue_seconds_bucket{le="0.02",model_name="cat",model_version="1"} 30.0
serving_queue_seconds_bucket{le="+Inf",model_name="cat",model_version="1"} 40.0
serving_queue_seconds_count{model_name="cat",model_version="1"} 40.0
serving_queue_seconds_sum{model_name="cat",model_version="1"} 0.8
serving_queue_seconds_bucket{le="+Inf",model_name="dog",model_version="1"} 5.0
"""


def test_histogram_is_read_for_its_labels() -> None:
    found = read_histogram(TEXT, "serving_queue_seconds", {"model_name": "cat"})
    assert found.buckets == {0.01: 10.0, 0.02: 30.0, float("inf"): 40.0}
    assert found.count == 40.0
    assert found.mean == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("share", "expected"), [(0.125, 0.005), (0.25, 0.01), (0.5, 0.015), (0.99, 0.02), (0.0, 0.0)]
)
def test_quantile_lies_on_a_straight_line_in_its_bucket(share: float, expected: float) -> None:
    found = read_histogram(TEXT, "serving_queue_seconds", {"model_name": "cat"})
    assert found.quantile(share) == pytest.approx(expected)


def test_only_what_came_between_counts() -> None:
    later = TEXT.replace("30.0", "50.0").replace("40.0", "60.0").replace("0.8", "1.1")
    stages = stages_between(TEXT, later, "cat")
    # 20 more, all in the second bucket, 0.3 s together.
    assert stages.queue_mean == pytest.approx(15.0)
    assert stages.queue_p50 == pytest.approx(15.0)
    assert stages.model_mean == stages.batch_mean == 0.0


def test_of_torchserve_the_mean_wait_is_known() -> None:
    told = """\
ts_inference_requests_total{{model_name="cat",model_version="default",hostname="h",}} {requests}
ts_queue_latency_microseconds{{model_name="cat",model_version="default",hostname="h",}} {wait}
ts_inference_requests_total{{model_name="dog",model_version="default",hostname="h",}} 7.0
"""
    before = told.format(requests="2.0", wait="100.0")
    after = told.format(requests="12.0", wait="2.01E4")
    stages = stages_between(before, after, "cat")
    assert stages.queue_mean == pytest.approx(2.0)  # 20,000 us for ten
    assert (stages.queue_p50, stages.model_mean) == (0.0, 0.0)
    assert stages_between("", before, "cow").queue_mean == 0.0


def test_nothing_told_is_nothing() -> None:
    assert Histogram(buckets={}).quantile(0.5) == Histogram(buckets={}).mean == 0.0
    assert stages_between("", "", "cat").queue_p99 == 0.0
