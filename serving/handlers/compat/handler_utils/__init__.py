"""Streaming, timing and pipelining for handlers."""
