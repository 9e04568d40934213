"""Journal: trials that are done, kept in a file as soon as they are."""

from pathlib import Path

import msgspec

from serving.bench.measured import Trial
from serving.bench.setting import Setting
from serving.errors import BadInput

__all__ = ("Journal",)


class Journal:
    """Trials that are done, one a line of a file; what breaks off leaves the rest.

    Args:
        path: of the file.
        about: what is measured; its first line.
        is_resumed: whether the trials in it count as done; else they are forgotten.

    Raises:
        BadInput: when trials of something else would be resumed.
    """

    def __init__(self, path: Path, about: str, *, is_resumed: bool) -> None:
        self._path = path
        self._done: dict[tuple[Setting, float], Trial] = {}
        if is_resumed and path.exists():
            self._read(about)
        else:
            path.write_bytes(msgspec.json.encode(about) + b"\n")

    def find(self, setting: Setting, seconds: float) -> Trial | None:
        """A trial of that setting and length."""
        return self._done.get((setting, seconds))

    def add(self, trial: Trial) -> None:
        """Keep a trial."""
        self._done[(trial.setting, trial.seconds)] = trial
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(trial) + b"\n")

    @property
    def trials(self) -> list[Trial]:
        """All that are kept."""
        return list(self._done.values())

    def _read(self, about: str) -> None:
        whole, end, _ = self._path.read_bytes().rpartition(b"\n")
        # What was being written when it broke off is no line, and is cut away.
        self._path.write_bytes(whole + end)
        first, *lines = whole.splitlines() or [b'""']
        try:
            is_same = msgspec.json.decode(first) == about
            trials = [msgspec.json.decode(line, type=Trial) for line in lines if is_same]
        except msgspec.DecodeError as error:
            msg = f"{self._path} cannot be read: {error}; leave --resume away"
            raise BadInput(msg) from error
        if not is_same:
            msg = f"{self._path} holds trials of something else; leave --resume away, or choose "
            msg += "another folder by --output"
            raise BadInput(msg)
        # What could not be tried then may be now.
        self._done = {(t.setting, t.seconds): t for t in trials if not t.problem}
