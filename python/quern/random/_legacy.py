# SPDX-License-Identifier: MIT
"""NumPy's legacy interface: RandomState, and module functions that share one RandomState."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .._core import Array
from ._arguments import Size, Where, integer
from ._bit_generators import BitGenerator, Philox, Seed
from ._continuous import UsualDistributions
from ._counts import CountDistributions
from ._families import FurtherDistributions
from ._generator import draw_integers
from ._multivariate import MultivariateDistributions
from ._order import Orders

if TYPE_CHECKING:
    from typing_extensions import Unpack


class RandomState(
    UsualDistributions, FurtherDistributions, CountDistributions, MultivariateDistributions, Orders
):
    """Random number generator with NumPy's legacy interface; use default_rng() in new code.

    The numbers differ from NumPy's: a seed gives the same numbers as default_rng() with that seed. Methods take
    `dtype`, `out`, `device`, `queue` and `wait_for` as those of Generator do. Threads may share one.

    Parameters
    ----------
    seed : int, sequence of ints, BitGenerator or one of NumPy's seeds, optional
        Seed; by default the numbers differ each time.

    Examples
    --------
    >>> state = qn.random.RandomState(7)
    >>> state.rand(2, 3).shape
    (2, 3)
    """

    def __init__(self, seed: Seed | BitGenerator = None) -> None:
        self._bits = seed if isinstance(seed, BitGenerator) else Philox(seed)

    def seed(self, seed: Seed = None) -> None:
        """Reseed the generator.

        Parameters
        ----------
        seed : int or sequence of ints, optional
            Seed; by default it comes from the operating system's entropy.

        Returns
        -------
        None

        Examples
        --------
        >>> state = qn.random.RandomState(7)
        >>> first = state.random()
        >>> state.seed(7)
        >>> state.random() == first
        True
        """
        self._bits._native.state = type(self._bits)(seed)._native.state

    def get_state(self, legacy: bool = True) -> dict[str, Any]:
        """Get the state of the generator, for set_state().

        Parameters
        ----------
        legacy : bool, optional
            Accepted for compatibility with NumPy; it has no effect.

        Returns
        -------
        dict
            The state, as `state` of the bit generator.

        Examples
        --------
        >>> qn.random.RandomState(7).get_state()["position"]
        0
        """
        return self._bits.state

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore a state from get_state().

        Parameters
        ----------
        state : dict
            State that get_state() returned.

        Returns
        -------
        None

        Examples
        --------
        >>> random_state = qn.random.RandomState(7)
        >>> state = random_state.get_state()
        >>> first = random_state.random()
        >>> random_state.set_state(state)
        >>> random_state.random() == first
        True
        """
        self._bits.state = state

    def rand(self, *args: int, **where: Unpack[Where]) -> Any:
        """Draw uniform samples over [0, 1), in a shape given as arguments.

        Parameters
        ----------
        *args : int
            Lengths of the axes.
        **where
            `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number without arguments.

        Examples
        --------
        >>> qn.random.RandomState(7).rand(2, 3).shape
        (2, 3)
        """
        return self.random(_lengths("rand", args), **where)

    def randn(self, *args: int, **where: Unpack[Where]) -> Any:
        """Draw standard normal samples, in a shape given as arguments.

        Parameters
        ----------
        *args : int
            Lengths of the axes.
        **where
            `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number without arguments.

        Examples
        --------
        >>> qn.random.RandomState(7).randn(2, 3).shape
        (2, 3)
        """
        return self.standard_normal(_lengths("randn", args), **where)

    def randint(
        self,
        low: int | Array | ArrayLike,
        high: int | Array | ArrayLike | None = None,
        size: Size = None,
        dtype: DTypeLike = int,
        *,
        out: Array | None = None,
        **where: Unpack[Where],
    ) -> Any:
        """Draw random integers from low (inclusive) to high (exclusive), or from 0 to low.

        Parameters
        ----------
        low, high : int or array_like of ints
            Bounds; `high` is exclusive.
        size : int or tuple of ints, optional
            Shape of the result; by default the broadcast shape of the bounds.
        dtype : dtype, optional
            Any integer dtype, or bool.
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
        >>> x = qn.random.RandomState(7).randint(1, 4, size=100)
        >>> int(x.min()), int(x.max())
        (1, 3)
        """
        return draw_integers(self, "randint", low, high, size, dtype, False, out, where)

    def random_sample(self, size: Size = None, **where: Unpack[Where]) -> Any:
        """Draw uniform samples over [0, 1): legacy name of random().

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result.
        **where
            `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or float
            The samples; a Python number if `size` is None.

        Examples
        --------
        >>> qn.random.RandomState(7).random_sample(4).shape
        (4,)
        """
        return self.random(size, **where)

    def tomaxint(self, size: Size = None, **where: Unpack[Where]) -> Any:
        """Draw random integers from 0 to the maximum of int64.

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result.
        **where
            `device`, `queue` and `wait_for`; see Generator.

        Returns
        -------
        Array or int
            The samples; a Python number if `size` is None.

        Examples
        --------
        >>> bool((qn.random.RandomState(7).tomaxint(100) >= 0).all())
        True
        """
        return self._draw("integers", (0, np.iinfo(np.int64).max), size, dtype=np.int64, **where)

    def __repr__(self) -> str:
        return f"<quern.random.RandomState({type(self._bits).__name__})>"


def _lengths(name: str, args: tuple[int, ...]) -> tuple[int, ...] | None:
    lengths = tuple(integer(name, length) for length in args)
    return lengths or None


RandomState.__module__ = "quern.random"

# The RandomState of the module functions. Unless seed() is called, its numbers differ in each process.
_shared = RandomState()

beta = _shared.beta
binomial = _shared.binomial
bytes = _shared.bytes
chisquare = _shared.chisquare
choice = _shared.choice
dirichlet = _shared.dirichlet
exponential = _shared.exponential
f = _shared.f
gamma = _shared.gamma
geometric = _shared.geometric
get_state = _shared.get_state
gumbel = _shared.gumbel
hypergeometric = _shared.hypergeometric
laplace = _shared.laplace
logistic = _shared.logistic
lognormal = _shared.lognormal
logseries = _shared.logseries
multinomial = _shared.multinomial
multivariate_normal = _shared.multivariate_normal
negative_binomial = _shared.negative_binomial
noncentral_chisquare = _shared.noncentral_chisquare
noncentral_f = _shared.noncentral_f
normal = _shared.normal
pareto = _shared.pareto
permutation = _shared.permutation
poisson = _shared.poisson
power = _shared.power
rand = _shared.rand
randint = _shared.randint
randn = _shared.randn
random = _shared.random
random_sample = ranf = sample = _shared.random_sample
rayleigh = _shared.rayleigh
seed = _shared.seed
set_state = _shared.set_state
shuffle = _shared.shuffle
standard_cauchy = _shared.standard_cauchy
standard_exponential = _shared.standard_exponential
standard_gamma = _shared.standard_gamma
standard_normal = _shared.standard_normal
standard_t = _shared.standard_t
triangular = _shared.triangular
uniform = _shared.uniform
vonmises = _shared.vonmises
wald = _shared.wald
weibull = _shared.weibull
zipf = _shared.zipf
