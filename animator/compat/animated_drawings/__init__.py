"""What scripts written for AnimatedDrawings import of it: `animated_drawings.render`."""
