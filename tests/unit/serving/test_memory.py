import asyncio
import gc
import subprocess
import sys
from pathlib import Path

import pytest

from serving.batching.pending import Pending
from serving.http.call import Call, Peers
from serving.http.head import Head
from serving.protocol.tensors import Buffer
from serving.services import Services
from serving.settings import ServerSettings

COUNT_FAULTS = """
import resource, sys
import numpy as np
from serving.workers.memory import keep_freed_memory
if sys.argv[1:]:
    keep_freed_memory(*map(int, sys.argv[1:]))
def batch():
    for _ in range(8):
        np.ones(1_000_000, np.uint8)
    [np.ones(400_000, np.uint8) for _ in range(8)]
batch()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    batch()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def page_faults(*limits: int) -> int:
    command = [sys.executable, "-c", COUNT_FAULTS, *map(str, limits)]
    return int(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the C library is glibc on Linux")
def test_memory_is_taken_from_the_system_once_and_not_for_each_batch() -> None:
    by_default = page_faults()
    assert page_faults(64 << 20, 4 << 20) * 10 < by_default
    assert page_faults(16 << 20, 1 << 20) * 10 < by_default
    # Less than a batch needs is not enough.
    assert page_faults(1 << 17, 0) * 10 > by_default


class Answers:
    """A connection that only counts the answers."""

    date = b""
    is_closing = False
    peers = Peers(None, None, is_tls=False)

    def __init__(self, expected: int) -> None:
        self._left = expected
        self.complete = asyncio.Event()

    def write(self, *pieces: Buffer) -> None:
        assert bytes(pieces[0]).startswith(b"HTTP/1.1 200 ")

    async def drained(self) -> None: ...

    def finish(self, *, reusable: bool) -> None:
        self._left -= 1
        if not self._left:
            self.complete.set()


def requests_in_memory() -> list[object]:
    # Not isinstance: it asks each for its class, and objects of torch warn when they are asked.
    return [thing for thing in gc.get_objects() if type(thing) in {Call, Pending}]


async def test_an_answered_request_is_gone_before_garbage_is_collected(models_dir: Path) -> None:
    services = Services(ServerSettings(models_dir=str(models_dir), load_models="all"))
    await services.load()
    try:
        api, answers = services.api(["inference"]), Answers(4)
        gc.collect()
        before = {id(thing) for thing in requests_in_memory()}
        gc.disable()
        for _ in range(4):
            head = Head("POST", "/predictions/echo", "", (), {}, 9, True, True)
            api(Call(head, b'{"text": 1}', answers))
        del head
        await answers.complete.wait()
        await asyncio.sleep(0)
        left = [thing for thing in requests_in_memory() if id(thing) not in before]
    finally:
        gc.enable()
        await services.engine.stop(0)
    assert left == []
