# SPDX-License-Identifier: MIT
"""Cosine and sine transforms, fast lengths and convolution, compared with SciPy where it is installed."""

import numpy as np
import pytest

import quern as qn

scipy_fft = pytest.importorskip("scipy.fft")
scipy_signal = pytest.importorskip("scipy.signal")


def numbers(shape, dtype="float64", seed=0):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def check(got, expected):
    got = got.get()
    assert got.shape == expected.shape and got.dtype == expected.dtype
    scale = max(np.linalg.norm(expected.ravel()), 1e-30)
    assert np.linalg.norm((got - expected).ravel()) <= (5e-6 if got.dtype.char in "fF" else 1e-13) * scale


@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst"])
@pytest.mark.parametrize("type", [1, 2, 3, 4])
def test_transforms_agree_with_scipy(device, name, type, is_quick_on_pocl):
    ours, theirs = getattr(qn.fft, name), getattr(scipy_fft, name)
    for n in (8,) if is_quick_on_pocl else (1, 2, 3, 5, 8, 17, 30, 64):
        if name.endswith("dct") and type == 1 and n == 1:
            continue
        x = numbers((3, n), "float64", n)
        a = qn.asarray(x, device=device)
        for norm in (None, "ortho") if is_quick_on_pocl else (None, "ortho", "forward"):
            check(ours(a, type, norm=norm), theirs(x, type, norm=norm))
    if is_quick_on_pocl:
        return
    x = numbers((4, 6, 5), "float32")
    a = qn.asarray(x, device=device)
    check(ours(a, type, axis=1), theirs(x, type, axis=1))
    check(ours(a, type, n=9, axis=0), theirs(x, type, n=9, axis=0))
    check(ours(a, type, n=3, axis=1, norm="ortho"), theirs(x, type, n=3, axis=1, norm="ortho"))
    check(
        ours(a, type, norm="ortho", orthogonalize=False), theirs(x, type, norm="ortho", orthogonalize=False)
    )
    check(ours(a, type, orthogonalize=True), theirs(x, type, orthogonalize=True))
    z = numbers((3, 8), "complex64")
    check(ours(qn.asarray(z, device=device), type), theirs(z, type))


@pytest.mark.parametrize("name", ["dctn", "idctn", "dstn", "idstn"])
def test_transforms_along_several_axes_agree_with_scipy(device, name):
    x = numbers((4, 6, 5), "float32")
    a = qn.asarray(x, device=device)
    ours, theirs = getattr(qn.fft, name), getattr(scipy_fft, name)
    check(ours(a), theirs(x))
    check(ours(a, axes=(0, 2), norm="ortho"), theirs(x, axes=(0, 2), norm="ortho"))
    check(ours(a, type=3, s=(3, 8)), theirs(x, type=3, s=(3, 8)))


def test_cosine_transforms_refuse_wrong_arguments(device):
    a = qn.ones(4, "float32", device=device)
    with pytest.raises(ValueError, match="type must be 1, 2, 3 or 4"):
        qn.fft.dct(a, 5)
    with pytest.raises(ValueError, match="at least two elements"):
        qn.fft.dct(a[:1], 1)
    with pytest.raises(ValueError, match="Invalid number of FFT data points"):
        qn.fft.dst(a, n=0)


def test_fast_lengths_have_small_factors():
    for real in (False, True):
        for n in range(1, 300):
            assert qn.fft.next_fast_len(n, real) == scipy_fft.next_fast_len(n, real)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolution_agrees_with_scipy(device, mode, is_quick_on_pocl):
    pairs = [((20,), (7,)), ((6, 9), (3, 4))]
    if not is_quick_on_pocl:
        pairs += [((5,), (5,)), ((7,), (20,)), ((8, 1), (3, 1)), ((4, 5, 6), (2, 3, 2)), ((1,), (1,))]
    for first, second in pairs:
        for dtype in ("float32", "complex128"):
            a, b = numbers(first, dtype), numbers(second, dtype, 1)
            got = qn.fft.fftconvolve(qn.asarray(a, device=device), qn.asarray(b, device=device), mode)
            check(got, scipy_signal.fftconvolve(a, b, mode))
    a, b = numbers((3, 9), "float64"), numbers((3, 4), "float64", 1)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    check(qn.fft.fftconvolve(x, y, mode, axes=1), scipy_signal.fftconvolve(a, b, mode, axes=1))
    check(qn.fft.fftconvolve(x, y[:1], mode, axes=1), scipy_signal.fftconvolve(a, b[:1], mode, axes=1))
    # 'same' is the shape of the first array along axes that broadcast, too.
    check(qn.fft.fftconvolve(x[:1], y, mode, axes=1), scipy_signal.fftconvolve(a[:1], b, mode, axes=1))
    check(qn.fft.fftconvolve(x[:, :1], y, mode, axes=0), scipy_signal.fftconvolve(a[:, :1], b, mode, axes=0))
    ints = np.arange(5), np.arange(3)
    check(
        qn.fft.fftconvolve(*(qn.asarray(one, device=device) for one in ints)), scipy_signal.fftconvolve(*ints)
    )


def test_convolution_refuses_wrong_arguments(device):
    a = qn.ones((3, 4), device=device)
    with pytest.raises(ValueError, match="same dimensionality"):
        qn.fft.fftconvolve(a, a[0])
    with pytest.raises(ValueError, match="'valid' mode"):
        qn.fft.fftconvolve(a, a.T, "valid")
    with pytest.raises(ValueError, match="mode must be"):
        qn.fft.fftconvolve(a, a, "half")


@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn"])
def test_out_receives_the_result(device, name):
    x = numbers((4, 6))
    expected = getattr(scipy_fft, name)(x)
    out = qn.zeros((4, 6), device=device)
    assert getattr(qn.fft, name)(qn.asarray(x, device=device), out=out) is out
    check(out, expected)
    same = qn.asarray(x, device=device)
    getattr(qn.fft, name)(same, out=same)
    check(same, expected)
    with pytest.raises(ValueError, match=name):
        getattr(qn.fft, name)(same, out=qn.zeros((4, 5), device=device))


@pytest.mark.parametrize("type", [0, 5, -1, 2**40])
def test_the_error_of_a_type_names_it(type):
    got = str(min(type, 2**31 - 1))
    with pytest.raises(ValueError, match=f"dct: type must be 1, 2, 3 or 4, got {got}"):
        qn.fft.dct(qn.ones(4), type=type)
