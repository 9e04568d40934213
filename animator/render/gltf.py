"""glTF 2.0 (Khronos, ISO/IEC 12113) in one binary file: skinned meshes and the clip.

World units; x to the right, y up, z towards the viewer. The skin follows the bones; it does not
keep the paint as stiff as our own frames do.
"""

import struct
from io import BytesIO
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image

import animator
from animator.core.moved_figure import MovedFigure
from animator.core.scene import Placement
from animator.core.stage import Stage
from animator.render.skin import Bones, bones_of, weights_of

__all__ = ("gltf_of",)

Json = dict[str, Any]

FIGURE_STEP = 0.25
"""Distance from a figure to the next in front of it, scene units."""

COMPONENT = {"<f4": 5126, "<u2": 5123, "<u4": 5125}
SHAPE = {(): "SCALAR", (2,): "VEC2", (3,): "VEC3", (4,): "VEC4", (4, 4): "MAT4"}
VERTICES, INDICES = 34962, 34963


def gltf_of(stage: Stage) -> bytes:
    """A `.glb` with all figures, back to front, and one animation named `clip`."""
    document = _Document()
    placements = stage.scene.placements
    for number, (one, place) in enumerate(zip(stage.played(), placements, strict=True)):
        _add_figure(document, one, place, number)
    return document.pack()


class _Document:
    """The JSON and the bytes of the file, as they grow."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        names = ("accessors", "bufferViews", "images", "materials", "meshes", "nodes", "skins")
        self._lists: dict[str, list[Json]] = {name: [] for name in (*names, "textures")}
        self.roots: list[int] = []
        self.samplers: list[Json] = []
        self.channels: list[Json] = []

    def add(self, kind: str, item: Json) -> int:
        """Put an item into a list of the JSON; its index."""
        self._lists[kind].append(item)
        return len(self._lists[kind]) - 1

    def hang(self, node: int, children: list[int]) -> None:
        """Let nodes follow a node."""
        self._lists["nodes"][node]["children"] = children

    def view(self, data: bytes, target: int | None = None) -> int:
        """Put bytes into the file; the index of their view."""
        self._bytes += b"\0" * (-len(self._bytes) % 4)
        view: Json = {"buffer": 0, "byteOffset": len(self._bytes), "byteLength": len(data)}
        self._bytes += data
        return self.add("bufferViews", view if target is None else {**view, "target": target})

    def array(
        self, values: NDArray[Any], kind: str, target: int | None = None, *, bounded: bool = False
    ) -> int:
        """Put an array into the file, as a dtype of `COMPONENT`; the index of its accessor."""
        packed = np.ascontiguousarray(values, kind)
        accessor: Json = {
            "bufferView": self.view(packed.tobytes(), target),
            "componentType": COMPONENT[kind],
            "count": len(packed),
            "type": SHAPE[packed.shape[1:]],
        }
        if bounded:
            flat = packed.reshape(len(packed), -1)
            accessor |= {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
        return self.add("accessors", accessor)

    def move(self, node: int, path: str, times: int, values: NDArray[Any]) -> None:
        """Let a node's translation or rotation follow values (F, n) at the times."""
        output = self.array(values, "<f4")
        self.channels.append(
            {"sampler": len(self.samplers), "target": {"node": node, "path": path}}
        )
        self.samplers.append({"input": times, "output": output, "interpolation": "LINEAR"})

    def pack(self) -> bytes:
        """The whole file."""
        text = msgspec.json.encode(self._json())
        text += b" " * (-len(text) % 4)
        data = bytes(self._bytes) + b"\0" * (-len(self._bytes) % 4)
        chunks = struct.pack("<I4s", len(text), b"JSON") + text
        chunks += struct.pack("<I4s", len(data), b"BIN\0") + data
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks

    def _json(self) -> Json:
        clip = {"name": "clip", "samplers": self.samplers, "channels": self.channels}
        return {
            "asset": {"version": "2.0", "generator": f"Animator {animator.__version__}"},
            "extensionsUsed": ["KHR_materials_unlit"],
            "scene": 0,
            "scenes": [{"nodes": self.roots}],
            "animations": [clip],
            "buffers": [{"byteLength": len(self._bytes)}],
            "samplers": [{"wrapS": 33071, "wrapT": 33071}],
            **self._lists,
        }


