"""Why Animator cannot start here, in words that say what to do."""

from animator.core.errors import AnimatorError

__all__ = ("CannotStart",)


class CannotStart(AnimatorError):
    """A port, a folder or a server that is needed is not to be had."""

    code = "cannot_start"
