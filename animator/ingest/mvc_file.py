"""AnimatedDrawings' scenes (its "mvc config") as scripts; what they leave out is as there."""

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from animator.core.animation import MAX_SIDE, FrameSize
from animator.core.errors import InvalidScene
from animator.core.scene import Background, Overlay
from animator.core.script import Role, SceneCamera, Script
from animator.ingest.fields import Finite, convert_fields, find_file, parse_yaml, read_limited
from animator.ingest.motion_files import read_motion_file, read_retarget_file

__all__ = ("read_mvc",)

MAX_ROLES = 64

_Path = Annotated[str, msgspec.Meta(min_length=1)]
_Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
_Side = Annotated[int, msgspec.Meta(ge=16, le=MAX_SIDE)]


class _Character(msgspec.Struct, frozen=True):
    character_cfg: _Path
    motion_cfg: _Path
    retarget_cfg: _Path


class _Scene(msgspec.Struct, frozen=True, rename=str.upper):
    animated_characters: Annotated[
        tuple[_Character, ...], msgspec.Meta(min_length=1, max_length=MAX_ROLES)
    ]
    add_floor: bool = False
    add_ad_retarget_bvh: bool = False


class _View(msgspec.Struct, frozen=True, rename=str.upper):
    clear_color: tuple[_Share, _Share, _Share, _Share] = (1.0, 1.0, 1.0, 0.0)
    background_image: _Path | None = None
    window_dimensions: tuple[_Side, _Side] = (500, 500)
    draw_ad_rig: bool = False
    draw_ad_txtr: bool = True
    draw_ad_color: bool = False
    draw_ad_mesh_lines: bool = False
    use_mesa: bool = False
    camera_pos: tuple[Finite, Finite, Finite] = (0.0, 0.7, 2.0)
    camera_fwd: tuple[Finite, Finite, Finite] = (0.0, 0.5, 2.0)


class _Controller(msgspec.Struct, frozen=True, rename=str.upper):
    mode: Literal["interactive", "video_render"] = "interactive"
    keyboard_timestep: Annotated[float, msgspec.Meta(gt=0)] = 0.0333
    output_video_path: _Path | None = "./output_video.mp4"
    output_video_codec: str | None = "avc1"


class _Mvc(msgspec.Struct, frozen=True):
    scene: _Scene
    view: _View = _View()
    controller: _Controller = _Controller()


def read_mvc(file: Path) -> Script:
    """Read a scene and the motion and retarget files that it names.

    Fields that AnimatedDrawings does not have are left alone as it does, and noted.

    Raises:
        InvalidScene: with the file and the path of the field that is wrong.
        InvalidMotion: so for a motion or retarget file.
    """
    where = str(file)
    plain = parse_yaml(read_limited(file, InvalidScene), where, InvalidScene)
    asked = convert_fields(plain, _Mvc, where, InvalidScene)
    if not any(asked.view.camera_fwd):
        msg = f"{where}: view.CAMERA_FWD: (0, 0, 0) is no direction."
        raise InvalidScene(msg)
    return Script(
        where=where,
        roles=tuple(
            _role(part, file, f"scene.ANIMATED_CHARACTERS[{i}]")
            for i, part in enumerate(asked.scene.animated_characters)
        ),
        size=_size(asked.view),
        background=_background(asked.view),
        picture=_picture(asked.view, file),
        camera=SceneCamera(position=asked.view.camera_pos, backward=asked.view.camera_fwd),
        overlays=_overlays(asked.view),
        output=_output(asked.controller),
        notes=tuple(f"{where}: {note}" for note in (*_notes(asked), *_unknown(plain))),
    )


def _role(part: _Character, file: Path, field: str) -> Role:
    def find(name: str) -> Path:
        return find_file(getattr(part, name), file, f"{file}: {field}.{name}", InvalidScene)

    rules, place = read_retarget_file(find("retarget_cfg"))
    return Role(
        where=f"{file}: {field}",
        figure=find("character_cfg"),
        clip=read_motion_file(find("motion_cfg")),
        rules=rules,
        place=place,
    )


def _size(view: _View) -> FrameSize:
    """Video codecs need even sides: odd ones get one pixel more."""
    width, height = (side + side % 2 for side in view.window_dimensions)
    return FrameSize(width=width, height=height)


def _background(view: _View) -> Background:
    """A clear colour that is half transparent or more is transparent, as in a GIF of theirs."""
    red, green, blue, alpha = (round(255 * share) for share in view.clear_color)
    colour = (red, green, blue)
    if view.background_image is not None:
        return Background(kind="picture", colour=colour, fit="stretch")
    return Background(kind="colour" if alpha > 127 else "transparent", colour=colour)


def _picture(view: _View, file: Path) -> Path | None:
    if view.background_image is None:
        return None
    field = f"{file}: view.BACKGROUND_IMAGE"
    return find_file(view.background_image, file, field, InvalidScene)


def _overlays(view: _View) -> tuple[Overlay, ...]:
    asked: tuple[tuple[bool, Overlay], ...] = (
        (view.draw_ad_color, "weights"),
        (view.draw_ad_mesh_lines, "mesh"),
        (view.draw_ad_rig, "bones"),
    )
    return tuple(overlay for wanted, overlay in asked if wanted)


def _output(controller: _Controller) -> Path | None:
    """Where a video is written, from the working directory; a window writes none."""
    if controller.mode == "interactive" or controller.output_video_path is None:
        return None
    return Path(controller.output_video_path)


def _notes(asked: _Mvc) -> Iterator[str]:
    if any(side % 2 for side in asked.view.window_dimensions):
        yield "view.WINDOW_DIMENSIONS: videos have even sides; odd ones get one pixel more."
    if not asked.view.draw_ad_txtr:
        yield "view.DRAW_AD_TXTR: the figures are drawn all the same."
    if asked.scene.add_floor:
        yield "scene.ADD_FLOOR: no floor is drawn; take a background image."
    if asked.scene.add_ad_retarget_bvh:
        yield "scene.ADD_AD_RETARGET_BVH: the skeleton of the motion is not drawn."
    if asked.controller.mode == "video_render" and asked.controller.output_video_codec not in {
        *("avc1", "h264", "H264", "x264", "X264"),
    }:
        yield "controller.OUTPUT_VIDEO_CODEC: an MP4 is written as H.264, which plays everywhere."


def _unknown(plain: dict[str, Any]) -> Iterator[str]:
    """Fields that no scene has: often a slip of the pen."""
    known = {
        "": ["scene", "view", "controller"],
        "scene": list(_Scene.__struct_encode_fields__),
        "view": list(_View.__struct_encode_fields__),
        "controller": list(_Controller.__struct_encode_fields__),
    }
    for part, names in known.items():
        for name in plain.get(part, {}) if part else plain:
            if name not in names:
                near = difflib.get_close_matches(str(name)[:100], names, n=1)
                hint = f"; is it {near[0]}?" if near else "."
                yield f"{part}{'.' if part else ''}{name!s:.100}: there is no such field{hint}"
