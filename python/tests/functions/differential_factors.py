# SPDX-License-Identifier: MIT
"""How factorisations are called. Where only a product of the factors is determined, that is compared."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
from differential import Call, Draw, Operand
from differential_table import calls, words

ORACLES: dict[str, Callable[..., Any]] = {
    f"linalg.{name}": getattr(scipy.linalg, name)
    for name in words("cho_factor cho_solve expm lu lu_factor lu_solve solve_banded solve_triangular")
}


def _conjugate_transposed(x: Any) -> np.ndarray:
    return np.conj(np.swapaxes(x, -1, -2))


def _sorted(values: Any) -> np.ndarray:
    """In an order that rounding does not change; always complex, as Quern's are."""
    values = np.asarray(values, np.complex128)
    keys = np.round(values.real, 3), np.round(values.imag, 3)
    return np.take_along_axis(values, np.lexsort(keys[::-1], axis=-1), -1)


def _eigen(result: Any) -> Any:
    values, vectors = (np.asarray(one, np.complex128) for one in result)
    return _sorted(values), (vectors * values[..., None, :]) @ np.linalg.inv(vectors)


def _symmetric(result: Any) -> Any:
    values, vectors = result
    return values, (vectors * values[..., None, :]) @ _conjugate_transposed(vectors)


def _singular(result: Any) -> Any:
    if isinstance(result, np.ndarray):
        return result
    u, values, v = result
    count = values.shape[-1]
    return u.shape, v.shape, values, (u[..., :count] * values[..., None, :]) @ v[..., :count, :]


def _orthogonal(result: Any) -> Any:
    if isinstance(result, np.ndarray):
        return np.abs(result)
    q, r = result
    return q.shape, np.abs(r), q @ r


def _triangle(result: Any) -> Any:
    matrix, lower = result
    return np.tril(matrix) if lower else np.triu(matrix)


# What is compared of a result.
DETERMINED: dict[str, Callable[[Any], Any]] = {
    "linalg.eig": _eigen,
    "linalg.eigvals": _sorted,
    "roots": _sorted,
    "linalg.eigh": _symmetric,
    "linalg.svd": _singular,
    "linalg.qr": _orthogonal,
    "linalg.cho_factor": _triangle,
}


