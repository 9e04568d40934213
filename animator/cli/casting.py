"""The roles of a scene, cast: each with its figure and its motion read from disk."""

from dataclasses import replace
from pathlib import Path

from animator.cli.clips import read_clip_file, read_map_file
from animator.cli.drawings import read_drawing
from animator.core.annotation import Annotation
from animator.core.drawing import Drawing, crop_figure
from animator.core.errors import AnimatorError, InvalidMotion, NoFigureFound
from animator.core.mask import mask_from_run_lengths
from animator.core.motion import Motion
from animator.core.rotation import rotate_drawing
from animator.core.script import BvhClip, LibraryClip, Role
from animator.core.skeleton import Skeleton
from animator.ingest import is_character, read_character
from animator.motion import (
    Performance,
    load_motion,
    map_from_rules,
    prepare,
    read_bvh,
    read_clip,
    trim,
)
from animator.motion.mapping import build_map, map_joints
from animator.pipeline import annotate, say_nothing
from animator.rigging import fit_template
from animator.staging import Performer
from animator.vision import Predictor

__all__ = ("cast_role",)


def cast_role(role: Role, predictor: Predictor) -> Performer:
    """Read the figure of a role and its motion.

    predictor: finds the figure when the role names a picture.

    Raises:
        AnimatorError: with the role's field, when the figure or its motion cannot be had.
    """
    try:
        return _cast(role, predictor)
    except AnimatorError as error:
        if error.message.startswith((role.where, *_files_of(role))):
            raise
        raise type(error)(f"{role.where}: {error.message}") from error


def _files_of(role: Role) -> tuple[str, ...]:
    """The files whose names already lead a message."""
    rules = () if role.rules is None else (role.rules.where,)
    return rules if isinstance(role.clip, LibraryClip) else (*rules, role.clip.where)


def _cast(role: Role, predictor: Predictor) -> Performer:
    drawing, annotation = _read_figure(role.figure, predictor)
    drawing = rotate_drawing(drawing, annotation.rotation)
    for found in annotation.figures:
        if found.mask is not None and found.skeleton is not None:
            mask, template = mask_from_run_lengths(found.mask), role.rigging.skeleton
            skeleton = found.skeleton if template is None else fit_template(template, mask)
            return Performer(
                role=role,
                figure=crop_figure(drawing, found.box),
                mask=mask,
                skeleton=skeleton,
                performance=_read_performance(role, skeleton),
                drawing=None if is_character(role.figure) else drawing,
            )
    msg = f"No figure was found in {role.figure}."
    raise NoFigureFound(msg)


def _read_figure(file: Path, predictor: Predictor) -> tuple[Drawing, Annotation]:
    """A drawing and its figures, best first; a character brings them along."""
    if is_character(file):
        return read_character(file)
    drawing = read_drawing(file)
    return drawing, annotate(drawing, predictor, say_nothing)


def _read_performance(role: Role, skeleton: Skeleton) -> Performance:
    """What a role does: as rules say, as a map says, or found out from the motion itself."""
    clip, rules = role.clip, role.rules
    if isinstance(clip, LibraryClip):
        return prepare(*load_motion(clip.name), role.playback)
    if rules is not None:
        motion = _read_bvh(clip)
        return Performance(((motion, map_from_rules(rules, clip, motion, skeleton)),), loop=False)
    if clip.up is not None:
        motion = _read_bvh(clip)
        return prepare(motion, build_map(map_joints(motion, {})), role.playback)
    options = read_map_file(role.map_file)
    found = read_clip(read_clip_file(clip.file), name=clip.file.stem, options=options)
    return prepare(*found, role.playback)


def _read_bvh(clip: BvhClip) -> Motion:
    """The frames that a clip asks for; beyond the file's last there are none."""
    try:
        motion = read_bvh(
            read_clip_file(clip.file), name=clip.file.stem, up="+z" if clip.up == "+z" else "+y"
        )
    except InvalidMotion as error:
        msg = f"{clip.file}: {error.message}"
        raise InvalidMotion(msg) from error
    count = len(motion.root)
    if clip.start >= count:
        msg = f"{clip.where}: start_frame_idx: {clip.file} has the frames 0 to {count - 1} only."
        raise InvalidMotion(msg)
    motion = trim(motion, clip.start, min(clip.end or count, count))
    return motion if clip.frame_time is None else replace(motion, fps=1 / clip.frame_time)
