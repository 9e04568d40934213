"""How much work is it to animate a character, beside AnimatedDrawings in the same run?

    python -m benchmarks.animation --peer DIR

DIR holds that project's clone (`DIR/clone`) and a virtual environment for it (`DIR/venv`); without
it only ours is measured. Both render the same character and motion with as many frames of the same
size, to GIF and to MP4, each in a process of its own, in turns. What counts is the processor's work
(user and system time of the process and of all its threads), which hardly depends on what else the
machine does. Then the steps of ours, and how the work grows with frames and vertices.

"run" is what is done for the frames: theirs from the first to the closed file, ours solving,
drawing and encoding. A GIF of ours has at most 50 frames a second, theirs plays slower with more.
"""

import argparse
import json
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import yaml

from animator.core.animation import AnimationFormat
from benchmarks.animation_growth import measure_growth, plot_growth, straightness
from benchmarks.animation_phases import SETUP, measure_phases

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("ANIMATOR_TEST_DATA", ROOT.parent / "shared" / "data")).joinpath(
    "animated-drawings"
)
PEER = Path(__file__).with_name("animation_peer.py")
MOTIONS = {
    "jumping_jacks": "cmu1_pfp",
    "dab": "fair1_ppf",
    "jesse_dance": "mixamo_fff",
}
"""The motions that are rendered, each with its retarget file."""

RUN = ("solve", "draw", "encode")
"""What is done for every frame."""

HEAD = (
    "| motion | format | frames | ours, CPU s | run | MB | theirs, CPU s | run | MB | ratio "
    "| ratio of the run |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
)


@dataclass(frozen=True)
class Run:
    """What one process took.

    Attributes:
        cpu: user and system time, seconds.
        memory: the most it held, MB.
        output: the last line it printed.
    """

    cpu: float
    memory: float
    output: str


def run(words: list[str], folder: Path, path: str = "") -> Run:
    """Run a program and wait for it.

    path: its PYTHONPATH.

    Raises:
        RuntimeError: when it fails.
    """
    env = {
        **os.environ,
        "PYTHONPATH": path,
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONWARNINGS": "ignore",
    }
    # as installed programs do: what was compiled once is kept
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as problems:
        files = ((out, 1), (problems, 2))
        actions = [(os.POSIX_SPAWN_DUP2, file.fileno(), place) for file, place in files]
        here = Path.cwd()
        os.chdir(folder)
        try:
            child = os.posix_spawn(words[0], words, env, file_actions=actions)
        finally:
            os.chdir(here)
        _, status, usage = os.wait4(child, 0)
        out.seek(0)
        problems.seek(0)
        text, said = out.read().decode(), problems.read().decode()
    if status:
        msg = f"{' '.join(words)} failed: {said[-2000:]}"
        raise RuntimeError(msg)
    cpu = usage.ru_utime + usage.ru_stime
    return Run(cpu, usage.ru_maxrss / 1024, text.strip().splitlines()[-1] if text.strip() else "")


def write_scene(folder: Path, motion: str, form: str) -> Path:
    """A scene that both read; AnimatedDrawings' codec for MP4 that works, MPEG-4 part 2."""
    character = DATA / "characters" / "char1" / "char_cfg.yaml"
    part = {
        "character_cfg": str(character),
        "motion_cfg": f"examples/config/motion/{motion}.yaml",
        "retarget_cfg": f"examples/config/retarget/{MOTIONS[motion]}.yaml",
    }
    scene = {
        "scene": {"ANIMATED_CHARACTERS": [part]},
        "view": {"USE_MESA": True},
        "controller": {
            "MODE": "video_render",
            "OUTPUT_VIDEO_PATH": str(folder / f"{motion}.{form}"),
            "OUTPUT_VIDEO_CODEC": "mp4v",
        },
    }
    file = folder / f"{motion}-{form}.yaml"
    file.write_text(yaml.safe_dump(scene))
    return file


def compare(
    folder: Path, peer: Path | None, motion: str, form: AnimationFormat, repeats: int
) -> str:
    """One row of the table: the whole process, and the run alone (frames and encoding)."""
    scene = write_scene(folder, motion, form)
    ours, theirs = [], []
    for _ in range(repeats):
        camera = ("--camera", "fixed")  # as large as theirs, also where they leave the picture
        command = [sys.executable, "-m", "animator", "render", str(scene), *camera]
        ours.append(run(command, folder, str(ROOT)))
        if peer is not None:
            python = str(peer / "venv" / "bin" / "python")
            theirs.append(run([python, str(PEER), str(peer / "clone"), str(scene)], folder))
    phases = [measure_phases(scene, form) for _ in range(repeats)]
    frames = phases[0][1]
    loop = min(sum(found[step] for step in RUN) for found, _ in phases)
    own, memory = min(one.cpu for one in ours), max(one.memory for one in ours)
    row = [motion, form.upper(), f"{frames}", f"{own:.2f}", f"{loop:.2f}", f"{memory:.0f}"]
    if not theirs:
        return _row([*row, *["-"] * 5])
    parts = [json.loads(one.output) for one in theirs]
    their, their_loop = min(one.cpu for one in theirs), min(part["run"] for part in parts)
    row += [f"{their:.1f}", f"{their_loop:.1f}", f"{max(one.memory for one in theirs):.0f}"]
    return _row([*row, f"**{their / own:.1f}**", f"**{their_loop / loop:.1f}**"])


def tell_phases(scene: Path, form: AnimationFormat, repeats: int) -> None:
    """Print what each step of ours costs: the least of several runs, and of that a frame."""
    found = [measure_phases(scene, form) for _ in range(repeats)]
    frames = found[0][1]
    least = {step: min(seconds.get(step, 0.0) for seconds, _ in found) for step in found[0][0]}
    print("\n| step | CPU ms | CPU ms a frame |\n|---|---:|---:|")
    for step, seconds in least.items():
        each = f"{1000 * seconds / frames:.2f}" if step in RUN else "-"
        print(_row([step, f"{1000 * seconds:.0f}", each]))
    print(f"\nset-up of a figure ({', '.join(SETUP)}): {sum(least[s] for s in SETUP):.3f} s")


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Measure, and print Markdown tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", type=Path, help="folder with AnimatedDrawings' clone and venv")
    parser.add_argument("--repeats", type=int, default=2, help="runs of each; the best counts")
    parser.add_argument("--motions", nargs="+", choices=tuple(MOTIONS), default=list(MOTIONS))
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="how the work grows")
    options = parser.parse_args()
    peer = None if options.peer is None else options.peer.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "examples").symlink_to(DATA)
        os.chdir(folder)
        print(HEAD)
        for motion in options.motions:
            for form in (AnimationFormat.GIF, AnimationFormat.MP4):
                print(compare(folder, peer, motion, form, options.repeats), flush=True)
        tell_phases(write_scene(folder, "dab", "mp4"), AnimationFormat.MP4, options.repeats)
        by_frames, by_vertices = measure_growth(write_scene(folder, "jesse_dance", "mp4"))
    for what, points in (("frames", by_frames), ("vertices", by_vertices)):
        print(f"\nby {what}: {points}; a straight line explains {straightness(points):.1%}")
    if options.plot is not None:
        options.plot.write_text(plot_growth(by_frames, by_vertices))


if __name__ == "__main__":
    main()
