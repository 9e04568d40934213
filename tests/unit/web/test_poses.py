"""The motions' cards: what the script makes of the motions, and a word for each."""

import re
from pathlib import Path

import numpy as np

from animator.motion import list_motions
from docs.draw_poses import ROOT, main, write_poses

NUMBER = re.compile(r"-?\d+\.?\d*")


def test_poses_of_the_page_are_those_of_the_motions() -> None:
    kept, made = (ROOT / "web" / "poses.js").read_text(encoding="utf-8"), write_poses()
    assert NUMBER.sub("", kept) == NUMBER.sub("", made)
    ours, theirs = (np.array(NUMBER.findall(text), dtype=float) for text in (made, kept))
    # Another machine may round the other way.
    np.testing.assert_allclose(ours, theirs, atol=1)


def test_every_pose_lies_in_its_box_and_no_two_are_alike() -> None:
    poses = re.findall(r'"([\w-]+)": "(.*?)"', write_poses())
    assert [name for name, _ in poses] == [info.name for info in list_motions()]
    assert len({path for _, path in poses}) == len(poses)
    for _, path in poses:
        head, *limbs = re.findall(r"M([^M]+)", path)
        assert "a8 8 " in head
        assert [limb.count("L") for limb in limbs] == [1, 2, 2, 2, 2]
        places = np.array(NUMBER.findall(" ".join(limbs)), dtype=float)
        assert places.min() >= 5
        assert places.max() <= 59


def test_command_writes_the_poses(tmp_path: Path) -> None:
    main(tmp_path / "poses.js")
    assert (tmp_path / "poses.js").read_text(encoding="utf-8") == write_poses()


def test_titles_and_tags_of_the_page_are_those_of_the_library() -> None:
    text = (ROOT / "web" / "words" / "en.js").read_text(encoding="utf-8")
    gallery = text.partition("  gallery: {")[2].partition("\n  },")[0]
    tags, _, titles = gallery.partition("tags: ")[2].partition("titles: ")
    pair = re.compile(r'^\s+"?([\w -]+)"?: "(.*)",$', re.MULTILINE)
    assert dict(pair.findall(titles)) == {info.name: info.title for info in list_motions()}
    known = {tag for info in list_motions() for tag in info.tags} | {"own"}
    assert set(dict(pair.findall(tags))) == known


def test_page_has_a_word_for_what_each_motion_can_do() -> None:
    text = (ROOT / "web" / "words" / "en.js").read_text(encoding="utf-8")
    listed = text.partition("motions: /** @type {Record")[2].partition("}),")[0]
    names = re.findall(r'^\s+"?([\w-]+)"?: "', listed, re.MULTILINE)
    assert sorted(names) == [info.name for info in list_motions()]
