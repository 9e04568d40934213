"""Bench: how fast a server is, which setting is best inside a limit, and the reports of it."""
