"""A folder of models of one's own: what was imported and tuned, beside what ships."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from animator.core.errors import AnimatorError
from animator.settings import Settings
from animator.vision.detect import DETECTOR
from animator.vision.keypoints import POSE_ESTIMATOR
from serving.archive.manifest import check_files
from serving.archive.stored import StoredModel
from serving.errors import ServingError
from serving.registry.repository import find_models, version_rank

__all__ = (
    "BrokenModels",
    "complete",
    "find_versions",
    "home_of",
    "newcomer",
    "newest",
    "place",
    "version_after",
)


class BrokenModels(AnimatorError):
    """The folder of models, or what a model says of itself, cannot be read."""

    code = "broken_models"


def home_of(settings: Settings, out: Path | None) -> Path:
    """The folder named, or the one in the data folder."""
    return out or settings.data_dir / "models"


def find_versions(models: Path, name: str | None = None) -> Sequence[StoredModel]:
    """Every version in a folder of models, or of one model, the one that answers first.

    Raises:
        BrokenModels: when the folder is missing, or a manifest is not valid.
    """
    try:
        found = find_models(models)
    except ServingError as error:
        raise BrokenModels(error.message) from error
    mine = [one for one in found if name in (None, one.manifest.name)]
    return sorted(mine, key=lambda one: version_rank(one.manifest.version), reverse=True)


def newest(models: Path, name: str) -> StoredModel:
    """The version of a model that answers, with its files as its manifest says.

    Raises:
        BrokenModels: when there is none, or it is broken.
    """
    versions = find_versions(models, name)
    if not versions:
        msg = f"The models cannot be used: there is no {name} in {models}."
        raise BrokenModels(msg)
    try:
        check_files(versions[0].manifest, versions[0].folder)
    except ServingError as error:
        msg = f"The models cannot be used: {error.message}"
        raise BrokenModels(msg) from error
    return versions[0]


def version_after(home: Path, name: str) -> str:
    """The next whole number after the versions of a name in a folder; "1" where there is none."""
    versions = find_versions(home, name) if home.is_dir() else ()
    if not versions:
        return "1"
    first = version_rank(versions[0].manifest.version)[0][0]
    return str(max(first, 0) + 1)


def complete(home: Path, shipped: Path) -> None:
    """Copy what answers elsewhere for each of the product's models that a folder lacks.

    So that the folder can be served by itself.
    """
    for name in (DETECTOR, POSE_ESTIMATOR):
        if not find_versions(home, name) and find_versions(shipped, name):
            model = newest(shipped, name)
            with newcomer(home) as folder:
                target = folder / model.manifest.version
                shutil.copytree(model.folder, target, ignore=shutil.ignore_patterns("__pycache__"))
                place(target, home, model.manifest.name, model.manifest.version)


def place(folder: Path, home: Path, name: str, version: str) -> Path:
    """Move a whole model to where it belongs in a folder of models; returns that place.

    Raises:
        BrokenModels: when that version is there already: nothing is overwritten.
    """
    target = home / name / version
    if target.exists():
        msg = f"{target} is there already; nothing is overwritten."
        raise BrokenModels(msg)
    target.parent.mkdir(parents=True, exist_ok=True)
    return folder.rename(target)


@contextmanager
def newcomer(home: Path) -> Iterator[Path]:
    """A folder in which a model is made, on the same disk, and which no server takes for one."""
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home, prefix=".making-") as folder:
        # Servers look two folders deep for manifests; this is one deeper.
        inner = Path(folder) / "new"
        inner.mkdir()
        yield inner
