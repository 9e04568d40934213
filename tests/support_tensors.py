"""Arrays of every datatype and of all small shapes, for property tests."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from serving.protocol.tensors import DATATYPES

NUMBERS = [name for name in DATATYPES if name != "BYTES"]
_SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


def numbers(name: str) -> st.SearchStrategy[NDArray[np.generic]]:
    """Arrays of a datatype, scalars and empty ones among them."""
    return hnp.arrays(DATATYPES[name], _SHAPES)
