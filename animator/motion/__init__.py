"""Files to Motion; Motion and a drawn skeleton to PoseSequence."""

from animator.motion.bvh import DEFAULT_LIMITS, read_bvh
from animator.motion.bvh_writer import write_bvh
from animator.motion.clip_files import ClipFacts, inspect_clip, read_clip, read_keyframes, read_map
from animator.motion.draw_order import order_limbs
from animator.motion.follow import follow
from animator.motion.kinematics import trim
from animator.motion.library import list_motions, load_motion
from animator.motion.mapping import MapFile
from animator.motion.performance import LONGEST, Performance, perform, prepare
from animator.motion.retarget import retarget
from animator.motion.rules import map_from_rules

__all__ = (
    "DEFAULT_LIMITS",
    "LONGEST",
    "ClipFacts",
    "MapFile",
    "Performance",
    "follow",
    "inspect_clip",
    "list_motions",
    "load_motion",
    "map_from_rules",
    "order_limbs",
    "perform",
    "prepare",
    "read_bvh",
    "read_clip",
    "read_keyframes",
    "read_map",
    "retarget",
    "trim",
    "write_bvh",
)
