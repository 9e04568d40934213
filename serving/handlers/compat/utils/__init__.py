"""Small helpers of handlers."""
