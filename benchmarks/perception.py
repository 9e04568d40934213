"""How long does looking at a one-figure photo take on a CPU: box, way up, outline, joints?

Prints Markdown tables: the median of each step on one and on two threads, and the processor's time
for the whole, which other work on the machine hardly changes; the ratio to torchvision's eager
Mask R-CNN R50-FPN on the same picture in the same run; and what one worker of the model server
costs: time to start, and resident memory. The peer has random weights, and may
find one figure only, since a hundred random ones would keep its mask head busy; where torch is not
installed it is left out.
"""

import argparse
import asyncio
import importlib.util
import os
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.core.drawing import Drawing
from animator.ingest import decode_image
from animator.pipeline import annotate, say_nothing
from animator.vision import FoundFigure, detect, outline_figure
from models.training.synthesis import synthesize
from serving.archive.manifest import read_manifest
from serving.handlers.handler import Handler, HandlerContext, Tensors
from serving.handlers.loading import is_raw, load_handler
from serving.workers.launch import WorkerSpec
from serving.workers.memory import keep_freed_memory
from serving.workers.messages import Load
from serving.workers.process import Worker

ROOT = Path(__file__).parents[1]
MODELS = ("drawn_humanoid_detector", "drawn_humanoid_pose_estimator")
DATA = Path(os.environ.get("ANIMATOR_TEST_DATA", ROOT.parent / "shared" / "data"))
PHOTO = DATA / "drawings" / "ad-garlic.jpg"
THREADS = (1, 2)


class CpuPredictor:
    """Both handlers on the CPU, whatever else the machine has."""

    def __init__(self, threads: int) -> None:
        self._handlers = {name: _load(name, threads) for name in MODELS}

    def infer(self, model: str, inputs: Mapping[str, NDArray[Any]]) -> Tensors:
        """Run a model by name on one item."""
        return self._handlers[model].infer([inputs])[0]


def _load(name: str, threads: int) -> Handler:
    folder = ROOT / "models" / name
    handler = load_handler(read_manifest(folder).handler, folder)
    if is_raw(handler):
        msg = f"{name} takes no tensors"
        raise TypeError(msg)
    handler.load(HandlerContext(model_dir=str(folder), threads=threads))
    return handler


@dataclass(frozen=True, slots=True)
class Duration:
    """Medians in milliseconds: by the clock, and of the processor's work in this process."""

    clock: float
    work: float


def time_calls(call: Callable[[], object], runs: int) -> Duration:
    """The medians of some calls after one to warm up."""
    call()
    times = []
    for _ in range(runs):
        start = time.perf_counter(), time.process_time()
        call()
        times.append((time.perf_counter() - start[0], time.process_time() - start[1]))
    clock, work = 1000 * np.median(times, axis=0)
    return Duration(clock=float(clock), work=float(work))


def time_looking(drawing: Drawing, threads: int, runs: int) -> tuple[Duration, Duration, Duration]:
    """Detection; a look and the outline; and all that `animator annotate` does with the picture.

    Raises:
        SystemExit: when the picture has no figure.
    """
    cv2.setNumThreads(threads)
    predictor = CpuPredictor(threads)
    found: tuple[FoundFigure, ...] = detect(drawing, predictor)
    if not found:
        msg = "there is no figure in this picture; name another with --photo"
        raise SystemExit(msg)

    def outline() -> object:
        return outline_figure(drawing, found, 0, predictor)

    def whole() -> object:
        return annotate(drawing, predictor, say_nothing)

    detection = time_calls(lambda: detect(drawing, predictor), runs)
    return detection, time_calls(outline, runs), time_calls(whole, runs)


def time_peer(drawing: Drawing, threads: int, runs: int) -> Duration | None:
    """Torchvision's Mask R-CNN; None without torch."""
    if importlib.util.find_spec("torchvision") is None:
        return None
    # torch is not installed everywhere.
    import torch
    from torchvision.models.detection import maskrcnn_resnet50_fpn

    torch.manual_seed(0)
    torch.set_num_threads(threads)
    network = maskrcnn_resnet50_fpn(
        weights=None, weights_backbone=None, num_classes=2, box_detections_per_img=1
    ).eval()
    pixels = torch.from_numpy(drawing.image.copy()).permute(2, 0, 1).float() / 255
    with torch.inference_mode():
        return time_calls(lambda: network([pixels]), runs)


async def measure_worker(name: str) -> tuple[float, float]:
    """Seconds until a worker of the model server has loaded, and its MB after a picture."""
    folder = ROOT / "models" / name
    context = HandlerContext(model_dir=str(folder), threads=1)
    spec = WorkerSpec(load=Load(handler=read_manifest(folder).handler, context=context))
    worker = Worker(1, spec)
    start = time.perf_counter()
    await worker.start(60.0)
    seconds = time.perf_counter() - start
    picture = np.full((1024, 768, 3), 235, np.uint8)
    await worker.run([{"image": picture}], 60.0)
    megabytes = worker.resident_bytes() / 1e6
    await worker.stop(5.0)
    return seconds, megabytes


def read_photo(file: Path | None) -> tuple[str, Drawing]:
    """The photo named, else one of the test data, else one that is made up."""
    file = file or (PHOTO if PHOTO.is_file() else None)
    if file is not None:
        return file.name, decode_image(file.read_bytes())
    image = cv2.resize(synthesize(7, 640).image, None, fx=2.5, fy=2.5)
    _, data = cv2.imencode(".png", cv2.cvtColor(image, cv2.COLOR_RGB2BGR))
    return "a synthetic drawing", decode_image(data.tobytes())


def print_looking(drawing: Drawing, runs: int, peer_runs: int) -> None:
    """Print the table of times."""
    print("| threads | box ms | outline ms | whole ms | of it work ms |", end="")
    print(" Mask R-CNN ms | ratio | ratio of work |\n|---:|---:|---:|---:|---:|---:|---:|---:|")
    for threads in THREADS:
        box, outline, whole = time_looking(drawing, threads, runs)
        peer = time_peer(drawing, threads, peer_runs)
        print(f"| {threads} | {box.clock:.0f} | {outline.clock:.0f} | ", end="")
        print(f"**{whole.clock:.0f}** | {whole.work:.0f} | {_compare(whole, peer)} |", flush=True)


def _compare(whole: Duration, peer: Duration | None) -> str:
    """Three cells: the peer's time, and how many times ours it is."""
    if peer is None:
        return "- | - | -"
    return f"{peer.clock:.0f} | {peer.clock / whole.clock:.1f} | {peer.work / whole.work:.1f}"


def print_workers() -> None:
    """Print the table of workers."""
    print("| one worker of | starts in s | resident MB |\n|---|---:|---:|")
    for name in MODELS:
        seconds, megabytes = asyncio.run(measure_worker(name))
        print(f"| {name} | {seconds:.2f} | {megabytes:.0f} |")


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photo", type=Path, help="a photo with one figure")
    parser.add_argument("--runs", type=int, default=20, help="calls of which the median is taken")
    parser.add_argument("--peer-runs", type=int, default=5, help="the same for Mask R-CNN")
    arguments = parser.parse_args()
    keep_freed_memory()  # as the product's processes do
    name, drawing = read_photo(arguments.photo)
    load = os.getloadavg()[0]
    print(f"{name}, {drawing.width} x {drawing.height}, {os.cpu_count()} cores, ", end="")
    print(f"load before the run {load:.1f}, Python {platform.python_version()}\n")
    print_workers()
    print()
    print_looking(drawing, arguments.runs, arguments.peer_runs)


if __name__ == "__main__":
    main()
