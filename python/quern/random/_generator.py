# SPDX-License-Identifier: MIT
"""Generator, with all of NumPy's distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .._array import asarray
from .._core import ArgumentTypeError, Array, Device, Queue
from ._arguments import Size, Where, integer_bounds, is_single
from ._bit_generators import BitGenerator, Philox, Seed
from ._continuous import UsualDistributions
from ._counts import CountDistributions
from ._families import FurtherDistributions
from ._multivariate import MultivariateDistributions
from ._order import Orders

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Generator(
    UsualDistributions, FurtherDistributions, CountDistributions, MultivariateDistributions, Orders
):
    """Random number generator: draws samples of many distributions from a bit generator.

    Methods are those of numpy.random.Generator, with these additional keyword arguments:
    - `dtype`: float32 or float64 (default if the device has it); for integers and counts any integer dtype;
    - `device` or `queue`: where to compute the samples; the current one by default;
    - `out`: Array to fill, instead of `size`; the call then returns the Event without waiting;
    - `wait_for`: Events to wait for before the computation.

    Parameters are numbers, or NumPy or device arrays that are broadcast against each other and `size`. The values in
    device arrays are not checked: outside the domain of a distribution the samples are NaN, counts are -1, and integers
    of an empty range are the lower bound.

    Without `size` and `out` the result is a Python number.

    Parameters
    ----------
    bit_generator : BitGenerator
        Source of random words: Philox or Threefry.

    Examples
    --------
    >>> rng = qn.random.Generator(qn.random.Philox(7))
    >>> rng.random((2, 3)).shape
    (2, 3)
    """

    def __init__(self, bit_generator: BitGenerator) -> None:
        if not isinstance(bit_generator, BitGenerator):
            raise ArgumentTypeError(
                f"bit_generator: expected Philox or Threefry, got {type(bit_generator).__name__}"
            )
        self._bits = bit_generator

    @property
    def bit_generator(self) -> BitGenerator:
        """Bit generator that the samples come from."""
        return self._bits

    def spawn(self, n_children: int) -> list[Generator]:
        """Make independent child generators.

        Parameters
        ----------
        n_children : int
            Number of generators.

        Returns
        -------
        list of Generators
            Generators with bit generators of the same kind.

        Examples
        --------
        >>> len(qn.random.default_rng(7).spawn(3))
        3
        """
        return [Generator(child) for child in self._bits.spawn(n_children)]

    def integers(
        self,
        low: int | Array | ArrayLike,
        high: int | Array | ArrayLike | None = None,
        size: Size = None,
        dtype: DTypeLike = np.int64,
        endpoint: bool = False,
        *,
        out: Array | None = None,
        **where: Unpack[Where],
    ) -> Any:
        """Draw random integers from low (inclusive) to high (exclusive), or from 0 to low.

        Parameters
        ----------
        low, high : int or array_like of ints
            Bounds; `high` is exclusive unless `endpoint` is True.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the bounds.
        dtype : dtype, optional
            Any integer dtype, or bool.
        endpoint : bool, optional
            Whether `high` is inclusive.
        out : Array, optional
            Array to fill; the call then returns the Event.
        **where
            `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or int
            The samples; a Python number if `size` is None and both bounds are numbers.

        Examples
        --------
        >>> x = qn.random.default_rng(7).integers(1, 6, size=100, endpoint=True)
        >>> int(x.min()), int(x.max())
        (1, 6)
        """
        return draw_integers(self, "integers", low, high, size, dtype, endpoint, out, where)

    def permuted(
        self,
        x: Array | ArrayLike,
        *,
        axis: int | None = None,
        out: Array | None = None,
        device: Device | str | None = None,
        queue: Queue | None = None,
    ) -> Array:
        """Copy of an array with each vector along an axis shuffled independently.

        Parameters
        ----------
        x : array_like
            Array to shuffle.
        axis : int, optional
            Axis to shuffle along; by default all elements are shuffled.
        out : Array, optional
            Array to store the result in; it may be `x`.
        device, queue : optional
            Device or queue of the result if `x` is not an Array.

        Returns
        -------
        Array
            The shuffled copy, or `out`.

        Examples
        --------
        >>> x = qn.random.default_rng(7).permuted([[1, 2, 3], [4, 5, 6]], axis=1)
        >>> x.sum(axis=1).tolist()
        [6, 15]
        """
        if not isinstance(x, Array | np.ndarray | list | tuple):
            raise ArgumentTypeError(f"permuted: expected an array, got {type(x).__name__}")
        array = x if isinstance(x, Array) else asarray(x, device=device, queue=queue)
        if out is not None and not isinstance(out, Array):
            raise ArgumentTypeError(f"out: expected a quern.Array, got {type(out).__name__}")
        result = self._bits._native.permuted(array, axis, queue)
        if out is None:
            return result
        out[...] = result
        return out

    def __repr__(self) -> str:
        return f"<quern.random.Generator({type(self._bits).__name__})>"


def draw_integers(
    source: Orders,
    name: str,
    low: int | Array | ArrayLike,
    high: int | Array | ArrayLike | None,
    size: Size,
    dtype: DTypeLike,
    endpoint: bool,
    out: Array | None,
    where: Where,
) -> Any:
    """Draw integers for the method `name`, which error messages mention."""
    element = np.dtype(dtype if out is None else out.dtype)
    if not (is_single(name, low) and (high is None or is_single(name, high))):
        ends = (0, low) if high is None else (low, high)
        return source._draw("integers", ends, size, dtype=element, out=out, endpoint=endpoint, **where)
    first, last = integer_bounds(name, cast(int, low), cast("int | None", high), element, endpoint)
    # The binding takes int64: pass the bits of an unsigned number as a signed one.
    first, last = (number - (1 << 64) if number >= 1 << 63 else number for number in (first, last))
    return source._draw("integers", (first, last), size, dtype=element, out=out, **where)


def default_rng(seed: Seed | BitGenerator | Generator = None) -> Generator:
    """Make a Generator with the Philox bit generator and a seed.

    Parameters
    ----------
    seed : int, sequence of ints, BitGenerator, Generator or one of NumPy's seeds, optional
        Seed; by default the numbers differ each time. A Generator is returned unchanged. A NumPy SeedSequence or generator
        provides the words of a seed.

    Returns
    -------
    Generator
        The generator.

    Examples
    --------
    >>> rng = qn.random.default_rng(7)
    >>> rng.normal(size=3).shape
    (3,)
    """
    if isinstance(seed, Generator):
        return seed
    return Generator(seed if isinstance(seed, BitGenerator) else Philox(seed))


Generator.__module__ = default_rng.__module__ = "quern.random"
