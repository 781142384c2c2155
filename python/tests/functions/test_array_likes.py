# SPDX-License-Identifier: MIT
"""Every function of NumPy's name takes what NumPy's takes: our arrays, NumPy's, lists and numbers; and NumPy's function
takes our arrays."""

import numpy as np
import pytest

import quern as qn


class A(list):
    """An argument that is an array, written as nested lists."""


F = A([[1.5, -2.0, 0.25], [3.0, 0.5, -1.0]])
G = A([[2.0, 1.0, -0.5], [0.25, 4.0, 2.0]])
I = A([[3, 1, 2], [5, 4, 6]])  # noqa: E741
V = A([3.0, 1.0, 2.0])
W = A([0.5, 2.0, 4.0])
M = A([[True, False, True], [False, True, True]])
S = A([[4.0, 1.0], [1.0, 3.0]])
B = A([True, False, True])
K = A([2, 0, 1])
Z = A([[1 + 2j, 3 - 1j], [0.5j, 2.0 + 0j]])
C = A([[[1, 2, 3], [4, 5, 6]]])
H = A([[1.5, np.nan, 0.25, 9.0], [np.nan, 0.5, -1.0, np.nan]])
RISING = A([1.0, 2.0, 4.0, 7.0])

# Arguments by function; those by keyword are in a dictionary at the end.
CALLS = {
    "all": [(M,), (M, {"axis": 0}), (F, 1)],
    "allclose": [(F, G), (F, F), (V, 3.0)],
    "angle": [(Z,), (F,)],
    "any": [(M,), (M, {"axis": 1, "keepdims": True})],
    "argmax": [(F,), (F, 0)],
    "argmin": [(F,), (F, {"axis": -1})],
    "argpartition": [(V, 1)],
    "argsort": [(F,), (F, 0), (V, None), (2.5,)],
    "argwhere": [(M,)],
    "around": [(F, 1)],
    "array_equal": [(F, F), (F, V)],
    "array_split": [(V, 2), (F, [1], {"axis": 1})],
    "asarray": [(F,), (2.5,), (I, "float32")],
    "ascontiguousarray": [(F,)],
    "asfortranarray": [(F,)],
    "atleast_1d": [(2.5,), (F, V)],
    "atleast_2d": [(2.5,), (V,)],
    "atleast_3d": [(V,), (F,)],
    "bincount": [(K,), (K, W), (K, {"minlength": 5})],
    "broadcast_arrays": [(F, V), (2.0, V)],
    "broadcast_to": [(V, (2, 3)), (2.5, (2,))],
    "choose": [(K, [V, W, V])],
    "clip": [(F, -1, 1), (F, V, 4.0), (F, None, V), (V, 0.5, W)],
    "column_stack": [([V, W],)],
    "compress": [(B, V), (A([True, False]), F, {"axis": 0})],
    "concat": [([F, G],), ([F, G], {"axis": 1}), ([F, V], {"axis": None})],
    "concatenate": [([V, W],)],
    "copy": [(F,), (2,)],
    "count_nonzero": [(M,), (F, {"axis": 0})],
    "cross": [(V, W), (F, G)],
    "cumprod": [(F,), (F, 1)],
    "cumsum": [(F,), (I, 0), (2.5,)],
    "cumulative_prod": [(V,), (F, {"axis": 1})],
    "cumulative_sum": [(V,), (I, {"axis": 0, "include_initial": True})],
    "diag": [(V,), (F, 1)],
    "diagonal": [(F,), (F, 1)],
    "diff": [(F,), (V, 2), (V, {"prepend": 0.5, "append": W})],
    "digitize": [(V, RISING), (V, RISING, True)],
    "dot": [(V, W), (F, V), (2.0, V), (F, 3.0)],
    "dsplit": [(C, 3)],
    "dstack": [([V, W],), ([F, G],)],
    "ediff1d": [(F,), (V, 9.0, W)],
    "einsum": [("ij,j->i", F, V), ("ij->j", F)],
    "expand_dims": [(V, 0), (V, (0, 2))],
    "extract": [(M, F)],
    "fix": [(F,)],
    "flatnonzero": [(F,), (M,)],
    "flip": [(F,), (F, 1)],
    "fliplr": [(F,)],
    "flipud": [(V,)],
    "full_like": [(F, 2), (I, 2.5), (2.0, 3.0)],
    "gradient": [(V,), (F, {"axis": 1}), (F, 2.0)],
    "histogram": [(F, 3), (V, RISING), (V, A([1, 2, 4]), {"weights": W}), (V, 4, (0, 4), True)],
    "histogram2d": [(V, W), (V, V, 3), (V, W, [2, RISING])],
    "histogram_bin_edges": [(F, 3), (V, RISING), (V, "sqrt")],
    "histogramdd": [([V, W], 3), ([V, W], [2, RISING])],
    "hsplit": [(F, 3), (V, [1])],
    "hstack": [([V, W],), ([F, G],)],
    "i0": [(F,)],
    "imag": [(Z,), (F,)],
    "inner": [(V, W), (F, G), (2.0, V)],
    "interp": [(F, RISING, A([1.0, 0.0, 2.0, 5.0])), (2.5, RISING, RISING)],
    "intersect1d": [(F, V), (I, K)],
    "isclose": [(F, G), (V, 3.0)],
    "iscomplex": [(Z,), (F,)],
    "isin": [(F, V), (2, K), (I, 3)],
    "isneginf": [(F,)],
    "isposinf": [(F,)],
    "isreal": [(Z,), (F,)],
    "kron": [(V, W), (F, K), (2.0, V)],
    "lexsort": [((V, W),)],
    "linspace": [(0.0, 1.0, 5), (V, W, 3)],
    "matrix_transpose": [(F,)],
    "max": [(F,), (I, 0), (2.5,), (M,)],
    "mean": [(F,), (I, 1), (M,)],
    "median": [(F,), (F, 0), (I, 1)],
    "meshgrid": [(V, K), (V, K, {"indexing": "ij", "sparse": True})],
    "min": [(F,), (F, {"axis": 1, "keepdims": True})],
    "moveaxis": [(C, 0, 2)],
    "nan_to_num": [(A([np.nan, np.inf, -np.inf, 1.0]),)],
    "nonzero": [(F,), (M,)],
    "ones_like": [(F,), (I, {"dtype": "float32"})],
    "outer": [(V, W), (2.0, V)],
    "pad": [(V, 2), (F, ((1, 0), (0, 2)), "edge"), (V, 1, "constant", {"constant_values": 9})],
    "partition": [(V, 1)],
    "percentile": [(F, 30), (F, A([0, 50, 100]), {"axis": 0})],
    "permute_dims": [(F, (1, 0))],
    "prod": [(F,), (I, 0)],
    "ptp": [(F,), (F, 0)],
    "quantile": [(F, 0.3), (I, A([0.0, 0.5]), {"axis": 1}), (I, 1)],
    "ravel": [(F,), (2.5,)],
    "real": [(Z,), (F,)],
    "repeat": [(V, 2), (F, K, {"axis": 1}), (2.5, 3)],
    "reshape": [(F, (3, 2)), (V, -1)],
    "roll": [(V, 1), (F, 1, {"axis": 0}), (F, (1, 2), {"axis": (0, 1)})],
    "rot90": [(F,), (F, 2)],
    "round": [(F,), (F, 1), (I, -1), (2.5,)],
    "searchsorted": [(RISING, F), (RISING, 2.0, {"side": "right"})],
    "select": [([M, A([[True] * 3] * 2)], [I, F], 7)],
    "setdiff1d": [(F, V), (I, K)],
    "setxor1d": [(F, V), (A([np.nan, 1.0, np.nan, 1.0, 0.0]), A([np.nan, 1.0]))],
    "sinc": [(F,)],
    "sort": [(F,), (F, 0), (V, None)],
    "split": [(V, 3), (F, [2], {"axis": 1})],
    "squeeze": [(C,), (C, 0), (2.5, 0)],
    "stack": [([V, W],), ([V, W], {"axis": 1})],
    "std": [(F,), (F, 0), (V, {"ddof": 1})],
    "sum": [(F,), (I, 0), (M,), (2.5, 0), (V, {"initial": 2.0})],
    "swapaxes": [(C, 0, 2)],
    "take": [(V, K), (F, 1, {"axis": 1}), (F, K, None, {"mode": "wrap"}), (2.5, K, None, {"mode": "clip"})],
    "take_along_axis": [(F, A([[0], [2]]), 1), (F, K, None)],
    "tensordot": [(F, G, ([0, 1], [0, 1])), (F, V, 1)],
    "tile": [(V, 2), (F, (2, 1)), (2.5, 3)],
    "trace": [(F,), (F, 1)],
    "transpose": [(F,), (C, (1, 2, 0))],
    "trapezoid": [(V,), (V, W), (F, {"dx": 0.5})],
    "tril": [(F,), (V,)],
    "triu": [(F, 1), (V, -1)],
    "union1d": [(F, V), (V, 9.0)],
    "unique": [
        (I,),
        (A([2.0, np.nan, 1.0, np.nan]),),
        (F, True, True, True),
        (A([[1, 2], [3, 4], [1, 2]]), {"axis": 0, "return_inverse": True, "return_counts": True}),
        (A([[1, 2, 1], [3, 4, 3]]), {"axis": 1, "return_index": True}),
    ],
    "unique_all": [(I,)],
    "unique_counts": [(I,)],
    "unique_inverse": [(V,)],
    "unique_values": [(A([2, 2, 2]),)],  # in no order, in NumPy
    "unravel_index": [(K, (2, 3)), (4, (2, 3))],
    "unstack": [(F,), (F, {"axis": 1})],
    "var": [(F,), (I, 0)],
    "vdot": [(V, W), (Z, Z)],
    "vecdot": [(F, V), (Z, Z)],
    "vsplit": [(F, 2)],
    "vstack": [([V, W],)],
    "where": [(M, F, 0.0), (M, 1, V), (M,)],
    "zeros_like": [(F,), (2,)],
    "matmul": [(F, V), (G, A([[1.0], [2.0], [3.0]]))],
    "linalg.cholesky": [(S,)],
    "linalg.cond": [(S,), (S, 1)],
    "linalg.cross": [(V, W)],
    "linalg.det": [(S,)],
    "linalg.eig": [(A([[2.0, 0.0], [0.0, 3.0]]),)],
    "linalg.eigh": [(A([[2.0, 0.0], [0.0, 3.0]]),)],
    "linalg.eigvals": [(A([[2.0, 0.0], [0.0, 3.0]]),)],
    "linalg.eigvalsh": [(S,)],
    "linalg.inv": [(S,)],
    "linalg.lstsq": [(S, A([1.0, 2.0]))],
    "linalg.matrix_rank": [(S,), (S, 0.5)],
    "linalg.multi_dot": [([F, A([[1.0], [2.0], [3.0]]), A([2.0])],)],
    "linalg.pinv": [(S,), (S, 0.1)],
    "linalg.qr": [(S, "r")],
    "linalg.slogdet": [(S,)],
    "linalg.solve": [(S, A([1.0, 2.0]))],
    "linalg.svd": [(S, {"compute_uv": False})],
    "linalg.svdvals": [(S,)],
    "linalg.tensorinv": [(S, 1)],
    "linalg.tensorsolve": [(S, A([1.0, 2.0]))],
    "linalg.diagonal": [(F, {"offset": 1})],
    "linalg.matmul": [(F, V)],
    "linalg.matrix_norm": [(F,), (F, {"ord": 1})],
    "linalg.matrix_power": [(A([[1.0, 2.0], [3.0, 4.0]]), 3)],
    "linalg.matrix_transpose": [(F,)],
    "linalg.norm": [(V,), (F,), (F, 1), (F, {"axis": 1}), (2.5,)],
    "linalg.outer": [(V, W)],
    "linalg.tensordot": [(F, V, {"axes": 1})],
    "linalg.trace": [(F,)],
    "linalg.vecdot": [(V, W)],
    "linalg.vector_norm": [(F,), (F, {"axis": 1, "ord": 1})],
    "amax": [(F, 0)],
    "amin": [(F,)],
    "append": [(V, 4.0), (F, G, {"axis": 0})],
    "array": [(F,), (2.5,), (V, {"ndmin": 2})],
    "array2string": [(F,), (V, {"precision": 1})],
    "array_equiv": [(F, F), (F, V)],
    "array_str": [(F,)],
    "asanyarray": [(F,)],
    "average": [(F,), (F, 0), (F, 1, W), (I, None, I), (V, {"weights": W, "returned": True})],
    "convolve": [(V, A([1.0, 2.0])), (V, RISING, "same"), (V, RISING, "valid")],
    "corrcoef": [(F,), (V, W)],
    "correlate": [
        (RISING, V),
        (V, RISING, "full"),
        (V, RISING),
        (A([1.0, 2.0]), RISING, "same"),
        (RISING, A([1.0, 2.0]), "same"),
        (A([1j, 2.0]), A([1.0, 3j]), "full"),
    ],
    "cov": [(F,), (V, W), (I, {"rowvar": False, "bias": True})],
    "delete": [(V, 1), (F, [0, 2], {"axis": 1}), (F, slice(0, 2), 1)],
    "diagflat": [(F,)],
    "insert": [(V, 1, 9.0), (V, [2, 0], A([0.5, 2.0])), (F, 1, V, {"axis": 0}), (F, 2, A([7.0, 8.0]), {"axis": 1})],
    "iscomplexobj": [(Z,), (F,)],
    "isrealobj": [(Z,)],
    "isscalar": [(2.5,), (F,)],
    "iterable": [(F,)],
    "ix_": [(K, A([0, 1])), (B, K)],
    "matvec": [(F, V)],
    "nanargmax": [(H,), (H, 1)],
    "nanargmin": [(H,), (H, 1)],
    "nancumprod": [(H, 1)],
    "nancumsum": [(H,)],
    "nanmax": [(H,), (H, 0), (I, 1)],
    "nanmean": [(H,), (H, 0), (I,)],
    "nanmedian": [(H,), (H, 0), (I, 1)],
    "nanmin": [(H,), (H, {"axis": 1, "keepdims": True})],
    "nanpercentile": [(H, 30)],
    "nanprod": [(H, 0)],
    "nanquantile": [(H, A([0.0, 0.4, 1.0]), {"axis": 1, "keepdims": True})],
    "nanstd": [(H,), (I, 0)],
    "nansum": [(H,), (H, 1), (I,)],
    "nanvar": [(H, 0), (H, {"axis": 1, "ddof": 1})],
    "ndim": [(F,), (2.5,)],
    "piecewise": [(V, [A([True, False, False]), B], [-1.0, lambda x: x * x, 7.0])],
    "poly": [(V,), (K,)],
    "polyadd": [(V, A([1.0, 2.0])), (K, V)],
    "polyder": [(V,), (K, 2)],
    "polydiv": [(V, A([1.0, 2.0]))],
    "polyfit": [(V, W, 1), (V, W, 1, {"w": V})],
    "polyint": [(V,), (V, 2, {"k": A([1.0, 2.0])})],
    "polymul": [(V, A([1.0, 2.0])), (K, V)],
    "polysub": [(V, A([1.0, 2.0])), (2.0, V)],
    "polyval": [(W, F), (W, 2.0)],
    "roots": [(A([2.0, -3.0]),), (A([1, -1, 0]),)],
    "ravel_multi_index": [((K, A([1, 0, 1])), (3, 2))],
    "resize": [(V, (2, 4)), (F, 4)],
    "rollaxis": [(C, 2), (C, 0, 3)],
    "shape": [(F,), (2.5,)],
    "size": [(F,), (F, 1)],
    "tril_indices_from": [(F, 1)],
    "trim_zeros": [(A([0, 0, 1, 0, 2, 0]),), (A([0.0, 1.0, 0.0]), "b")],
    "triu_indices_from": [(F,)],
    "unwrap": [(A([0.0, 3.0, 7.0, 14.0, 1.0]),), (F, {"axis": 0, "period": 2.0})],
    "vander": [(V,), (K, 2, {"increasing": True})],
    "vecmat": [(A([1.0, 2.0]), F)],
    "apply_along_axis": [(lambda v: v.sum(), 0, F), (lambda v: v[::-1], 1, F)],
    "apply_over_axes": [(lambda a, axis: a.sum(axis), F, [0])],
    "asarray_chkfinite": [(F,), (K, "float32")],
    "diag_indices_from": [(A([[1, 2], [3, 4]]),)],
    "isfortran": [(F,)],
    "packbits": [(M,), (I, {"axis": 1}), (K, {"bitorder": "little"})],
    "real_if_close": [(Z,), (F,)],
    "require": [(F,), (F, "float32", ["F"])],
    "sort_complex": [(V,), (Z,)],
}  # fmt: skip
# These take no array, return undefined values, or write to their arguments.
OTHERS = {
    *("__array_namespace_info__", "arange", "empty", "eye", "fromfunction", "full", "geomspace", "identity"),
    *("indices", "logspace", "ones", "tri", "zeros", "empty_like"),
    *("broadcast_shapes", "can_cast", "finfo", "iinfo", "isdtype", "promote_types", "result_type"),
    *("astype", "block", "from_dlpack", "load", "save", "savez", "savez_compressed"),
    *("fromfile", "fromstring", "geterr", "loadtxt", "savetxt", "seterr"),
    *("copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"),
    *("bartlett", "blackman", "diag_indices", "frombuffer", "fromiter", "hamming", "hanning", "kaiser"),
    *("tril_indices", "triu_indices", "get_printoptions", "printoptions", "set_printoptions"),
    *("issubdtype", "min_scalar_type", "may_share_memory", "shares_memory", "array_repr"),
    *("base_repr", "binary_repr", "common_type", "einsum_path", "format_float_positional"),
    *("format_float_scientific", "mask_indices", "mintypecode", "typename", "unpackbits"),
}


