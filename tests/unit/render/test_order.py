import numpy as np

from animator.core.pose import VertexTrack
from animator.core.rig import Mesh, Rig
from animator.render.order import layers, stack
from tests.unit.render.conftest import make_rig, make_texture


def make_case() -> tuple[Rig, VertexTrack]:
    """Five triangles of bones 1, 2, 3 in groups 0 and 1."""
    plain = make_rig(make_texture((0, 0, 0)))
    rig = Rig(
        skeleton=plain.skeleton,
        mesh=Mesh(plain.mesh.vertices, np.zeros((5, 3), np.int32)),
        texture=plain.texture,
        bone_of=np.array([2, 1, 3, 2, 3], np.int16),
        to_world=plain.to_world,
    )
    track = VertexTrack(
        fps=1.0,
        vertices=np.zeros((1, 4, 2), np.float32),
        group_of=np.array([0, 0, 1, 0, 1], np.int16),
        order=np.array([[1, 0]], np.int16),
    )
    return rig, track


def test_layers_are_bones_of_groups_near_before_far() -> None:
    found = layers(*make_case())
    assert [(layer.group, layer.triangles.tolist()) for layer in found] == [
        (0, [1]),
        (0, [0, 3]),
        (1, [2, 4]),
    ]


def test_groups_are_stacked_back_to_front() -> None:
    rig, track = make_case()
    found = stack(layers(rig, track), track.order[0])
    assert [layer.triangles.tolist() for layer in found] == [[2, 4], [1], [0, 3]]
