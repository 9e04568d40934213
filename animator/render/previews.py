"""Previews: many small clips of one figure, as turns of its bones; a page skins it by itself."""

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.core.errors import InvalidTrack
from animator.render.packed import (
    Kind,
    Reader,
    pack,
    pack_places,
    pack_texels,
    read_places,
    read_texels,
    unpack,
)

__all__ = ("PreviewClip", "PreviewFigure", "pack_previews", "read_previews", "skin_figure")

KIND = Kind(magic=b"ANVP", version=1, noun="file of previews")

FILE_HEAD = struct.Struct("<HH")
"""Figures, 0."""

FIGURE_HEAD = struct.Struct("<IIHHI4fHH")
"""Vertices, triangles, joints, clips, bytes of the texture; left, top, width, height of it; bytes
of the id, 0."""

CLIP_HEAD = struct.Struct("<BBBBHHf3f")
"""Bytes of the name, groups, whether it is a loop, 0; frames, the telling one; frames a second;
middle x and y, and side of the square that is seen."""

TURN = 2 * np.pi / 2048
"""Radians that one count of a turn is."""

STEP = 1 / 1024
"""World units that one count of the root's path is."""

INFLUENCES = 4
"""Bones that move a vertex, at most."""

MOST_VERTICES = 65_536
MOST_JOINTS = 255


@dataclass(frozen=True, slots=True, eq=False)
class PreviewClip:
    """One motion of a figure.

    Attributes:
        name: of the motion.
        loops: whether the last frame leads into the first.
        fps: frames a second, > 0.
        still: the frame that tells most of the motion.
        view: (3,) float64, world units: middle x and y, and side, of the square that is seen.
        root: (F, 2) float64, world units, where the root is.
        turns: (F, J) float64, radians counter-clockwise, of the bone that ends in each joint, away
            from its rest pose; the root's turns the whole figure.
        groups: (J,) uint8, the limb group of each bone.
        order: (F, G) uint8, groups from back to front.
    """

    name: str
    loops: bool
    fps: float
    still: int
    view: NDArray[np.float64]
    root: NDArray[np.float64]
    turns: NDArray[np.float64]
    groups: NDArray[np.uint8]
    order: NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class PreviewFigure:
    """A figure that can be moved by its bones, and what it can do.

    Attributes:
        id: of the figure in its annotation.
        texture: a WebP picture, straight alpha.
        frame: (4,) float64, world units: left, top, width and height of the texture.
        texels: (V, 2) float64, in [-0.5, 1.5); 0 and 1 are the texture's edges, y down. With
            `frame` they are the places of the vertices in the rest pose.
        joints: (J, 2) float64, world units, in the rest pose.
        parents: of each joint, parents before children; -1 for the root.
        bones: (V, 4) uint8, far joints of the bones that move each vertex.
        shares: (V, 4) uint8, of each of them; a row adds up to 255.
        triangles: (T, 3) int32, bone by bone.
        starts: (J + 1,) int64, where each bone's triangles begin; ends with T.
        clips: what it can do.
    """

    id: str
    texture: bytes
    frame: NDArray[np.float64]
    texels: NDArray[np.float64]
    joints: NDArray[np.float64]
    parents: tuple[int, ...]
    bones: NDArray[np.uint8]
    shares: NDArray[np.uint8]
    triangles: NDArray[np.int32]
    starts: NDArray[np.int64]
    clips: tuple[PreviewClip, ...]


def skin_figure(figure: PreviewFigure, clip: PreviewClip) -> NDArray[np.float64]:
    """Where the vertices are in each frame of a clip: (F, V, 2) float64, world units.

    Each follows the bones that move it, by their shares (linear blend skinning).
    """
    left, top, width, height = figure.frame
    rest = np.stack(
        (left + width * figure.texels[:, 0], top - height * figure.texels[:, 1]), axis=1
    )
    spin = np.exp(1j * clip.turns)
    bind = figure.joints[:, 0] + 1j * figure.joints[:, 1]
    places = np.zeros(clip.turns.shape, np.complex128)
    places[:, 0] = clip.root[:, 0] + 1j * clip.root[:, 1]
    moved = np.zeros((len(rest), len(clip.turns)), np.complex128)
    points, shares = rest[:, 0] + 1j * rest[:, 1], figure.shares / 255.0
    for joint, parent in enumerate(figure.parents):
        near = max(parent, 0)
        if parent >= 0:
            places[:, joint] = places[:, near] + spin[:, joint] * (bind[joint] - bind[near])
        share = np.where(figure.bones == joint, shares, 0.0).sum(axis=1)
        chosen = share > 0
        away = np.outer(points[chosen] - bind[near], spin[:, joint])
        away += places[:, near]
        away *= share[chosen, None]
        moved[chosen] += away
    return np.stack((moved.real.T, moved.imag.T), axis=2)


def pack_previews(figures: tuple[PreviewFigure, ...]) -> bytes:
    """Write figures and what they can do.

    Raises:
        ValueError: when a figure has more than 65,536 vertices or 255 joints.
    """
    payload = FILE_HEAD.pack(len(figures), 0) + b"".join(_pack_figure(one) for one in figures)
    return pack(KIND, payload)