def named(module, path):
    for part in path.split("."):
        module = getattr(module, part)
    return module


def functions(module, numpy):
    """The names of ours that NumPy has, too."""
    both = [name for name in module.__all__ if callable(getattr(module, name)) and hasattr(numpy, name)]
    return [name for name in both if not isinstance(getattr(module, name), type)]


def calls(name):
    if name in CALLS:
        return CALLS[name]
    if name in ("left_shift", "bitwise_left_shift", "right_shift", "bitwise_right_shift", "ldexp"):
        return [(I, K)]
    ufunc = getattr(np, name)
    for first, second in ((F, V), (I, K)):
        try:
            with np.errstate(all="ignore"):
                ufunc(*(first, second)[: ufunc.nin])
        except TypeError:
            continue
        return [(first,)] if ufunc.nin == 1 else [(first, second), (first, 2), (second[0], second)]
    raise AssertionError(f"{name}: there are no arguments for it")


def test_every_function_of_numpys_name_is_tried():
    ours = {*functions(qn, np), *(f"linalg.{name}" for name in functions(qn.linalg, np.linalg))}
    tried = {name for name in ours if name in CALLS or isinstance(getattr(np, name, None), np.ufunc)}
    assert ours - tried == OTHERS


def converted(value, convert):
    if isinstance(value, A):
        return convert(value)
    if isinstance(value, (list, tuple)):
        return type(value)(converted(one, convert) for one in value)
    return value


