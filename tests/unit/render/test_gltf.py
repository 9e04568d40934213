"""The binary glTF: read back by hand, its nodes walked, its skin moved."""

import json
import struct
from dataclasses import replace
from io import BytesIO
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from animator.core.drawing import Figure
from animator.core.geometry import Box
from animator.core.mask import Mask
from animator.core.moved_figure import MovedFigure
from animator.core.pose import VertexTrack
from animator.core.rig import Mesh, Rig
from animator.core.scene import Background, Placement
from animator.core.skeleton import Joint, Skeleton
from animator.core.spaces import FigureToWorld
from animator.core.stage import Stage
from animator.render.gltf import gltf_of
from animator.render.skin import GROUP_STEP, bones_of, weights_of
from tests.unit.render.conftest import make_scene, make_texture

Json = dict[str, Any]

TYPES = {5126: "<f4", 5123: "<u2", 5125: "<u4"}
WIDTHS = {"SCALAR": (), "VEC2": (2,), "VEC3": (3,), "VEC4": (4,), "MAT4": (4, 4)}


def make_arm(group_of: tuple[int, int] = (0, 1)) -> MovedFigure:
    """A root, an upper arm up to (0, 1) and a forearm up to (0, 2); one triangle far along each.

    In the second frame the root is at (1, 0), the upper arm lies to the left, the forearm points
    up: a quarter turn counter-clockwise, and back.
    """
    skeleton = Skeleton(
        joints=(
            Joint(name="root", parent=None, x=0.0, y=0.0),
            Joint(name="elbow", parent="root", x=0.0, y=-16.0),
            Joint(name="hand", parent="elbow", x=0.0, y=-32.0),
        )
    )
    vertices = np.array(
        [[-0.1, 0.2], [0.1, 0.2], [0, 0.8], [-0.1, 1.2], [0.1, 1.2], [0, 1.8]], np.float32
    )
    rig = Rig(
        skeleton=skeleton,
        mesh=Mesh(vertices, np.array([[0, 1, 2], [3, 4, 5]], np.int32)),
        texture=make_texture((200, 30, 60)),
        bone_of=np.array([1, 2], np.int16),
        to_world=FigureToWorld(root_x=0.0, root_y=0.0, height=16.0),
        weights=np.eye(3, dtype=np.float32)[[1, 2]],
    )
    joints = np.array([[[0, 0], [0, 1], [0, 2]], [[1, 0], [0, 0], [0, 1]]], np.float64)
    track = VertexTrack(
        fps=4.0,
        vertices=np.zeros((2, 6, 2), np.float32),
        group_of=np.array(group_of, np.int16),
        order=np.array([[0, 1], [1, 0]], np.int16),
    )
    figure = Figure(box=Box(0.0, 0.0, 16.0, 16.0), image=np.zeros((16, 16, 3), np.uint8))
    return MovedFigure(figure, Mask(np.ones((16, 16), bool)), rig, joints, track)


def stage_of(*moved: MovedFigure, placements: tuple[Placement, ...] = ()) -> Stage:
    """Both frames of each arm, four a second."""
    scene = make_scene(Background(), *placements, frames=2)
    return Stage(msgspec.structs.replace(scene, fps=4.0), moved)


def unpack(data: bytes) -> tuple[Json, bytes]:
    magic, version, length = struct.unpack_from("<4sII", data)
    assert (magic, version, length) == (b"glTF", 2, len(data))
    size, kind = struct.unpack_from("<I4s", data, 12)
    assert kind == b"JSON" and size % 4 == 0
    rest, kind = struct.unpack_from("<I4s", data, 20 + size)
    assert kind == b"BIN\0" and 28 + size + rest == len(data)
    return json.loads(data[20 : 20 + size]), data[28 + size :]


def array(document: Json, binary: bytes, index: int) -> NDArray[Any]:
    accessor = document["accessors"][index]
    view = document["bufferViews"][accessor["bufferView"]]
    shape = (accessor["count"], *WIDTHS[accessor["type"]])
    count = int(np.prod(shape))
    kind = TYPES[accessor["componentType"]]
    return np.frombuffer(binary, kind, count, view["byteOffset"]).reshape(shape)


