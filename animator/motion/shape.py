"""Which joint is which where names say nothing: found by how a body is built.

Bones never change their length, so a limb and its partner on the other side are as long as each
other, whatever pose a file calls its rest pose. The legs are the pair that parts nearest to the
root, the arms the other pair, the head is what else goes on from where the arms part. Toes and
knees point ahead; that tells left from right.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from animator.core.motion import Motion
from animator.motion.bvh_hierarchy import END
from animator.motion.kinematics import joint_paths

__all__ = ("Tree", "find_head", "find_shape")

Floats = NDArray[np.float64]

_LEAST_LIMBS = (0.2, 0.22, 0.18)
"""Of the longest way from the root to an end: fingers and toes are shorter. Bodies differ, so the
next is tried where the first finds no two pairs."""
_AS_LONG = 0.75  # of the longest, and it counts as just as long
_ALIKE = 0.2  # by how much the limbs of a pair may differ in length


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """How the joints of a motion hang together.

    Attributes:
        parents: index of each joint's parent, -1 for the root; parents before children.
        lengths: (J,) float64, metres, of the bone that ends in each joint.
        reach: (J,) float64, metres, from each joint to the farthest end below it.
        sites: the joints that are End Sites in their file.
    """

    parents: tuple[int, ...]
    lengths: Floats
    reach: Floats
    sites: frozenset[int]

    @staticmethod
    def of(motion: Motion) -> "Tree":
        """The tree of a motion's joints."""
        parents = tuple(int(parent) for parent in motion.parents)
        lengths = np.linalg.norm(motion.offsets.astype(np.float64), axis=1)
        lengths[0] = 0.0
        reach = np.zeros(len(parents))
        for joint in range(len(parents) - 1, 0, -1):
            parent = parents[joint]
            reach[parent] = max(reach[parent], lengths[joint] + reach[joint])
        sites = (i for i, name in enumerate(motion.joints) if name.endswith(END))
        return Tree(parents, lengths, reach, frozenset(sites))

    def line(self, joint: int) -> list[int]:
        """The joints from the root to this one."""
        line = [joint]
        while self.parents[line[-1]] >= 0:
            line.append(self.parents[line[-1]])
        return line[::-1]

    def parting(self, a: int, b: int) -> int:
        """The last joint that lies on the way from the root to both."""
        return [i for i, j in zip(self.line(a), self.line(b), strict=False) if i == j][-1]

    def ends(self, share: float) -> list[int]:
        """Where limbs and head end; what is a smaller share of the longest way is left out."""
        least = share * self.reach[0]
        big = [j for j in range(1, len(self.parents)) if self.lengths[j] + self.reach[j] >= least]
        return [joint for joint in big if joint not in {self.parents[j] for j in big}]

    def way(self, top: int, end: int) -> float:
        """Metres along the bones from a joint down to one below it."""
        line = self.line(end)
        return float(self.lengths[line[line.index(top) + 1 :]].sum())


def find_shape(motion: Motion) -> dict[str, int]:
    """Joints by their part, such as "left_knee"; what cannot be told is left out."""
    tree = Tree.of(motion)
    pairs = max((_pairs(tree, tree.ends(share)) for share in _LEAST_LIMBS), key=len)
    if not pairs:
        return {}
    paths = joint_paths(motion)
    legs = _limb_pair(tree, pairs[0])
    if not _is_left_first(paths, tree, legs):
        legs = legs[::-1]
    found = {"hips": tree.parting(*pairs[0])} | _named(legs, ("hip", "knee", "foot"))
    if len(pairs) > 1:
        arms = _limb_pair(tree, pairs[1])
        if _across(paths, arms, legs) < 0:
            arms = arms[::-1]
        found |= _named(arms, ("shoulder", "elbow", "hand"))
        head = find_head(tree, tree.parting(*pairs[1]), pairs[1])
        found |= {} if head is None else {"head": head}
    return found


