# SPDX-License-Identifier: MIT
"""Elementwise functions, compared with NumPy: every dtype, special values, and errors in ulp."""

import warnings

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra import numpy as hnp

import quern as qn

DTYPES = [np.dtype(c) for c in "?bBhilLefdFD"]
# Their arguments are not one or two arrays of any type; they have tests of their own.
OTHERS = {
    "matmul",
    "matvec",
    "vecdot",
    "vecmat",
    "allclose",
    "array_equal",
    "divmod",
    "frexp",
    "isclose",
    "ldexp",
    "modf",
    "nan_to_num",
}
# NumPy has these as plain functions.
MADE_OF_SEVERAL = {
    "angle",
    "around",
    "i0",
    "imag",
    "iscomplex",
    "isneginf",
    "isposinf",
    "isreal",
    "real",
    "round",
    "sinc",
}
FUNCTIONS = [
    (name, getattr(np, name))
    for name in qn._functions.__all__
    if (isinstance(getattr(np, name, None), np.ufunc) or name in MADE_OF_SEVERAL)
    and name not in OTHERS
    and name not in ("conjugate", "fix", "true_divide", "mod")
]


def samples(dtype):
    """Ordinary numbers, the edges of the type, infinities and NaN."""
    rng = np.random.default_rng(1)
    if dtype.kind == "b":
        return np.array([True, False, True, True, False, False])
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return np.array([1, 2, 3, 5, 7, limits.max, limits.min + 1, limits.max - 1, 100, 12, 33, 2], dtype)
    if dtype.kind == "f":
        limits = np.finfo(dtype)
        edges = [0.0, -0.0, np.inf, -np.inf, np.nan, limits.max, -limits.max, limits.tiny, 1, -1, 25, 0.9999]
        return np.concatenate([edges, rng.normal(size=20), rng.normal(size=20) * 20]).astype(dtype)
    parts = samples(np.dtype(np.float32 if dtype.itemsize == 8 else np.float64))
    values = np.empty(3 * parts.size, dtype)
    values.real = np.resize(parts, values.size)
    values.imag = np.resize(rng.permutation(parts), values.size)
    return values


