"""`animator models train`: a slice of training, where torch is installed."""

import argparse
import importlib.util

from animator.core.errors import AnimatorError

__all__ = ("CannotTrain", "train_models")

_INSTALL = "pip install 'animator[torch]'"


class CannotTrain(AnimatorError):
    """Training lacks a library, or the drawings to train on."""

    code = "cannot_train"


def train_models(args: argparse.Namespace) -> int:
    """Train for a slice of time.

    Raises:
        CannotTrain: when torch is not installed, or the real drawings cannot be read.
    """
    for library in ("torch", "torchvision"):
        if importlib.util.find_spec(library) is None:
            msg = f"Training needs {library}. Install the extra `torch`: {_INSTALL}"
            raise CannotTrain(msg)
    if args.source == "corrections":
        from animator.cli.model_corrections import train_from_corrections

        return train_from_corrections(args)
    # torch takes seconds to load, and is not installed everywhere.
    from models.training.amateur import BadDrawings, open_drawings
    from models.training.train import main

    words = [args.model, "--minutes", str(args.minutes)]
    if args.folder is not None:
        words += ["--folder", str(args.folder)]
    if args.data is not None:
        try:
            open_drawings(args.data)  # before minutes are spent on loading networks
        except (BadDrawings, OSError) as error:
            msg = f"The drawings cannot be used: {error}"
            raise CannotTrain(msg) from error
        words += ["--data", str(args.data), "--share", str(args.share)]
    return main(words)
