"""Lineage: what a model's weights came from, in `lineage.json` beside them."""

import hashlib
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

import animator

__all__ = (
    "SYNTHETIC",
    "Lineage",
    "SliceRecord",
    "describe_lineage",
    "generator_revision",
    "hash_file",
    "read_lineage",
    "record_scores",
    "write_lineage",
)

SYNTHETIC = "synthetic"
FILE = "lineage.json"
_ROOT = Path(__file__).parents[2]
_SOURCES = "models/training"


class SliceRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One slice of training.

    Attributes:
        revision: of the generator and the recipes.
        first_seed: of the drawings that were made up.
        end_seed: the first seed that the slice could not reach.
        data: "synthetic", or the hash of the real drawings mixed in, hexadecimal SHA-256.
        share: of real drawings, [0, 1].
        pictures: examples seen in it, >= 0.
        minutes: its length, >= 0.
    """

    revision: str
    first_seed: int
    end_seed: int
    data: str = SYNTHETIC
    share: float = 0.0
    pictures: int = 0
    minutes: float = 0.0


class Lineage(msgspec.Struct, frozen=True, kw_only=True):
    """What weights came from.

    Attributes:
        weights: SHA-256 of the weights that this tells of, hexadecimal.
        revision: of the sources that exported them.
        data: each data set used, "synthetic", the name of a font or a hash, in the order of first
            use.
        seeds: first seed, and the first that no slice could reach.
        pictures: examples seen in all slices, >= 0.
        minutes: spent training in all slices, >= 0.
        slices: oldest first; those before the first record are in the sums only.
        scores: by name, [0, 1]; empty until the weights were evaluated.
        scored_on: what they were evaluated on, "synthetic" or a hash.
        base: the version whose weights the training began with; None: it began anew.
        base_scores: of the version that answered before, on the same drawings.
    """

    weights: str
    revision: str
    data: tuple[str, ...] = (SYNTHETIC,)
    seeds: tuple[int, int]
    pictures: int
    minutes: float
    slices: tuple[SliceRecord, ...] = ()
    scores: dict[str, float] = {}
    scored_on: str | None = None
    base: str | None = None
    base_scores: dict[str, float] = {}


def generator_revision() -> str:
    """What `git describe` says, with "+" when the sources differ; without git the version."""
    if not (_ROOT / ".git").exists():
        return animator.__version__
    try:
        name = _git("describe", "--always", "--tags")
        changed = _git("status", "--porcelain", "--", _SOURCES)
    except (OSError, subprocess.SubprocessError):
        return animator.__version__
    return f"{name}+" if changed else name


def hash_file(file: Path) -> str:
    """SHA-256 of a file, hexadecimal."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_lineage(folder: Path) -> Lineage | None:
    """The lineage in a model's folder; None when there is none.

    Raises:
        ValueError: when the file is no lineage.
    """
    file = folder / FILE
    if not file.is_file():
        return None
    try:
        return msgspec.json.decode(file.read_bytes(), type=Lineage)
    except msgspec.DecodeError as error:
        msg = f"{file}: {error}"
        raise ValueError(msg) from error


def write_lineage(folder: Path, lineage: Lineage) -> None:
    """Put a lineage into a model's folder."""
    data = msgspec.json.format(msgspec.json.encode(lineage), indent=2)
    (folder / FILE).write_bytes(data + b"\n")


def record_scores(
    folder: Path,
    scores: Mapping[str, float],
    scored_on: str,
    base_scores: Mapping[str, float] | None = None,
) -> None:
    """Add scores to the lineage in a folder; without a lineage nothing happens.

    Args:
        folder: of the model.
        scores: by name, [0, 1].
        scored_on: "synthetic", or the hash of the drawings.
        base_scores: of the version that answered before; None: those recorded stay.
    """
    lineage = read_lineage(folder)
    if lineage is None:
        return
    before = lineage.base_scores if base_scores is None else _rounded(base_scores)
    lineage = msgspec.structs.replace(lineage, scores=_rounded(scores), scored_on=scored_on)
    write_lineage(folder, msgspec.structs.replace(lineage, base_scores=before))


def describe_lineage(lineage: Lineage) -> Sequence[tuple[str, str]]:
    """Names and values, for people."""
    scores = _score_words(lineage.scores)
    lines = [
        ("trained on", ", ".join(lineage.data)),
        ("pictures", f"{lineage.pictures} in {lineage.minutes:.0f} minutes"),
        ("seeds", f"{lineage.seeds[0]} up to {lineage.seeds[1]}"),
        ("revision", lineage.revision),
        ("scores", f"{scores} (on {lineage.scored_on})" if scores else "not recorded"),
    ]
    if lineage.base is not None:
        lines.insert(0, ("tuned from", lineage.base))
    if lineage.base_scores:
        lines.append(("before it", _score_words(lineage.base_scores)))
    for place, part in enumerate(lineage.slices, 1):
        real = "" if part.data == SYNTHETIC else f", {part.share:.0%} of {part.data[:12]}"
        text = f"{part.pictures} pictures in {part.minutes:.0f} minutes, {part.revision}{real}"
        lines.append((f"slice {place}", text))
    return lines


def _rounded(scores: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in scores.items()}


def _score_words(scores: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in scores.items())


def _git(*words: str) -> str:
    answer = subprocess.run(
        ("git", "-C", str(_ROOT), *words), capture_output=True, text=True, timeout=10, check=True
    )
    return answer.stdout.strip()
