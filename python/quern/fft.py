# SPDX-License-Identifier: MIT
"""Fourier transforms: numpy.fft's functions, cosine and sine transforms as in scipy.fft, and fftconvolve.

They are rows of the registry in C++; the build writes their stubs next to this file."""

from __future__ import annotations

from ._core import functions as _all

__all__ = sorted(name.removeprefix("fft.") for name in _all if name.startswith("fft."))
globals().update({name: _all[f"fft.{name}"] for name in __all__})