def find_head(tree: Tree, chest: int, hands: Sequence[int]) -> int | None:
    """The last joint on the longest way on from the chest that leads to no hand."""
    arms = {joint for hand in hands for joint in tree.line(hand)}
    above = [j for j, parent in enumerate(tree.parents) if parent == chest and j not in arms]
    if not above:
        return None
    head = max(above, key=lambda joint: tree.lengths[joint] + tree.reach[joint])
    while tree.reach[head] > 0:
        below = [j for j, parent in enumerate(tree.parents) if parent == head]
        longest = max(below, key=lambda joint: tree.lengths[joint] + tree.reach[joint])
        if longest in tree.sites:
            break
        head = longest
    return head


def _pairs(tree: Tree, ends: Sequence[int]) -> list[tuple[int, int]]:
    """Ends of limbs that are alike and have no end in common, legs first, then arms."""
    alike = []
    for a, b in combinations(ends, 2):
        top = tree.parting(a, b)
        long, short = tree.way(top, a), tree.way(top, b)
        unlike = abs(long - short) / max(long, short)
        unlike += 0.1 * abs(len(tree.line(a)) - len(tree.line(b)))
        if unlike <= _ALIKE:
            alike.append((unlike, a, b))
    taken: set[int] = set()
    pairs = []
    for _, a, b in sorted(alike):
        if not taken & {a, b}:
            pairs.append((a, b))
            taken |= {a, b}

    def order(pair: tuple[int, int]) -> tuple[int, float]:
        top = tree.parting(*pair)
        return len(tree.line(top)), -tree.way(top, pair[0])

    return sorted(pairs, key=order)


def _limb_pair(tree: Tree, ends: tuple[int, int]) -> list[tuple[int, int, int]]:
    """Beginning, middle and end of both limbs of a pair, the same of both.

    The joint that has long bones on both sides is the elbow or knee; of two such the one nearer to
    the end, for a collar bone may be as long as a forearm.
    """
    top = tree.parting(*ends)
    lines = [tree.line(end)[::-1] for end in ends]
    chains = [line[: line.index(top) + 1] for line in lines]
    if min(map(len, chains)) < 3:
        return [(top, end, end) for end in ends]
    inner = range(1, min(map(len, chains)) - 1)
    bones = tree.lengths
    long = {i: sum(min(bones[c[i]], bones[c[i - 1]]) for c in chains) for i in inner}
    middle = next(i for i in inner if long[i] >= _AS_LONG * max(long.values()))
    return [(chain[middle + 1], chain[middle], chain[middle - 1]) for chain in chains]


def _named(pair: Sequence[tuple[int, int, int]], parts: tuple[str, str, str]) -> dict[str, int]:
    return {
        f"{side}_{part}": joint
        for side, limb in zip(("left", "right"), pair, strict=True)
        for part, joint in zip(parts, limb, strict=True)
    }


def _is_left_first(paths: Floats, tree: Tree, legs: list[tuple[int, int, int]]) -> bool:
    """Whether the first leg is the left one, were toes, or else knees, to point ahead.

    Where neither tell, left is +x in the first frame, as in a body that faces +z.
    """
    (hip, knee, foot), (other, _, _) = legs
    up = paths[:, hip] - paths[:, foot]
    ahead = np.cross(paths[:, hip] - paths[:, other], up)
    told = 0.0
    for _, bent, end in legs:
        toes = [j for j, parent in enumerate(tree.parents) if parent == end and tree.lengths[j]]
        for toe in toes:
            told += float(np.sum((paths[:, toe] - paths[:, end]) * ahead))
        if not toes:
            told += float(np.sum((2 * paths[:, bent] - paths[:, hip] - paths[:, end]) * ahead))
    if abs(told) < 1e-6 * float(np.sum(up**2)):
        return bool(paths[0, knee, 0] > paths[0, legs[1][1], 0])
    return told > 0


def _across(
    paths: Floats, arms: list[tuple[int, int, int]], legs: list[tuple[int, int, int]]
) -> float:
    """Positive where the first arm is on the side of the first leg."""
    lines = [paths[:, a[0]] - paths[:, b[0]] for a, b in (arms, legs)]
    if not np.any(lines[0]):  # both arms begin in the chest itself
        lines[0] = paths[:, arms[0][1]] - paths[:, arms[1][1]]
    return float(np.sum(lines[0] * lines[1]))
