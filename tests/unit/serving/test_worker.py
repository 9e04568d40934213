import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from serving.errors import BadInput, InferenceFailed, ServingError
from serving.handlers.handler import HandlerContext, Tensors
from serving.protocol.exchange import RawReply, RawRequest
from serving.protocol.metadata import TensorMetadata
from serving.workers import answering
from serving.workers.channel import Channel, channel_pair
from serving.workers.lifetime import ignore_stop_signals
from serving.workers.messages import (
    Answered,
    Item,
    Load,
    Loaded,
    LoadFailed,
    Outcome,
    Run,
    pack_all,
    unpack_outcomes,
)
from serving.workers.worker import serve_channel, trial_item


class Doubler:
    """Doubles numbers; a body is a number in text."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def load(self, context: HandlerContext) -> None: ...

    def decode(self, body: bytes) -> Tensors:
        if body == b"bug":
            raise KeyError("bug")
        if body == b"typed":
            raise InferenceFailed("typed")
        return {"x": np.array([float(body)])}

    def infer(self, batch: Sequence[Tensors]) -> Sequence[Tensors]:
        self.sizes.append(len(batch))
        if any(item["x"][0] == 13 for item in batch):
            raise ArithmeticError("13")
        return [{"y": item["x"] * 2} for item in batch]

    def encode(self, outputs: Tensors) -> object:
        value = float(outputs["y"][0])
        return object() if value == 1 else {"y": value}


SLOW = """
import time
import numpy as np

class Slow:
    def load(self, context): ...
    def decode(self, body):
        time.sleep(0.03)
        return {"x": np.array([float(body)])}
    def infer(self, batch):
        time.sleep(0.01)
        return list(batch)
    def encode(self, outputs):
        time.sleep(0.02)
        return 1
