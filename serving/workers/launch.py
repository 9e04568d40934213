"""How a worker's process is started: by which interpreter, where, and what it is told."""

import fnmatch
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

import serving
from serving.workers.messages import Load

__all__ = ("WorkerSpec", "import_path", "spawn")

# OpenMP's threads spin while they wait for one another: where others use the cores too, Mask R-CNN
# on two threads then took 8 to 14 s a picture instead of 0.6 to 1.3 s.
_PATIENCE = {"OMP_WAIT_POLICY": "PASSIVE"}

# Huge pages for torch's arrays, where the system gives them to who asks: a network of 64 MB took
# 13 to 16 % less processor time, Mask R-CNN on a batch of 8 5 %.
_HUGE_PAGES = {"THP_MEM_ALLOC_ENABLE": "1"}
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

_BOOT = """\
import os, sys
sys.path += [entry for entry in sys.argv.pop(1).split(os.pathsep) if entry not in sys.path]
from serving.workers.worker import main
sys.exit(main(sys.argv[1:]))
"""


class WorkerSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker holds, and how it is started.

    Attributes:
        load: the model.
        python: interpreter; None: the server's. Its own packages come before the server's.
        is_at_home: whether the model's folder is its working directory and first on its path.
        environment_allow: patterns of the variables that it gets; None: all.
        environment_deny: regular expression of whole names that it does not get; "": none.
        memory_limit: resident bytes; above it the worker is ended; None: no limit.
        cores: those that it stays on (Linux); empty: any.
    """

    load: Load
    python: str | None = None
    is_at_home: bool = False
    environment_allow: tuple[str, ...] | None = None
    environment_deny: str = ""
    memory_limit: int | None = None
    cores: tuple[int, ...] = ()

    @property
    def model(self) -> str:
        """Its name and version."""
        return f"{self.load.context.model_name} {self.load.context.model_version}"

    @property
    def described(self) -> str:
        """The model, and what its author wrote: not what runs it for them."""
        options = self.load.context.options
        written = options.get("handler") or options.get("model")
        return f"{self.model} ({written or self.load.handler})"

    def on_gpu(self, index: int) -> "WorkerSpec":
        """The same on another GPU."""
        context = msgspec.structs.replace(self.load.context, device=f"cuda:{index}", gpu_id=index)
        return msgspec.structs.replace(
            self, load=msgspec.structs.replace(self.load, context=context)
        )


def spawn(spec: WorkerSpec, descriptors: Sequence[int], output: int) -> subprocess.Popen[bytes]:
    """Start the process; the model is yet to be told.

    Args:
        spec: what it shall hold.
        descriptors: of its end of the channel, and of the shared memory, if there is any, for what
            it gets and what it gives.
        output: descriptor of what it prints into.

    Raises:
        OSError: when it cannot be started.
    """
    if spec.cores and hasattr(os, "sched_setaffinity"):
        return _spawn_on(spec, descriptors, output)
    return _spawn(spec, descriptors, output)


def _spawn_on(spec: WorkerSpec, descriptors: Sequence[int], output: int) -> subprocess.Popen[bytes]:
    """Start it on its cores from the first: a child has those of the thread that starts it."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, spec.cores)
    try:
        return _spawn(spec, descriptors, output)
    finally:
        os.sched_setaffinity(0, before)


def _spawn(spec: WorkerSpec, descriptors: Sequence[int], output: int) -> subprocess.Popen[bytes]:
    # A fresh interpreter instead of a fork: the server's threads and event loop stay out of it.
    folder = spec.load.context.model_dir
    return subprocess.Popen(
        [*_command(spec), str(os.getpid()), *map(str, descriptors)],
        env=_environment(spec),
        cwd=folder if spec.is_at_home else None,
        pass_fds=descriptors,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
    )


def _command(spec: WorkerSpec) -> list[str]:
    if spec.python is None:
        return [sys.executable, "-P", "-m", "serving.workers.worker"]
    return [spec.python, "-P", "-c", _BOOT, import_path()]


def _environment(spec: WorkerSpec) -> Mapping[str, str]:
    """What the server lets through, with its import path and the libraries' thread counts."""
    passed = {name: value for name, value in os.environ.items() if _is_passed(spec, name)}
    home = [spec.load.context.model_dir] if spec.is_at_home else []
    # An interpreter with packages of its own must find those before the server's.
    ours = [str(Path(serving.__file__).parents[1])] if spec.python else [import_path()]
    path = {"PYTHONPATH": os.pathsep.join(home + ours), "PYTHONUNBUFFERED": "1"}
    threads = dict.fromkeys(_THREADS, str(spec.load.context.threads))
    return _PATIENCE | _HUGE_PAGES | passed | path | threads


def _is_passed(spec: WorkerSpec, name: str) -> bool:
    if spec.environment_deny and re.fullmatch(spec.environment_deny, name):
        return False
    allow = spec.environment_allow
    return allow is None or any(fnmatch.fnmatchcase(name, pattern) for pattern in allow)


def import_path() -> str:
    """Where this process imports from, for PYTHONPATH."""
    return os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
