"""A template's skeleton laid into a figure."""

import numpy as np

from animator.core.mask import Mask
from animator.core.rigging import lay_out
from animator.core.skeleton import Skeleton

__all__ = ("fit_template",)


def fit_template(name: str, mask: Mask) -> Skeleton:
    """The template of that name, stretched over the mask's box; `build_rig` moves joints onto it.

    A mask without paint gives a skeleton in its box; `build_rig` refuses it.
    """
    rows, columns = (np.flatnonzero(mask.data.any(axis=axis)) for axis in (1, 0))
    if len(rows) == 0:
        return lay_out(name, (0.0, 0.0, float(mask.data.shape[1]), float(mask.data.shape[0])))
    box = (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)
    return lay_out(name, (float(box[0]), float(box[1]), float(box[2]), float(box[3])))
