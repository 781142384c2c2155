# SPDX-License-Identifier: MIT
"""Multivariate distributions."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .._array import asarray, shape_of
from .._core import ArgumentTypeError, ArgumentValueError, Array, Device, Queue
from ._arguments import Number, Size, check_shape, default_float, integer, is_single
from ._draws import Draws


class MultivariateDistributions(Draws):
    """Multivariate distributions; the last axis of a result is one sample."""

    def dirichlet(
        self,
        alpha: ArrayLike | Array,
        size: Size = None,
        *,
        dtype: DTypeLike | None = None,
        device: Device | str | None = None,
        queue: Queue | None = None,
    ) -> Array:
        """Draw samples from a Dirichlet distribution: rows of fractions that sum to 1.

        Parameters
        ----------
        alpha : array_like
            One-dimensional concentration parameters, at least 0.
        size : int or tuple of ints, optional
            Shape of the samples, without the last axis.
        dtype : dtype, optional
            float32 or float64; by default float64 if the device has it.
        device, queue : optional
            Device or queue of the computation; the current one by default.

        Returns
        -------
        Array
            The samples, each along the last axis.

        Examples
        --------
        >>> x = qn.random.default_rng(7).dirichlet([1, 2, 3], size=4)
        >>> bool((abs(x.sum(axis=-1) - 1) < 1e-6).all())
        True
        """
        if isinstance(alpha, Array):
            device = alpha.device if queue is None and device is None else device
            element = np.dtype(dtype) if dtype is not None else default_float(device, queue)
            weights = alpha.astype(element)
        else:
            element = np.dtype(dtype) if dtype is not None else default_float(device, queue)
            values = np.asarray(alpha)
            if values.dtype.kind not in "iufb":
                raise ArgumentTypeError(f"dirichlet: expected alpha to hold numbers, got {values.dtype}")
            if not np.all((values >= 0) & np.isfinite(values)):
                raise ArgumentValueError("dirichlet: expected alpha >= 0 and finite everywhere")
            weights = asarray(_weights(values, element), device=device, queue=queue)
        rows = _rows("dirichlet", size)
        return self._bits._native.dirichlet(rows, weights, queue)

    def multinomial(
        self,
        n: Number,
        pvals: ArrayLike | Array,
        size: Size = None,
        *,
        device: Device | str | None = None,
        queue: Queue | None = None,
    ) -> Array:
        """Draw samples from a multinomial distribution: counts of each outcome in n trials.

        The device must have float64.

        Parameters
        ----------
        n : int or array_like of ints
            Number of trials, at least 0.
        pvals : array_like
            Probabilities of the outcomes along the last axis; the last one is 1 minus the sum of the others.
        size : int or tuple of ints, optional
            Shape of the samples without the last axis; by default `n` and `pvals` are broadcast.
        device, queue : optional
            Device or queue of the computation; the current one by default.

        Returns
        -------
        Array
            int64 counts along the last axis, which sum to n.

        Examples
        --------
        >>> x = qn.random.default_rng(7).multinomial(20, [0.2, 0.3, 0.5], size=4)
        >>> x.sum(axis=-1).tolist()
        [20, 20, 20, 20]
        """
        for given in (n, pvals):
            if isinstance(given, Array) and queue is None and device is None:
                device = given.device
        trials = n if isinstance(n, Array) else asarray(_trials(n), device=device, queue=queue)
        p = pvals if isinstance(pvals, Array) else asarray(_probabilities(pvals), device=device, queue=queue)
        if trials.dtype.kind not in "iu":
            raise ArgumentTypeError(f"multinomial: expected n to hold integers, got {trials.dtype}")
        if not p.ndim or not p.shape[-1]:
            raise ArgumentValueError("multinomial: expected pvals with at least one outcome")
        try:
            shape = np.broadcast_shapes(trials.shape, p.shape[:-1])
        except ValueError:
            raise ArgumentValueError(
                f"multinomial: n of the shape {trials.shape} and pvals of {p.shape} do not broadcast together"
            ) from None
        rows = shape if size is None else _rows("multinomial", size)
        check_shape("multinomial", shape, rows)
        return self._bits._native.multinomial(rows, trials, p, queue)

    def multivariate_hypergeometric(
        self,
        colors: ArrayLike,
        nsample: int,
        size: Size = None,
        method: str = "marginals",
        *,
        device: Device | str | None = None,
        queue: Queue | None = None,
    ) -> Array:
        """Draw samples from a multivariate hypergeometric distribution: counts of each color.

        The device must have float64.

        Parameters
        ----------
        colors : sequence of ints
            Number of items of each color; fewer than 10**9 in total.
        nsample : int
            Size of the sample, without replacement; at most sum(colors).
        size : int or tuple of ints, optional
            Shape of the samples, without the last axis.
        method : {"marginals", "count"}, optional
            Accepted for compatibility with NumPy; both use the same algorithm.
        device, queue : optional
            Device or queue of the computation; the current one by default.

        Returns
        -------
        Array
            int64 counts along the last axis, which sum to nsample.

        Examples
        --------
        >>> x = qn.random.default_rng(7).multivariate_hypergeometric([16, 8, 4], 6, size=3)
        >>> x.sum(axis=-1).tolist()
        [6, 6, 6]
        """
        if method not in ("marginals", "count"):
            raise ArgumentValueError(
                f"multivariate_hypergeometric: expected method 'marginals' or 'count', got {method!r}"
            )
        counts = np.asarray(colors)
        if counts.ndim != 1 or (counts.size and counts.dtype.kind not in "iu"):
            raise ArgumentValueError(
                "multivariate_hypergeometric: expected colors to be a sequence of integers >= 0"
            )
        sample = integer("multivariate_hypergeometric: nsample", nsample)
        rows = _rows("multivariate_hypergeometric", size)
        return self._bits._native.multivariate_hypergeometric(
            rows, [int(count) for count in counts], sample, device, queue
        )

    def multivariate_normal(
        self,
        mean: ArrayLike | Array,
        cov: ArrayLike | Array,
        size: Size = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
        *,
        method: str = "svd",
        dtype: DTypeLike | None = None,
        device: Device | str | None = None,
        queue: Queue | None = None,
    ) -> Array:
        """Draw samples from a multivariate normal distribution.

        The host factorises the covariance matrix with NumPy; the samples and their
        product with the factor are computed on the device.

        Parameters
        ----------
        mean : array_like
            Mean of each component: n numbers in one dimension.
        cov : array_like
            Covariance matrix, n by n: symmetric and positive-semidefinite.
        size : int or tuple of ints, optional
            Shape of the samples, without the last axis.
        check_valid : {"warn", "raise", "ignore"}, optional
            What to do if `cov` is not positive-semidefinite; method "cholesky" always raises an error.
        tol : float, optional
            Tolerance of that check.
        method : {"svd", "eigh", "cholesky"}, optional
            Method to factorise the covariance matrix.
        dtype : dtype, optional
            float32 or float64; by default float64 if the device has it.
        device, queue : optional
            Device or queue of the computation; the current one by default.

        Returns
        -------
        Array
            The samples, each along the last axis.

        Examples
        --------
        >>> x = qn.random.default_rng(7).multivariate_normal([0, 0], [[1, 0.5], [0.5, 2]], size=4)
        >>> x.shape
        (4, 2)
        """
        if check_valid not in ("warn", "raise", "ignore"):
            raise ArgumentValueError(
                f"multivariate_normal: expected check_valid 'warn', 'raise' or 'ignore', got {check_valid!r}"
            )
        if method not in ("svd", "eigh", "cholesky"):
            raise ArgumentValueError(
                f"multivariate_normal: expected method 'svd', 'eigh' or 'cholesky', got {method!r}"
            )
        for given in (mean, cov):
            if isinstance(given, Array) and queue is None and device is None:
                device = given.device
        means = mean.get() if isinstance(mean, Array) else np.asarray(mean)
        covariance = cov.get() if isinstance(cov, Array) else np.asarray(cov)
        if means.dtype.kind not in "iufb" or covariance.dtype.kind not in "iufb":
            raise ArgumentTypeError("multivariate_normal: expected mean and cov to hold real numbers")
        if means.ndim != 1:
            raise ArgumentValueError("multivariate_normal: expected a one-dimensional mean")
        if covariance.ndim != 2 or covariance.shape[0] != covariance.shape[1]:
            raise ArgumentValueError("multivariate_normal: expected cov to be a square matrix")
        if covariance.shape[0] != means.size:
            raise ArgumentValueError(
                f"multivariate_normal: mean has {means.size} numbers, cov {covariance.shape[0]} rows"
            )
        factor = _factor(covariance.astype(np.float64), check_valid, tol, method)
        element = np.dtype(dtype) if dtype is not None else default_float(device, queue)
        rows = _rows("multivariate_normal", size)
        return self._bits._native.multivariate_normal(
            rows,
            asarray(means.astype(element), device=device, queue=queue),
            asarray(np.ascontiguousarray(factor, element), device=device, queue=queue),
            queue,
        )


def _rows(name: str, size: Size) -> tuple[int, ...]:
    """Shape without the last axis."""
    lengths = () if size is None else shape_of(name, size)
    return (lengths,) if isinstance(lengths, int) else lengths


def _weights(alpha: Any, dtype: np.dtype[Any]) -> Any:
    """Weights in a dtype. Weights that would underflow are scaled up, which does not change the distribution."""
    values = alpha.astype(np.float64)
    tiny = 1e-290 if dtype.itemsize == 8 else 1e-30
    most = values.max(initial=0)
    if 0 < most < tiny:
        values = values / most * tiny
    return values.astype(dtype)


def _trials(n: Number) -> Any:
    values = np.asarray(n)
    if is_single("multinomial", n):
        values = np.asarray(integer("multinomial: n", n))
    if values.dtype.kind not in "iu":
        raise ArgumentTypeError(f"multinomial: expected n to hold integers, got {values.dtype}")
    if np.any(values < 0):
        raise ArgumentValueError("multinomial: expected n >= 0 everywhere")
    return values


def _probabilities(pvals: ArrayLike) -> Any:
    values = np.asarray(pvals)
    if values.dtype.kind not in "iufb":
        raise ArgumentTypeError(f"multinomial: expected pvals to hold numbers, got {values.dtype}")
    values = values.astype(np.float64)
    if not np.all((values >= 0) & (values <= 1)):
        raise ArgumentValueError("multinomial: expected pvals from 0 to 1 everywhere")
    if values.ndim and np.any(values[..., :-1].sum(axis=-1) > 1 + 1e-12):
        raise ArgumentValueError("multinomial: expected sum(pvals[..., :-1]) <= 1 everywhere")
    return values


def _factor(covariance: Any, check_valid: str, tol: float, method: str) -> Any:
    """Factor of the covariance: a matrix whose product with its transpose is the covariance."""
    if method == "cholesky":
        return np.linalg.cholesky(covariance)
    if method == "eigh":
        sizes, directions = np.linalg.eigh(covariance)
        is_valid = not np.any(sizes < -tol)
    else:
        directions, sizes, others = np.linalg.svd(covariance)
        is_valid = np.allclose(np.dot(others.T * sizes, others), covariance, rtol=tol, atol=tol)
    if not is_valid and check_valid != "ignore":
        text = "multivariate_normal: cov is not symmetric and positive-semidefinite"
        if check_valid == "raise":
            raise ArgumentValueError(text)
        warnings.warn(text, RuntimeWarning, stacklevel=3)
    return directions * np.sqrt(np.abs(sizes))
