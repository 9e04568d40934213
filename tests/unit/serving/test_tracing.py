"""Whether requests are followed, by whom it is decided, and what becomes of what is found out."""

import logging
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from serving.batching.pending import Batch, Pending
from serving.engine import Engine
from serving.model_config import ModelConfig
from serving.observe.metrics import ServerMetrics
from serving.observe.origin import ORIGIN, Origin
from serving.observe.shipping import Fuse
from serving.observe.tracing import Span, TraceOptions, Tracer, make_tracer
from serving.protocol.asker import NOBODY
from serving.registry.following import follow
from serving.settings import ServerSettings
from serving.workers.messages import Item, Outcome
from serving.workers.runs import Answer
from serving.workflow.ensembles import load_ensembles
from tests.support_contract import seconds
from tests.support_traces import Collector

NOWHERE = "http://127.0.0.1:9"
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ENDPOINT", "TRACES_ENDPOINT", "PROTOCOL"):
        monkeypatch.delenv(f"OTEL_EXPORTER_OTLP_{name}", raising=False)
    for name in ("SDK_DISABLED", "SERVICE_NAME", "TRACES_EXPORTER", "TRACES_SAMPLER"):
        monkeypatch.delenv(f"OTEL_{name}", raising=False)


def tracer_for(taken: Collector, share: float | None = None, *, is_edge: bool = False) -> Tracer:
    """One that sends everything when it is closed, and as often as that."""
    options = TraceOptions(
        service="tested", endpoint=taken.url, share=share, is_edge=is_edge, is_forking=True
    )
    tracer = make_tracer(options)
    assert tracer is not None
    return tracer


def carried(flags: str) -> dict[str, str]:
    return {"traceparent": f"00-{TRACE}-{PARENT}-{flags}", "tracestate": "of=others"}


