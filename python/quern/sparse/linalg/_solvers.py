# SPDX-License-Identifier: MIT
"""Iterative solvers with SciPy's signatures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core import ArgumentTypeError, ArgumentValueError, Array, sparse_least_squares, sparse_solve
from ._operator import check_devices, device_of, native, vector
from ._preconditioners import multigrid

_CHECK_EVERY = 8
Progress = Callable[[int, float], Any]


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
    norm_callback: Callable[[float], Any] | None = None,
    counts_steps: bool = False,
    progress: Progress | None = None,
) -> tuple[Array, int]:
    device = device_of(b, A, x0)
    right = vector(b, device)
    check_devices(A, right)
    guess = None if x0 is None else vector(x0, right.device)
    if hasattr(M, "levels") and hasattr(M, "aspreconditioner"):  # a hierarchy of pyamg's
        M = multigrid(M, device=right.device)
    inverse = None if M is None else _preconditioner(method, M, A.shape, right.device)
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
        norm_callback,
        counts_steps,
        progress,
    )
    return x, info


def _preconditioner(method: str, M: Any, shape: Any, device: Any) -> Any:
    """M as the C++ solvers take it, if it has the shape of A."""
    if not hasattr(M, "shape") and callable(M):
        raise ArgumentTypeError(
            f"{method}: M must be a matrix or an operator, got a function; use LinearOperator({tuple(shape)}, M)"
        )
    inverse = native(M, device)
    found = inverse[0] if isinstance(inverse, tuple) else inverse.shape
    if tuple(found) != tuple(shape):
        raise ArgumentValueError(
            f"{method}: M has the shape {tuple(found)}, but A has the shape {tuple(shape)}"
        )
    return inverse


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
    progress: Progress | None = None,
) -> tuple[Array, int]:
    """Solve A x = b by conjugate gradients, for a Hermitian positive definite matrix.

    Parameters
    ----------
    A : sparse array, array or LinearOperator
        The matrix.
    b : array_like
        Right-hand side.
    x0 : array_like, optional
        Initial guess; zeros by default.
    rtol : float, optional
        Relative tolerance: the system is solved if norm(b - A @ x) <= max(rtol * norm(b), atol).
    atol : float, optional
        Absolute tolerance.
    maxiter : int, optional
        Maximum number of iterations; 10 times the number of rows by default.
    M : sparse array, array or LinearOperator, optional
        Preconditioner, an approximation of the inverse of A. It may be an object of another library with `shape` and
        `matvec`, or a hierarchy of pyamg (see `multigrid`).
    callback : callable, optional
        Function that is called with x after each iteration.
    check_every : int, optional
        Number of iterations between reads of the residual. Up to as many iterations run after the solution is found.
    progress : callable, optional
        Function that is called with each residual that was read: `progress(iterations, norm)`. It costs no wait.

    Returns
    -------
    tuple of Array and int
        The solution, and 0 if it meets the tolerance; otherwise the number of iterations. It may be less than `maxiter`
        if rounding keeps the residual above the tolerance.

    Examples
    --------
    >>> A = qn.sparse.diags_array([2.0, -1.0, -1.0], offsets=[0, 1, -1], shape=(4, 4), format="csr")
    >>> x, info = qn.sparse.linalg.cg(A, qn.ones(4))
    >>> print(x, info)
    [2. 3. 3. 2.] 0
    """
    return _solve("cg", A, b, x0, rtol, atol, maxiter, M, callback, check_every, progress=progress)


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
    progress: Progress | None = None,
) -> tuple[Array, int]:
    """Solve A x = b by the stabilised biconjugate gradient method (BiCGSTAB).

    Parameters
    ----------
    A : sparse array, array or LinearOperator
        The square matrix.
    b : array_like
        Right-hand side.
    x0 : array_like, optional
        Initial guess; zeros by default.
    rtol : float, optional
        Relative tolerance: the system is solved if norm(b - A @ x) <= max(rtol * norm(b), atol).
    atol : float, optional
        Absolute tolerance.
    maxiter : int, optional
        Maximum number of iterations; 10 times the number of rows by default.
    M : sparse array, array or LinearOperator, optional
        Preconditioner, an approximation of the inverse of A. It may be an object of another library with `shape` and
        `matvec`, or a hierarchy of pyamg (see `multigrid`).
    callback : callable, optional
        Function that is called with x after each iteration.
    check_every : int, optional
        Number of iterations between reads of the residual. Up to as many iterations run after the solution is found.
    progress : callable, optional
        Function that is called with each residual that was read: `progress(iterations, norm)`. It costs no wait.

    Returns
    -------
    tuple of Array and int
        The solution, and 0 if it meets the tolerance; otherwise the number of iterations. It may be less than `maxiter`
        if rounding keeps the residual above the tolerance. It is
        negative if the method broke down: the residual no longer changes.

    Examples
    --------
    >>> x, info = qn.sparse.linalg.bicgstab(qn.sparse.csr_array([[2.0, 1.0], [0.0, 4.0]]), [4.0, 8.0])
    >>> print(qn.round(x, 3), info)
    [1. 2.] 0
    """
    return _solve("bicgstab", A, b, x0, rtol, atol, maxiter, M, callback, check_every, progress=progress)


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
    callback: Callable[[Any], Any] | None = None,
    callback_type: str | None = None,
    progress: Progress | None = None,
) -> tuple[Array, int]:
    """Solve A x = b by the generalised minimal residual method (GMRES).

    Parameters
    ----------
    A : sparse array, array or LinearOperator
        The square matrix.
    b : array_like
        Right-hand side.
    x0 : array_like, optional
        Initial guess; zeros by default.
    rtol : float, optional
        Relative tolerance: the system is solved if norm(b - A @ x) <= max(rtol * norm(b), atol).
    atol : float, optional
        Absolute tolerance.
    restart : int, optional
        Number of iterations before a restart; 20 by default.
    maxiter : int, optional
        Maximum number of restarts; 10 times the number of rows by default.
    M : sparse array, array or LinearOperator, optional
        Preconditioner, an approximation of the inverse of A. It may be an object of another library with `shape` and
        `matvec`, or a hierarchy of pyamg (see `multigrid`).
    callback : callable, optional
        Function that is called as `callback_type` says.
    callback_type : str, optional
        "x": with x after each restart. "pr_norm": with norm(b - A @ x) / norm(b) of each iteration; the calls for the
        iterations of a restart come together at its end. "legacy", the default: as "pr_norm", and with a callback
        `maxiter` counts iterations instead of restarts. SciPy's norm is that of the preconditioned residual.
    progress : callable, optional
        Function that is called before each restart with the number of iterations and norm(b - A @ x).

    Returns
    -------
    tuple of Array and int
        The solution, and 0 if it meets the tolerance; otherwise the number of iterations. It may be less than `maxiter`
        if rounding keeps the residual above the tolerance.

    Examples
    --------
    >>> x, info = qn.sparse.linalg.gmres(qn.sparse.csr_array([[2.0, 1.0], [0.0, 4.0]]), [4.0, 8.0])
    >>> print(qn.round(x, 3), info)
    [1. 2.] 0
    """
    kind = callback_type or "legacy"
    if kind not in ("x", "pr_norm", "legacy"):
        raise ArgumentValueError(
            f"gmres: callback_type must be 'x', 'pr_norm' or 'legacy', got {callback_type!r}"
        )
    steps = 20 if restart is None else int(restart)
    return _solve(
        "gmres",
        A,
        b,
        x0,
        rtol,
        atol,
        maxiter,
        M,
        callback if kind == "x" else None,
        _CHECK_EVERY,
        restart=steps,
        norm_callback=None if kind == "x" else callback,
        counts_steps=kind == "legacy" and callback is not None,
        progress=progress,
    )


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
    show: bool = False,
    check: bool = False,
    check_every: int = _CHECK_EVERY,
    progress: Progress | None = None,
) -> tuple[Array, int]:
    """Solve (A - shift * I) x = b by the minimal residual method (MINRES), for a Hermitian matrix.

    Parameters
    ----------
    A : sparse array, array or LinearOperator
        The Hermitian matrix; it need not be positive definite.
    b : array_like
        Right-hand side.
    x0 : array_like, optional
        Initial guess; zeros by default.
    rtol : float, optional
        Relative tolerance: the system is solved if the norm of the residual is at most rtol * norm(b), as in the other
        solvers. SciPy compares it with norm(A) * norm(x).
    shift : float, optional
        Number that is subtracted from the diagonal.
    maxiter : int, optional
        Maximum number of iterations; 10 times the number of rows by default.
    M : sparse array, array or LinearOperator, optional
        Preconditioner, an approximation of the inverse of A. It may be an object of another library with `shape` and
        `matvec`, or a hierarchy of pyamg (see `multigrid`).
    callback : callable, optional
        Function that is called with x after each iteration.
    show : bool, optional
        Accepted for compatibility with SciPy; it has no effect.
    check : bool, optional
        Accepted for compatibility with SciPy; it has no effect.
    check_every : int, optional
        Number of iterations between reads of the residual. Up to as many iterations run after the solution is found.
    progress : callable, optional
        Function that is called with each residual that was read: `progress(iterations, norm)`. It costs no wait.

    Returns
    -------
    tuple of Array and int
        The solution, and 0 if it meets the tolerance; otherwise the number of iterations. It may be less than `maxiter`
        if rounding keeps the residual above the tolerance.

    Examples
    --------
    >>> x, info = qn.sparse.linalg.minres(qn.sparse.csr_array([[2.0, 0.0], [0.0, -4.0]]), [2.0, 8.0])
    >>> print(qn.round(x, 3), info)
    [ 1. -2.] 0
    """
    return _solve(
        "minres",
        A,
        b,
        x0,
        rtol,
        0.0,
        maxiter,
        M,
        callback,
        check_every,
        shift=float(shift),
        progress=progress,
    )


def _least_squares(method: str, A: Any, b: Any, x0: Any, *limits: Any) -> tuple[Any, ...]:
    right = vector(b, device_of(b, A))
    guess = None if x0 is None else vector(x0, right.device)
    return sparse_least_squares(method, native(A, right.device), right, guess, *limits)


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
    progress: Progress | None = None,
) -> tuple[Any, ...]:
    """Solve the least-squares problem min |b - A x|^2 + damp^2 |x|^2 by the LSQR method.

    Parameters
    ----------
    A : sparse array, array or LinearOperator
        The matrix, m by n. A LinearOperator needs `rmatvec`.
    b : array_like
        Right-hand side, a vector of m elements.
    damp : float, optional
        Damping (regularisation) of the solution.
    atol : float, optional
        Stopping tolerance, relative to the norm of A: how accurately A is known.
    btol : float, optional
        Stopping tolerance, relative to the norm of b: how accurately b is known.
    conlim : float, optional
        The iteration stops if the estimated condition number of A exceeds this.
    iter_lim : int, optional
        Maximum number of iterations; twice the number of columns by default.
    show : bool, optional
        Accepted for compatibility with SciPy; it has no effect.
    calc_var : bool, optional
        Must be False: variances are not computed.
    x0 : array_like, optional
        Initial guess; zeros by default.
    progress : callable, optional
        Function that is called after each iteration: `progress(iterations, norm)`, with the estimate of |b - A x|.

    Returns
    -------
    tuple
        x, istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm and None, as in scipy.sparse.linalg.lsqr(). The
        residuals r1norm, r2norm and arnorm are those of x, not estimates; if they do not confirm the tolerances, istop
        is 7.

    Examples
    --------
    >>> A = qn.sparse.csr_array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    >>> print(qn.round(qn.sparse.linalg.lsqr(A, [1.0, 4.0, 3.0])[0], 3))
    [1. 2.]
    """
    if calc_var:
        raise ArgumentValueError("lsqr: calc_var is not supported")
    x, stop, count, r1, r2, normal, norm, condition, x_norm = _least_squares(
        "lsqr", A, b, x0, damp, atol, btol, conlim, iter_lim, progress
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
    progress: Progress | None = None,
) -> tuple[Any, ...]:
    """Solve the least-squares problem min |b - A x|^2 + damp^2 |x|^2 by the LSMR method.

    Parameters
    ----------
    A : sparse array, array or LinearOperator
        The matrix, m by n. A LinearOperator needs `rmatvec`.
    b : array_like
        Right-hand side, a vector of m elements.
    damp : float, optional
        Damping (regularisation) of the solution.
    atol : float, optional
        Stopping tolerance, relative to the norm of A: how accurately A is known.
    btol : float, optional
        Stopping tolerance, relative to the norm of b: how accurately b is known.
    conlim : float, optional
        The iteration stops if the estimated condition number of A exceeds this.
    maxiter : int, optional
        Maximum number of iterations; min(m, n) by default.
    show : bool, optional
        Accepted for compatibility with SciPy; it has no effect.
    x0 : array_like, optional
        Initial guess; zeros by default.
    progress : callable, optional
        Function that is called after each iteration: `progress(iterations, norm)`, with the estimate of |b - A x|.

    Returns
    -------
    tuple
        x, istop, itn, normr, normar, norma, conda and normx, as in scipy.sparse.linalg.lsmr(). The residuals normr
        (with the damping) and normar are those of x, not estimates; if they do not confirm the tolerances, istop is 7.

    Examples
    --------
    >>> A = qn.sparse.csr_array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    >>> print(qn.round(qn.sparse.linalg.lsmr(A, [1.0, 4.0, 3.0])[0], 3))
    [1. 2.]
    """
    x, stop, count, _, residual, normal, norm, condition, x_norm = _least_squares(
        "lsmr", A, b, x0, damp, atol, btol, conlim, maxiter, progress
    )
    return x, stop, count, residual, normal, norm, condition, x_norm
