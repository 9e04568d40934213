"""Replies of handlers, as bytes."""
