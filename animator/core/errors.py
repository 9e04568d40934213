r"""What can go wrong on the way from a picture to an animation.

The tree, each with its stable ``code`` and the page it sends the user back to::

    AnimatorError
    ├─ InvalidImage        invalid_image        upload   (and its subcodes below)
    │  ├─ ImageTooLarge    image_too_large      upload
    │  └─ UnsupportedImage unsupported_image    upload
    ├─ NoFigureFound       no_figure_found      box
    ├─ EmptyMask           empty_mask           mask
    ├─ InvalidAnnotation   invalid_annotation   box
    │  ├─ InvalidBox       invalid_box          box
    │  └─ InvalidMask      invalid_mask         mask
    ├─ InvalidSkeleton     invalid_skeleton     joints
    ├─ InvalidMotion       invalid_motion       motion
    │  ├─ UnknownMotion    unknown_motion       motion
    │  └─ UnmappedMotion   unmapped_motion      motion
    ├─ InvalidScene        invalid_scene        motion
    ├─ ModelUnavailable    model_unavailable    upload
    ├─ StorageUnavailable  storage_unavailable  upload
    │  └─ StorageRefused   storage_unavailable  upload
    ├─ EncodingFailed      encoding_failed      motion
    ├─ InvalidTrack        invalid_track        motion
    ├─ NotFound            not_found            upload
    ├─ KeyRequired         key_required         upload
    ├─ InvalidKey          invalid_key          upload
    ├─ ForeignOrigin       foreign_origin       upload
    ├─ TooManyRequests     too_many_requests    upload
    ├─ LearningOff         learning_off         upload
    ├─ Conflict            conflict             upload
    ├─ UnknownRevision     precondition_required  upload
    ├─ NotReady            not_ready            upload
    └─ JobFailed           job_failed           upload
"""

from typing import ClassVar, Literal

__all__ = (
    "AnimatorError",
    "Conflict",
    "EmptyMask",
    "EncodingFailed",
    "ForeignOrigin",
    "ImageTooLarge",
    "InvalidAnnotation",
    "InvalidBox",
    "InvalidImage",
    "InvalidKey",
    "InvalidMask",
    "InvalidMotion",
    "InvalidScene",
    "InvalidSkeleton",
    "InvalidTrack",
    "JobFailed",
    "KeyRequired",
    "LearningOff",
    "ModelUnavailable",
    "NoFigureFound",
    "NotFound",
    "NotReady",
    "Page",
    "StorageRefused",
    "StorageUnavailable",
    "TooManyRequests",
    "UnknownMotion",
    "UnknownRevision",
    "UnmappedMotion",
    "UnsupportedImage",
)

Page = Literal["upload", "box", "mask", "joints", "motion"]


class AnimatorError(Exception):
    """Anything the user can be told about: a stable code and one plain sentence.

    Attributes:
        code: the stable name clients may branch on; never changes once released.
        page: the page of the web app on which the user can mend it.
        about: names of the things that it is about, where there are some.
    """

    code: ClassVar[str] = "animator_error"
    page: ClassVar[Page] = "upload"
    about: tuple[str, ...] = ()

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
    page = "box"


class EmptyMask(AnimatorError):
    """The figure has no usable silhouette."""

    code = "empty_mask"
    page = "mask"


class InvalidAnnotation(AnimatorError):
    """The figures of a drawing are not as they can be: too many, or two of one name."""

    code = "invalid_annotation"
    page: ClassVar[Page] = "box"


class InvalidBox(InvalidAnnotation, ValueError):
    """A box has no room in it, or is not whole pixels inside the drawing."""

    code = "invalid_box"


class InvalidMask(InvalidAnnotation, ValueError):
    """Run lengths that cannot be read, of another size than their box, or without a pixel."""

    code = "invalid_mask"
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


class UnmappedMotion(InvalidMotion):
    """It cannot be told which joints of a motion are which.

    Attributes:
        about: names of the parts of the body that no joint was found for, such as "left_hand".
    """

    code = "unmapped_motion"

    def __init__(self, message: str = "", about: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.about = about


class InvalidScene(AnimatorError):
    """A scene's file cannot be read, or asks for what there is not."""

    code = "invalid_scene"
    page = "motion"


class ModelUnavailable(AnimatorError):
    """The model server cannot be reached, or refuses the work just now."""

    code = "model_unavailable"


class StorageUnavailable(AnimatorError):
    """What is kept cannot be reached just now; nothing was half written."""

    code = "storage_unavailable"

    @property
    def reason(self) -> str:
        """What is wrong, for whoever runs the server."""
        return str(self)

    @property
    def message(self) -> str:
        """The sentence for the user, who cannot help it."""
        return "The storage cannot be reached just now. Please try again in a moment."


class StorageRefused(StorageUnavailable):
    """The storage answers, but not to us: credentials, bucket or server are the wrong ones."""


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


class KeyRequired(AnimatorError):
    """This server takes nothing from those who have no key."""

    code = "key_required"


class InvalidKey(AnimatorError):
    """The key is none of those that this server knows."""

    code = "invalid_key"


class ForeignOrigin(AnimatorError):
    """A page of another site asked for a change."""

    code = "foreign_origin"


class TooManyRequests(AnimatorError):
    """One client asked more often than it may.

    Attributes:
        retry_after: seconds until the next request is taken, > 0.
    """

    code = "too_many_requests"

    def __init__(self, message: str = "", retry_after: int = 1) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class LearningOff(AnimatorError):
    """Whoever runs this server has not switched on that drawings may be learned from."""

    code = "learning_off"


class Conflict(AnimatorError):
    """The document was changed by someone else in the meantime."""

    code = "conflict"


class UnknownRevision(AnimatorError):
    """A change that does not say which revision it is a change of."""

    code = "precondition_required"


class NotReady(AnimatorError):
    """What is asked for needs something that a job is still making."""

    code = "not_ready"


class JobFailed(AnimatorError):
    """The job ended without a result, for a reason of ours."""

    code = "job_failed"
