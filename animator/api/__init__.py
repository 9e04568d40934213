"""HTTP over the store and the queue; thin: it translates, and decides nothing about drawings."""

from animator.api.app import create_app
from animator.api.services import Access, ApiLimits, ApiServices

__all__ = ("Access", "ApiLimits", "ApiServices", "create_app")
