"""Draw the little poses on the motions' cards of the web page: `python -m docs.draw_poses`.

Each is a frame of the motion itself, the one in which the puppet is farthest from just standing;
so a new motion of ours gets a card of its own. The result is web/poses.js.
"""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from animator.motion import list_motions, load_motion
from animator.motion.kinematics import joint_paths

ROOT = Path(__file__).parents[1]
SIDE, MARGIN = 64, 6
HEAD = 8  # radius of the head, as in the poses drawn by hand

LIMBS = (
    ("Hips", "Chest"),
    ("LeftHip", "LeftKnee", "LeftFoot"),
    ("RightHip", "RightKnee", "RightFoot"),
    ("Chest", "LeftElbow", "LeftHand"),
    ("Chest", "RightElbow", "RightHand"),
)

Floats = NDArray[np.float64]


def is_from_the_side(name: str) -> bool:
    """Whether a motion is seen from the side."""
    return load_motion(name)[1].groups[0].plane == "sagittal"


def places_seen(name: str) -> dict[str, Floats]:
    """Places (F, 2) of each joint of a motion as the viewer sees it, metres, y up."""
    motion, _ = load_motion(name)
    across = 2 if is_from_the_side(name) else 0
    paths = joint_paths(motion)[..., [across, 1]].astype(np.float64)
    return {joint: paths[:, i] for i, joint in enumerate(motion.joints)}


def telling_frame(seen: dict[str, Floats], standing: dict[str, Floats]) -> int:
    """The frame whose hands, feet and head are farthest from where they are when standing.

    standing: joint -> (2,) float64, metres, seen likewise.
    """
    away = [np.linalg.norm(seen[end] - place, axis=1) for end, place in standing.items()]
    return int(np.argmax(np.sum(away, axis=0)))


def stand() -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Where hands, feet and head are when standing, seen from the front and from the side."""
    ends = ("LeftHand", "RightHand", "LeftFoot", "RightFoot", "LeftKnee", "RightKnee", "Head")
    front = {end: places[0] for end, places in places_seen("breathe").items() if end in ends}
    return front, {end: place * (0, 1) for end, place in front.items()}


def path_of(points: dict[str, Floats]) -> str:
    """A path of SVG in a box of 64 x 64: the head, the trunk and the limbs.

    points: joint -> (2,) float64, metres, y up.
    """
    trunk = points["Chest"] - points["Hips"]
    head = points["Chest"] + trunk / np.linalg.norm(trunk) * 0.2
    hips = (points["LeftHip"] + points["RightHip"]) / 2
    points |= {"LeftHip": hips, "RightHip": hips}
    drawn = {joint for limb in LIMBS for joint in limb}
    cloud = np.array([points[joint] for joint in drawn] + [head + 0.14, head - 0.14])
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    scale = min(52.0, (SIDE - 2 * MARGIN) / (high - low).max())
    middle = (low + high) / 2

    def at(place: Floats) -> str:
        x, y = SIDE / 2 + scale * (place - middle) * (1, -1)
        return f"{x:.0f} {y:.0f}"

    ring = at(head + np.array([0.0, HEAD / scale]))
    limbs = ("M" + "L".join(at(points[joint]) for joint in limb) for limb in LIMBS)
    return f"M{ring}a{HEAD} {HEAD} 0 1 0 .1 0{''.join(limbs)}"


def write_poses() -> str:
    """The text of web/poses.js."""
    front, side = stand()
    lines = [
        "/** Poses of our motions; made by `python -m docs.draw_poses`, not by hand. */",
        "",
        "/** @type {Record<string, string>} a path by motion, in a box of 64 x 64 */",
        "export const POSES = {",
    ]
    for info in list_motions():
        seen = places_seen(info.name)
        frame = telling_frame(seen, side if is_from_the_side(info.name) else front)
        path = path_of({joint: places[frame] for joint, places in seen.items()})
        lines.append(f'  "{info.name}": "{path}",')
    return "\n".join([*lines, "};", ""])


def main(target: Path) -> None:
    """Write the poses into a file."""
    target.write_text(write_poses(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "web" / "poses.js")
