"""Factors of sparse symmetric matrices, solved for complex right-hand sides."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, sparray
from scipy.sparse.linalg import SuperLU, splu

__all__ = ("factorise", "solve_complex")


def factorise(matrix: sparray) -> SuperLU:
    """Factors of a symmetric positive definite matrix (N, N) float64."""
    return splu(
        csc_array(matrix),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )


def solve_complex(factors: SuperLU, right: NDArray[np.complex64]) -> NDArray[np.complex64]:
    """Solutions (N, F) complex for right-hand sides (N, F) complex of a real matrix."""
    half = right.shape[1]
    both = np.empty((len(right), 2 * half))
    both[:, :half], both[:, half:] = right.real, right.imag
    both = factors.solve(both)
    found = np.empty(right.shape, np.complex64)
    found.real, found.imag = both[:, :half], both[:, half:]
    return found
