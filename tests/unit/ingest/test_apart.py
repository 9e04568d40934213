"""Pictures whose decoder may end the process are decoded in another one, alike in all else."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from animator.__main__ import main
from animator.core.errors import AnimatorError, InvalidImage
from animator.ingest import apart, decode_apart, decode_image
from tests import support_bad_images as bad

DIES = (sys.executable, "-c", "import os; os.kill(os.getpid(), 11)")
HANGS = (sys.executable, "-c", "import time; time.sleep(60)")


def test_heic_is_the_same_picture_and_may_be_drawn_upon() -> None:
    here, apart_ = decode_image(bad.HEIC_TURNED), decode_apart(bad.HEIC_TURNED)
    np.testing.assert_array_equal(apart_.image, here.image)
    assert apart_.id == here.id
    assert apart_.image.flags.writeable


def test_damage_that_ends_the_decoder_is_told_in_plain_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "photo.heic"
    file.write_bytes(bad.ENDS_LIBHEIF)
    assert main(["annotate", str(file)]) == 1
    assert "the file is damaged or incomplete" in capsys.readouterr().err


@pytest.mark.parametrize("command", [DIES, HANGS], ids=["dies", "hangs"])
def test_decoder_that_dies_or_hangs_is_told_as_a_damaged_file(
    monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setattr(apart, "_COMMAND", command)
    monkeypatch.setattr(apart, "_PATIENCE", 0.5)
    with pytest.raises(InvalidImage, match="damaged or incomplete"):
        decode_apart(bad.HEIC_TURNED)


@pytest.mark.parametrize(
    "code", ["import os; os.kill(os.getpid(), 9)", "import no_such_module"], ids=["memory", "fault"]
)
def test_what_is_not_the_picture_s_fault_is_not_told_as_a_damaged_file(
    monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr(apart, "_COMMAND", (sys.executable, "-c", code))
    with pytest.raises(subprocess.CalledProcessError):
        decode_apart(bad.HEIC_TURNED)


def test_error_of_a_heic_is_the_same_as_where_it_is_decoded_here() -> None:
    data = bad.HEIC_TURNED[:300]
    with pytest.raises(AnimatorError) as here:
        decode_image(data)
    with pytest.raises(AnimatorError) as there:
        decode_apart(data)
    assert (type(there.value), there.value.message) == (type(here.value), here.value.message)


def test_other_formats_start_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "_COMMAND", DIES)
    assert decode_apart(bad.rotated_jpeg()).image.shape[2] == 3
