"""Which TorchServe these modules stand in for."""

from serving.handlers.compat import __version__

__all__ = ("__version__",)
