"""Damaged scenes: an error in a sentence or a sane picture, never a crash, a hang or a trace."""

import copy
import signal
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import yaml
from PIL import Image

from animator.cli.casting import cast_role
from animator.core.animation import FrameSize
from animator.core.errors import AnimatorError
from animator.ingest import read_scene
from animator.render import rasterize
from animator.staging import stage_script
from tests.support_predictor import DarkPredictor
from tests.support_scenes import MOTION, RETARGET, SCENE, write_files

LONGEST = 5.0
"""CPU seconds, also for the slowest."""

ODD: tuple[Any, ...] = (
    *(None, True, 0, -1, 3, 1e308, float("nan"), float("inf"), 10**400, 0.5),
    *("", "x", "x" * 5000, "\u202e\x07", "../../../etc/passwd", "."),
    *([], [[]], [None], {}, {"a": {}}, [1, 2, 3, 4]),
)

Random = np.random.Generator
Mutation = Callable[[Random, Path], None]


def spots(tree: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value in a tree of mappings and lists."""
    items: Any = ()
    if isinstance(tree, dict):
        items = tree.items()
    elif isinstance(tree, list | tuple):
        items = enumerate(tree)
    for key, value in items:
        yield (*way, key)
        yield from spots(value, (*way, key))


def change_a_value(name: str, original: dict[str, Any]) -> Mutation:
    def mutate(rng: Random, folder: Path) -> None:
        tree = listed(original)
        for _ in range(int(rng.integers(1, 3))):
            ways = list(spots(tree))
            *way, last = ways[rng.integers(len(ways))]
            place = tree
            for key in way:
                place = place[key]
            if rng.random() < 0.3:
                del place[last]
            else:
                place[last] = copy.deepcopy(ODD[rng.integers(len(ODD))])
        (folder / name).write_text(yaml.safe_dump(tree))

    return mutate


def listed(tree: Any) -> Any:
    """A copy of a tree in which pairs are lists, so that they can be changed."""
    if isinstance(tree, dict):
        return {key: listed(value) for key, value in tree.items()}
    return [listed(value) for value in tree] if isinstance(tree, list | tuple) else tree


def damage_the_bytes(name: str) -> Mutation:
    def mutate(rng: Random, folder: Path) -> None:
        data = bytearray((folder / name).read_bytes())
        for _ in range(int(rng.integers(1, 6))):
            at = int(rng.integers(len(data)))
            kind = rng.integers(3)
            if kind == 0:
                data[at] = int(rng.integers(256))
            elif kind == 1:
                del data[at : at + int(rng.integers(1, 40))]
            else:
                data[at:at] = rng.choice([b"\0", b"[", b"&a ", b"*a", b"- ", b": ", b"\n", b"\t"])
        (folder / name).write_bytes(bytes(data))

    return mutate


def odd_picture(name: str) -> Mutation:
    def mutate(rng: Random, folder: Path) -> None:
        width, height = 60, 120
        shapes = {
            "empty": np.zeros((height, width), np.uint8),
            "full": np.full((height, width), 255, np.uint8),
            "noise": rng.integers(0, 256, (height, width)).astype(np.uint8),
            "dot": np.pad(np.full((1, 1), 255, np.uint8), ((70, 49), (30, 29))),
            "line": np.pad(np.full((height, 1), 255, np.uint8), ((0, 0), (30, 29))),
            "squares": (np.indices((height, width)).sum(axis=0) // 3 % 2 * 255).astype(np.uint8),
            "parts": np.pad(np.full((9, 60), 255, np.uint8), ((9, 102), (0, 0))),
            "small": np.zeros((17, 17), np.uint8),
        }
        shape = rng.choice(list(shapes))
        image = Image.fromarray(shapes[shape])
        image = image.convert(str(rng.choice(["L", "RGB", "RGBA", "1", "P", "I;16", "LA"])))
        data = BytesIO()
        image.save(
            data,
            str(rng.choice(["PNG", "TIFF", "GIF", "WEBP"]))
            if image.mode in {"RGB", "RGBA"}
            else "PNG",
        )
        whole = data.getvalue()
        cut = len(whole) if rng.random() < 0.8 else int(rng.integers(len(whole)))
        (folder / name).write_bytes(whole[:cut])

    return mutate


CHARACTER = "bob/char_cfg.yaml"


def mutations(folder: Path) -> dict[str, Mutation]:
    character = yaml.safe_load((folder / CHARACTER).read_text())
    return {
        "scene, values": change_a_value("scene.yaml", SCENE),
        "motion, values": change_a_value("motion.yaml", MOTION),
        "retarget, values": change_a_value("retarget.yaml", RETARGET),
        "character, values": change_a_value(CHARACTER, character),
        "scene, bytes": damage_the_bytes("scene.yaml"),
        "motion, bytes": damage_the_bytes("motion.yaml"),
        "retarget, bytes": damage_the_bytes("retarget.yaml"),
        "character, bytes": damage_the_bytes(CHARACTER),
        "mask": odd_picture("bob/mask.png"),
        "texture": odd_picture("bob/texture.png"),
    }


@contextmanager
def limited() -> Iterator[None]:
    """Stops whoever hangs; the clock runs only while this process works."""

    def stop(*_: object) -> None:
        msg = f"more than {LONGEST} CPU seconds"
        raise AssertionError(msg)

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def outcome(scene: Path) -> str:
    """The code of the error, or "picture" where the first frame is one."""
    try:
        script = read_scene(scene)
        script = msgspec.structs.replace(script, size=FrameSize(width=64, height=64), picture=None)
        stage = stage_script(script, [cast_role(r, DarkPredictor()) for r in script.roles], None)
        frame = next(rasterize(stage, [0]))
    except AnimatorError as error:
        assert error.message.strip() and "\n" not in error.message
        assert len(error.message) < 8000
        return error.code
    assert frame.shape == (64, 64, 4) and frame.dtype == np.uint8
    for one in stage.moved:
        assert np.isfinite(one.track.vertices).all()
    return "picture"


@pytest.mark.parametrize("seed", range(10))
def test_damaged_files_are_refused_in_a_sentence_or_rendered(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    scene = write_files(tmp_path / "whole")
    whole = {file: file.read_bytes() for file in scene.parent.rglob("*") if file.is_file()}
    rng = np.random.default_rng(seed)
    found: Counter[str] = Counter()
    for mutate in mutations(scene.parent).values():
        for file, data in whole.items():
            file.write_bytes(data)
        mutate(rng, scene.parent)
        with limited(), warnings.catch_warnings():
            warnings.simplefilter("error")
            found[outcome(scene)] += 1
    assert found.total() == 10
    assert found["picture"] < 10
