"""Repository: the models on disk."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from serving.archive.folder import open_folder
from serving.archive.manifest import MANIFEST_FILE
from serving.archive.mar_manifest import is_torchserve
from serving.archive.stored import StoredModel
from serving.errors import InvalidModel

__all__ = ("StoredModel", "find_models", "version_rank")


def find_models(
    folder: Path, is_left_out: Callable[[Path], bool] = lambda _: False
) -> Sequence[StoredModel]:
    """Find every folder of ours, one or two levels down (model, or model and version).

    Those with a manifest.json are ours, except for archives of TorchServe.

    Args:
        folder: the folder of models.
        is_left_out: whether a model's folder is passed over.

    Raises:
        InvalidModel: when the folder is missing, a manifest is not valid, or a version comes twice.
    """
    if not folder.is_dir():
        msg = f"there is no folder of models {folder}"
        raise InvalidModel(msg)
    paths = sorted([*folder.glob(f"*/{MANIFEST_FILE}"), *folder.glob(f"*/*/{MANIFEST_FILE}")])
    found: dict[tuple[str, str], StoredModel] = {}
    for path in paths:
        if is_torchserve(path.parent) or is_left_out(path.parent):
            continue
        model = open_folder(path.parent)
        key = (model.manifest.name, model.manifest.version)
        if key in found:
            msg = f"{' version '.join(key)} is both in {found[key].folder} and in {path.parent}"
            raise InvalidModel(msg)
        found[key] = model
    return tuple(found.values())


@lru_cache(maxsize=1024)
def version_rank(version: str) -> tuple[tuple[int, str], ...]:
    """Order 1.10 above 1.9: runs of digits count as numbers."""
    parts = re.findall(r"\d+|\D+", version)
    return tuple((int(part) if part.isdigit() else -1, part) for part in parts)
