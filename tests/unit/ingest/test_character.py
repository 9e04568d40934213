"""Characters as AnimatedDrawings keeps them: folders and zips, whole and broken."""

import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml

from animator.core.errors import AnimatorError, InvalidImage, InvalidSkeleton
from animator.core.geometry import Box
from animator.core.mask import mask_from_run_lengths
from animator.core.skeleton import BIPED_PARENTS
from animator.ingest import is_character, read_character

JOINTS: list[dict[str, object]] = [
    {"name": "hand", "parent": "arm", "loc": [30, 4]},
    {"name": "root", "parent": None, "loc": [10, 20]},
    {"name": "arm", "parent": "root", "loc": [20, 12.5]},
]


def write_character(folder: Path, **changes: object) -> Path:
    """A character of 40 x 30 pixels whose right half is the figure."""
    folder.mkdir()
    config = {"width": 40, "height": 30, "skeleton": JOINTS, **changes}
    (folder / "char_cfg.yaml").write_text(yaml.safe_dump(config))
    mask = np.zeros((30, 40), np.uint8)
    mask[:, 20:] = 255
    cv2.imwrite(str(folder / "mask.png"), mask)
    texture = np.full((30, 40, 4), 255, np.uint8)
    texture[..., :3] = (10, 20, 200)  # BGR
    cv2.imwrite(str(folder / "texture.png"), texture)
    return folder


@pytest.fixture(params=["folder", "zip"])
def character(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    folder = write_character(tmp_path / "bob")
    if request.param == "folder":
        return folder
    return Path(shutil.make_archive(str(tmp_path / "packed"), "zip", folder))


def test_texture_is_the_drawing_and_mask_and_joints_are_its_figure(character: Path) -> None:
    assert is_character(character)
    drawing, annotation = read_character(character)
    assert drawing.image.shape == (30, 40, 3)
    assert drawing.image[0, 0].tolist() == [200, 20, 10]
    assert (annotation.width, annotation.height, annotation.rotation) == (40, 30, 0)
    (figure,) = annotation.figures
    assert figure.box == Box(0.0, 0.0, 40.0, 30.0)
    assert figure.mask is not None and figure.skeleton is not None
    mask = mask_from_run_lengths(figure.mask).data
    assert mask[:, 20:].all() and not mask[:, :20].any()
    places = [(joint.name, joint.parent, joint.x, joint.y) for joint in figure.skeleton.joints]
    assert places == [
        ("root", None, 10.0, 20.0),
        ("arm", "root", 20.0, 12.5),
        ("hand", "arm", 30.0, 4.0),
    ]


def test_folder_without_config_and_picture_are_no_characters(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"")
    assert not is_character(tmp_path)
    assert not is_character(tmp_path / "a.png")
    assert not is_character(tmp_path / "missing.zip")


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("char_cfg.yaml", InvalidSkeleton),
        ("mask.png", InvalidImage),
        ("texture.png", InvalidImage),
    ],
)
def test_missing_file_is_named(tmp_path: Path, name: str, error: type[Exception]) -> None:
    folder = write_character(tmp_path / "bob")
    (folder / name).unlink()
    with pytest.raises(error, match=f"no {name}"):
        read_character(folder)


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"width": 41}, InvalidImage, "texture.png is 40 x 30 pixels, but .* says 41 x 30"),
        (
            {"height": "tall"},
            InvalidSkeleton,
            "char_cfg.yaml: height: expected a whole number, got a text",
        ),
        ({"skeleton": []}, InvalidSkeleton, "skeleton: expected a list of length >= 2"),
        ({"skeleton": JOINTS[:2]}, InvalidSkeleton, "joint 'hand' hangs on no root"),
        ({"skeleton": [JOINTS[1], JOINTS[1]]}, InvalidSkeleton, "'root' is named twice"),
        (
            {"skeleton": [JOINTS[1], {**JOINTS[1], "name": "other"}]},
            InvalidSkeleton,
            "'other' has parent None",
        ),
        (
            {"skeleton": [JOINTS[1], {**JOINTS[2], "loc": [99999, -500]}]},
            InvalidSkeleton,
            r"'arm' lies at \(99999, -500\), outside the picture of 40 x 30",
        ),
        (
            {"skeleton": [JOINTS[1], {**JOINTS[2], "loc": [float("nan"), 1]}]},
            InvalidSkeleton,
            "outside the picture",
        ),
        (
            {"skeleton": [JOINTS[1], {**JOINTS[2], "loc": [1]}]},
            InvalidSkeleton,
            r"skeleton\[1\].loc: expected a list of length 2",
        ),
    ],
    ids=["size", "type", "empty", "loose", "twice", "roots", "outside", "nan", "loc"],
)
def test_bad_field_is_named(
    tmp_path: Path, changes: dict[str, object], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        read_character(write_character(tmp_path / "bob", **changes))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "\x00",
        "a: !!python/object/apply:os.getcwd []",
        "[" * 5000,
        "- " * 40000,
        "- " * 20000,
    ],
    ids=["empty", "open", "nul", "python", "deep", "long", "deep list"],
)
def test_config_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    folder = write_character(tmp_path / "bob")
    (folder / "char_cfg.yaml").write_text(text)
    with pytest.raises(AnimatorError, match=r"char_cfg\.yaml"):
        read_character(folder)


def test_damaged_zip_is_refused_or_read_but_never_breaks_anything(tmp_path: Path) -> None:
    folder = write_character(tmp_path / "bob")
    whole = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", folder)).read_bytes()
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(200):
        data = bytearray(whole)
        for place in rng.integers(0, len(data), 6):
            data[place] = rng.integers(0, 256)
        (tmp_path / "broken.zip").write_bytes(data)
        try:
            _, annotation = read_character(tmp_path / "broken.zip")
        except AnimatorError:
            refused += 1
        else:
            assert len(annotation.figures) == 1
    assert refused > 100


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6])
def test_animated_drawings_own_characters_are_read(shared_data: Path, number: int) -> None:
    folder = shared_data / "animated-drawings" / "characters" / f"char{number}"
    drawing, annotation = read_character(folder)
    (figure,) = annotation.figures
    assert figure.skeleton is not None and figure.mask is not None
    names = {joint.name for joint in figure.skeleton.joints}
    assert len(names) == (28 if number == 5 else 16)
    if number < 5:
        assert {joint.name: joint.parent for joint in figure.skeleton.joints} == BIPED_PARENTS
    theirs = cv2.imread(str(folder / "mask.png"), cv2.IMREAD_GRAYSCALE)
    assert theirs is not None
    np.testing.assert_array_equal(mask_from_run_lengths(figure.mask).data, theirs > 127)
    assert drawing.image.shape[:2] == theirs.shape
