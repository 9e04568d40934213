"""The motions that come with the program: data/*.bvh, one *.toml beside each."""

from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from animator.core.errors import UnknownMotion
from animator.core.motion import Motion, MotionInfo, RetargetMap
from animator.motion.bvh import read_bvh
from animator.motion.documents import read_toml
from animator.motion.nearest import nearest

__all__ = ("list_motions", "load_motion", "puppet_map")

_DATA = Path(__file__).parent / "data"


class _Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the *.toml beside a motion says; `retarget_map` is a file in data/maps."""

    title: str
    tags: tuple[str, ...]
    loop: bool
    retarget_map: str


def list_motions() -> tuple[MotionInfo, ...]:
    """All motions, by name.

    Raises:
        InvalidMotion: when a file of the library is broken.
    """
    return tuple(_load(name)[0] for name in _names())


def load_motion(name: str) -> tuple[Motion, RetargetMap]:
    """A motion and how drawn skeletons follow it.

    Raises:
        UnknownMotion: when there is no motion of that name.
        InvalidMotion: when its files are broken.
    """
    if name not in _names():
        msg = f"there is no motion {name[:100]!r}; {nearest(name, _names())}"
        raise UnknownMotion(msg)
    return _load(name)[1:]


def puppet_map(view: Literal["front", "side"]) -> RetargetMap:
    """How drawn figures follow the puppet of `puppet.py`, seen from the front or the side."""
    return _read_map("puppet-side" if view == "side" else "puppet")


@cache
def _read_map(name: str) -> RetargetMap:
    return read_toml(_DATA / "maps" / f"{name}.toml", RetargetMap)


@cache
def _names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in _DATA.glob("*.bvh")))


@cache
def _load(name: str) -> tuple[MotionInfo, Motion, RetargetMap]:
    entry = read_toml(_DATA / f"{name}.toml", _Entry)
    motion = read_bvh((_DATA / f"{name}.bvh").read_bytes(), name=entry.title)
    info = MotionInfo(
        name=name,
        title=entry.title,
        tags=entry.tags,
        duration=len(motion.root) / motion.fps,
        fps=motion.fps,
        loop=entry.loop,
    )
    return info, motion, _read_map(entry.retarget_map)
