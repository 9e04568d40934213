"""Why a file is not imported.

The tree::

    CannotImport        (a ValueError; one plain sentence for the user)
    ├─ UnsafeFile       the file could run code, or does not fit into memory
    └─ UnknownNetwork   the file holds no network that is known here
"""

__all__ = ("CannotImport", "UnknownNetwork", "UnsafeFile")


class CannotImport(ValueError):
    """The file cannot be imported; its message says why in one plain sentence."""


class UnsafeFile(CannotImport):
    """The file holds more than numbers and text, or more of them than is taken."""


class UnknownNetwork(CannotImport):
    """The file's tensors are none of the networks that are known here."""
