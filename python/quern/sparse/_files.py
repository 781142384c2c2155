# SPDX-License-Identifier: MIT
"""Sparse arrays in files, in the format of scipy.sparse.save_npz."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import ArgumentTypeError, ArgumentValueError
from ._entries import FORMATS, as_sparse, is_sparse

# Names of the arrays beside the values, in the order in which constructors take them.
_PARTS = {
    "csr": ("indices", "indptr"),
    "csc": ("indices", "indptr"),
    "bsr": ("indices", "indptr"),
    "dia": ("offsets",),
    "coo": ("row", "col"),
}


def save_npz(file: Any, matrix: Any, compressed: bool = True) -> None:
    """Save a sparse array to a file in `.npz` format, which SciPy can load.

    Parameters
    ----------
    file : str, path or file object
        Where to save; `.npz` is appended to a name without it.
    matrix : sparse array
        The matrix.
    compressed : bool, optional
        Whether to compress the file.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> qn.sparse.save_npz(file, qn.sparse.csr_array([[0, 3], [4, 0]]))
    >>> _ = file.seek(0)
    >>> print(qn.sparse.load_npz(file).toarray())
    [[0 3]
     [4 0]]
    """
    if not is_sparse(matrix):
        raise ArgumentTypeError(f"save_npz: expected a sparse array, got {type(matrix).__name__}")
    given = as_sparse(matrix)
    arrays = dict(zip(("data", *_PARTS[given.format]), (part.get() for part in given._arrays()), strict=True))
    save = np.savez_compressed if compressed else np.savez
    save(file, format=given.format.encode("ascii"), shape=given.shape, _is_array=True, **arrays)


def load_npz(file: Any, *, device: Any = None) -> Any:
    """Load a sparse array from a file of save_npz(), of Quern or SciPy.

    Parameters
    ----------
    file : str, path or file object
        What to load.
    device : Device or str, optional
        Device of the result; the current device by default.

    Returns
    -------
    SparseArray
        The matrix, in the format in which it was saved.

    Raises
    ------
    ArgumentValueError
        If the file has no sparse array, or one of a format or number of dimensions that Quern does not have.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> qn.sparse.save_npz(file, qn.sparse.eye_array(2, format="coo"))
    >>> _ = file.seek(0)
    >>> qn.sparse.load_npz(file).format
    'coo'
    """
    with np.load(file, allow_pickle=False) as loaded:
        if "format" not in loaded:
            raise ArgumentValueError(f"load_npz: {file} has no sparse array")
        name = loaded["format"].item()
        name = name.decode("ascii") if isinstance(name, bytes) else name
        if name not in _PARTS:
            raise ArgumentValueError(f"load_npz: format {name!r} is not known")
        if "coords" in loaded:
            raise ArgumentValueError("load_npz: sparse arrays have two dimensions")
        others = [loaded[part] for part in _PARTS[name]]
        given = (loaded["data"], tuple(others)) if name == "coo" else (loaded["data"], *others)
        return FORMATS[name](given, shape=tuple(loaded["shape"].tolist()), device=device)