def _add_figure(document: _Document, one: MovedFigure, place: Placement, number: int) -> None:
    bones = bones_of(one)
    nodes = [_add_bone(document, one, bones, joint) for joint in range(len(bones.parents))]
    for joint, node in enumerate(nodes):
        children = [nodes[child] for child, up in enumerate(bones.parents) if up == joint]
        if children:
            document.hang(node, children)
    holder = {
        "name": f"figure-{number + 1}",
        "translation": [place.x, place.y, number * FIGURE_STEP],
        "scale": [place.scale] * 3,
        "children": [nodes[0]],
    }
    document.roots.append(document.add("nodes", holder))
    binds = np.tile(np.eye(4, dtype=np.float32), (len(nodes), 1, 1))
    binds[:, 3, :2] = -bones.origins
    skin = {
        "joints": nodes,
        "skeleton": nodes[0],
        "inverseBindMatrices": document.array(binds, "<f4"),
    }
    mesh = {
        "name": f"skin-{number + 1}",
        "mesh": _add_mesh(document, one),
        "skin": document.add("skins", skin),
    }
    document.roots.append(document.add("nodes", mesh))
    _add_clip(document, nodes, bones, one.track.fps)


def _add_bone(document: _Document, one: MovedFigure, bones: Bones, joint: int) -> int:
    """A bone as it is in the first frame."""
    bone = {
        "name": one.rig.skeleton.joints[joint].name,
        "translation": bones.moves[0, joint].tolist(),
        "rotation": _quaternions(bones.turns[:1, joint])[0].tolist(),
    }
    return document.add("nodes", bone)


def _add_clip(document: _Document, nodes: list[int], bones: Bones, fps: float) -> None:
    """Keys at the beginning of each frame, and at the end of the last, so that it shows, too."""
    times = document.array(np.arange(len(bones.turns) + 1) / fps, "<f4", bounded=True)
    for joint, node in enumerate(nodes):
        document.move(node, "translation", times, _held(bones.moves[:, joint]))
        document.move(node, "rotation", times, _held(_quaternions(bones.turns[:, joint])))


def _held(values: NDArray[Any]) -> NDArray[Any]:
    """Values (F, n) with the last once more: (F + 1, n)."""
    return np.concatenate((values, values[-1:]))


def _add_mesh(document: _Document, one: MovedFigure) -> int:
    rig, weights = one.rig, weights_of(one.rig)
    flat = np.zeros((len(rig.mesh.vertices), 1), np.float32)
    height, width = rig.texture.shape[:2]
    texels = rig.texture_places().astype(np.float32) / np.array([width, height], np.float32)
    attributes = {
        "POSITION": document.array(
            np.hstack((rig.mesh.vertices, flat)), "<f4", VERTICES, bounded=True
        ),
        "TEXCOORD_0": document.array(texels, "<f4", VERTICES),
        "JOINTS_0": document.array(weights.bones, "<u2", VERTICES),
        "WEIGHTS_0": document.array(weights.shares, "<f4", VERTICES),
    }
    primitive = {
        "attributes": attributes,
        "indices": document.array(rig.mesh.triangles.ravel(), "<u4", INDICES),
        "material": _add_material(document, rig.texture),
    }
    return document.add("meshes", {"primitives": [primitive]})


def _add_material(document: _Document, texture: NDArray[np.uint8]) -> int:
    """Paint without light; it is cut at half its alpha, since blended limbs would need sorting."""
    picture = BytesIO()
    Image.fromarray(texture).save(picture, "PNG")
    view = document.view(picture.getvalue())
    image = document.add("images", {"bufferView": view, "mimeType": "image/png"})
    painted = document.add("textures", {"source": image, "sampler": 0})
    surface = {"baseColorTexture": {"index": painted}, "metallicFactor": 0, "roughnessFactor": 1}
    material = {
        "pbrMetallicRoughness": surface,
        "alphaMode": "MASK",
        "alphaCutoff": 0.5,
        "doubleSided": True,
        "extensions": {"KHR_materials_unlit": {}},
    }
    return document.add("materials", material)


def _quaternions(turns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turns about z, (F,) radians, as (F, 4) quaternions xyzw."""
    zero = np.zeros_like(turns)
    return np.stack((zero, zero, np.sin(turns / 2), np.cos(turns / 2)), axis=1)
