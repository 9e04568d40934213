"""Between HTTP and the engine: thin translation, nothing else."""
