# SPDX-License-Identifier: MIT
"""Matrices for the tests of quern.sparse: SciPy's with duplicates, explicit zeros, unsorted and empty rows."""

import os

import numpy as np
import pytest
from hypothesis import strategies as st

DTYPES = ["float32", "float64", "complex64", "complex128", "int8", "int32", "int64", "uint16", "bool"]


def is_slow(device):
    """Whether each new kernel takes long: PoCL, but for full runs. The host compiles the same texts."""
    return device.backend == "opencl" and device.kind == "cpu" and os.environ.get("QUERN_TEST_FULL") != "1"


def few_types(device, dtype):
    """The dtype, or one that PoCL has kernels for already."""
    if not is_slow(device):
        return dtype
    return "complex128" if np.dtype(dtype).kind == "c" else "float64"


def few_kinds(device, drawn):
    """The drawn matrix, or one with entries and indices that PoCL has kernels for already."""
    return (
        {**drawn, "dtype": few_types(device, drawn["dtype"]), "index": "int32"} if is_slow(device) else drawn
    )


def skip_most_on_pocl(device, dtype, tested=("float64",)):
    if is_slow(device) and dtype not in tested:
        pytest.skip("PoCL takes long for each new kernel")


def entries(rng, count, dtype):
    """Small whole numbers, so that sums are exact; some are zero."""
    kind = np.dtype(dtype).kind
    values = rng.integers(0 if kind == "u" else -3, 4, count)
    if kind == "b":
        return values > 0
    if kind == "c":
        values = values + 1j * rng.integers(-3, 4, count)
    return values.astype(dtype)


def coordinates(rng, shape, count, dtype, index="int32"):
    """(data, (rows, columns)) in any order; places repeat."""
    count = count if 0 not in shape else 0
    rows = rng.integers(0, max(shape[0], 1), count).astype(index)
    columns = rng.integers(0, max(shape[1], 1), count).astype(index)
    return entries(rng, count, dtype), (rows, columns)


def compressed(rng, shape, count, dtype, index="int32"):
    """(data, indices, indptr) with unsorted columns, duplicates and empty rows."""
    data, (rows, columns) = coordinates(rng, shape, count, dtype, index)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))]).astype(index)
    return data, columns, starts


@st.composite
def matrices(draw, dtypes=DTYPES):
    """Arguments of compressed(), as a dict of shape, count, dtype, index and seed."""
    return {
        "shape": draw(st.tuples(st.integers(0, 9), st.integers(0, 9))),
        "count": draw(st.integers(0, 40)),
        "dtype": draw(st.sampled_from(dtypes)),
        "index": draw(st.sampled_from(["int32", "int64"])),
        "seed": draw(st.integers(0, 1000)),
    }


def made(given):
    """The arrays of a drawn matrix."""
    rng = np.random.default_rng(given["seed"])
    return compressed(rng, given["shape"], given["count"], given["dtype"], given["index"])


def check(ours, theirs, rtol=0):
    """The same shape, dtype and elements."""
    dense = theirs.toarray() if hasattr(theirs, "toarray") else np.asarray(theirs)
    got = ours.toarray().get() if hasattr(ours, "toarray") else ours.get()
    assert got.shape == dense.shape
    assert got.dtype == dense.dtype
    if rtol:
        np.testing.assert_allclose(got, dense, rtol=rtol, atol=rtol)
    else:
        np.testing.assert_array_equal(got, dense)
