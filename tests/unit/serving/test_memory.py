import subprocess
import sys

import pytest

COUNT_FAULTS = """
import resource, sys
import numpy as np
from serving.workers.memory import keep_freed_memory
if sys.argv[1] == "kept":
    keep_freed_memory()
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


def page_faults(argument: str) -> int:
    command = [sys.executable, "-c", COUNT_FAULTS, argument]
    return int(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the C library is glibc on Linux")
def test_memory_is_taken_from_the_system_once_and_not_for_each_batch() -> None:
    assert page_faults("kept") * 10 < page_faults("returned")
