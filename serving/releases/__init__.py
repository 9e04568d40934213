"""Releases: how a new version of a model comes to answer, step by step, or is taken back."""