def quietly(function, *arguments):
    """NumPy's answer, or the exception it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return np.asarray(function(*arguments))
        except (TypeError, ValueError) as error:
            return error


def ulps(got, exact):
    """Distances in units of the last place; of complex numbers by their length."""
    limits = np.finfo(got.dtype)
    with np.errstate(all="ignore"):
        same = (got == exact) | (np.isnan(got) & np.isnan(exact))
        if got.dtype.kind == "c":
            parts = [(got.real, exact.real), (got.imag, exact.imag)]
            same = np.logical_and(*((a == b) | (np.isnan(a) & np.isnan(b)) for a, b in parts))
        size = np.maximum(np.abs(exact), limits.tiny)
        distance = np.abs(got - exact) / size / limits.eps
    finite = np.isfinite(got) & np.isfinite(exact)
    return np.where(same, 0, np.where(finite, distance, np.inf))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_functions_of_every_type_are_numpys(dtype):
    a = samples(dtype)
    b = np.roll(a, 3)
    x, y = qn.asarray(a, device="host"), qn.asarray(b, device="host")
    results = []
    for name, oracle in FUNCTIONS:
        count = 2 if name == "float_power" else getattr(oracle, "nin", 1)
        expected = quietly(oracle, *(a, b)[:count])
        function = getattr(qn, name)
        if name in ("power", "pow") and dtype.kind == "i":
            continue  # some are negative, which only NumPy sees before it starts
        if isinstance(expected, Exception):
            with pytest.raises((qn.ArgumentTypeError, qn.ArgumentValueError)):
                function(*(x, y)[:count])
        else:
            got = function(*(x, y)[:count])
            assert got.dtype == expected.dtype, name
            results.append((name, got, expected))
    qn.eval(*(got for _, got, _ in results))
    for name, got, expected in results:
        if name in ("sinc", "i0", "spacing"):  # exact zeros, infinities of infinities, halves below zero
            keep = np.abs(a.astype(complex)) < 5
            scale = 64 * np.finfo(expected.dtype).eps
            np.testing.assert_allclose(got.get()[keep], expected[keep], rtol=scale, atol=scale, err_msg=name)
        elif expected.dtype.kind == "c":
            # NumPy's own products at the edges depend on the processor.
            ordinary = (np.abs(a) < 1e3) & (np.abs(b) < 1e3)
            keep = ordinary if name in ("power", "pow", "float_power", "multiply", "square") else slice(None)
            bound = 400 if name in ("power", "pow", "float_power", "log1p") else 8
            assert ulps(got.get()[keep], expected[keep]).max() <= bound, name
        elif expected.dtype.kind == "f":
            assert ulps(got.get(), expected).max() <= 8, name
        else:
            np.testing.assert_array_equal(got.get(), expected, err_msg=name)


# The greatest distance from the exact value, in units of the last place: of float32 and of float64.
ACCURACY = {
    "sqrt": (0.5, 0.5), "cbrt": (2, 2), "exp": (4, 4), "exp2": (4, 4), "expm1": (4, 4), "log": (4, 4),
    "log2": (4, 4), "log10": (4, 4), "log1p": (4, 4), "sin": (4, 4), "cos": (4, 4), "tan": (4, 4),
    "arcsin": (4, 4), "arccos": (4, 4), "arctan": (4, 4), "sinh": (4, 4), "cosh": (4, 4), "tanh": (4, 4),
    "arcsinh": (4, 4), "arccosh": (4, 4), "arctanh": (4, 4),
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_are_as_exact_as_promised(dtype):
    values = np.random.default_rng(2).uniform(-20, 20, 20000).astype(dtype)
    ranges = {"arcsin": 1, "arccos": 1, "arctanh": 1}
    results = []
    for name, bounds in ACCURACY.items():
        a = values / 20 if name in ranges else values
        a = (
            np.abs(a) + 1
            if name == "arccosh"
            else np.abs(a)
            if name in ("sqrt", "log", "log2", "log10")
            else a
        )
        a = (np.maximum(a, -0.999) if name == "log1p" else a).astype(dtype)
        exact = getattr(np, name)(a.astype(np.float64 if dtype == "float32" else np.longdouble))
        results.append((name, getattr(qn, name)(qn.asarray(a, device="host")), exact, bounds))
    qn.eval(*(got for _, got, _, _ in results))
    for name, got, exact, bounds in results:
        error = np.abs(got.get() - exact) / np.spacing(np.abs(exact).astype(dtype))
        assert error.max() <= bounds[dtype == "float64"] + 1e-3, name


COMPLEX = [
    "sqrt",
    "exp",
    "expm1",
    "log",
    "log10",
    "log2",
    "log1p",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "arcsin",
    "arccos",
    "arctan",
    "arcsinh",
    "arccosh",
    "arctanh",
]


def test_complex_functions_keep_their_special_values_and_branch_cuts():
    edges = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -2.0, np.inf, -np.inf, np.nan])
    a = (edges[:, None] + np.zeros((9, 9))).astype(np.complex128)
    a.imag = edges
    x = qn.asarray(a, device="host")
    got = {name: getattr(qn, name)(x) for name in COMPLEX}
    qn.eval(*got.values())
    for name in COMPLEX:
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(a)
        # C leaves the sign of some results open, but of none that is finite and comes from finite numbers.
        finite = np.isfinite(a.real) & np.isfinite(a.imag)
        # C has no expm1 and log1p of complex numbers, and NumPy's are not those of the array API at infinities.
        keep = finite if name in ("expm1", "log1p") else slice(None)
        for part in ("real", "imag"):
            p, q = getattr(got[name].get(), part), getattr(expected, part)
            np.testing.assert_allclose(np.abs(p)[keep], np.abs(q)[keep], rtol=1e-14, atol=1e-15, err_msg=name)
            signs = finite & np.isfinite(q) & (q != 0)
            np.testing.assert_array_equal(np.signbit(p)[signs], np.signbit(q)[signs], err_msg=name)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_functions_are_numpys_on_every_device(device, dtype):
    if dtype == "complex128" and not device.has_fp64:
        pytest.skip("needs double precision")
    a = np.array([0.5 + 0.25j, -0.5 + 2j, 1.5 - 0.75j, -0.25 - 1.25j], dtype)
    x = qn.asarray(a, device=device)
    got = {name: getattr(qn, name)(x) for name in COMPLEX}
    qn.eval(*got.values())
    for name in COMPLEX:
        rtol = 1e-5 if dtype == "complex64" else 1e-7 if name == "expm1" else 1e-13
        np.testing.assert_allclose(got[name].get(), getattr(np, name)(a), rtol=rtol, err_msg=name)


def test_complex_functions_do_not_overflow_on_the_way():
    a = np.array(
        [1e300 + 1e300j, 1e-300 + 1e-300j, 1e200 - 1e-200j, 1 + 1e-12j, 710 + 1.5707963j, -1e155 + 1e155j]
    )
    for name in ("sqrt", "log", "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh"):
        got = getattr(qn, name)(qn.asarray(a, device="host")).get()
        assert ulps(got, getattr(np, name)(a)).max() <= 8, name
    got = qn.exp(qn.asarray(a[4:5], device="host")).get()
    exact = np.exp(a[4:5].astype(np.clongdouble))
    np.testing.assert_allclose(got.real, exact.real.astype(float), rtol=1e-8)


def test_functions_of_two_results_are_numpys(device):
    for dtype in ("float32", "float16", "int8"):
        a = np.array([1, -2, 0, 7, 100], dtype) if dtype == "int8" else samples(np.dtype(dtype))
        x = qn.asarray(a, device=device)
        for name in ("modf", "frexp"):
            for got, expected in zip(getattr(qn, name)(x), getattr(np, name)(a), strict=True):
                assert got.dtype == expected.dtype
                keep = np.isfinite(a.astype(float)) if name == "frexp" else slice(None)
                np.testing.assert_array_equal(got.get()[keep], expected[keep])
    a, b = np.array([7, -7, 3], np.int32), np.array([2, 2, 0], np.int32)
    with np.errstate(all="ignore"):
        expected = np.divmod(a, b)
    for got, one in zip(qn.divmod(qn.asarray(a, device=device), b), expected, strict=True):
        np.testing.assert_array_equal(got.get(), one)


def test_scaling_takes_integers_as_exponents(device):
    a = np.array([1.5, -2.0, 0.0, np.inf], np.float32)
    x = qn.asarray(a, device=device)
    n = np.array([3, -2, 10**12, -5])
    np.testing.assert_array_equal(qn.ldexp(x, n).get(), np.ldexp(a, n))
    with pytest.raises(qn.ArgumentTypeError, match="must be integers"):
        qn.ldexp(x, 1.5)


def test_bessel_functions_are_those_of_the_c_library():
    import ctypes

    library = ctypes.CDLL("libm.so.6")
    x = np.concatenate([np.linspace(0, 60, 241), [1e-8, 1e-3, 1e3, 12345.678]])
    for name in ("jn", "yn"):
        oracle = getattr(library, name)
        oracle.restype, oracle.argtypes = ctypes.c_double, [ctypes.c_int, ctypes.c_double]
        orders = np.array([0, 1, 2, 5, 20, 61, -3])[:, None]
        got = getattr(qn, "bessel_" + name)(orders, qn.asarray(x, device="host")).get()
        exact = np.array([[oracle(int(n), float(t)) for t in x] for n in orders[:, 0]])
        finite = np.isfinite(exact) & (np.abs(exact) < 1e300)
        scale = np.maximum(np.abs(exact), np.sqrt(2 / np.pi / np.maximum(x, 1)) * (np.abs(orders) <= x))
        error = np.abs(got[finite] - exact[finite]) / np.maximum(scale, 1e-300)[finite]
        assert error.max() < 1e-13
        np.testing.assert_array_equal(got[~np.isfinite(exact)], exact[~np.isfinite(exact)])


def test_functions_that_numpy_has_not_are_those_of_the_c_library(device):
    import math

    a = np.array([0.1, 0.5, 1.5, 2.5, 4.0], np.float64 if device.has_fp64 else np.float32)
    x = qn.asarray(a, device=device)
    oracles = {
        "erf": math.erf, "erfc": math.erfc, "gamma": math.gamma, "lgamma": math.lgamma,
        "sinpi": lambda t: math.sin(math.pi * t), "exp10": lambda t: 10**t, "rsqrt": lambda t: t**-0.5,
        "atanpi": lambda t: math.atan(t) / math.pi, "logb": lambda t: math.floor(math.log2(t)),
    }  # fmt: skip
    got = {name: getattr(qn, name)(x) for name in oracles}
    got["fma"] = qn.fma(x, x, 1)
    got["rootn"] = qn.rootn(x, 3)
    oracles |= {"fma": lambda t: t * t + 1, "rootn": lambda t: t ** (1 / 3)}
    qn.eval(*got.values())
    for name, result in got.items():
        expected = [oracles[name](float(t)) for t in a]
        np.testing.assert_allclose(
            result.get(), expected, rtol=1e-12 if device.has_fp64 else 1e-5, atol=1e-15
        )


def test_halves_are_computed_as_numpy_does(device):
    # In float32, rounded after each operation: also where the device has no arithmetic of halves.
    a = samples(np.dtype(np.float16))
    x = qn.asarray(a, device=device)
    with np.errstate(all="ignore"):
        pairs = [
            (x * x + x, a * a + a),
            (x.astype("float64") * 2, a.astype("float64") * 2),
            ((x * 1000).astype("int32"), None),
            (qn.sqrt(qn.abs(x)), np.sqrt(np.abs(a))),
            (qn.nextafter(x, x * 2), np.nextafter(a, a * 2)),
            (x < 1, a < 1),
            (qn.asarray(np.linspace(-70000, 70000, a.size), device=device).astype("float16"),
             np.linspace(-70000, 70000, a.size).astype("float16")),
        ]  # fmt: skip
    qn.eval(*(got for got, _ in pairs))
    for got, expected in pairs:
        if expected is not None:
            assert got.dtype == expected.dtype
            np.testing.assert_array_equal(got.get(), expected)
    b = a[np.isfinite(a)][:20]
    y = qn.asarray(b, device=device)
    for name in ("min", "max", "argmin", "argmax", "any", "count_nonzero"):
        assert getattr(qn, name)(y).item() == getattr(np, name)(b)
    assert qn.sum(y).dtype == np.float16


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_complex_numbers_are_ordered_as_numpy_does(device, name):
    for values in ([1 + 2j, 1 - 2j, 1 + 3j, 0.5], [3, complex(1, np.nan), complex(np.nan, 0)], [2j, 2j]):
        a = np.array(values, np.complex64)
        np.testing.assert_array_equal(
            getattr(qn, name)(qn.asarray(a, device=device)).get(), getattr(np, name)(a)
        )


INTEGER_EDGES = {
    "int8": [0, 44, 0, 0, -1], "uint8": [0, 44, 0, 0, 255], "int16": [0, 300, 0, 0, -1], "uint16": [0, 300, 0, 0, 65535],
    "int32": [-(2**31), 300, -(2**31), -(2**31), -1], "uint32": [0, 300, 0, 0, 2**32 - 1],
    "int64": [-(2**63), 300, -(2**63), -(2**63), -1], "uint64": [2**63, 300, 0, 0, 2**64 - 1],
}  # fmt: skip


def test_numbers_beyond_the_range_become_the_same_integers_everywhere(device):
    values = np.array([np.nan, 300.7, 1e30, np.inf, -1.5], np.float32)
    x = qn.asarray(values, device=device)
    got = {dtype: x.astype(dtype) for dtype in INTEGER_EDGES}
    qn.eval(*got.values())
    for dtype, expected in INTEGER_EDGES.items():
        assert got[dtype].get().tolist() == expected, dtype


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_binary_functions_of_any_numbers_are_numpys(data):
    dtype = data.draw(st.sampled_from(["int8", "uint8", "int64", "float32", "float64"]))
    numbers = hnp.from_dtype(np.dtype(dtype))
    a, b = (data.draw(hnp.arrays(dtype, 8, elements=numbers)) for _ in range(2))
    x, y = qn.asarray(a, device="host"), qn.asarray(b, device="host")
    names = ("floor_divide", "remainder", "fmod", "maximum", "minimum", "fmax", "copysign", "nextafter")
    results = [getattr(qn, name)(x, y) for name in names]
    qn.eval(*results)
    for name, got in zip(names, results, strict=True):
        expected = quietly(getattr(np, name), a, b)
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got.get(), expected, err_msg=name)
