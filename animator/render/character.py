"""Figures as AnimatedDrawings keeps them: `char_cfg.yaml`, `mask.png`, `texture.png`."""

from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import yaml

from animator.core.moved_figure import MovedFigure
from animator.core.stage import Stage
from animator.render.zipped import add_file, add_picture

__all__ = ("characters_of",)

OPAQUE = 255
"""AnimatedDrawings cuts a figure out by its mask; its texture is the paper as it was."""


def characters_of(stage: Stage) -> bytes:
    """A zip with the files of a figure, or with a folder a figure (`figure-1`) when several are."""
    data = BytesIO()
    with ZipFile(data, "w") as folder:
        for number, one in enumerate(stage.moved, start=1):
            _add(folder, f"figure-{number}/" if len(stage.moved) > 1 else "", one)
    return data.getvalue()


def _add(folder: ZipFile, prefix: str, one: MovedFigure) -> None:
    image, mask = one.figure.image, one.mask.data
    config = yaml.safe_dump(_config(one), sort_keys=True).encode()
    add_file(folder, f"{prefix}char_cfg.yaml", config, ZIP_DEFLATED)
    add_picture(folder, f"{prefix}mask.png", mask.astype(np.uint8) * np.uint8(255))
    opaque = np.full((*image.shape[:2], 1), OPAQUE, np.uint8)
    add_picture(folder, f"{prefix}texture.png", np.dstack((image, opaque)))


def _config(one: MovedFigure) -> dict[str, object]:
    """Size and joints, in whole pixels inside the picture, which AnimatedDrawings demands."""
    height, width = one.mask.data.shape
    joints = [
        {
            "loc": [
                min(max(round(joint.x), 0), width - 1),
                min(max(round(joint.y), 0), height - 1),
            ],
            "name": joint.name,
            "parent": joint.parent,
        }
        for joint in one.rig.skeleton.joints
    ]
    return {"height": height, "width": width, "skeleton": joints}
