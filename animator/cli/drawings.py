"""What the commands without a server share: files to drawings, and models in this process."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from animator.core.drawing import Drawing
from animator.core.errors import ImageTooLarge, InvalidImage, ModelUnavailable
from animator.ingest import DEFAULT_LIMITS, decode_apart
from animator.vision import Predictor

__all__ = ("LocalModels", "read_drawing")


class LocalModels:
    """The models, run in this process; each is loaded when it is first asked.

    Args:
        models_dir: a folder of model folders; None: as the settings say.
    """

    def __init__(self, models_dir: Path | None = None) -> None:
        self._models_dir = models_dir
        self._predictor: Predictor | None = None

    def infer(self, model: str, inputs: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
        """Run a model by name on one item.

        Raises:
            ModelUnavailable: when it is missing, or fails.
        """
        # Characters bring their figures along: only pictures make it worth loading all this.
        from serving.errors import ServingError

        try:
            if self._predictor is None:
                self._predictor = _load_predictor(self._models_dir)
            return self._predictor.infer(model, inputs)
        except ServingError as error:
            msg = f"The model {model} cannot be used: {error}"
            raise ModelUnavailable(msg) from error


def _load_predictor(models_dir: Path | None) -> Predictor:
    from animator.settings import load_settings
    from serving.local import LocalPredictor

    return LocalPredictor(models_dir or load_settings().models_dir)


def read_drawing(path: Path) -> Drawing:
    """Read a picture from a file.

    Raises:
        InvalidImage: when it is no readable file, or no picture that can be read.
    """
    if path.is_dir():
        msg = f"{path} is a folder. Name the pictures in it, for example {path / '*.jpg'}."
        raise InvalidImage(msg)
    if not path.is_file():
        msg = f"There is no file {path}. Check its name and folder."
        raise InvalidImage(msg)
    try:
        size = path.stat().st_size
        if size > DEFAULT_LIMITS.max_bytes:
            msg = f"{path} has {size / 1e6:.0f} MB, too many for a picture. Save it smaller."
            raise ImageTooLarge(msg)
        data = path.read_bytes()
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}."
        raise InvalidImage(msg) from error
    return decode_apart(data)
