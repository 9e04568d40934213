"""What a call tells of its client."""

from typing import Any, TypeAlias

import grpc

__all__ = ("Context", "metadata_of")

# Text, for the class is generic to the type checker alone.
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"


def metadata_of(context: Context, name: str) -> str | None:
    """A text that the client sent along under a name in lower case; None: it sent none."""
    metadata = context.invocation_metadata() or ()
    found = next((value for key, value in metadata if key == name), None)
    return found if isinstance(found, str) else None
