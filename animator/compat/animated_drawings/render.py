"""`animated_drawings.render.start("mvc.yaml")`, also as `python -m animated_drawings.render`."""

import sys
from pathlib import Path

from animator.cli.rendering import Wishes, render_scene
from animator.core.errors import AnimatorError

__all__ = ("Refused", "start")


class Refused(SystemExit, ValueError):
    """A scene that cannot be rendered, in a sentence.

    Programs catch it as a `ValueError`; where none does, Python prints the sentence and exits with
    1 instead of a stack trace.
    """


def start(user_mvc_cfg_fn: str) -> None:
    """Render the scene of a file; where it is written is said on stdout, as AnimatedDrawings does.

    Raises:
        Refused: when it cannot be rendered.
    """
    try:
        written = render_scene(Path(user_mvc_cfg_fn), Wishes())
    except AnimatorError as error:
        raise Refused(error.message) from None
    print(written)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m animated_drawings.render SCENE.yaml")
    start(sys.argv[1])
