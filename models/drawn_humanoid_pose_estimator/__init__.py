"""17 keypoints and the silhouette of one drawn figure, from its crop."""

__all__ = ("INPUT_SIDE",)

INPUT_SIDE = 192
"""Side of the square that the network sees, pixels."""