def entries(d: Draw, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    values = np.array([d.random.gauss(0, 1) for _ in range(int(np.prod(shape)))])
    if dtype.kind == "c":
        values = values + 1j * np.array([d.random.gauss(0, 1) for _ in range(values.size)])
    return values.reshape(shape).astype(dtype)


def a_dtype(d: Draw) -> np.dtype:
    return np.dtype(d.pick("fdFD"))


def square(d: Draw, stacks: bool = True, dtype: np.dtype | None = None) -> Operand:
    """A matrix, or a stack of some, far from singular."""
    n = d.integer(1, 4)
    stack = d.pick([(), (), (2,), (2, 1), (0,)]) if stacks else ()
    own = a_dtype(d) if dtype is None else dtype
    return Operand(entries(d, (*stack, n, n), own) + np.diag(np.arange(3, 3 + 3 * n, 3)).astype(own))


def hermitian(d: Draw, stacks: bool = True) -> Operand:
    x = square(d, stacks).base
    return Operand(np.ascontiguousarray((x + _conjugate_transposed(x)) * 2))


def near(args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, scale: float = 100.0) -> Call:
    first = next(one for one in args if isinstance(one, Operand))
    return Call(args, kwargs or {}, scale=scale, precision=first.dtype.type(0).real.dtype)


@calls("linalg.det linalg.inv linalg.eig linalg.eigvals linalg.slogdet linalg.svdvals")
def of_a_matrix(d: Draw) -> Call:
    return near((square(d),), scale=3000.0 if d.name == "linalg.det" else 100.0)


@calls("linalg.expm")
def exponential(d: Draw) -> Call:
    x = square(d)
    return near((Operand(x.base / 8),))


@calls("linalg.cholesky")
def cholesky(d: Draw) -> Call:
    x = square(d).base
    return near((Operand(np.ascontiguousarray(x @ _conjugate_transposed(x))),), d.maybe(upper=d.flag()))


@calls("linalg.eigh linalg.eigvalsh")
def symmetric(d: Draw) -> Call:
    return near((hermitian(d),), d.maybe(UPLO=d.pick("LU")))


@calls("linalg.svd linalg.pinv linalg.matrix_rank")
def singular(d: Draw) -> Call:
    options: dict[str, Any] = {}
    is_hermitian = d.chance(0.3)
    rows, columns = d.integer(1, 4), d.integer(1, 4)
    x = (
        hermitian(d)
        if is_hermitian
        else Operand(entries(d, (*d.pick([(), (2,)]), rows, columns), a_dtype(d)))
    )
    if is_hermitian:
        options["hermitian"] = True
    if d.name == "linalg.svd":
        options |= d.maybe(full_matrices=d.flag(), compute_uv=d.flag())
    else:
        first = "rcond" if d.name == "linalg.pinv" else "tol"
        options |= d.pick([{}, {first: 1e-5}, {"rtol": 1e-5}])
    return near((x,), options)


@calls("linalg.cond")
def condition(d: Draw) -> Call:
    norms = [None, 1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc"]
    return near((square(d),), d.maybe(p=d.pick(norms)), scale=1000.0)


@calls("linalg.qr")
def orthogonal(d: Draw) -> Call:
    x = Operand(entries(d, (*d.pick([(), (2,)]), d.integer(1, 4), d.integer(1, 4)), a_dtype(d)))
    return near((x,), d.maybe(mode=d.pick(["reduced", "complete", "r"])))


@calls("linalg.solve")
def solved(d: Draw) -> Call:
    a = square(d)
    return near((a, Operand(entries(d, (*a.shape[:-1], d.integer(1, 3)), a.dtype))))


@calls("linalg.lstsq")
def least_squares(d: Draw) -> Call:
    rows, dtype = d.integer(3, 5), a_dtype(d)
    a = Operand(entries(d, (rows, d.integer(1, 3)), dtype))
    b = Operand(entries(d, d.pick([(rows,), (rows, 2)]), dtype))
    return near((a, b), d.maybe(rcond=d.pick([None, 1e-4])))


@calls("linalg.multi_dot")
def products(d: Draw) -> Call:
    dtype, lengths = a_dtype(d), [d.integer(1, 4) for _ in range(d.integer(3, 5))]
    arrays = [Operand(entries(d, shape, dtype)) for shape in itertools.pairwise(lengths)]
    options = {}
    if d.chance(0.2):
        result = np.linalg.multi_dot([one.base for one in arrays])
        options["out"] = d.array(shape=result.shape, dtype=result.dtype, plain=True)
    return Call((arrays,), options, scale=200.0, precision=dtype.type(0).real.dtype)


@calls("linalg.tensorinv")
def inverse_of_a_tensor(d: Draw) -> Call:
    x = square(d, stacks=False, dtype=a_dtype(d))
    n = x.shape[0]
    ind = d.pick([1, 2])
    shape = (n, n, 1) if ind == 1 else (n, 1, n)
    return near((Operand(x.base.reshape(shape)),), {"ind": ind} if ind == 1 or d.flag() else {})


@calls("linalg.tensorsolve")
def solution_of_tensors(d: Draw) -> Call:
    a = square(d, stacks=False)
    n = a.shape[0]
    b = Operand(entries(d, (n,), a.dtype))
    if d.flag():
        return near((Operand(a.base.reshape(n, 1, n)), Operand(b.base.reshape(n, 1))))
    return near((Operand(np.ascontiguousarray(a.base.reshape(n, n).T)), b), {"axes": (0,)})


@calls("linalg.lu linalg.lu_factor")
def factors(d: Draw) -> Call:
    options: dict[str, Any] = d.maybe(overwrite_a=False, check_finite=True)
    if d.name == "linalg.lu":
        options |= d.pick([{}, {"permute_l": True}, {"p_indices": True}])
    while (x := square(d, stacks=False)).shape == (1, 1):  # of which SciPy gives P in the type of the matrix
        pass
    return near((x,), options)


@calls("linalg.lu_solve")
def solved_by_factors(d: Draw) -> Call:
    a = square(d, stacks=False)
    lu, pivots = scipy.linalg.lu_factor(a.base)
    b = Operand(entries(d, (a.shape[0], 2), a.dtype))
    options = d.maybe(trans=d.integer(0, 2), overwrite_b=False, check_finite=True)
    return Call(
        ((Operand(lu), Operand(pivots)), b), options, scale=100.0, precision=a.dtype.type(0).real.dtype
    )


@calls("linalg.cho_factor")
def cholesky_factor(d: Draw) -> Call:
    x = square(d, stacks=False).base
    options = d.maybe(lower=d.flag(), overwrite_a=False, check_finite=True)
    return near((Operand(np.ascontiguousarray(x @ _conjugate_transposed(x))),), options)


@calls("linalg.cho_solve")
def solved_by_cholesky(d: Draw) -> Call:
    x = square(d, stacks=False).base
    lower = d.flag()
    factor = scipy.linalg.cho_factor(x @ _conjugate_transposed(x), lower=lower)[0]
    b = Operand(entries(d, (x.shape[0], 2), x.dtype))
    return Call(
        ((Operand(np.ascontiguousarray(factor)), lower), b),
        d.maybe(overwrite_b=False, check_finite=True),
        scale=100.0,
        precision=x.dtype.type(0).real.dtype,
    )


@calls("linalg.solve_triangular")
def triangular(d: Draw) -> Call:
    a = square(d, stacks=False)
    b = Operand(entries(d, (a.shape[0], 2), a.dtype))
    return near(
        (a, b),
        d.maybe(
            trans=d.pick([0, 1, 2, "N", "T", "C"]),
            lower=d.flag(),
            unit_diagonal=d.flag(),
            overwrite_b=False,
            check_finite=True,
        ),
        scale=1000.0,
    )


@calls("linalg.solve_banded")
def banded(d: Draw) -> Call:
    n, lower, upper, dtype = d.integer(2, 5), d.integer(0, 1), d.integer(0, 1), a_dtype(d)
    ab = entries(d, (lower + upper + 1, n), dtype)
    ab[upper] += 5
    b = Operand(entries(d, (n, 2), dtype))
    options = d.maybe(overwrite_ab=False, overwrite_b=False, check_finite=True)
    return near(((lower, upper), Operand(ab), b), options)


@calls("roots")
def roots(d: Draw) -> Call:
    return near((Operand(np.poly(np.arange(1, d.integer(2, 5)) + entries(d, (), np.dtype("f8")) / 8)),))
