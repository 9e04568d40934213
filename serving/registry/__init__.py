"""Which models there are on disk, and which are served."""
