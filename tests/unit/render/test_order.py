import numpy as np

from animator.core.pose import VertexTrack
from animator.core.rig import Mesh, Rig
from animator.render.order import back_to_front
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
        weights=np.eye(3, 3, dtype=np.float32)[[1, 0, 2, 1, 2]],
    )
    track = VertexTrack(
        fps=1.0,
        vertices=np.zeros((1, 4, 2), np.float32),
        group_of=np.array([0, 0, 1, 0, 1], np.int16),
        order=np.array([[1, 0]], np.int16),
    )
    return rig, track


def test_groups_are_drawn_back_to_front_and_in_them_near_bones_before_far_ones() -> None:
    rig, track = make_case()
    assert back_to_front(rig, track, np.array([0, 1])).tolist() == [1, 0, 3, 2, 4]
    assert back_to_front(rig, track, track.order[0]).tolist() == [2, 4, 1, 0, 3]
