# SPDX-License-Identifier: MIT
"""Fourier transforms of distributed arrays: numpy.fft's functions.

Each rank transforms the lines that it has whole. For split axes the elements are redistributed, and the result has the
layout of the input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import cleandoc
from typing import Any, TypeVar

from .._core import ArgumentValueError, distributed_fft, distributed_fftn
from ._array import Array, wrap
from ._creation import arange
from ._layouts import LayoutLike
from ._manipulation import _integers, roll
from ._reductions import _call, _checked

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

_Lengths = int | Sequence[int] | None
_F = TypeVar("_F", bound=Callable[..., Any])


# What docstrings say of the parameters, each text once.
_PARAMETERS = {
    "x": """x : Array
    Distributed array.""",
    "n": """n : int, optional
    Number of points to transform. A longer input is cut, a shorter one is padded with zeros. None: the length of the
    input.""",
    "axis": """axis : int, optional
    Axis to transform.""",
    "norm": """norm : {'backward', 'ortho', 'forward'}, optional
    'backward' divides the inverse transform by the number of points, 'forward' the forward one, 'ortho' both by the
    square root. None: 'backward'.""",
    "n of the result": """n : int, optional
    Length of the transformed axis of the result. None: 2 * (m - 1) for an input of length m.""",
    "s": """s : int or sequence of ints, optional
    Number of points to transform along each axis; -1 takes the length of the input. None: the lengths of the input.""",
    "axes": """axes : int or sequence of ints, optional
    Axes to transform.""",
    "s of the result": """s : int or sequence of ints, optional
    Lengths of the transformed axes of the result. None: the lengths of the input, and 2 * (m - 1) along the last of
    the axes for an input of length m.""",
    "all axes": """axes : int or sequence of ints, optional
    Axes to transform. None: the last axes, as many as there are lengths in `s`, or all.""",
    "samples": """n : int
    Number of samples.""",
    "d": """d : float, optional
    Distance between samples.""",
    "dtype": """dtype : dtype, optional
    Floating-point dtype of the result; float64 by default.""",
    "layout": """layout : Layout, str, sequence of ints, cyclic or owned, optional
    'block' (default), 'replicated', the lengths of a process grid, cyclic(...), owned(...), or a Layout.""",
    "device": """device : Device or str, optional
    Device of the result; the current device by default.""",
    "shifted axes": """axes : int or sequence of ints, optional
    Axes to shift; all by default.""",
}


def _takes(*names: str) -> Callable[[_F], _F]:
    """Add the section Parameters, which describes these, to the docstring of a function."""

    text = "\n".join(["Parameters", "----------", *(_PARAMETERS[name] for name in names)])

    def described(function: _F) -> _F:
        if function.__doc__ is not None:  # None under python -OO
            summary, title, rest = cleandoc(function.__doc__).partition("Returns\n")
            function.__doc__ = f"{summary}{text}\n\n{title}{rest}"
        return function

    return described


def _one(name: str, x: Array, n: int | None, axis: int, norm: str | None) -> Array:
    return wrap(distributed_fft(name, _checked(x, name)._blocks, n, axis, norm or "backward"))


def _several(name: str, x: Array, s: _Lengths, axes: _Lengths, norm: str | None) -> Array:
    lengths = None if s is None else _integers(s)
    along = None if axes is None else _integers(axes)
    return wrap(distributed_fftn(name, _checked(x, name)._blocks, lengths, along, norm or "backward"))


@_takes("x", "n", "axis", "norm")
def fft(x: Array, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """Discrete Fourier transform along an axis.

    Returns
    -------
    Array
        The transform, complex.

    Examples
    --------
    >>> qn.dist.fft.fft(qn.dist.asarray([1.0, 0.0, -1.0, 0.0])).get()
    array([0.+0.j, 2.+0.j, 0.+0.j, 2.+0.j])
    """
    return _one("fft", x, n, axis, norm)


@_takes("x", "n", "axis", "norm")
def ifft(x: Array, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """Inverse discrete Fourier transform along an axis.

    Returns
    -------
    Array
        The inverse transform, complex.

    Examples
    --------
    >>> qn.dist.fft.ifft(qn.dist.asarray([4.0, 0.0])).get()
    array([2.+0.j, 2.+0.j])
    """
    return _one("ifft", x, n, axis, norm)


@_takes("x", "n", "axis", "norm")
def rfft(x: Array, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """Discrete Fourier transform of real elements along an axis.

    Returns
    -------
    Array
        The first n // 2 + 1 elements of the transform; the others are their conjugates.

    Examples
    --------
    >>> qn.dist.fft.rfft(qn.dist.ones(4)).get()
    array([4.+0.j, 0.+0.j, 0.+0.j])
    """
    return _one("rfft", x, n, axis, norm)


@_takes("x", "n of the result", "axis", "norm")
def irfft(x: Array, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """Inverse of rfft().

    Returns
    -------
    Array
        n real elements along the axis.

    Examples
    --------
    >>> qn.dist.fft.irfft(qn.dist.asarray([4.0, 0.0, 0.0])).get()
    array([1., 1., 1., 1.])
    """
    return _one("irfft", x, n, axis, norm)


@_takes("x", "n of the result", "axis", "norm")
def hfft(x: Array, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """Discrete Fourier transform of a line whose transform is real, given by its first half.

    Returns
    -------
    Array
        n real elements along the axis.

    Examples
    --------
    >>> qn.dist.fft.hfft(qn.dist.asarray([1.0, 0.0, 0.0])).get()
    array([1., 1., 1., 1.])
    """
    return _one("hfft", x, n, axis, norm)


@_takes("x", "n", "axis", "norm")
def ihfft(x: Array, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """Inverse of hfft().

    Returns
    -------
    Array
        The first n // 2 + 1 elements of the line.

    Examples
    --------
    >>> qn.dist.fft.ihfft(qn.dist.ones(4)).get()
    array([1.-0.j, 0.-0.j, 0.-0.j])
    """
    return _one("ihfft", x, n, axis, norm)


@_takes("x", "s", "axes", "norm")
def fft2(x: Array, s: _Lengths = None, axes: _Lengths = (-2, -1), norm: str | None = None) -> Array:
    """Discrete Fourier transform along two axes.

    Returns
    -------
    Array
        The transform, complex.

    Examples
    --------
    >>> qn.dist.fft.fft2(qn.dist.ones((2, 2))).get()
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return _several("fftn", x, s, axes, norm)


