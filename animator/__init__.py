"""Animator turns a photo of a child's drawing into an animation."""

__all__ = ("__version__",)

__version__ = "0.1.0"
