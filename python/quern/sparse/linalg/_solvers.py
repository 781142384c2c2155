# SPDX-License-Identifier: MIT
"""Iterative solvers with SciPy's signatures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core import ArgumentValueError, Array, sparse_least_squares, sparse_solve
from ._operator import device_of, native, vector
from ._preconditioners import multigrid

_CHECK_EVERY = 8


def _solve(
    method: str,
    A: Any,
    b: Any,
    x0: Any,
    rtol: float,
    atol: float,
    maxiter: int | None,
    M: Any,
    callback: Callable[[Array], Any] | None,
    check_every: int,
    restart: int = 20,
    shift: float = 0.0,
) -> tuple[Array, int]:
    device = device_of(b, A, x0)
    right = vector(b, device)
    guess = None if x0 is None else vector(x0, right.device)
    if hasattr(M, "levels") and hasattr(M, "aspreconditioner"):  # a hierarchy of pyamg's
        M = multigrid(M, device=right.device)
    inverse = None if M is None else native(M, right.device)
    x, info, _, _ = sparse_solve(
        method,
        native(A, right.device),
        right,
        guess,
        rtol,
        atol or 0.0,
        maxiter,
        inverse,
        callback,
        check_every,
        restart,
        shift,
    )
    return x, info


def cg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[[Array], Any] | None = None,
    check_every: int = _CHECK_EVERY,
) -> tuple[Array, int]:
    """Solve A x = b by conjugate gradients, for a Hermitian positive definite matrix.

    Parameters
    ----------
    A : sparse array, array or LinearOperator
        The matrix.
    b : array_like
        The right side.
    x0 : array_like, optional
        First guess; zeros by default.
    rtol : float, optional
        Relative tolerance: solved if norm(b - A @ x) <= max(rtol * norm(b), atol).
    atol : float, optional
        Absolute tolerance.
    maxiter : int, optional
        Most iterations; 10 times the number of rows by default.
    M : sparse array, array or LinearOperator, optional
        Preconditioner, which approximates the inverse of A; also an object of another library with shape and matvec,
        or a hierarchy of pyamg's (see `multigrid`).
    callback : callable, optional
        Function that is called with x after each iteration.
    check_every : int, optional
        The residual is read after so many iterations; more of them may run than needed.

    Returns
    -------
    tuple of Array and int
        The solution, and 0 if it meets the tolerance; otherwise the number of iterations, of which there may be fewer
        than `maxiter` where rounding keeps the residual above the tolerance.

    Examples
    --------
    >>> A = qn.sparse.diags_array([2.0, -1.0, -1.0], offsets=[0, 1, -1], shape=(4, 4), format="csr")
    >>> x, info = qn.sparse.linalg.cg(A, qn.ones(4))
    >>> print(x, info)
    [2. 3. 3. 2.] 0
    """
    return _solve("cg", A, b, x0, rtol, atol, maxiter, M, callback, check_every)


def bicgstab(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[[Array], Any] | None = None,
    check_every: int = _CHECK_EVERY,
) -> tuple[Array, int]:
    """Solve A x = b by the stabilised biconjugate gradient method; the parameters are those of cg.

    The number that is returned is negative where the method broke down: the residual does not change any more.
    """
    return _solve("bicgstab", A, b, x0, rtol, atol, maxiter, M, callback, check_every)


def gmres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: int | None = None,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[[Array], Any] | None = None,
    callback_type: str | None = None,
) -> tuple[Array, int]:
    """Solve A x = b by generalised minimal residuals.

    The parameters are those of cg. `restart` is the number of steps before a restart, 20 by default; `maxiter` counts
    restarts, and `callback` is called with x after each.
    """
    if callback_type not in (None, "x"):
        raise ArgumentValueError(f"gmres: callback_type must be 'x', got {callback_type!r}")
    steps = 20 if restart is None else int(restart)
    return _solve("gmres", A, b, x0, rtol, atol, maxiter, M, callback, _CHECK_EVERY, restart=steps)


def minres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    shift: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callable[[Array], Any] | None = None,
    check_every: int = _CHECK_EVERY,
) -> tuple[Array, int]:
    """Solve (A - shift * I) x = b by minimal residuals, for a Hermitian matrix; other parameters as those of cg.

    Solved means norm(b - A @ x) <= rtol * norm(b), as in the other solvers; SciPy measures the residual against
    norm(A) * norm(x).
    """
    return _solve("minres", A, b, x0, rtol, 0.0, maxiter, M, callback, check_every, shift=float(shift))


def lsqr(
    A: Any,
    b: Any,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    iter_lim: int | None = None,
    show: bool = False,
    calc_var: bool = False,
    x0: Any = None,
) -> tuple[Any, ...]:
    """Solve the least-squares problem min |b - A x|^2 + damp^2 |x|^2.

    Returns x, istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm and None, as scipy.sparse.linalg.lsqr does.
    """
    if calc_var:
        raise ArgumentValueError("lsqr: calc_var is not supported")
    right = vector(b, device_of(b, A))
    guess = None if x0 is None else vector(x0, right.device)
    x, stop, count, r1, r2, normal, norm, condition, x_norm = sparse_least_squares(
        "lsqr", native(A, right.device), right, guess, damp, atol, btol, conlim, iter_lim
    )
    return x, stop, count, r1, r2, norm, condition, normal, x_norm, None


def lsmr(
    A: Any,
    b: Any,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    maxiter: int | None = None,
    show: bool = False,
    x0: Any = None,
) -> tuple[Any, ...]:
    """Solve the least-squares problem min |b - A x|^2 + damp^2 |x|^2.

    Returns x, istop, itn, normr, normar, norma, conda and normx, as scipy.sparse.linalg.lsmr does.
    """
    right = vector(b, device_of(b, A))
    guess = None if x0 is None else vector(x0, right.device)
    x, stop, count, r1, _, normal, norm, condition, x_norm = sparse_least_squares(
        "lsmr", native(A, right.device), right, guess, damp, atol, btol, conlim, maxiter
    )
    return x, stop, count, r1, normal, norm, condition, x_norm
