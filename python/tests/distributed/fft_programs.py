# SPDX-License-Identifier: MIT
"""Random Fourier transforms of distributed arrays against NumPy, for ranks that are threads and for processes of MPI."""

import numpy as np
from programs import layout_of, make, shape_of

import quern.dist as qn

REAL = ["float64", "float32", "int32"]
NORMS = [None, "backward", "ortho", "forward"]


def alike(got, expected, precision):
    """Compares all elements, the dtype and the shape, to the rounding errors of transforms."""
    assert got.shape == expected.shape, (got.shape, expected.shape)
    assert got.local.shape == got.layout.local_shape(qn.rank())
    assert got.dtype == expected.dtype, (got.dtype, expected.dtype)
    tolerance = 1e-5 if precision in ("float32", "complex64") else 1e-11
    scale = max(1.0, float(np.abs(expected).max(initial=0)))
    np.testing.assert_allclose(got.get(), expected, rtol=0, atol=tolerance * scale)


def operand(rng, real, shape=None):
    return make(rng, shape, rng.choice(REAL if real else [*REAL, "complex128", "complex64"]))


def along_one_axis(rng):
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
        a, x = operand(rng, name in ("rfft", "ihfft"))
        axis, norm = rng.randrange(-a.ndim, a.ndim), rng.choice(NORMS)
        n = rng.choice([None, rng.randint(1, 12)])
        if a.shape[axis] < 2:
            n = n or 3
        got = getattr(qn.fft, name)(x, n, axis, norm)
        alike(got, getattr(np.fft, name)(a, n, axis, norm), a.dtype.name)
        if got.shape == x.shape:
            assert got.layout == x.layout


def along_several_axes(rng):
    for name in ("fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2"):
        a, x = operand(rng, name.startswith("rfft"), shape_of(rng, least=2))
        axes = rng.sample(range(-a.ndim, 0), rng.randint(1, a.ndim)) if name.endswith("n") else (-2, -1)
        s = [rng.choice([-1, rng.randint(1, 10)]) for _ in axes] if rng.random() < 0.5 else None
        if any(length < 2 for length in a.shape):
            s = [rng.randint(1, 10) for _ in axes]
        norm = rng.choice(NORMS)
        alike(getattr(qn.fft, name)(x, s, axes, norm), getattr(np.fft, name)(a, s, axes, norm), a.dtype.name)
    a, x = operand(rng, False, tuple(rng.randint(2, 9) for _ in range(3)))
    alike(qn.fft.fftn(x), np.fft.fftn(a), a.dtype.name)
    alike(qn.fft.irfftn(x), np.fft.irfftn(a), a.dtype.name)


def lines(rng):
    """Vectors, and arrays with one axis longer than 1: no other axis can be split."""
    length = rng.choice([rng.randint(1, 40), rng.randint(40, 700), 2 ** rng.randint(2, 9), 13, 101, 499, 514])
    shape = rng.choice([(length,), (length,), (1, length), (length, 1), (1, length, 1)])
    axis = shape.index(length)
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
        a, x = operand(rng, name in ("rfft", "ihfft"), shape)
        n = rng.choice([None, None, rng.randint(1, length + 20)]) or (3 if length < 2 else None)
        norm = rng.choice(NORMS)
        got = getattr(qn.fft, name)(x, n=n, axis=axis, norm=norm)
        alike(got, getattr(np.fft, name)(a, n, axis, norm), a.dtype.name)
        if got.shape == x.shape:
            assert got.layout == x.layout


def frequencies(rng):
    n, d = rng.randint(1, 20), rng.choice([1.0, 0.1, 3])
    for name in ("fftfreq", "rfftfreq"):
        expected = getattr(np.fft, name)(n, d)
        got = getattr(qn.fft, name)(n, d, layout=layout_of(rng, qn.size(), expected.shape))
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got.get(), expected, strict=True)
        assert getattr(qn.fft, name)(n, d=d, dtype="float32").dtype == np.float32
    a, x = make(rng)
    axes = rng.choice([None, rng.randrange(-a.ndim, a.ndim), list(range(a.ndim))])
    for name in ("fftshift", "ifftshift"):
        np.testing.assert_array_equal(
            getattr(qn.fft, name)(x, axes).get(), getattr(np.fft, name)(a, axes), strict=True
        )


def numpy_calls(rng):
    a, x = operand(rng, False, (rng.randint(2, 9), rng.randint(2, 9)))
    alike(np.fft.fft(x, axis=0, norm="ortho"), np.fft.fft(a, axis=0, norm="ortho"), a.dtype.name)
    alike(np.fft.ifft2(x), np.fft.ifft2(a), a.dtype.name)
    np.testing.assert_array_equal(np.fft.fftshift(x, axes=1).get(), np.fft.fftshift(a, axes=1))


BODIES = [along_one_axis, along_several_axes, frequencies, lines, numpy_calls]
