import pytest

pytest.importorskip("torch", reason="needs the extra `torch`")

import torch
from torch import nn

from models.folding import fold_batch_norms


def test_folded_network_computes_the_same() -> None:
    torch.manual_seed(1)
    inner = nn.Sequential(nn.Conv2d(4, 4, 3, groups=4, bias=False), nn.BatchNorm2d(4), nn.ReLU())
    network = nn.Sequential(inner, nn.Conv2d(4, 2, 1), nn.BatchNorm2d(2))
    network(torch.randn(8, 4, 9, 9) * 3 + 1)  # statistics other than 0 and 1
    network.eval()
    pixels = torch.randn(2, 4, 9, 9)
    expected = network(pixels)
    folded = fold_batch_norms(network)
    assert not any(isinstance(module, nn.BatchNorm2d) for module in folded.modules())
    assert torch.allclose(folded(pixels), expected, atol=1e-5)
