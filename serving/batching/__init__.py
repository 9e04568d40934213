"""Many requests into few batches, and the results back to who asked; knows no processes."""