def test_nothing_is_loaded_where_nobody_asks_for_traces() -> None:
    told = (
        "import sys, serving.app, serving.grpc.server\n"
        "from serving.services import Services\n"
        "from serving.settings import ServerSettings\n"
        "assert Services(ServerSettings()).tracer is None\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"ENDPOINT": ""},
        {"ENDPOINT": NOWHERE, "OTEL_SDK_DISABLED": "true"},
        {"ENDPOINT": NOWHERE, "OTEL_SDK_DISABLED": " True "},
        {"ENDPOINT": NOWHERE, "OTEL_TRACES_EXPORTER": "none"},
        {"ENDPOINT": NOWHERE, "PROTOCOL": "grpc"},
        {"ENDPOINT": NOWHERE, "OTEL_BSP_MAX_QUEUE_SIZE": "1"},
    ],
    ids=["nothing", "empty", "disabled", "with spaces", "none", "grpc", "nonsense"],
)
def test_nobody_is_followed_unless_it_is_asked_for(
    said: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in said.items():
        whole = name if name.startswith("OTEL_") else f"OTEL_EXPORTER_OTLP_{name}"
        monkeypatch.setenv(whole, value)
    assert make_tracer(TraceOptions(service="tested")) is None


def test_variables_of_the_specification_are_heeded(
    taken: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", taken.url)
    monkeypatch.setenv("OTEL_SERVICE_NAME", "theirs")
    tracer = make_tracer(TraceOptions(service="ours"))
    assert tracer is not None
    tracer.begin("request", "server", {}).end()
    tracer.close(5)
    assert [(span.service, span.name) for span in taken.spans] == [("theirs", "request")]


def test_missing_extra_is_told_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "serving.observe.otel", None)
    assert make_tracer(TraceOptions(service="tested", endpoint=NOWHERE)) is None
    assert "pip install 'animator[otel]'" in caplog.text


def test_span_is_a_part_of_who_asked_and_tells_its_own_parts(taken: Collector) -> None:
    tracer = tracer_for(taken)
    span = tracer.begin("request", "server", carried("01"), begun=time.monotonic() - 1)
    assert span.headers["tracestate"] == "of=others"
    version, trace, own, flags = span.headers["traceparent"].split("-")
    assert (version, trace, flags) == ("00", TRACE, "01")
    part = span.child("part")
    part.note({"size": 3, "device": "cpu"})
    part.end("worker_died")
    span.end()
    tracer.close(5)
    child, whole = taken.spans
    assert (whole.trace, whole.parent, whole.id, whole.kind) == (TRACE, PARENT, own, "server")
    assert (child.parent, child.is_error) == (own, True)
    assert child.said == {"size": 3, "device": "cpu", "error.type": "worker_died"}
    assert 1.0 <= (whole.ended - whole.begun) / 1e9 < 10


@pytest.mark.parametrize(
    ("flags", "share", "is_edge", "is_seen"),
    [
        ("01", None, False, True),
        ("00", None, False, False),
        ("01", 0.0, False, True),
        ("00", 1.0, False, False),
        ("01", 0.0, True, False),
        ("01", None, True, True),
        ("00", 1.0, True, False),
        ("", 0.0, False, False),
        ("", 1.0, True, True),
        ("", None, False, True),
    ],
)
def test_who_asks_decides_and_at_the_edge_its_share_too(
    flags: str, share: float | None, is_edge: bool, is_seen: bool, taken: Collector
) -> None:
    tracer = tracer_for(taken, share, is_edge=is_edge)
    span = tracer.begin("request", "server", carried(flags) if flags else {})
    assert span.is_recording == is_seen
    assert int(span.headers["traceparent"][-2:], 16) & 1 == is_seen
    assert span.child("part").is_recording == is_seen


def test_broken_traceparent_begins_a_trace_of_its_own(taken: Collector) -> None:
    span = tracer_for(taken).begin("request", "server", {"traceparent": "00-<script>-1-01"})
    assert TRACE not in span.headers["traceparent"]
    assert span.is_recording


def test_batch_links_to_all_its_items_and_each_has_its_own_wait(taken: Collector) -> None:
    tracer = tracer_for(taken)
    spans = [tracer.begin(f"request {number}", "server", {}) for number in (1, 2)]
    batch = batch_of([*spans, None])
    origin, followed = follow(batch, ("cat", "2.1"))
    assert origin.request_id == "id-0,id-1,id-2"
    assert followed is not None
    began = time.monotonic()
    followed.end(
        Answer([{}, {}, {}], 0.5, input_s=0.125, output_s=0.25, began=began, place=(7, "cuda:1"))
    )
    for span in spans:
        span.end()
    tracer.close(5)
    first, second = (next(s for s in taken.spans if s.name == f"request {n}") for n in (1, 2))
    whole, other = sorted(
        (s for s in taken.spans if s.name == "batch"), key=lambda s: -len(s.links)
    )
    assert (whole.parent, set(whole.links)) == (first.id, {first.id, second.id})
    assert (other.parent, other.links) == (second.id, (whole.id,))
    assert whole.said == {
        "serving.model.name": "cat",
        "serving.model.version": "2.1",
        "serving.batch.size": 3,
    }
    waits = {s.parent: s.ended - s.begun for s in taken.spans if s.name == "queue"}
    assert {parent: round(ns / 1e9, 3) for parent, ns in waits.items()} == {
        first.id: 2.0,
        second.id: 1.0,
    }
    laps = {
        s.name: round((s.ended - s.begun) / 1e9, 6) for s in taken.spans if s.parent == whole.id
    }
    assert laps == {"preprocess": 0.125, "model": 0.125, "postprocess": 0.25}
    (model,) = [s for s in taken.spans if s.name == "model"]
    assert model.said == {"process.pid": 7, "serving.device": "cuda:1"}


def test_batch_that_nobody_follows_has_ids_for_the_log_alone() -> None:
    origin, followed = follow(batch_of([None, None]), ("cat", "1"))
    assert (origin, followed) == (Origin("id-0,id-1", None, (NOBODY, NOBODY)), None)


def batch_of(spans: list[Span | None]) -> Batch[Item, Outcome]:
    """The first waited for 2 s, the next for 1 s."""
    began = time.monotonic()
    pendings: list[Pending[Item, Outcome]] = []
    for number, span in enumerate(spans):
        pending: Pending[Item, Outcome] = Pending(
            {}, "", began - 2 + number, began + 60, lambda _: None
        )
        pending.origin = Origin(f"id-{number}", span)
        pendings.append(pending)
    return Batch(pendings, lambda *_: None, began)


def test_who_takes_no_traces_is_told_once_and_so_is_that_he_does_again(
    taken: Collector, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.WARNING)
    taken.is_away = True
    tracer = tracer_for(taken)
    for _ in range(3):
        tracer.begin("request", "server", {}).end()
        tracer.close(5)
    assert [record.message for record in caplog.records] == [
        f"traces are lost until {taken.url} takes them: it cannot be reached, or refuses them"
    ]
    asked = len(taken.asked_at)
    taken.is_away = False
    monkeypatch.setattr("serving.observe.shipping._PAUSE_S", 0.0)
    tracer.begin("too early", "server", {}).end()
    tracer.close(5)
    assert len(taken.asked_at) == asked, "it is left alone for a while"
    leap = time.monotonic() + 60
    monkeypatch.setattr("serving.observe.shipping.time.monotonic", lambda: leap)
    tracer.begin("at last", "server", {}).end()
    tracer.close(5)
    assert [span.name for span in taken.spans] == ["at last"]
    assert caplog.records[-1].message == f"{taken.url} takes traces again"


def test_end_waits_no_longer_than_it_may(caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        tracer = make_tracer(TraceOptions(service="tested", endpoint=url, is_forking=True))
        assert tracer is not None
        tracer.begin("request", "server", {}).end()
        tracer.close(0.2)
    assert f"traces are lost until {url} takes them: no answer within 0.2 s" in caplog.text


def test_fork_blows_the_fuse_of_all() -> None:
    fuse = Fuse()
    child = os.fork()
    if not child:
        os._exit(0 if fuse.blow() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert fuse.is_blown
    assert not fuse.blow(), "no news"
    assert fuse.mend()
    assert not fuse.is_blown


NAPS = """
name = "naps"
inputs = [{name = "seconds", datatype = "FP32", shape = [1]}]
outputs = [{name = "pid", datatype = "INT64", shape = [], value = "nap.pid"}]
[[steps]]
name = "nap"
model = "fragile"
inputs = {seconds = "seconds"}
"""


async def test_steps_of_an_ensemble_are_parts_of_its_batch(
    taken: Collector, models_dir: Path, tmp_path: Path
) -> None:
    (tmp_path / "naps").mkdir()
    (tmp_path / "naps" / "ensemble.toml").write_text(NAPS)
    config = ModelConfig(device="cpu")
    engine = Engine(ServerSettings(models_dir=str(models_dir), defaults=config), ServerMetrics())
    await engine.start(lambda: load_ensembles(engine, tmp_path))
    tracer = tracer_for(taken)
    request = tracer.begin("request", "server", {})
    token = ORIGIN.set(Origin("one", request))
    try:
        await engine.infer("naps", seconds(0))
    finally:
        ORIGIN.reset(token)
        await engine.stop(grace_s=0)
    request.end()
    tracer.close(5)
    batches = {s.said["serving.model.name"]: s for s in taken.spans if s.name == "batch"}
    assert batches["fragile"].parent == batches["naps"].id
    (model,) = [span for span in taken.spans if span.name == "model"]
    assert model.parent == batches["fragile"].id
