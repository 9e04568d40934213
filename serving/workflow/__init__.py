"""Several models as one: a graph of endpoints and functions, run inside the server."""
