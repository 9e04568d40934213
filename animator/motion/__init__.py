"""Files to Motion; Motion and a drawn skeleton to PoseSequence."""

from animator.motion.bvh import read_bvh
from animator.motion.bvh_writer import write_bvh
from animator.motion.kinematics import trim
from animator.motion.library import list_motions, load_motion
from animator.motion.retarget import retarget
from animator.motion.rules import map_from_rules

__all__ = (
    "list_motions",
    "load_motion",
    "map_from_rules",
    "read_bvh",
    "retarget",
    "trim",
    "write_bvh",
)
