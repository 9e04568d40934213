"""What was read can be written for a browser."""

import numpy as np

from animator.core.drawing import Drawing
from animator.core.image_format import ImageFormat, sniff_format
from animator.ingest import decode_image, encode_picture


def test_picture_is_a_jpeg_of_the_same_size_and_look() -> None:
    ramp = np.tile(np.linspace(0, 255, 60).astype(np.uint8)[None, :, None], (40, 1, 3))
    data = encode_picture(Drawing(id="ramp", image=ramp))
    assert sniff_format(data) is ImageFormat.JPEG
    back = decode_image(data).image
    assert back.shape == ramp.shape
    assert np.abs(back.astype(int) - ramp).max() < 8
