import subprocess
import sys
from pathlib import Path

LOOK = """
import gc, os, sys, tempfile
import cv2
import animator.jobs.tasks
from animator.launch.rehearsal import rehearse

def look():
    threads = len(os.listdir("/proc/self/task"))
    return threads, cv2.getNumThreads(), os.listdir(tempfile.gettempdir())

before = look()
missing = "PIL.WebPImagePlugin" not in sys.modules
rehearse()
print(missing, "PIL.WebPImagePlugin" in sys.modules, look() == before)
print(gc.get_freeze_count() > 50_000)
"""


def test_rehearsal_loads_what_jobs_need_for_good_and_leaves_neither_threads_nor_files(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", LOOK],
        env={"PATH": "", "TMPDIR": str(tmp_path)},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.split(), done.stderr) == (["True"] * 4, "")
