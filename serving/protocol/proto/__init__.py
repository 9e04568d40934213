"""The messages of the gRPC services: what they hold (`*.proto`), and as Python (`generated/`)."""
