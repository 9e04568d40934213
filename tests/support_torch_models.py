"""Small torch models for the default handlers: files of archives, made anew each time."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

__all__ = ("labels", "model_files", "picture", "script_file", "vocabulary")

CLASSIFIER = """
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 4, 7, 4), nn.ReLU(), nn.AdaptiveAvgPool2d(3), nn.Flatten(),
            nn.Linear(36, 8))

    def forward(self, x):
        return self.layers(x)
"""

SEGMENTER = """
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 5, 1)

    def forward(self, x):
        return {"out": self.layer(x)}
"""

DETECTOR = '''
import torch
from torch import nn

class Net(nn.Module):
    """Boxes that follow from the picture: its size, and how bright its halves are."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(1.1))

    def forward(self, images):
        return [self.look(image) for image in images]

    def look(self, image):
        h, w = image.shape[1:]
        box = torch.tensor([[0.0, 0.0, w / 2, h], [w / 2, 0.0, w, h], [0.0, 0.0, w, h / 2]])
        left, right = image[..., : w // 2].mean(), image[..., w // 2 :].mean()
        scores = torch.stack([left, right, image.mean()]) * self.scale
        return {"boxes": box, "labels": torch.tensor([1, 2, 1]), "scores": scores}
'''

TEXT = """
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.EmbeddingBag(400, 6)
        self.fc = nn.Linear(6, 4)

    def forward(self, text, offsets):
        return self.fc(self.embedding(text, offsets))
"""

LINEAR = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x):
        return self.layer(x)
"""

CODE = {
    "classifier": CLASSIFIER,
    "segmenter": SEGMENTER,
    "detector": DETECTOR,
    "text": TEXT,
    "linear": LINEAR,
}


def model_files(kind: str) -> dict[str, str | bytes]:
    """Make `net.py` and `weights.pth` of a kind, the same weights each time."""
    import torch

    buffer = io.BytesIO()
    torch.save(_network(kind).state_dict(), buffer)
    return {"net.py": CODE[kind], "weights.pth": buffer.getvalue()}


def script_file(kind: str) -> dict[str, str | bytes]:
    """Make `model.pt`, the same network as TorchScript."""
    import warnings

    import torch

    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trace: Any = torch.jit.trace
        torch.jit.save(trace(_network(kind), torch.zeros(1, 3, 224, 224)), buffer)
    return {"model.pt": buffer.getvalue()}


def picture(width: int = 320, height: int = 260, *, seed: int = 0) -> bytes:
    """Make a PNG of coloured noise in large blocks."""
    colours = np.random.default_rng(seed).integers(0, 256, (6, 8, 3), np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(colours).resize((width, height)).save(buffer, "PNG")
    return buffer.getvalue()


def vocabulary(*sentences: str) -> bytes:
    """Make `source_vocab.pt`: a number for each word and pair of words as they are cut."""
    import torch

    words = [word for sentence in sentences for word in sentence.split()]
    pairs = [f"{a} {b}" for s in sentences for a, b in zip(s.split(), s.split()[1:], strict=False)]
    buffer = io.BytesIO()
    torch.save({token: number for number, token in enumerate(dict.fromkeys(words + pairs))}, buffer)
    return buffer.getvalue()


def labels(*names: str) -> str:
    """Make `index_to_name.json`."""
    return json.dumps({str(index): name for index, name in enumerate(names)})


def _network(kind: str) -> Any:
    import torch

    scope: dict[str, Any] = {"__name__": Path(kind).name}
    exec(CODE[kind], scope)
    torch.manual_seed(7)
    return scope["Net"]().eval()
