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
    """Draws numbers of many distributions from the words of a bit generator.

    Methods are called as NumPy's, and take besides:
    - `dtype`: float32 or float64 (the default where the device has it); every integer type for integers and counts;
    - `device` or `queue`: where; the current ones by default;
    - `out`: an Array to be filled, instead of `size`; then the result is the Event, which is not waited for;
    - `wait_for`: Events that must be done before.

    Parameters are numbers, or arrays of NumPy's or of the device that are broadcast against each other and `size`. What
    arrays of the device hold is not looked at: out of its domain a distribution gives NaN, counts -1, and integers of an
    empty range the lower bound.

    Without `size` and `out` the result is a Python number.

    Parameters
    ----------
    bit_generator : BitGenerator
        Philox or Threefry, where the words come from.

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
        """Where the words come from."""
        return self._bits

    def spawn(self, n_children: int) -> list[Generator]:
        """New generators, whose numbers are independent of these and of each other's.

        Parameters
        ----------
        n_children : int
            How many.

        Returns
        -------
        list of Generators
            On bit generators of the same kind.

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
        """Integers from low to high (from 0 to low, without high), all equally likely.

        Parameters
        ----------
        low, high : int or array_like of ints
            The bounds; `high` itself is one of the numbers only with `endpoint`.
        size : int or tuple of ints, optional
            Shape of the result; without it, what the bounds broadcast to.
        dtype : dtype, optional
            Any integer type, or bool.
        endpoint : bool, optional
            Whether `high` is one of the numbers.
        out : Array, optional
            An array to be filled; then the result is the Event of the draw.
        **where
            `device`, `queue` and `wait_for`, as Generator explains them.

        Returns
        -------
        Array or int
            The numbers; one Python number without `size` where both bounds are numbers.

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
        """A copy of an array whose lines along an axis are put into random orders of their own.

        Parameters
        ----------
        x : array_like
            The array.
        axis : int, optional
            The axis; without it, all elements are put into random order.
        out : Array, optional
            Where the result goes; it may be x.
        device, queue : optional
            Where the result is, if x is no Array.

        Returns
        -------
        Array
            The elements in another order, or `out`.

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
    """Integers for the method of this name."""
    element = np.dtype(dtype if out is None else out.dtype)
    if not (is_single(name, low) and (high is None or is_single(name, high))):
        ends = (0, low) if high is None else (low, high)
        return source._draw("integers", ends, size, dtype=element, out=out, endpoint=endpoint, **where)
    first, last = integer_bounds(name, cast(int, low), cast("int | None", high), element, endpoint)
    # The binding takes the bits of unsigned numbers as signed ones.
    first, last = (number - (1 << 64) if number >= 1 << 63 else number for number in (first, last))
    return source._draw("integers", (first, last), size, dtype=element, out=out, **where)


def default_rng(seed: Seed | BitGenerator | Generator = None) -> Generator:
    """A generator on Philox with this seed.

    Parameters
    ----------
    seed : int, sequence of ints, BitGenerator, Generator or one of NumPy's seeds, optional
        Without it the numbers are different each time. A Generator is returned as it is; of NumPy's SeedSequence the words
        are a seed, and of NumPy's generators the next words that they give.

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
