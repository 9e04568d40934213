"""A model on disk: what its folder says of itself."""
