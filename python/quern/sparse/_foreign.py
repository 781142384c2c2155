# SPDX-License-Identifier: MIT
"""Sparse matrices of other libraries, SciPy's and PyTorch's: how they are recognised and taken apart. Imports neither."""

from __future__ import annotations

from typing import Any

from .._array import asarray
from .._core import ArgumentValueError


def is_scipy(value: Any) -> bool:
    """Whether a value is a sparse matrix of SciPy's."""
    return type(value).__module__.partition(".")[0] == "scipy" and hasattr(value, "tocoo")


def is_torch(value: Any) -> bool:
    """Whether a value is a sparse tensor of PyTorch's."""
    return str(getattr(value, "layout", "")).startswith("torch.sparse_")


def is_foreign(value: Any) -> bool:
    return is_scipy(value) or is_torch(value)


def torch_parts(tensor: Any, device: Any) -> tuple[str, Any]:
    """The format of a sparse tensor, and what the constructor of that format takes."""
    if str(tensor.layout) == "torch.sparse_coo":
        tensor = tensor.coalesce()  # values() needs it
    if tensor.ndim != 2 or tensor.values().ndim != (3 if "bs" in str(tensor.layout) else 1):
        raise ArgumentValueError(
            f"a sparse tensor must be one matrix without dense dimensions, got the shape {tuple(tensor.shape)}"
        )
    tensor = tensor.detach()
    if str(tensor.layout) == "torch.sparse_bsc":
        tensor = tensor.to_dense().to_sparse_csr()
    kind = str(tensor.layout).removeprefix("torch.sparse_")

    def taken(part: Any) -> Any:
        # The matrix gets arrays of its own: PyTorch may write to its tensors.
        return asarray(part.contiguous(), device=device, copy=True)

    if kind == "coo":
        rows, columns = tensor.indices()
        return kind, (taken(tensor.values()), (taken(rows), taken(columns)))
    if kind == "csc":
        return kind, (taken(tensor.values()), taken(tensor.row_indices()), taken(tensor.ccol_indices()))
    return kind, (taken(tensor.values()), taken(tensor.col_indices()), taken(tensor.crow_indices()))


def scipy_sparse() -> Any:
    """scipy.sparse; an error that says what to install where it is missing."""
    try:
        import scipy.sparse  # type: ignore[import-untyped]
    except ImportError as error:
        raise ImportError(
            "get() makes a SciPy array, and SciPy is not installed: pip install scipy"
        ) from error
    return scipy.sparse
