"""Boxes and coarse masks of drawn human-like figures."""
