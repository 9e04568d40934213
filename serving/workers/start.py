"""Start: a process for a worker and the channel to it, and why it holds no model."""

from collections.abc import Callable

from serving.errors import InvalidModel, LoadOutOfMemory
from serving.workers.async_channel import AsyncChannel
from serving.workers.channel import Areas, channel_pair
from serving.workers.child import Child
from serving.workers.launch import WorkerSpec
from serving.workers.messages import LoadFailed, Message
from serving.workers.shared import SharedArea, make_areas

__all__ = ("load_failure", "start_process")


def start_process(
    spec: WorkerSpec,
    name: str,
    hear: Callable[[Message, list[memoryview]], None],
    lose: Callable[[], None],
) -> tuple[AsyncChannel, Child]:
    """Start a process, which is yet to be told what it is to load.

    Args:
        spec: what it shall hold, and how it is started.
        name: of the process, for the log.
        hear: called with all that it says.
        lose: called when it has ended.

    Raises:
        InvalidModel: when none can be started; nothing is left open.
    """
    try:
        ours, theirs = channel_pair()
        # What comes while a batch is under way would overwrite what was sent before it.
        is_alone = not (spec.load.is_continuous or spec.load.is_concurrent)
        descriptors = make_areas() if is_alone else []
        channel = AsyncChannel(ours, hear, lose, Areas(*map(SharedArea, descriptors)))
        try:
            with theirs:
                return channel, Child(spec, [theirs.fileno(), *descriptors], name)
        except BaseException:
            channel.close()
            raise
    except OSError as error:
        msg = f"no process for {spec.described} can be started: {error}"
        raise InvalidModel(msg) from error


def load_failure(spec: WorkerSpec, message: Message) -> InvalidModel:
    """The error for a process that said this instead of being ready."""
    if not isinstance(message, LoadFailed):
        return InvalidModel(f"{spec.described} cannot be loaded: {message!r}")
    kind = LoadOutOfMemory if message.is_out_of_memory else InvalidModel
    return kind(f"{spec.described} cannot be loaded: {message.message}")
