"""Makes the BVH files of our own motions: `python -m animator.motion.author`.

Every data/keyframes/*.toml becomes data/<the same name>.bvh.
"""

from collections.abc import Iterator
from pathlib import Path

from animator.motion.bvh_writer import write_bvh
from animator.motion.documents import read_toml
from animator.motion.keyframes import Keyframes
from animator.motion.puppet import move_puppet

__all__ = ("author",)

_DATA = Path(__file__).parent / "data"


def author(folder: Path = _DATA) -> Iterator[tuple[str, str]]:
    """Name of each BVH file, and the text that its keyframes make.

    Raises:
        InvalidMotion: when a file of keyframes goes wrong.
    """
    for path in sorted((folder / "keyframes").glob("*.toml")):
        yield f"{path.stem}.bvh", write_bvh(move_puppet(path.stem, read_toml(path, Keyframes)))


def main(folder: Path = _DATA) -> None:
    """Write all BVH files."""
    for name, text in author(folder):
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
