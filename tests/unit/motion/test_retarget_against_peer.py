"""Numbers got by running facebookresearch/AnimatedDrawings at commit 74ee7f0 on its own files."""

from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import yaml
from numpy.typing import NDArray

from animator.core.motion import BoneSource, LimbGroup, Motion, Plane, RetargetMap
from animator.core.pose import PoseSequence
from animator.core.skeleton import Joint, Skeleton
from animator.core.spaces import FigureToWorld
from animator.motion.bvh import read_bvh
from animator.motion.kinematics import trim
from animator.motion.project import choose_views, see_body
from animator.motion.retarget import retarget

PLANES: dict[str, Plane] = {"pca": "principal", "frontal": "frontal", "sagittal": "sagittal"}


class _Loader(yaml.SafeLoader):
    """Reads the peer's `!!python/tuple` as a list."""


def _sequence(loader: _Loader, node: yaml.SequenceNode) -> list[Any]:
    return loader.construct_sequence(node)


_Loader.add_constructor("tag:yaml.org,2002:python/tuple", _sequence)


def _yaml(path: Path) -> Any:
    return yaml.load(path.read_text(), _Loader)


@cache
def _motion(folder: Path, name: str) -> Motion:
    config = _yaml(folder / f"config/motion/{name}.yaml")
    path = folder / config["filepath"].removeprefix("examples/")
    whole = read_bvh(path.read_bytes(), name=name, up=config["up"])
    return trim(whole, config["start_frame_idx"], config["end_frame_idx"] or len(whole.root))


@cache
def _map(folder: Path, motion: str, name: str) -> RetargetMap:
    config = _yaml(folder / f"config/retarget/{name}.yaml")
    pairs = _yaml(folder / f"config/motion/{motion}.yaml")["forward_perp_joint_vectors"]
    offset = config["char_bvh_root_offset"]
    planes = config["bvh_projection_bodypart_groups"]

    def group(i: int, part: dict[str, Any]) -> LimbGroup:
        (driver,) = part["bvh_depth_drivers"]
        (plane,) = [p for p in planes if driver in p["bvh_joint_names"]]
        return LimbGroup(
            name=str(i),
            bones=tuple(part["char_joints"]),
            plane=PLANES[plane["method"]],
            depth_driver=driver,
            plane_joints=tuple(plane["bvh_joint_names"]),
        )

    return RetargetMap(
        bones={
            bone: BoneSource(near=near, far=far)
            for bone, (near, far) in config["char_joint_bvh_joints_mapping"].items()
        },
        groups=tuple(group(i, p) for i, p in enumerate(config["char_bodypart_groups"])),
        root="Hips",
        legs=tuple(tuple(reversed(leg)) for leg in offset["bvh_joints"]),
        forward=tuple((right, left) for left, right in pairs),
    )


def _drawn(folder: Path, name: str) -> tuple[Skeleton, FigureToWorld]:
    config = _yaml(folder / f"characters/{name}/char_cfg.yaml")
    joints = tuple(
        Joint(name=j["name"], parent=j["parent"], x=j["loc"][0], y=j["loc"][1])
        for j in config["skeleton"]
    )
    # The peer's unit is the longer side of the texture.
    unit = max(config["width"], config["height"])
    return Skeleton(joints=joints), FigureToWorld(
        root_x=joints[0].x, root_y=joints[0].y, height=unit
    )


def _cases() -> list[Any]:
    """(character, motion, retarget): as the reference has them."""
    names = {"dab": "fair1_ppf", "jumping": "fair1_ppf", "wave_hello": "fair1_ppf"}
    names |= {"zombie": "fair1_spf", "jumping_jacks": "cmu1_pfp", "jesse_dance": "mixamo_fff"}
    cases = [(f"char{i}", m, r) for i in range(1, 5) for m, r in names.items()]
    cases += [("char5", "dab", "six_arms"), ("char6", "zombie", "four_legs")]
    return [pytest.param(*case, id="-".join(case)) for case in cases]


def _reference(folder: Path, character: str, motion: str) -> dict[str, Any]:
    entries = msgspec.json.decode((folder / "reference/retarget.json").read_bytes())
    (entry,) = [e for e in entries if (e["character"], e["motion"]) == (character, motion)]
    assert isinstance(entry, dict)
    return entry


