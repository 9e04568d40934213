"""Description: what an imported model's folder says of its network, in `network.json`."""

from pathlib import Path
from typing import Literal

import msgspec

from models.importers.conventions import Kind, RegionConventions, TopDownConventions
from models.importers.shapes import RegionShape, TopDownShape

__all__ = ("DESCRIPTION", "GRAPH", "WEIGHTS", "Description", "read_description")

WEIGHTS = "weights.safetensors"
DESCRIPTION = "network.json"
GRAPH = "model.onnx"


class Description(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the handlers must know beside the weights.

    Attributes:
        kind: which library wrote which network.
        half: whether the weights are stored as float16; else as float32.
        source: name of the file that was imported.
        source_sha256: of that file, hexadecimal.
        regions: sizes and conventions of a Mask R-CNN or keypoint R-CNN; None: it is neither.
        top_down: likewise of a top-down pose network.
    """

    kind: Kind
    half: bool
    source: str
    source_sha256: str
    regions: tuple[RegionShape, RegionConventions] | None = None
    top_down: tuple[TopDownShape, TopDownConventions] | None = None

    @property
    def role(self) -> Literal["detector", "pose"]:
        """Which of the two models of a drawing's walk it can stand for."""
        masks = self.regions is not None and len(self.regions[0].mask) > 0
        return "detector" if masks else "pose"

    def write(self, folder: Path) -> None:
        """Write it into a model's folder."""
        data = msgspec.json.format(msgspec.json.encode(self), indent=2)
        (folder / DESCRIPTION).write_bytes(data + b"\n")


def read_description(folder: Path) -> Description:
    """Read it from a model's folder.

    Raises:
        OSError: when there is none.
        msgspec.DecodeError: when it is not valid.
    """
    return msgspec.json.decode((folder / DESCRIPTION).read_bytes(), type=Description)
