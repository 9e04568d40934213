"""From a checkpoint to what ships: weights in half precision, and a graph that reads them.

The ONNX graph holds no weights of its own: its constants point into `weights.safetensors`, so the
CPU's route and the GPU's route cannot drift apart.

    python -m models.training.export pose
"""

import argparse
import json
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import onnx
import torch
from onnx import ModelProto
from safetensors.torch import save_file
from torch import Tensor, nn

from models.drawn_humanoid_detector.graph import DetectorGraph
from models.drawn_humanoid_detector.network import INPUT_SIDE as DETECTOR_SIDE
from models.drawn_humanoid_detector.network import build_detector
from models.drawn_humanoid_pose_estimator.network import INPUT_SIDE as POSE_SIDE
from models.drawn_humanoid_pose_estimator.network import build_pose_network
from models.folding import fold_batch_norms
from models.onnx_weights import point_into
from models.training.checkpoint import FIRST_SEED, Progress, progress_from_state
from models.training.lineage import (
    SYNTHETIC,
    Lineage,
    generator_revision,
    hash_file,
    write_lineage,
)
from models.training.train import DEFAULT_FOLDER

__all__ = ("EXPORTS", "Export", "export_model", "lineage_of", "main")

MODELS = Path(__file__).parents[1]
WEIGHTS = "weights.safetensors"
GRAPH = "model.onnx"


@dataclass(frozen=True, slots=True)
class Export:
    """How one model is exported.

    Attributes:
        folder: of the model.
        build: the network as it ships, from the averaged weights of a checkpoint.
        side: of the input, pixels.
        outputs: names of the graph's outputs, in order.
        batched: whether the first axis of inputs and outputs may vary.
    """

    folder: Path
    build: Callable[[dict[str, Tensor]], nn.Module]
    side: int
    outputs: tuple[str, ...]
    batched: bool


def _build_pose(weights: dict[str, Tensor]) -> nn.Module:
    network = build_pose_network()
    network.load_state_dict(weights)
    return fold_batch_norms(network.eval())


def _build_detector(weights: dict[str, Tensor]) -> nn.Module:
    detector = build_detector()
    detector.load_state_dict(weights)
    return DetectorGraph(detector).eval()


EXPORTS = {
    "pose": Export(
        folder=MODELS / "drawn_humanoid_pose_estimator",
        build=_build_pose,
        side=POSE_SIDE,
        outputs=("heatmaps", "presence", "mask", "figure"),
        batched=True,
    ),
    "detector": Export(
        folder=MODELS / "drawn_humanoid_detector",
        build=_build_detector,
        side=DETECTOR_SIDE,
        outputs=("boxes", "scores", "masks"),
        batched=False,
    ),
}


def export_model(export: Export, weights: dict[str, Tensor], folder: Path) -> None:
    """Write weights, graph, and the manifest's hashes of both into a folder.

    Args:
        export: how.
        weights: averaged weights of a checkpoint, by name.
        folder: where to; a `manifest.json` that lies there gets the new hashes.
    """
    network = export.build(weights)
    state = {k: v.half().contiguous() for k, v in network.state_dict().items()}
    save_file(state, folder / WEIGHTS)
    (folder / WEIGHTS).chmod(0o644)  # safetensors writes for the owner alone
    network.load_state_dict({k: v.float() for k, v in state.items()})
    graph = _trace(export, network, folder / GRAPH)
    point_into(graph, folder / WEIGHTS)
    onnx.save(graph, folder / GRAPH)
    _sign(folder)


def lineage_of(progress: Progress, folder: Path) -> Lineage:
    """Where the weights in a folder came from; their scores are not known yet."""
    first = progress.slices[0] if progress.slices else None
    old = first is None or first.first_seed > FIRST_SEED  # slices from before records were kept
    sources = [SYNTHETIC] if old else []
    sources += [part.data for part in progress.slices]
    sources += [SYNTHETIC for part in progress.slices if part.share < 1]
    return Lineage(
        weights=hash_file(folder / WEIGHTS),
        revision=generator_revision(),
        data=tuple(dict.fromkeys(sources)),
        seeds=(FIRST_SEED, progress.next_seed),
        pictures=progress.pictures,
        minutes=round(progress.seconds / 60, 1),
        slices=tuple(progress.slices),
    )


def _trace(export: Export, network: nn.Module, file: Path) -> ModelProto:
    """The network as an ONNX graph with its weights inside, under the names they have in torch."""
    example = torch.rand(1, 3, export.side, export.side) * 255
    axes = {name: {0: "batch"} for name in ("pixels", *export.outputs)}
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # the tracer warns of every size that it fixes: we want that
        torch.onnx.export(
            network,
            (example,),
            file,
            input_names=["pixels"],
            output_names=list(export.outputs),
            opset_version=17,
            dynamo=False,
            do_constant_folding=False,
            dynamic_axes=axes if export.batched else None,
        )
    return onnx.load(file)


def _sign(folder: Path) -> None:
    file = folder / "manifest.json"
    if not file.is_file():
        return
    manifest = json.loads(file.read_text())
    manifest["files"] = {name: hash_file(folder / name) for name in (GRAPH, WEIGHTS)}
    file.write_text(json.dumps(manifest, indent=2) + "\n")


def main() -> int:
    """Export the newest checkpoint of a model into its folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", choices=list(EXPORTS))
    parser.add_argument("--checkpoints", type=Path, default=DEFAULT_FOLDER, help="their folder")
    parser.add_argument("--out", type=Path, help="folder to write to; default: the model's own")
    arguments = parser.parse_args()
    export = EXPORTS[arguments.model]
    file = arguments.checkpoints / f"{arguments.model}.pt"
    state = torch.load(file, map_location="cpu", weights_only=True)
    folder = arguments.out or export.folder
    folder.mkdir(parents=True, exist_ok=True)
    export_model(export, state["average"], folder)
    write_lineage(folder, lineage_of(progress_from_state(state["progress"]), folder))
    size = sum((folder / name).stat().st_size for name in (GRAPH, WEIGHTS))
    print(f"{folder}: {size / 1e6:.1f} MB after {state['progress']['pictures']} pictures")
    return 0


if __name__ == "__main__":
    sys.exit(main())