def places_at(document: Json, binary: bytes, frame: int) -> dict[int, NDArray[np.float64]]:
    """The matrix of every node in a frame, from the clip."""
    nodes = [dict(node) for node in document["nodes"]]
    clip = document["animations"][0]
    for channel in clip["channels"]:
        values = array(document, binary, clip["samplers"][channel["sampler"]]["output"])
        nodes[channel["target"]["node"]][channel["target"]["path"]] = values[frame]
    found: dict[int, NDArray[np.float64]] = {}

    def walk(index: int, above: NDArray[np.float64]) -> None:
        node = nodes[index]
        local = np.eye(4)
        x, y, z, w = node.get("rotation", (0, 0, 0, 1))
        assert (x, y) == (0, 0) and z * z + w * w == pytest.approx(1)
        local[:2, :2] = [[w * w - z * z, -2 * z * w], [2 * z * w, w * w - z * z]]
        local[:3, :3] *= node.get("scale", [1, 1, 1])
        local[:3, 3] = node.get("translation", [0, 0, 0])
        found[index] = above @ local
        for child in node.get("children", []):
            walk(child, found[index])

    for root in document["scenes"][0]["nodes"]:
        walk(root, np.eye(4))
    return found


def skinned(document: Json, binary: bytes, frame: int, skin: int = 0) -> NDArray[np.float64]:
    """The vertices (V, 3) of a figure in a frame, as a viewer computes them."""
    places = places_at(document, binary, frame)
    bones = document["skins"][skin]
    binds = array(document, binary, bones["inverseBindMatrices"]).transpose(0, 2, 1)
    matrices = np.array([places[node] for node in bones["joints"]]) @ binds
    attributes = document["meshes"][skin]["primitives"][0]["attributes"]
    positions = array(document, binary, attributes["POSITION"])
    weights = array(document, binary, attributes["WEIGHTS_0"])
    chosen = matrices[array(document, binary, attributes["JOINTS_0"])]
    flat = np.hstack((positions, np.ones((len(positions), 1))))
    moved = np.einsum("vk,vkij,vj->vi", weights, chosen, flat)
    return np.asarray(moved[:, :3])


def test_skin_at_rest_is_the_mesh_and_follows_its_bones() -> None:
    document, binary = unpack(gltf_of(stage_of(make_arm())))
    rest = make_arm().rig.mesh.vertices
    np.testing.assert_allclose(skinned(document, binary, 0)[:, :2], rest, atol=1e-6)
    # The upper arm turns about the root, then goes right by 1; the forearm goes down by 1.
    upper = np.stack((1 - rest[:3, 1], rest[:3, 0]), axis=1)
    lower = rest[3:] - (0, 1)
    found = skinned(document, binary, 1)[:, :2]
    np.testing.assert_allclose(found, np.concatenate((upper, lower)), atol=1e-6)


def test_limb_in_front_comes_nearer() -> None:
    document, binary = unpack(gltf_of(stage_of(make_arm())))
    near = [skinned(document, binary, frame)[:, 2] for frame in (0, 1)]
    assert near[0][3:].min() - near[0][:3].max() > 0.9 * GROUP_STEP
    assert near[1][:3].min() - near[1][3:].max() > 0.9 * GROUP_STEP


def test_figures_stand_where_the_scene_puts_them_each_nearer_than_the_last() -> None:
    places = (Placement(x=2.0, y=3.0, scale=0.5), Placement())
    document, binary = unpack(gltf_of(stage_of(make_arm(), make_arm(), placements=places)))
    first, second = (skinned(document, binary, 0, skin) for skin in (0, 1))
    rest = make_arm().rig.mesh.vertices
    np.testing.assert_allclose(first[:, :2], rest * 0.5 + (2, 3), atol=1e-6)
    np.testing.assert_allclose(second[:, :2], rest, atol=1e-6)
    assert second[:, 2].min() > first[:, 2].max()


def test_clip_has_the_times_of_its_frames_and_ends_with_the_last() -> None:
    document, binary = unpack(gltf_of(stage_of(make_arm())))
    (clip,) = document["animations"]
    for sampler in clip["samplers"]:
        assert array(document, binary, sampler["input"]).tolist() == [0.0, 0.25, 0.5]
        output = array(document, binary, sampler["output"])
        np.testing.assert_array_equal(output[2], output[1])
    assert len(clip["channels"]) == 2 * 3