"""


def body(data: bytes) -> RawRequest:
    return RawRequest({"body": data})


def answer_batch(handler: Doubler, items: Sequence[Item]) -> list[Outcome]:
    def send(index: int, chunk: bytes | RawReply) -> None:
        raise AssertionError("nothing is streamed here")

    return answering.answer_batch(handler, items, send, answering.Laps())


def json_of(outcome: object) -> bytes:
    assert isinstance(outcome, RawReply)
    assert (outcome.status, outcome.content_type) == (200, "application/json")
    return outcome.body


def test_bodies_and_tensors_may_share_a_batch() -> None:
    handler = Doubler()
    outcomes = answer_batch(handler, [body(b"2"), {"x": np.array([3.0])}, body(b"4")])
    assert handler.sizes == [3]
    assert json_of(outcomes[0]) == b'{"y":4.0}'
    assert isinstance(outcomes[1], dict)
    assert outcomes[1]["y"].tolist() == [6.0]
    assert json_of(outcomes[2]) == b'{"y":8.0}'


@pytest.mark.parametrize(
    ("data", "kind", "text"),
    [
        (b"text", BadInput, "could not convert string to float"),
        (b"bug", InferenceFailed, "KeyError: 'bug'"),
        (b"typed", InferenceFailed, "typed"),
        (b"13", InferenceFailed, "ArithmeticError: 13"),
        (b"0.5", InferenceFailed, "TypeError"),
    ],
    ids=["undecodable", "decoder's bug", "typed", "infer", "encode"],
)
def test_bad_item_fails_alone(data: bytes, kind: type[ServingError], text: str) -> None:
    first, bad, last = answer_batch(Doubler(), [body(b"2"), body(data), body(b"3")])
    assert (json_of(first), json_of(last)) == (b'{"y":4.0}', b'{"y":6.0}')
    assert isinstance(bad, kind)
    assert text in str(bad)


def test_bad_body_does_not_reach_the_model() -> None:
    handler = Doubler()
    answer_batch(handler, [body(b"text")])
    assert handler.sizes == []


def test_trial_is_zeros_in_the_declared_shape() -> None:
    image = TensorMetadata(name="image", datatype="UINT8", shape=(-1, 5, 3))
    item = trial_item([image])
    assert item is not None
    assert item["image"].shape == (64, 5, 3)
    assert item["image"].dtype == np.uint8


@pytest.mark.parametrize(
    "inputs",
    [[], [TensorMetadata(name="text", datatype="BYTES", shape=(1,))]],
    ids=["undeclared", "text"],
)
def test_what_cannot_be_made_up_is_not_tried(inputs: list[TensorMetadata]) -> None:
    assert trial_item(inputs) is None


FRAGILE_INPUTS = (TensorMetadata(name="seconds", datatype="FP32", shape=(1,)),)


def talk(load: Load, *items: Item) -> tuple[int, list[object]]:
    """Everything a worker says when it is told this, run in this process."""
    ours, theirs = channel_pair()
    ours.setblocking(True)
    with ours, theirs:
        server = Channel(ours)
        server.send(load)
        if items:
            parts, buffers = pack_all(items)
            server.send(Run(1, parts), buffers)
        ours.shutdown(1)  # the server is gone after that
        code = serve_channel(Channel(theirs))
        theirs.close()
        said: list[object] = []
        for _ in range(2 if items else 1):
            message, received = server.receive()
            if isinstance(message, Answered):
                said += unpack_outcomes(message.parts, received)
            else:
                said.append(message)
        return code, said


def test_worker_loads_tries_answers_and_ends_with_its_server(models_dir: Path) -> None:
    context = HandlerContext(model_dir=str(models_dir / "fragile"))
    load = Load(handler="handler.py:Fragile", context=context, trial=FRAGILE_INPUTS)
    code, (loaded, first, second) = talk(load, body(b"0"), body(b"no number"))
    assert code == 0
    assert isinstance(loaded, Loaded)
    assert json_of(first).startswith(b'{"pid":')
    assert isinstance(second, BadInput)


def test_the_times_before_and_after_the_model_are_measured(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    load = Load(handler="slow.py:Slow", context=HandlerContext(model_dir=str(tmp_path)))
    ours, theirs = channel_pair()
    ours.setblocking(True)
    with ours, theirs:
        server = Channel(ours)
        parts, buffers = pack_all([body(b"1")])
        server.send(load)
        server.send(Run(1, parts), buffers)
        ours.shutdown(socket.SHUT_WR)
        assert serve_channel(Channel(theirs)) == 0
        server.receive()
        answered, _ = server.receive()
    assert isinstance(answered, Answered)
    assert answered.input_s >= 0.03
    assert answered.output_s >= 0.02
    assert answered.seconds - answered.input_s - answered.output_s >= 0.01


def test_result_that_cannot_be_sent_fails_alone(models_dir: Path, tmp_path: Path) -> None:
    source = (models_dir / "echo" / "handler.py").read_text()
    bad = source.replace("return list(batch)", 'return [{"z": np.array([1j])} for _ in batch]')
    (tmp_path / "handler.py").write_text(bad)
    load = Load(handler="handler.py:Echo", context=HandlerContext(model_dir=str(tmp_path)))
    _, (_, outcome) = talk(load, {"x": np.zeros(1)})
    assert isinstance(outcome, InferenceFailed)
    assert "complex128 cannot be sent" in str(outcome)


def test_model_that_fails_its_trial_is_not_loaded(models_dir: Path) -> None:
    context = HandlerContext(model_dir=str(models_dir / "fragile"))
    wrong = TensorMetadata(name="minutes", datatype="FP32", shape=(1,))
    code, (said,) = talk(Load(handler="handler.py:Fragile", context=context, trial=(wrong,)))
    assert code == 1
    assert isinstance(said, LoadFailed)
    assert said.message == "KeyError: 'seconds'"


def test_stop_signals_are_left_to_the_server() -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        ignore_stop_signals()
        assert all(signal.getsignal(number) is signal.SIG_IGN for number in before)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_worker_loads_nothing_of_the_server() -> None:
    code = "import sys, serving.workers.worker; print(*sys.modules)"
    command = [sys.executable, "-c", code]
    loaded = set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    server_only = {"asyncio", "ssl", "uvloop", "grpc", "httpcore", "prometheus_client", "yaml"}
    assert loaded & {*server_only, "torch", "onnxruntime", "cv2", "serving.engine"} == set()
