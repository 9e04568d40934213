"""Plain pickles of NumPy arrays, read without running anything that they name."""

import io
import pickle
from typing import Any

import numpy as np

from models.importers.errors import CannotImport, UnsafeFile

__all__ = ("SAFE_GLOBALS", "read_arrays")

# How NumPy pickles arrays and single numbers, before and since version 2, and Python 2's bytes.
_ARRAY = np.empty(0).__reduce__()[0]
_SCALAR = np.float64(0).__reduce__()[0]

SAFE_GLOBALS: dict[str, Any] = {
    **{f"numpy.{core}.multiarray._reconstruct": _ARRAY for core in ("core", "_core")},
    **{f"numpy.{core}.multiarray.scalar": _SCALAR for core in ("core", "_core")},
    "numpy.ndarray": np.ndarray,
    "numpy.dtype": np.dtype,
}
"""What a pickle may name: it makes arrays and numbers, nothing else."""


class _ArrayUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str, /) -> Any:
        full = f"{module}.{name}"
        if full == "collections.OrderedDict":
            return dict
        if full == "_codecs.encode":
            return _encode
        if full not in SAFE_GLOBALS:
            msg = f"the pickle names {full}, which makes more than arrays; it is not run"
            raise UnsafeFile(msg)
        return SAFE_GLOBALS[full]


def _encode(text: str, encoding: str) -> bytes:
    """Python 2's way to write bytes; no other codec is taken."""
    if encoding != "latin1":
        msg = f"the pickle asks for the codec {encoding}; it is not run"
        raise UnsafeFile(msg)
    return text.encode("latin1")


def read_arrays(data: bytes) -> object:
    """Read a pickle that holds arrays, numbers, text, lists and dicts.

    Raises:
        UnsafeFile: when it names anything else; nothing of it is run.
        CannotImport: when it is no whole pickle.
    """
    try:
        return _ArrayUnpickler(io.BytesIO(data), encoding="latin1").load()
    except UnsafeFile:
        raise
    except Exception as error:
        msg = f"the file is neither a PyTorch checkpoint nor a whole pickle: {error}"
        raise CannotImport(msg) from error
