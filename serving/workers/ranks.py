"""Ranks: processes that hold one model together, as torchrun's do; the worker is the first.

Each learns its place from the variables of `torch.distributed` (RANK, WORLD_SIZE, MASTER_ADDR …),
and is a worker like any other, except that nobody reads what it answers: the first one answers.
"""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence

from msgspec import structs

from serving.protocol.tensors import Buffer
from serving.workers.channel import Channel, ChannelClosed, channel_pair
from serving.workers.launch import import_path
from serving.workers.messages import Load, Loaded, LoadFailed, Message, Run

__all__ = ("Ranks", "join_ranks")

_HERE = "127.0.0.1"
_COMMAND = (sys.executable, "-P", "-m", "serving.workers.worker")


class Ranks:
    """The other processes, as the first one sees them.

    Args:
        channels: to each of them.
        takes_batches: whether each gets every batch; else the first alone does.
    """

    def __init__(self, channels: Sequence[Channel], *, takes_batches: bool) -> None:
        self._channels = channels
        self._takes_batches = takes_batches
        self._loaded = threading.Semaphore(0)
        for rank, channel in enumerate(channels, start=1):
            threading.Thread(target=self._watch, args=(rank, channel), daemon=True).start()

    def wait(self) -> None:
        """Wait until each of them has loaded the model too."""
        for _ in self._channels:
            self._loaded.acquire()

    def tell(self, message: Message, buffers: Sequence[Buffer]) -> None:
        """Hand a batch on to them.

        Raises:
            ChannelClosed: when one is gone.
        """
        if self._takes_batches and isinstance(message, Run):
            for channel in self._channels:
                channel.send(message, buffers)

    def _watch(self, rank: int, channel: Channel) -> None:
        """Pass over what a rank answers, and end this process when it ends."""
        why = "it ended"
        try:
            while not isinstance(message := channel.receive()[0], LoadFailed):
                if isinstance(message, Loaded):
                    self._loaded.release()
            why = message.message
        except ChannelClosed:
            pass
        # Past all that this process waits for: without that rank it would wait for ever.
        sys.stderr.write(f"ERROR process {rank} of the worker is gone: {why}\n")
        sys.stderr.flush()
        os._exit(1)


def join_ranks(load: Load) -> tuple[Load, Ranks]:
    """Make this process the first rank, and start the others; they load while this one does.

    What one process cannot do without the others ends them all: when one ends, so does this one.

    Returns:
        What this process shall load, and the others.

    Raises:
        OSError: when one cannot be started.
    """
    place = _gpus(load) | _rendezvous(load.processes)
    channels = [_start(rank, load, place) for rank in range(1, load.processes)]
    os.environ.update(place | _place_of(0))
    return _load_of(0, load), Ranks(channels, takes_batches=load.takes_batches)


def _start(rank: int, load: Load, place: Mapping[str, str]) -> Channel:
    ours, theirs = channel_pair()
    ours.setblocking(True)
    with theirs:
        subprocess.Popen(
            [*_COMMAND, str(os.getpid()), str(theirs.fileno())],
            env={**os.environ, **place, **_place_of(rank), "PYTHONPATH": import_path()},
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
        )
    channel = Channel(ours)
    channel.send(_load_of(rank, load))
    return channel


def _place_of(rank: int) -> dict[str, str]:
    return {"RANK": str(rank), "LOCAL_RANK": str(rank)}


def _load_of(rank: int, load: Load) -> Load:
    """What one rank loads: the model on a GPU of its own, or on the CPU."""
    context = load.context
    if context.gpu_id is not None:
        context = structs.replace(context, device=f"cuda:{rank}", gpu_id=rank)
    return structs.replace(load, context=context, processes=1)


def _gpus(load: Load) -> dict[str, str]:
    """Let the ranks see their GPUs alone, so that the number of each is its rank."""
    first = load.context.gpu_id
    if first is None:
        return {}
    seen = [name for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if name]
    chosen = range(first, first + load.processes)
    names = [seen[index] if index < len(seen) else str(index) for index in chosen]
    return {"CUDA_VISIBLE_DEVICES": ",".join(names)}


def _rendezvous(processes: int) -> dict[str, str]:
    """Where the ranks meet: the first one listens there, once the handler asks for it."""
    with socket.socket() as probe:
        probe.bind((_HERE, 0))
        port = probe.getsockname()[1]
    size = str(processes)
    return {
        "MASTER_ADDR": _HERE,
        "MASTER_PORT": str(port),
        "WORLD_SIZE": size,
        "LOCAL_WORLD_SIZE": size,
        "GROUP_RANK": "0",
    }
