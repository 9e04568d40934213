"""What a server of the Open Inference Protocol says of itself and of its models."""

import msgspec

__all__ = ("ModelMetadata", "ServerMetadata", "TensorMetadata", "our_version")


class TensorMetadata(msgspec.Struct, frozen=True, kw_only=True):
    """What a model says of one input or output.

    Attributes:
        name: of the tensor.
        datatype: the protocol's name of the element type.
        shape: sizes; -1 where any size goes.
    """

    name: str
    datatype: str
    shape: tuple[int, ...]


class ModelMetadata(msgspec.Struct, frozen=True, kw_only=True):
    """What `GET /v2/models/{model}` answers."""

    name: str
    versions: tuple[str, ...]
    platform: str
    inputs: tuple[TensorMetadata, ...]
    outputs: tuple[TensorMetadata, ...]


class ServerMetadata(msgspec.Struct, frozen=True, kw_only=True):
    """What `GET /v2` answers."""

    name: str
    version: str
    extensions: tuple[str, ...]


def our_version() -> str:
    """Say which version this server is; "unknown" where it runs without being installed."""
    # Imported here: each worker imports this file, never asks, and starts a tenth sooner without.
    from importlib import metadata

    try:
        return metadata.version("animator")
    except metadata.PackageNotFoundError:
        return "unknown"
