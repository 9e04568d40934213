"""Batch normalisation folded into the convolutions before it: the form in which models ship."""

from typing import TypeVar

from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

__all__ = ("fold_batch_norms",)

Network = TypeVar("Network", bound=nn.Module)


def fold_batch_norms(network: Network) -> Network:
    """Fold every normalisation that follows a convolution in a Sequential; changes the network.

    The network must be in evaluation mode.
    """
    for module in list(network.modules()):
        if isinstance(module, nn.Sequential):
            _fold(module)
    return network


def _fold(chain: nn.Sequential) -> None:
    for place in range(len(chain) - 1):
        convolution, norm = chain[place], chain[place + 1]
        if isinstance(convolution, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d):
            chain[place] = fuse_conv_bn_eval(convolution, norm)
            chain[place + 1] = nn.Identity()