def read_previews(data: bytes) -> tuple[PreviewFigure, ...]:
    """Read figures and what they can do.

    Raises:
        InvalidTrack: when the bytes are no such file, of another version, incomplete or damaged.
    """
    reader = unpack(KIND, data)
    count = int(reader.head(FILE_HEAD)[0])
    figures = tuple(_read_figure(reader) for _ in range(count))
    reader.end()
    return figures


def _pack_figure(figure: PreviewFigure) -> bytes:
    count, joints = len(figure.texels), len(figure.parents)
    if count > MOST_VERTICES or joints > MOST_JOINTS:
        msg = f"previews have {MOST_VERTICES} vertices and {MOST_JOINTS} joints, at most"
        raise ValueError(msg)
    sizes = (count, len(figure.triangles), joints, len(figure.clips), len(figure.texture))
    name = figure.id.encode()
    return b"".join(
        (
            FIGURE_HEAD.pack(*sizes, *figure.frame, len(name), 0),
            name,
            figure.texture,
            pack_texels(figure.texels),
            np.ascontiguousarray(figure.joints).astype("<f4").tobytes(),
            bytes(parent if parent >= 0 else MOST_JOINTS for parent in figure.parents),
            np.ascontiguousarray(figure.bones.T).astype(np.uint8).tobytes(),
            np.ascontiguousarray(figure.shares.T).astype(np.uint8).tobytes(),
            figure.triangles.astype("<u2").tobytes(),
            figure.starts.astype("<u4").tobytes(),
            *(_pack_clip(clip) for clip in figure.clips),
        )
    )


def _pack_clip(clip: PreviewClip) -> bytes:
    name = clip.name.encode()
    head = CLIP_HEAD.pack(
        len(name),
        clip.order.shape[1],
        clip.loops,
        0,
        len(clip.root),
        clip.still,
        clip.fps,
        *clip.view,
    )
    counted = np.hstack((np.rint(clip.root / STEP), np.rint(clip.turns / TURN)))
    places = (counted.astype(np.int64) & 65535).astype(np.uint16)
    parts = (clip.groups.astype(np.uint8).tobytes(), clip.order.astype(np.uint8).tobytes())
    return b"".join((head, name, *parts, pack_places(places)))


def _read_figure(reader: Reader) -> PreviewFigure:
    numbers = reader.head(FIGURE_HEAD)
    count, triangle_count, joints, clips, texture = (int(number) for number in numbers[:5])
    frame = np.array(numbers[5:9])
    if count > MOST_VERTICES or not 0 < joints <= MOST_JOINTS or not np.isfinite(frame).all():
        _refuse("is out of all bounds")
    id = reader.take(int(numbers[9])).decode(errors="replace")
    picture = reader.take(texture)
    texels = read_texels(reader, count)
    with np.errstate(invalid="ignore"):  # of what is no number; it is refused below
        places = reader.array("<f4", joints, 2).astype(np.float64)
    parents = tuple(p if p < MOST_JOINTS else -1 for p in reader.take(joints))
    bones, shares = (reader.array("u1", INFLUENCES, count).T.astype(np.uint8) for _ in range(2))
    triangles = reader.array("<u2", triangle_count, 3).astype(np.int32)
    starts = reader.array("<u4", joints + 1).astype(np.int64)
    sound = (
        np.isfinite(places).all()
        and all(parent < joint for joint, parent in enumerate(parents))
        and parents.count(-1) == 1
        and bones.max(initial=0) < joints
        and triangles.max(initial=-1) < count
        and (starts[0], starts[-1]) == (0, len(triangles))
        and (np.diff(starts) >= 0).all()
    )
    if not sound:
        _refuse("names vertices, triangles or joints that are not there")
    found = tuple(_read_clip(reader, joints) for _ in range(clips))
    return PreviewFigure(
        id, picture, frame, texels, places, parents, bones, shares, triangles, starts, found
    )


def _read_clip(reader: Reader, joints: int) -> PreviewClip:
    numbers = reader.head(CLIP_HEAD)
    name_bytes, group_count, loops, _, frames, still = (int(number) for number in numbers[:6])
    fps, view = float(numbers[6]), np.array(numbers[7:])
    if not (np.isfinite([fps, *view]).all() and fps > 0 and view[2] > 0 and still < frames):
        _refuse("has a clip without frames, speed or size")
    name = reader.take(name_bytes).decode(errors="replace")
    groups = reader.array("u1", joints).astype(np.uint8)
    order = reader.array("u1", frames, group_count).astype(np.uint8)
    if groups.max(initial=0) >= group_count or not _permutes(order):
        _refuse("has a clip that draws what is not there")
    counted = read_places(reader, frames, joints + 2).view(np.int16).astype(np.float64)
    root, turns = counted[:, :2] * STEP, counted[:, 2:] * TURN
    return PreviewClip(name, bool(loops), fps, still, view, root, turns, groups, order)


def _permutes(order: NDArray[np.uint8]) -> bool:
    return bool((np.sort(order, axis=1) == np.arange(order.shape[1])).all())


def _refuse(what: str) -> None:
    msg = f"A figure of this file of previews {what}."
    raise InvalidTrack(msg)
