"""Boxes and coarse masks of drawn human-like figures."""

__all__ = ("INPUT_SIDE",)

INPUT_SIDE = 320
"""Side of the square that the network sees, pixels."""
