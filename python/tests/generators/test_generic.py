# SPDX-License-Identifier: MIT
"""One snippet for real and complex types: C++'s casts, and functions of complex numbers on real ones."""

import numpy as np
import pytest

import quern as qn
from quern import algorithms

DTYPES = ["float32", "float64", "complex64", "complex128", "int32"]


def needs(device, dtype):
    if np.dtype(dtype) in (np.float64, np.complex128) and not device.has_fp64:
        pytest.skip("needs double precision")


def numbers(dtype):
    values = np.array([-3.5, -1.0, 0.0, 0.25, 2.0, 700.0, 1 << 12])
    if np.dtype(dtype).kind == "c":
        return (values + 1j * values[::-1]).astype(dtype)
    return values.astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_casts_of_cpp_in_a_snippet_of_any_type(device, dtype):
    needs(device, dtype)
    kernel = qn.ElementwiseKernel(
        "T x",
        "T a, T b, T c, T d",
        "a = T(5) * x + T(); b = static_cast<T>(i) + x; c = (T(2) + x) * T(3); d = x > static_cast<T>(1) ? T(x) : T(0)"
        if np.dtype(dtype).kind != "c"
        else "a = T(5) * x + T(); b = static_cast<T>(i) + x; c = (T(2) + x) * T(3); d = x == T(0) ? T(1) : T(0)",
    )
    x = numbers(dtype)
    one = np.array(1, dtype)
    got = [r.get() for r in kernel(qn.asarray(x, device=device))]
    chosen = np.where(x > one, x, 0 * one) if np.dtype(dtype).kind != "c" else np.where(x == 0, one, 0 * one)
    wanted = [5 * one * x, np.arange(x.size).astype(dtype) + x, (2 * one + x) * (3 * one), chosen]
    for g, w in zip(got, wanted, strict=True):
        assert g.dtype == x.dtype
        np.testing.assert_allclose(g, w, rtol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_of_complex_numbers_are_there_of_real_ones(device, dtype):
    needs(device, dtype)
    kernel = qn.ElementwiseKernel(
        "T x",
        "T conjugate, T magnitude, T part, T other, T square",
        "conjugate = conj(x); magnitude = abs(x); part = real(x); other = imag(x); square = norm(x)",
    )
    x = numbers(dtype)
    x = x[np.abs(x) < 20] if dtype == "int32" else x
    got = [r.get() for r in kernel(qn.asarray(x, device=device))]
    wanted = [np.conj(x), np.abs(x), x.real, x.imag, np.abs(x.astype("complex128")) ** 2]
    for g, w in zip(got, wanted, strict=True):
        assert g.dtype == x.dtype
        np.testing.assert_allclose(g, w, rtol=1e-5)


def test_real_functions_keep_the_type_of_the_number(device):
    """norm of a large int is exact, which it would not be by way of float."""
    kernel = qn.ElementwiseKernel("int64 x", "int64 y, int64 z", "y = norm(x); z = real(x) + conj(x)")
    x = np.array([(1 << 30) + 1, -((1 << 30) + 3)], "int64")
    y, z = kernel(qn.asarray(x, device=device))
    assert y.get().tolist() == (x * x).tolist() and z.get().tolist() == (2 * x).tolist()


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_arg_of_a_real_number_is_zero_or_pi(device, dtype):
    needs(device, dtype)
    kernel = qn.ElementwiseKernel("T x", "float32 y", "y = arg(x)")
    x = numbers(dtype)
    np.testing.assert_allclose(kernel(qn.asarray(x, device=device)).get(), np.angle(x), rtol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_casts_in_preambles_and_in_reductions_scans_and_predicates(device, dtype):
    x = numbers(dtype)
    given = qn.asarray(x, device=device)
    total = qn.ReductionKernel(
        dtype,
        "0",
        "a + b",
        "twice(x[i])",
        f"const {dtype.replace('32', '')} *x",
        preamble=f"typedef {dtype.replace('32', '')} T; T twice(T x) {{ return T(2) * conj(conj(x)); }}",
    )
    np.testing.assert_allclose(total(given).get(), (2 * x).sum(), rtol=1e-6)
    plain = dtype.replace("32", "")
    out = qn.empty(x.size, dtype, device=device)
    scan = qn.ScanKernel(dtype, f"const {plain} *x, {plain} *y", "conj(x[i])", "a + b", "0", "y[i] = item")
    scan(given, out).wait()
    np.testing.assert_allclose(out.get(), np.cumsum(x.conj()), rtol=1e-6)
    kept = algorithms.copy_if(given, "abs(x[i]) > 1.5f")
    np.testing.assert_array_equal(kept.get(), x[np.abs(x) > 1.5])


def test_complex_of_an_open_type(device):
    x = numbers("float32")
    made = qn.ElementwiseKernel("T re, T im", "complex<T> z", "z = complex<T>(re, im)")
    z = made(qn.asarray(x, device=device), qn.asarray(x[::-1].copy(), device=device))
    np.testing.assert_array_equal(z.get(), (x + 1j * x[::-1]).astype("complex64"))
    parts = qn.ElementwiseKernel("complex< T > z", "T re", "re = static_cast<complex<T>>(z).real() + T(1)")
    got = parts(z).get()
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, x + 1)
    if device.has_fp64:
        wide = qn.asarray(z.get().astype("complex128"), device=device)
        assert parts(wide).get().dtype == np.float64


def test_complex_of_a_type_that_is_not_real_says_what_to_write(device):
    x = qn.asarray(numbers("complex64"), device=device)
    with pytest.raises(
        qn.BuildError, match=r"complex<T> needs float or double, but 'T' is complex64; write complex64"
    ):
        qn.ElementwiseKernel("T x", "T y", "complex<T> z = x; y = z")(x)
    with pytest.raises(
        qn.ArgumentError, match=r"'z'.*expected an array of complex64 or complex128, got .*float32"
    ):
        qn.ElementwiseKernel("complex<T> z", "T y", "y = z.real()")(
            qn.asarray(np.float32([1]), device=device)
        )
    with pytest.raises(qn.ArgumentError, match="'complex<T>' needs float32 or float64, but 'T' is int32"):
        qn.ElementwiseKernel("T x", "complex<T> z", "z = x")(qn.asarray(np.int32([1]), device=device))


def test_a_mistake_in_a_cast_is_shown_with_its_line(device):
    x = qn.asarray(np.float32([1]), device=device)
    with pytest.raises(qn.BuildError, match=r"'float\(\.\.\.\)' takes 1 argument but was given 2"):
        qn.ElementwiseKernel("T x", "T y", "y = x;\ny = T(1, 2)")(x)
