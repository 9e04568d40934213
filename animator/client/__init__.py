"""A client of the HTTP API: hand in a drawing, correct it, have it animated, keep the files."""

from animator.client.client import Client
from animator.client.errors import RequestRefused, ServerUnreachable

__all__ = ("Client", "RequestRefused", "ServerUnreachable")
