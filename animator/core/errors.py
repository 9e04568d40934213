r"""What can go wrong on the way from a picture to an animation.

The tree, each with its stable ``code`` and the page it sends the user back to::

    AnimatorError
    ├─ InvalidImage        invalid_image        upload   (and its subcodes below)
    │  ├─ ImageTooLarge    image_too_large      upload
    │  └─ UnsupportedImage unsupported_image    upload
    ├─ NoFigureFound       no_figure_found      upload
    ├─ EmptyMask           empty_mask           mask
    ├─ InvalidSkeleton     invalid_skeleton     joints
    ├─ InvalidMotion       invalid_motion       motion
    │  └─ UnknownMotion    unknown_motion       motion
    ├─ InvalidScene        invalid_scene        motion
    ├─ ModelUnavailable    model_unavailable    upload
    ├─ EncodingFailed      encoding_failed      motion
    ├─ InvalidTrack        invalid_track        motion
    ├─ NotFound            not_found            upload
    ├─ LearningOff         learning_off         upload
    ├─ Conflict            conflict             upload
    └─ JobFailed           job_failed           upload
"""

from typing import ClassVar, Literal

__all__ = (
    "AnimatorError",
    "Conflict",
    "EmptyMask",
    "EncodingFailed",
    "ImageTooLarge",
    "InvalidImage",
    "InvalidMotion",
    "InvalidScene",
    "InvalidSkeleton",
    "InvalidTrack",
    "JobFailed",
    "LearningOff",
    "ModelUnavailable",
    "NoFigureFound",
    "NotFound",
    "Page",
    "UnknownMotion",
    "UnsupportedImage",
)

Page = Literal["upload", "mask", "joints", "motion"]


class AnimatorError(Exception):
    """Anything the user can be told about: a stable code and one plain sentence.

    Attributes:
        code: the stable name clients may branch on; never changes once released.
        page: the page of the web app on which the user can mend it.
    """

    code: ClassVar[str] = "animator_error"
    page: ClassVar[Page] = "upload"

    @property
    def message(self) -> str:
        """The sentence for the user."""
        return str(self)


class InvalidImage(AnimatorError):
    """The bytes are not a picture that can be decoded."""

    code = "invalid_image"


class ImageTooLarge(InvalidImage):
    """The picture exceeds a limit on bytes, pixels or aspect, or is too small to hold a figure."""

    code = "image_too_large"


class UnsupportedImage(InvalidImage):
    """The bytes are of no format that we read."""

    code = "unsupported_image"


class NoFigureFound(AnimatorError):
    """No human-like figure was found in the drawing."""

    code = "no_figure_found"


class EmptyMask(AnimatorError):
    """The figure has no usable silhouette."""

    code = "empty_mask"
    page = "mask"


class InvalidSkeleton(AnimatorError):
    """The joints form no tree, or lie where no figure is."""

    code = "invalid_skeleton"
    page = "joints"


class InvalidMotion(AnimatorError):
    """A motion file cannot be read, or does not fit."""

    code = "invalid_motion"
    page = "motion"


class UnknownMotion(InvalidMotion):
    """No motion has this name."""

    code = "unknown_motion"
    page = "motion"


class InvalidScene(AnimatorError):
    """A scene's file cannot be read, or asks for what there is not."""

    code = "invalid_scene"
    page = "motion"


class ModelUnavailable(AnimatorError):
    """The model server cannot be reached, or refuses the work just now."""

    code = "model_unavailable"


class EncodingFailed(AnimatorError):
    """The frames could not be written in the format asked for."""

    code = "encoding_failed"
    page = "motion"


class InvalidTrack(AnimatorError):
    """A vertex track cannot be read."""

    code = "invalid_track"
    page = "motion"


class NotFound(AnimatorError):
    """No such drawing, annotation, animation or job."""

    code = "not_found"


class LearningOff(AnimatorError):
    """Whoever runs this server has not switched on that drawings may be learned from."""

    code = "learning_off"


class Conflict(AnimatorError):
    """The document was changed by someone else in the meantime."""

    code = "conflict"


class JobFailed(AnimatorError):
    """The job ended without a result, for a reason of ours."""

    code = "job_failed"
