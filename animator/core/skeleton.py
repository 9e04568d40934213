"""Skeleton: the tree of joints that the user drags and the rig obeys."""

import math

import msgspec

from animator.core.errors import InvalidSkeleton

__all__ = ("BIPED_PARENTS", "Joint", "Skeleton")

BIPED_PARENTS: dict[str, str | None] = {
    "root": None,
    "hip": "root",
    "torso": "hip",
    "neck": "torso",
    "right_shoulder": "torso",
    "right_elbow": "right_shoulder",
    "right_hand": "right_elbow",
    "left_shoulder": "torso",
    "left_elbow": "left_shoulder",
    "left_hand": "left_elbow",
    "right_hip": "root",
    "right_knee": "right_hip",
    "right_foot": "right_knee",
    "left_hip": "root",
    "left_knee": "left_hip",
    "left_foot": "left_knee",
}
"""The two-armed biped of AnimatedDrawings: 16 joints, parents before children."""


class Joint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A node of the skeleton.

    Attributes:
        name: unique in its skeleton.
        parent: name of the joint it hangs on; None for the root only.
        x: pixels, figure space.
        y: pixels, figure space, downwards.
        score: the model's confidence in [0, 1]; 1 where a person placed it.
    """

    name: str
    parent: str | None
    x: float
    y: float
    score: float = 1.0


class Skeleton(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tree of joints in the rest pose: parents come before their children.

    Attributes:
        joints: at least one; the first is the root.

    Raises:
        InvalidSkeleton: when the joints form no such tree.
    """

    joints: tuple[Joint, ...]

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for i, joint in enumerate(self.joints):
            if (joint.parent is None) != (i == 0) or (i > 0 and joint.parent not in seen):
                msg = f"joint {joint.name!r} has parent {joint.parent!r}, which must come before it"
                raise InvalidSkeleton(msg)
            if joint.name in seen:
                msg = f"joint {joint.name!r} is named twice"
                raise InvalidSkeleton(msg)
            if not (math.isfinite(joint.x) and math.isfinite(joint.y)):
                msg = f"joint {joint.name!r} has no finite position"
                raise InvalidSkeleton(msg)
            seen.add(joint.name)
        if not self.joints:
            msg = "a skeleton needs at least one joint"
            raise InvalidSkeleton(msg)

    def index(self, name: str) -> int:
        """Place of a joint in the order of the skeleton.

        Raises:
            InvalidSkeleton: when there is no joint of that name.
        """
        for i, joint in enumerate(self.joints):
            if joint.name == name:
                return i
        msg = f"the skeleton has no joint {name!r}"
        raise InvalidSkeleton(msg)

    @property
    def parents(self) -> tuple[int, ...]:
        """Index of each joint's parent in skeleton order; -1 for the root."""
        places = {joint.name: i for i, joint in enumerate(self.joints)}
        return tuple(-1 if j.parent is None else places[j.parent] for j in self.joints)
