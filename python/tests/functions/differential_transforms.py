# SPDX-License-Identifier: MIT
"""How Fourier, cosine and sine transforms are called; SciPy has those that NumPy has not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.fft
import scipy.signal
from differential import Call, Draw, Operand, largest
from differential_table import calls

NORMS = ["backward", "ortho", "forward"]
# NumPy takes their out=, but does not write it. With s=, the out= of others must fit an intermediate result.
OUT_IS_IGNORED = {"fft.hfft", "fft.irfft2"}


def with_out(function: Callable[..., Any]) -> Callable[..., Any]:
    """SciPy's function with an out=."""

    def computed(*args: Any, out: Any = None, **options: Any) -> Any:
        result = function(*args, **options)
        if out is None:
            return result
        out[...] = result
        return out

    return computed


ORACLES: dict[str, Callable[..., Any]] = {
    f"fft.{name}": with_out(getattr(scipy.fft, name))
    for name in ("dct", "dctn", "dst", "dstn", "idct", "idctn", "idst", "idstn")
} | {"fft.fftconvolve": scipy.signal.fftconvolve, "fft.next_fast_len": scipy.fft.next_fast_len}


def signal(d: Draw, kinds: str, low: int = 1) -> Operand:
    """Numbers whose sums neither overflow nor meet infinity."""
    d.regime = d.pick(["small", "normal"])
    while True:
        x = d.array(kinds, low=low)
        if x.dtype != np.float16 and x.size:
            return x


def scale_of(x: Operand) -> float:
    return 4 * largest(x) * max(x.size, 1)


def add_out(d: Draw, call: Call, function: Callable[..., Any]) -> Call:
    """Now and then an array for the result, which has its type."""
    if d.chance(0.2) and d.name not in OUT_IS_IGNORED and "s" not in call.kwargs:
        try:
            result = function(call.args[0].numpy(), *call.args[1:], **call.kwargs)
        except Exception:
            return call
        call.kwargs["out"] = d.array(shape=result.shape, dtype=result.dtype, plain=True)
    return call


@calls("fft.fft fft.ifft fft.rfft fft.irfft fft.hfft fft.ihfft")
def along_an_axis(d: Draw) -> Call:
    own = d.name.removeprefix("fft.")
    x = signal(d, "iuf" if own in ("rfft", "ihfft") else "iufc")
    options = d.maybe(n=d.integer(1, 7), axis=d.axis(x.ndim), norm=d.pick(NORMS))
    return add_out(d, Call((x,), options, scale=scale_of(x)), getattr(np.fft, own))


@calls("fft.fft2 fft.ifft2 fft.rfft2 fft.irfft2 fft.fftn fft.ifftn fft.rfftn fft.irfftn")
def along_axes(d: Draw) -> Call:
    own = d.name.removeprefix("fft.")
    x = signal(d, "iuf" if own.startswith("rfft") else "iufc", low=2)
    options: dict[str, Any] = d.maybe(norm=d.pick(NORMS))
    if d.flag():
        axes = tuple(d.random.sample(range(-x.ndim, 0), 2))
        options["axes"] = axes
        options |= d.maybe(s=tuple(d.integer(2, 5) for _ in axes))
    return add_out(d, Call((x,), options, scale=scale_of(x)), getattr(np.fft, own))


@calls("fft.dct fft.dst fft.idct fft.idst")
def cosines(d: Draw) -> Call:
    while True:
        x = signal(d, "f")
        axis = d.integer(-x.ndim, x.ndim - 1)
        if x.shape[axis] >= 2:  # the first type of one element is an error
            break
    options = d.maybe(
        type=d.integer(1, 4),
        n=d.integer(2, 6),
        norm=d.pick([None, *NORMS]),
        overwrite_x=False,
        workers=1,
        orthogonalize=d.flag(),
    )
    if d.flag() or axis != -1:
        options["axis"] = axis
    return add_out(d, Call((x,), options, scale=scale_of(x)), ORACLES[d.name])


@calls("fft.dctn fft.dstn fft.idctn fft.idstn")
def cosines_along_axes(d: Draw) -> Call:
    while True:
        x = signal(d, "f", low=2)
        if min(x.shape) >= 2:
            break
    options = d.maybe(
        type=d.integer(1, 4),
        norm=d.pick([None, *NORMS]),
        overwrite_x=False,
        workers=1,
        orthogonalize=d.flag(),
    )
    if d.flag():
        options["axes"] = tuple(d.random.sample(range(-x.ndim, 0), 2))
        options |= d.maybe(s=(d.integer(2, 5), d.integer(2, 5)))
    return add_out(d, Call((x,), options, scale=scale_of(x)), ORACLES[d.name])


@calls("fft.fftconvolve")
def convolved(d: Draw) -> Call:
    x = signal(d, "f")
    y = Operand(d.elements(x.dtype, tuple(d.integer(1, 3) for _ in x.shape)))
    return Call(
        (x, y),
        d.maybe(mode=d.pick(["full", "same"]), axes=tuple(range(x.ndim))),
        scale=scale_of(x) * largest(y) * 4,
        precision=x.dtype,
    )


@calls("fft.fftfreq fft.rfftfreq")
def frequencies(d: Draw) -> Call:
    return Call((d.integer(1, 9),), d.maybe(d=d.pick([0.5, 2.0])))


@calls("fft.fftshift fft.ifftshift")
def shifted(d: Draw) -> Call:
    x = d.array(low=1)
    return Call((x,), d.maybe(axes=lambda: d.pick([d.axis(x.ndim), tuple(range(x.ndim))])))


@calls("fft.next_fast_len")
def fast_length(d: Draw) -> Call:
    return Call((d.integer(1, 3000),), d.maybe(real=d.flag()))
