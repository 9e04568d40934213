"""The rigging room: a figure, its mask and its skeleton become a rig; a rig moves with poses."""

import animator.rigging.spared  # noqa: F401 - before SciPy
from animator.rigging.build import build_rig
from animator.rigging.deform import deform
from animator.rigging.kinematics import pose_joints, rest_joints
from animator.rigging.templates import fit_template

__all__ = ("build_rig", "deform", "fit_template", "pose_joints", "rest_joints")
