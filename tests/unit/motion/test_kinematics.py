import numpy as np
import pytest

from animator.core.errors import InvalidMotion
from animator.core.motion import Motion
from animator.motion.kinematics import joint_index, joint_paths, trim
from animator.motion.rotations import turn_about

QUARTER = turn_about("Z", np.array(np.pi / 2))
STILL = turn_about("Z", np.array(0.0))


def _two_bones(frames: int = 3) -> Motion:
    """A leg of two bones of one metre, its hip turned by 90 degrees, its knee back by 90."""
    turns = np.stack((QUARTER, -QUARTER * [-1, 1, 1, 1], STILL))
    return Motion(
        name="leg",
        fps=30.0,
        joints=("Hip", "Knee", "Foot"),
        parents=np.array([-1, 0, 1], dtype=np.int16),
        offsets=np.array([[9, 9, 9], [0, -1, 0], [0, -1, 0]], dtype=np.float32),
        root=np.arange(3 * frames, dtype=np.float32).reshape(frames, 3),
        rotations=np.tile(turns, (frames, 1, 1)).astype(np.float32),
    )


def test_turns_add_up_along_the_limb() -> None:
    paths = joint_paths(_two_bones())
    # The thigh points to +x, the shank hangs down again; the root's own offset counts for nothing.
    np.testing.assert_allclose(paths[0], [[0, 1, 2], [1, 1, 2], [1, 0, 2]], atol=1e-6)
    np.testing.assert_allclose(paths[2], [[6, 7, 8], [7, 7, 8], [7, 6, 8]], atol=1e-6)


def test_joints_are_found_by_name() -> None:
    assert joint_index(_two_bones(), "Foot") == 2
    with pytest.raises(InvalidMotion, match="no joint 'Toe'"):
        joint_index(_two_bones(), "Toe")


def test_trim_keeps_the_frames_before_the_end() -> None:
    cut = trim(_two_bones(5), 1, 3)
    assert cut.root.tolist() == [[3, 4, 5], [6, 7, 8]]
    assert len(cut.rotations) == 2


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 2), (0, 6), (3, 1)])
def test_trim_outside_the_clip_is_refused(start: int, end: int) -> None:
    with pytest.raises(InvalidMotion, match="5 frames"):
        trim(_two_bones(5), start, end)
