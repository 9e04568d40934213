"""How formats tell time: frames that would show too briefly are left out."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, takewhile

__all__ = ("Pace",)


@dataclass(frozen=True, slots=True)
class Pace:
    """How a format tells when frames begin.

    Attributes:
        ticks: a second.
        shortest: least time that a frame shows, ticks: browsers slow down what is shorter.
    """

    ticks: int
    shortest: int

    def at(self, frame: int, fps: float) -> int:
        """When a frame begins, ticks; fps: frames a second, > 0."""
        return round(self.ticks * frame / fps)

    def kept(self, fps: float, every: int = 1) -> Iterator[int]:
        """The frames that are shown, without end.

        fps: frames a second, > 0.
        every: of so many frames one is looked at, > 0.
        """
        last = -self.shortest
        for frame in count(0, every):
            now = self.at(frame, fps)
            if now - last >= self.shortest:
                yield frame
                last = now

    def shown(self, frames: int, fps: float, every: int = 1) -> list[int]:
        """The frames that are shown of a clip of so many; see `kept`."""
        return list(takewhile(lambda frame: frame < frames, self.kept(fps, every)))