def _peers_path(
    motion: Motion, retarget_map: RetargetMap, poses: PoseSequence, frames: list[int]
) -> NDArray[np.float64]:
    """The path as the peer takes it: seen from the front, its sideways axis is mirrored.

    Where the figure faces (x, z) in the first frame's own axes, its left is (z, -x) on the ground;
    the peer steps along (z, x). Both agree while the figure faces as in the first frame.
    """
    body = see_body(motion, retarget_map)
    steps = np.diff(body.root, axis=0, prepend=body.root[:1])
    start_x, start_z = body.forward[0]
    turn = np.array([[start_z, start_x], [-start_x, start_z]])  # the first frame faces (0, 1)
    forward, ground = body.forward @ turn, steps[:, [0, 2]] @ turn
    climbed, risen = float(np.ptp(body.root[:, 1])), float(np.ptp(poses.root[:, 1]))
    across = np.sum(ground * forward[:, ::-1], axis=1) * risen / climbed
    return np.stack((np.cumsum(across)[frames], poses.root[frames, 1]), axis=1)


@pytest.mark.parametrize(("character", "motion", "retarget_name"), _cases())
def test_directions_orders_and_path_agree_with_the_peer(
    shared_data: Path, character: str, motion: str, retarget_name: str
) -> None:
    folder = shared_data / "animated-drawings"
    reference = _reference(folder, character, motion)
    clip, retarget_map = _motion(folder, motion), _map(folder, motion, retarget_name)
    skeleton, to_world = _drawn(folder, character)
    poses = retarget(clip, retarget_map, skeleton, to_world)
    assert len(poses.root) == reference["frames_total"]
    frames = reference["frames"]
    for frame in frames:
        for bone, degrees in frame["orientations_deg"].items():
            ours = np.degrees(poses.angles[frame["frame"], skeleton.index(bone)])
            # The reference is rounded to 0.001 degrees.
            assert (ours - degrees + 180) % 360 - 180 == pytest.approx(0, abs=0.001), bone
        order = np.argsort(poses.depths[frame["frame"]], kind="stable")
        assert [set(poses.groups[g]) for g in order] == [set(g) for g in frame["draw_order_groups"]]
    numbers = [frame["frame"] for frame in frames]
    theirs = np.array([frame["root"][:2] for frame in frames])
    theirs -= theirs[0]  # they start where the retarget file places the figure
    if retarget_name == "four_legs":
        theirs /= 2  # they divide four drawn legs by two of the motion, and step twice too far
    sideways = reference["projection"]["Lower Limbs"] == "frontal"
    ours_path = _peers_path(clip, retarget_map, poses, numbers) if sideways else poses.root[numbers]
    # Rounded to 0.00001; the rest is their float32 sums over up to a thousand steps.
    np.testing.assert_allclose(ours_path, theirs, atol=2e-5)


@pytest.mark.parametrize(("character", "motion", "retarget_name"), _cases()[:6])
def test_planes_agree_with_the_peer(
    shared_data: Path, character: str, motion: str, retarget_name: str
) -> None:
    folder = shared_data / "animated-drawings"
    expected = _reference(folder, character, motion)["projection"]
    retarget_map = _map(folder, motion, retarget_name)
    views = choose_views(see_body(_motion(folder, motion), retarget_map), retarget_map)
    trunk, left_arm, right_arm, left_leg, right_leg = views
    assert trunk == expected["Trunk"]
    assert left_arm == right_arm == expected["Upper Limbs"]
    assert left_leg == right_leg == expected["Lower Limbs"]


@pytest.mark.parametrize(
    ("path", "frames", "fps", "joints"),
    [
        ("cmu1/jumping_jacks", 125, 30.0, 38),
        ("fair1/dab", 339, 30.0, 34),
        ("fair1/jumping", 654, 1 / 0.008342, 34),
        ("fair1/wave_hello", 839, 1 / 0.008342, 34),
        ("fair1/zombie", 779, 30.0, 34),
        ("rokoko/jesse_dance", 1007, 100.0, 73),
    ],
)
def test_clips_of_three_other_tools_are_read(
    shared_data: Path, path: str, frames: int, fps: float, joints: int
) -> None:
    motion = read_bvh((shared_data / f"animated-drawings/bvh/{path}.bvh").read_bytes())
    assert len(motion.root) == frames
    assert motion.fps == pytest.approx(fps)
    assert len(motion.joints) == joints  # end sites included
    np.testing.assert_allclose(np.linalg.norm(motion.rotations, axis=-1), 1, atol=1e-6)
