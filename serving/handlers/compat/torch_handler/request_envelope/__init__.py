"""Wrappings of requests and replies."""
