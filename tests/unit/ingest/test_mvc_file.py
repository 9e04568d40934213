"""AnimatedDrawings' scenes, motion and retarget files: read as they are, or refused by field."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from animator.core.animation import FrameSize
from animator.core.errors import AnimatorError, InvalidMotion, InvalidScene
from animator.core.scene import Background
from animator.core.script import (
    AboveCheck,
    BvhClip,
    DrawnPart,
    FilmedPlace,
    SceneCamera,
)
from animator.ingest import read_scene
from tests.support_scenes import MOTION, RETARGET, SCENE, changed, write_files


def put(file: Path, content: dict[str, Any]) -> None:
    file.write_text(yaml.dump(content))


def test_scene_is_read_with_all_that_it_names(tmp_path: Path) -> None:
    script = read_scene(write_files(tmp_path))
    assert script.size == FrameSize(width=80, height=80)
    assert script.output == Path("video.gif")
    assert script.notes == ()
    (role,) = script.roles
    assert role.where == f"{tmp_path / 'scene.yaml'}: scene.ANIMATED_CHARACTERS[0]"
    assert role.figure == tmp_path / "bob" / "char_cfg.yaml"
    assert role.place == FilmedPlace(x=0.0, y=0.0, z=-0.5)
    assert not role.repeats
    assert role.clip == BvhClip(
        file=tmp_path / "wave.bvh",
        where=str(tmp_path / "motion.yaml"),
        up="+y",
        forward=(("LeftArm", "RightArm"), ("LeftLeg", "RightLeg")),
        ground="LeftFoot",
    )
    rules = role.rules
    assert rules is not None
    assert [plane.plane for plane in rules.planes] == ["frontal", "principal", "frontal"]
    assert rules.parts[1] == DrawnPart(joints=("left_elbow", "left_hand"), drivers=("LeftHand",))
    assert rules.bones["neck"] == ("Hips", "Neck")
    assert rules.path_plane == "Legs"
    assert rules.checks == (AboveCheck(joint="neck", start="right_shoulder", end="left_shoulder"),)


def test_what_a_scene_leaves_out_is_as_in_animated_drawings(tmp_path: Path) -> None:
    file = write_files(tmp_path)
    put(file, {"scene": SCENE["scene"]})
    script = read_scene(file)
    assert script.size == FrameSize(width=500, height=500)
    assert script.background == Background(kind="transparent", colour=(255, 255, 255))
    assert script.camera == SceneCamera(position=(0.0, 0.7, 2.0), backward=(0.0, 0.5, 2.0))
    assert script.output is None  # it opens a window there
    assert script.overlays == ()
    put(file, changed({"scene": SCENE["scene"]}, "controller.MODE", "video_render"))
    assert read_scene(file).output == Path("output_video.mp4")


def test_view_is_honoured(tmp_path: Path) -> None:
    file = write_files(tmp_path)
    view = {
        "CLEAR_COLOR": [1, 0.5, 0.0, 1],
        "WINDOW_DIMENSIONS": [301, 400],
        "DRAW_AD_RIG": True,
        "DRAW_AD_COLOR": True,
        "DRAW_AD_MESH_LINES": True,
        "CAMERA_POS": [0, 1, 3],
    }
    put(file, changed(SCENE, "view", view))
    script = read_scene(file)
    assert script.background == Background(colour=(255, 128, 0))
    assert script.size == FrameSize(width=302, height=400)
    assert script.overlays == ("weights", "mesh", "bones")
    assert script.camera is not None and script.camera.position == (0, 1, 3)
    assert script.notes == (
        f"{file}: view.WINDOW_DIMENSIONS: videos have even sides; odd ones get one pixel more.",
    )
    put(file, changed(SCENE, "view.BACKGROUND_IMAGE", "bob/texture.png"))
    script = read_scene(file)
    assert script.picture == tmp_path / "bob" / "texture.png"
    assert (script.background.kind, script.background.fit) == ("picture", "stretch")


@pytest.mark.parametrize(
    ("path", "value", "note"),
    [
        ("view.WINDOW_DIMENSION", [1, 1], "no such field; is it WINDOW_DIMENSIONS?"),
        ("veiw", {}, "veiw: there is no such field; is it view?"),
        ("scene.WEATHER", "rain", "scene.WEATHER: there is no such field."),
        ("view.DRAW_AD_TXTR", False, "view.DRAW_AD_TXTR: the figures are drawn all the same."),
        ("scene.ADD_FLOOR", True, "scene.ADD_FLOOR: no floor is drawn"),
        ("scene.ADD_AD_RETARGET_BVH", True, "scene.ADD_AD_RETARGET_BVH: the skeleton"),
        ("controller.OUTPUT_VIDEO_CODEC", "mp4v", "an MP4 is written as H.264"),
    ],
)
def test_what_is_done_otherwise_is_noted(path: str, value: Any, note: str, tmp_path: Path) -> None:
    file = write_files(tmp_path)
    put(file, changed(SCENE, path, value))
    (found,) = read_scene(file).notes
    assert found.startswith(f"{file}: ") and note in found


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("scene", {}, "scene.ANIMATED_CHARACTERS: is missing."),
        ("scene.ANIMATED_CHARACTERS", [], "scene.ANIMATED_CHARACTERS: expected a list of length"),
        (
            "scene.ANIMATED_CHARACTERS.0.motion_cfg",
            "no.yaml",
            "scene.ANIMATED_CHARACTERS[0].motion_cfg: there is no file 'no.yaml', from here",
        ),
        ("scene.ANIMATED_CHARACTERS.0.character_cfg", 3, "[0].character_cfg: expected a text"),
        ("view", None, "view: expected fields with names, got nothing"),
        ("view.CLEAR_COLOR", [1, 1, 1], "view.CLEAR_COLOR: expected a list of length 4, got 3"),
        ("view.CLEAR_COLOR", [1, 1, 1, 2], "view.CLEAR_COLOR[3]: expected a number <= 1.0"),
        ("view.WINDOW_DIMENSIONS", [80, 0], "view.WINDOW_DIMENSIONS[1]: expected a whole number"),
        ("view.WINDOW_DIMENSIONS", [80.5, 80], "view.WINDOW_DIMENSIONS[0]: expected a whole"),
        ("view.CAMERA_FWD", [0, 0, 0], "view.CAMERA_FWD: (0, 0, 0) is no direction"),
        ("view.CAMERA_POS", [0, "up", 0], "view.CAMERA_POS[1]: expected a number, got a text"),
        ("view.BACKGROUND_IMAGE", "no.png", "view.BACKGROUND_IMAGE: there is no file 'no.png'"),
        ("view.DRAW_AD_RIG", "yes", "view.DRAW_AD_RIG: expected true or false, got a text"),
        ("controller.MODE", "video", "controller.MODE: there is no choice 'video'"),
        ("controller.KEYBOARD_TIMESTEP", 0, "controller.KEYBOARD_TIMESTEP: expected a number > 0"),
    ],
)
def test_bad_field_of_a_scene_is_named(path: str, value: Any, said: str, tmp_path: Path) -> None:
    file = write_files(tmp_path)
    put(file, changed(SCENE, path, value))
    with pytest.raises(InvalidScene) as caught:
        read_scene(file)
    assert caught.value.message.startswith(f"{file}: ")
    assert said in caught.value.message


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("filepath", "no.bvh", "filepath: there is no file 'no.bvh'"),
        ("start_frame_idx", -1, "start_frame_idx: expected a whole number >= 0"),
        ("start_frame_idx", 1.5, "start_frame_idx: expected a whole number"),
        ("end_frame_idx", "all", "end_frame_idx: expected a whole number or nothing, got a text"),
        ("frame_time", 0, "frame_time: expected a number > 0"),
        ("groundplane_joint", 1, "groundplane_joint: expected a text"),
        ("forward_perp_joint_vectors", [], "forward_perp_joint_vectors: expected a list"),
        ("forward_perp_joint_vectors", [["a"]], "forward_perp_joint_vectors[0]: expected a list"),
        ("scale", 0, "scale: expected a number > 0"),
        ("up", "+x", "up: there is no choice '+x'"),
    ],
)
def test_bad_field_of_a_motion_file_is_named(
    path: str, value: Any, said: str, tmp_path: Path
) -> None:
    file = write_files(tmp_path)
    put(tmp_path / "motion.yaml", changed(MOTION, path, value))
    with pytest.raises(AnimatorError) as caught:
        read_scene(file)
    assert caught.value.message.startswith(f"{tmp_path / 'motion.yaml'}: {said}")
    assert isinstance(caught.value, InvalidMotion)


def test_frames_of_a_motion_file_are_read(tmp_path: Path) -> None:
    file = write_files(tmp_path)
    part = {"start_frame_idx": 2, "end_frame_idx": 5, "frame_time": 0.05}
    put(tmp_path / "motion.yaml", {**MOTION, **part})
    clip = read_scene(file).roles[0].clip
    assert isinstance(clip, BvhClip)
    assert (clip.start, clip.end, clip.frame_time) == (2, 5, 0.05)
    put(tmp_path / "motion.yaml", {**MOTION, "end_frame_idx": 0})  # to the end, as there
    clip = read_scene(file).roles[0].clip
    assert isinstance(clip, BvhClip) and clip.end is None
    put(tmp_path / "motion.yaml", {**MOTION, "start_frame_idx": 2, "end_frame_idx": 2})
    with pytest.raises(InvalidMotion, match=r"end_frame_idx: 2 must be more than start_frame_idx"):
        read_scene(file)


GROUPS = "bvh_projection_bodypart_groups"


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("char_starting_location", [0, 0], "char_starting_location: expected a list of length 3"),
        (f"{GROUPS}.1.method", "pcs", f"{GROUPS}[1].method: there is no choice 'pcs'"),
        (f"{GROUPS}.1.name", "Arms", f"{GROUPS}[1].name: 'Arms' is named twice"),
        (f"{GROUPS}.1", {}, f"{GROUPS}[1].name: is missing"),
        (
            "char_bvh_root_offset.bvh_projection_bodypart_group_for_offset",
            "Wings",
            "char_bvh_root_offset.bvh_projection_bodypart_group_for_offset: there is no group "
            "'Wings'; there are Arms, Legs, Trunk",
        ),
        ("char_bvh_root_offset.char_joints", [[]], "char_bvh_root_offset.char_joints[0]: expected"),
        ("char_bodypart_groups.0.bvh_depth_drivers", [], "char_bodypart_groups[0].bvh_depth_driv"),
        (
            "char_joint_bvh_joints_mapping.left_hand",
            ["LeftElbow"],
            "char_joint_bvh_joints_mapping.left_hand: expected a list of length 2, got 1",
        ),
        (
            "char_joint_bvh_joints_mapping.left_hand",
            ["LeftElbow", 7],
            "char_joint_bvh_joints_mapping.left_hand[1]: expected a text",
        ),
        ("char_joint_bvh_joints_mapping", {1: ["a", "b"]}, "char_joint_bvh_joints_mapping: "),
        (
            "char_runtime_checks",
            [["below", "a", "b", "c"]],
            "char_runtime_checks[0][0]: there is no choice",
        ),
        ("char_runtime_checks", [["above", "a"]], "char_runtime_checks[0]: expected a list"),
    ],
)
def test_bad_field_of_a_retarget_file_is_named(
    path: str, value: Any, said: str, tmp_path: Path
) -> None:
    file = write_files(tmp_path)
    put(tmp_path / "retarget.yaml", changed(RETARGET, path, value))
    with pytest.raises(InvalidMotion) as caught:
        read_scene(file)
    assert caught.value.message.startswith(f"{tmp_path / 'retarget.yaml'}: {said}")