def assert_same(found, expected):
    if isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
        return
    if isinstance(expected, (bool, int, str)):
        assert found == expected
        return
    assert isinstance(found, qn.Array)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found.get(), expected, rtol=1e-13, atol=1e-15)


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("name", sorted({*CALLS, *functions(qn, np)} - OTHERS))
def test_lists_and_arrays_of_both_are_taken(device, name):
    if not device.has_fp64:
        pytest.skip("lists are of another precision here")
    ours, theirs = named(qn, name), named(np, name)
    for call in calls(name):
        *args, options = call if isinstance(call[-1], dict) else (*call, {})
        expected = theirs(*converted(args, np.asarray), **converted(options, np.asarray))
        if name in ("linalg.eig", "linalg.eigvals"):  # real before NumPy 2.5, if all eigenvalues are real
            parts = expected if isinstance(expected, tuple) else (expected,)
            parts = tuple(np.asarray(part, "complex128") for part in parts)
            expected = parts if name == "linalg.eig" else parts[0]
        with device:
            assert_same(ours(*converted(args, list), **converted(options, list)), expected)
            assert_same(ours(*converted(args, np.asarray), **converted(options, np.asarray)), expected)
        both = [converted(one, lambda value: qn.asarray(value, device=device)) for one in (args, options)]
        assert_same(ours(*both[0], **both[1]), expected)
        # NumPy asks the operands, and not those that say where or how.
        makers = ("array", "asanyarray", "asarray", "ascontiguousarray", "asfortranarray")
        makers += ("asarray_chkfinite", "require")
        if name not in makers and isinstance(args[0], (A, list)):
            assert_same(theirs(*both[0], **both[1]), expected)
