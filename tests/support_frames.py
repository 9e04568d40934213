"""What tests ask of the frames of an animation."""

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageSequence

Frames = NDArray[np.int16]


def read_gif(data: bytes) -> Frames:
    """All frames: (F, H, W, 3)."""
    with Image.open(io.BytesIO(data)) as gif:
        frames = [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(gif)]
    return np.stack(frames).astype(np.int16)


def ink(frames: Frames, background: tuple[int, int, int] = (255, 255, 255)) -> NDArray[np.bool_]:
    """Where something is drawn: (F, H, W)."""
    return np.asarray(np.abs(frames - np.array(background)).max(axis=-1) > 24)


def moved(frames: Frames, least: int = 24) -> NDArray[np.float64]:
    """Share of the drawn pixels that change from each frame to the next: (F - 1,).

    least: levels by which a pixel changes, 0..255.
    """
    changed = np.abs(np.diff(frames, axis=0)).max(axis=-1) > least
    drawn = ink(frames)[1:].sum(axis=(1, 2))
    return np.asarray(changed.sum(axis=(1, 2)) / np.maximum(drawn, 1))
