"""Left and right changed places, as in a mirror: who waved with the right hand does with the left.

The joints of the motion keep their names and change sides, so the map changes sides as well.
"""

from dataclasses import replace

import msgspec
import numpy as np

from animator.core.motion import LimbGroup, Motion, RetargetMap

__all__ = ("mirror",)

_OTHER = {"left_": "right_", "right_": "left_"}


def mirror(motion: Motion, retarget_map: RetargetMap) -> tuple[Motion, RetargetMap]:
    """The mirror image of a motion, and how a drawn skeleton follows it.

    Seen from the side the figure then faces to the other side.
    """
    flip = np.array([-1, 1, 1], dtype=np.float32)
    flipped = replace(
        motion,
        offsets=motion.offsets * flip,
        root=motion.root * flip,
        # A mirrored rotation turns the other way, about the mirrored axis.
        rotations=motion.rotations * np.array([1, 1, -1, -1], dtype=np.float32),
    )
    return flipped, msgspec.structs.replace(
        retarget_map,
        bones={_other(bone): source for bone, source in retarget_map.bones.items()},
        groups=tuple(_mirrored(group) for group in retarget_map.groups),
        forward=tuple((left, right) for right, left in retarget_map.forward),
        path_group=None if retarget_map.path_group is None else _other(retarget_map.path_group),
        faces_left=not retarget_map.faces_left,
    )


def _mirrored(group: LimbGroup) -> LimbGroup:
    bones = tuple(_other(bone) for bone in group.bones)
    return msgspec.structs.replace(group, name=_other(group.name), bones=bones)


def _other(name: str) -> str:
    """The same on the other side: "left_hand" of "right_hand"."""
    for side, other in _OTHER.items():
        if name.startswith(side):
            return other + name.removeprefix(side)
    return name
