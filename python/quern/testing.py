# SPDX-License-Identifier: MIT
"""Assertions about arrays of quern and other libraries, with NumPy's messages."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import Array

__all__ = ["assert_allclose", "assert_array_equal", "assert_equal"]


def _on_host(value: Any) -> Any:
    """Replace quern's arrays by NumPy arrays, also in lists, tuples and dicts."""
    if isinstance(value, Array):
        return value.get()
    if isinstance(value, (list, tuple)):
        return [_on_host(one) for one in value] if isinstance(value, list) else tuple(map(_on_host, value))
    if isinstance(value, dict):
        return {key: _on_host(one) for key, one in value.items()}
    return value


def assert_allclose(
    actual: Any,
    desired: Any,
    rtol: float = 1e-7,
    atol: float = 0,
    equal_nan: bool = True,
    err_msg: str = "",
    verbose: bool = True,
) -> None:
    """Raise AssertionError unless the elements are equal within `atol + rtol * abs(desired)`.

    Parameters
    ----------
    actual : array_like
        Array that is tested; arrays of Quern are copied to the host.
    desired : array_like
        Expected elements.
    rtol : float, optional
        Relative tolerance.
    atol : float, optional
        Absolute tolerance.
    equal_nan : bool, optional
        If True, NaN is equal to NaN.
    err_msg : str, optional
        Text that begins the message of a failure.
    verbose : bool, optional
        If True, the message shows both arrays.

    Raises
    ------
    AssertionError
        If they are not equal.

    Examples
    --------
    >>> qn.testing.assert_allclose(qn.sqrt([4.0, 9.0]), [2, 3])
    """
    np.testing.assert_allclose(
        _on_host(actual),
        _on_host(desired),
        rtol=rtol,
        atol=atol,
        equal_nan=equal_nan,
        err_msg=err_msg,
        verbose=verbose,
    )


def assert_array_equal(
    actual: Any, desired: Any, err_msg: str = "", verbose: bool = True, *, strict: bool = False
) -> None:
    """Raise AssertionError unless shapes and elements are equal.

    Parameters
    ----------
    actual : array_like
        Array that is tested; arrays of Quern are copied to the host.
    desired : array_like
        Expected elements.
    err_msg : str, optional
        Text that begins the message of a failure.
    verbose : bool, optional
        If True, the message shows both arrays.
    strict : bool, optional
        If True, dtypes must be equal, too, and a number is not equal to an array of it.

    Raises
    ------
    AssertionError
        If they are not equal.

    Examples
    --------
    >>> qn.testing.assert_array_equal(qn.arange(3) + 1, [1, 2, 3])
    """
    np.testing.assert_array_equal(
        _on_host(actual), _on_host(desired), err_msg=err_msg, verbose=verbose, strict=strict
    )


def assert_equal(
    actual: Any, desired: Any, err_msg: str = "", verbose: bool = True, *, strict: bool = False
) -> None:
    """Raise AssertionError unless the objects are equal, including arrays in lists, tuples and dicts.

    Parameters
    ----------
    actual : object
        Object that is tested; arrays of Quern are copied to the host.
    desired : object
        Expected object.
    err_msg : str, optional
        Text that begins the message of a failure.
    verbose : bool, optional
        If True, the message shows both arrays.
    strict : bool, optional
        If True, dtypes must be equal, too, and a number is not equal to an array of it.

    Raises
    ------
    AssertionError
        If they are not equal.

    Examples
    --------
    >>> qn.testing.assert_equal({"a": qn.zeros(2), "b": 3}, {"a": [0, 0], "b": 3})
    """
    np.testing.assert_equal(
        _on_host(actual), _on_host(desired), err_msg=err_msg, verbose=verbose, strict=strict
    )