@_takes("x", "s", "axes", "norm")
def ifft2(x: Array, s: _Lengths = None, axes: _Lengths = (-2, -1), norm: str | None = None) -> Array:
    """Inverse discrete Fourier transform along two axes.

    Returns
    -------
    Array
        The inverse transform, complex.

    Examples
    --------
    >>> qn.dist.fft.ifft2(qn.dist.ones((2, 2))).get()
    array([[1.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return _several("ifftn", x, s, axes, norm)


@_takes("x", "s", "axes", "norm")
def rfft2(x: Array, s: _Lengths = None, axes: _Lengths = (-2, -1), norm: str | None = None) -> Array:
    """Discrete Fourier transform of real elements along two axes.

    Returns
    -------
    Array
        The transform; of the last of the axes its first half.

    Examples
    --------
    >>> qn.dist.fft.rfft2(qn.dist.ones((2, 4))).shape
    (2, 3)
    """
    return _several("rfftn", x, s, axes, norm)


@_takes("x", "s of the result", "axes", "norm")
def irfft2(x: Array, s: _Lengths = None, axes: _Lengths = (-2, -1), norm: str | None = None) -> Array:
    """Inverse of rfft2().

    Returns
    -------
    Array
        Real elements.

    Examples
    --------
    >>> qn.dist.fft.irfft2(qn.dist.ones((2, 3))).shape
    (2, 4)
    """
    return _several("irfftn", x, s, axes, norm)


@_takes("x", "s", "all axes", "norm")
def fftn(x: Array, s: _Lengths = None, axes: _Lengths = None, norm: str | None = None) -> Array:
    """Discrete Fourier transform along several axes.

    Returns
    -------
    Array
        The transform, complex.

    Examples
    --------
    >>> qn.dist.fft.fftn(qn.dist.ones((2, 2, 2))).sum().item()
    (8+0j)
    """
    return _several("fftn", x, s, axes, norm)


@_takes("x", "s", "all axes", "norm")
def ifftn(x: Array, s: _Lengths = None, axes: _Lengths = None, norm: str | None = None) -> Array:
    """Inverse discrete Fourier transform along several axes.

    Returns
    -------
    Array
        The inverse transform, complex.

    Examples
    --------
    >>> qn.dist.fft.ifftn(qn.dist.ones((2, 2, 2))).sum().item()
    (1+0j)
    """
    return _several("ifftn", x, s, axes, norm)


@_takes("x", "s", "all axes", "norm")
def rfftn(x: Array, s: _Lengths = None, axes: _Lengths = None, norm: str | None = None) -> Array:
    """Discrete Fourier transform of real elements along several axes.

    Returns
    -------
    Array
        The transform; of the last of the axes its first half.

    Examples
    --------
    >>> qn.dist.fft.rfftn(qn.dist.ones((2, 2, 4))).shape
    (2, 2, 3)
    """
    return _several("rfftn", x, s, axes, norm)


@_takes("x", "s of the result", "all axes", "norm")
def irfftn(x: Array, s: _Lengths = None, axes: _Lengths = None, norm: str | None = None) -> Array:
    """Inverse of rfftn().

    Returns
    -------
    Array
        Real elements.

    Examples
    --------
    >>> qn.dist.fft.irfftn(qn.dist.ones((2, 2, 3))).shape
    (2, 2, 4)
    """
    return _several("irfftn", x, s, axes, norm)


@_takes("samples", "d", "dtype", "layout", "device")
def fftfreq(
    n: int, d: float = 1.0, *, dtype: Any = None, layout: LayoutLike = None, device: Any = None
) -> Array:
    """Frequencies of the elements of fft(). Does not communicate.

    Returns
    -------
    Array
        n frequencies, in cycles per unit of `d`.

    Examples
    --------
    >>> qn.dist.fft.fftfreq(4, 0.5).get()
    array([ 0. ,  0.5, -1. , -0.5])
    """
    i = arange(_count(n), dtype="int64", layout=layout, device=device)
    return _frequencies(_call("where", i < (n + 1) // 2, i, i - n), n, d, dtype)


@_takes("samples", "d", "dtype", "layout", "device")
def rfftfreq(
    n: int, d: float = 1.0, *, dtype: Any = None, layout: LayoutLike = None, device: Any = None
) -> Array:
    """Frequencies of the elements of rfft(). Does not communicate.

    Returns
    -------
    Array
        n // 2 + 1 frequencies, in cycles per unit of `d`.

    Examples
    --------
    >>> qn.dist.fft.rfftfreq(4, 0.5).get()
    array([0. , 0.5, 1. ])
    """
    i = arange(_count(n) // 2 + 1, dtype="int64", layout=layout, device=device)
    return _frequencies(i, n, d, dtype)


def _count(n: int) -> int:
    if n < 1:
        raise ArgumentValueError(f"n should be at least 1, got {n}")
    return n


def _frequencies(numbers: Array, n: int, d: float, dtype: Any) -> Array:
    found = numbers * (1.0 / (n * d))
    return found if dtype is None else found.astype(dtype, copy=False)


@_takes("x", "shifted axes")
def fftshift(x: Array, axes: _Lengths = None) -> Array:
    """Move the zero frequency to the middle of the axes. Each rank sends the elements that change their ranks.

    Returns
    -------
    Array
        The shifted array.

    Examples
    --------
    >>> qn.dist.fft.fftshift(qn.dist.arange(3.0)).get()
    array([2., 0., 1.])
    """
    x = _checked(x, "fftshift")
    along = list(range(x.ndim)) if axes is None else _integers(axes)
    return roll(x, [x.shape[axis] // 2 for axis in along], along)


@_takes("x", "shifted axes")
def ifftshift(x: Array, axes: _Lengths = None) -> Array:
    """Inverse of fftshift(). Each rank sends the elements that change their ranks.

    Returns
    -------
    Array
        The shifted array.

    Examples
    --------
    >>> qn.dist.fft.ifftshift(qn.dist.arange(3.0)).get()
    array([1., 2., 0.])
    """
    x = _checked(x, "ifftshift")
    along = list(range(x.ndim)) if axes is None else _integers(axes)
    return roll(x, [-(x.shape[axis] // 2) for axis in along], along)
