"""Which bone each pixel follows: the nearest inside the figure, from its limb's skin."""

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from animator.rigging.bones import Bones
from animator.rigging.silhouette import Silhouette

__all__ = ("share_out",)

Owners = NDArray[np.int16]

WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Rows and columns from a pixel to half of its neighbours."""


def share_out(silhouette: Silhouette, bones: Bones, hindrance: NDArray[np.float32]) -> Owners:
    """The bone of each pixel of the silhouette: (m, n) int16, an index into `bones`; -1 outside.

    Distance is walked inside the mask, so what touches nothing is far, and across ink more slowly,
    so a limb that is drawn on the body ends at its own line. It counts from the limb's skin, not
    from the bone: a thin arm beside a broad body takes its own paint only. Parts that no bone
    enters go by distance through the air.

    hindrance: (m, n) float32, >= 1, the cost of a step on each pixel.
    """
    owner = _walk(silhouette.solid, bones, hindrance)
    seeds = np.full(owner.shape, -1, np.int16)
    for bone in range(len(bones.far)):
        seeds[bones.pixels(bone, seeds.shape)] = bone
    lost = (silhouette.solid > 0) & (owner < 0)
    owner = np.where(lost, _nearest(seeds), owner)
    return np.where(silhouette.data > 0, _nearest(owner), -1).astype(np.int16)


def _nearest(seeds: Owners) -> Owners:
    """Every pixel takes the number, 0 or more, of the nearest pixel that has one."""
    _, labels = cv2.distanceTransformWithLabels(
        (seeds < 0).astype(np.uint8), cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    numbers = np.zeros(labels.max() + 1, np.int16)
    numbers[labels[seeds >= 0]] = seeds[seeds >= 0]
    return np.asarray(numbers[labels])


def _walk(solid: NDArray[np.uint8], bones: Bones, hindrance: NDArray[np.float32]) -> Owners:
    """The bone that is nearest along the pixels; -1 where none can walk to."""
    rows, columns = np.nonzero(solid)
    count = len(rows)
    number = np.full(solid.shape, -1, np.int32)
    number[rows, columns] = np.arange(count)
    starts, ends, costs = _steps(number, hindrance)
    most = bones.reach.max()
    for bone in range(len(bones.far)):
        entered = np.unique(number[bones.pixels(bone, solid.shape)])
        entered = entered[entered >= 0]
        starts.append(np.full(len(entered), count + bone, np.int32))
        ends.append(entered)
        costs.append(np.full(len(entered), most - bones.reach[bone] + 1e-3))
    size = count + len(bones.far)
    graph = csr_array(
        (np.concatenate(costs), (np.concatenate(starts), np.concatenate(ends))), shape=(size, size)
    )
    _, _, source = dijkstra(
        graph, indices=np.arange(count, size), min_only=True, return_predecessors=True
    )
    owner = np.full(solid.shape, -1, np.int16)
    owner[rows, columns] = np.maximum(source[:count] - count, -1)
    return owner


def _steps(
    number: NDArray[np.int32], hindrance: NDArray[np.float32]
) -> tuple[list[NDArray[np.int32]], list[NDArray[np.int32]], list[NDArray[np.float64]]]:
    """All steps from pixel to pixel, both ways: starts, ends and costs."""
    height, width = number.shape
    starts, ends, costs = [], [], []
    for down, right in WAYS:
        here = (slice(0, height - down), slice(max(-right, 0), width - max(right, 0)))
        there = (slice(down, height), slice(max(right, 0), width - max(-right, 0)))
        both = (number[here] >= 0) & (number[there] >= 0)
        cost = np.hypot(down, right) * (hindrance[here] + hindrance[there])[both] / 2
        starts += [number[here][both], number[there][both]]
        ends += [number[there][both], number[here][both]]
        costs += [cost.astype(np.float64)] * 2
    return starts, ends, costs
