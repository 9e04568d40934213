"""A model server: batching, supervised worker processes, and the Open Inference Protocol."""