def test_texture_and_its_coordinates_are_those_of_the_figure() -> None:
    moved = make_arm()
    document, binary = unpack(gltf_of(stage_of(moved)))
    view = document["bufferViews"][document["images"][0]["bufferView"]]
    data = binary[view["byteOffset"] : view["byteOffset"] + view["byteLength"]]
    with Image.open(BytesIO(data)) as image:
        np.testing.assert_array_equal(np.array(image), moved.rig.texture)
    attributes = document["meshes"][0]["primitives"][0]["attributes"]
    texels = array(document, binary, attributes["TEXCOORD_0"])
    # 16 pixels a world unit, and the texture is 16 pixels wide: here the two are alike but for y.
    np.testing.assert_allclose(texels, moved.rig.mesh.vertices * (1, -1), atol=1e-6)


def test_weights_are_shares_of_at_most_four_bones_and_blend_where_bones_meet() -> None:
    arm = make_arm().rig
    joined = Rig(
        skeleton=arm.skeleton,
        mesh=Mesh(arm.mesh.vertices, np.array([[0, 1, 2], [1, 2, 3], [3, 4, 5]], np.int32)),
        texture=arm.texture,
        bone_of=np.array([1, 2, 2], np.int16),
        to_world=arm.to_world,
        weights=np.eye(3, dtype=np.float32)[[1, 2, 2]],
    )
    weights = weights_of(joined)
    assert weights.bones.shape == weights.shares.shape == (6, 4)
    np.testing.assert_allclose(weights.shares.sum(axis=1), 1, atol=1e-6)
    assert (weights.bones[weights.shares == 0] == 0).all()
    upper = np.where(weights.bones == 1, weights.shares, 0).sum(axis=1)
    # of the two triangles around the second vertex one follows the upper arm
    np.testing.assert_allclose(upper, [1, 0.5, 0.5, 0, 0, 0], atol=1e-6)


def test_bone_without_length_turns_with_its_parent() -> None:
    moved = make_arm()
    hand = moved.rig.skeleton.joints[2]
    joints = (*moved.rig.skeleton.joints[:2], msgspec.structs.replace(hand, y=-16.0))
    rig = replace(moved.rig, skeleton=Skeleton(joints=joints))
    turns = bones_of(replace(moved, rig=rig)).turns
    np.testing.assert_allclose(turns[:, 1], [0, np.pi / 2], atol=1e-6)
    np.testing.assert_allclose(turns[:, 2], 0, atol=1e-6)


def test_weights_of_vertices_are_those_of_the_triangles_around() -> None:
    arm = make_arm().rig
    shares = np.array([[0, 0.75, 0.25], [0, 0, 1]], np.float32)
    weights = weights_of(replace(arm, weights=shares))
    for vertex in range(3):
        found = dict(
            zip(weights.bones[vertex].tolist(), weights.shares[vertex].tolist(), strict=True)
        )
        assert found[1] == pytest.approx(0.75)
    assert weights.bones[3:, 0].tolist() == [2, 2, 2]
    np.testing.assert_allclose(weights.shares[3:, 0], 1)


def test_turns_do_not_jump_where_an_angle_passes_half_a_circle() -> None:
    moved = make_arm()
    angles = np.linspace(0, 4 * np.pi, 40)
    bone = np.stack((-np.sin(angles), np.cos(angles)), axis=1)
    joints = np.stack((0 * bone, bone, 2 * bone), axis=1)
    track = VertexTrack(
        fps=10.0,
        vertices=np.zeros((40, 6, 2), np.float32),
        group_of=moved.track.group_of,
        order=np.zeros((40, 2), np.int16),
    )
    turning = MovedFigure(moved.figure, moved.mask, moved.rig, joints, track)
    np.testing.assert_allclose(bones_of(turning).turns[:, 1], angles, atol=1e-6)
    np.testing.assert_allclose(bones_of(turning).turns[:, 2], 0, atol=1e-6)
