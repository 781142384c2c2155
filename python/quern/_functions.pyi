"""The functions of the registry in C++ by their names."""

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from ._core import Array, Device, Queue

__all__: list[str]

def abs(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Absolute values; of complex numbers, their distance from 0.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.absolute([-1.5, 2.0]))
    [1.5 2. ]
    """

def absolute(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Absolute values; of complex numbers, their distance from 0.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.absolute([-1.5, 2.0]))
    [1.5 2. ]
    """

def acos(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Angles from 0 to pi with these cosines.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.arccos([0.0, 1.0]))
    [1.57079633 0.        ]
    """

def acosh(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Inverse hyperbolic cosines, NaN below 1.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.arccosh([1.0, 2.0]))
    [0.        1.3169579]
    """

def acospi(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """arccos(x) / pi.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.acospi([0.5, 1.0]))
    [0.33333333 0.        ]
    """

def add(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Sums of the elements of two arrays.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.add([1, 2, 3], 10))
    [11 12 13]
    """

def all(a: Array | npt.ArrayLike, axis: int | Sequence[int] | None = None, out: Array | None = None, keepdims: bool = False, *, where: Array | npt.ArrayLike = True) -> Array:
    """Whether no element over axes is zero.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axis : int or sequence of int, optional
        The axis to go along or over; negative ones count from the end. None: all elements.
    out : Array, optional
        An array for the result, which is then returned.
    keepdims : bool, optional
        Whether axes of one element stay in place of those that were gone over.
    where : array_like, optional
        A mask: other elements do not count.

    Returns
    -------
    Array
        Booleans, without the axes that were gone over.

    Examples
    --------
    >>> print(qn.all([[1, 2], [0, 3]], axis=1))
    [ True False]
    """

def allclose(a: Array | npt.ArrayLike, b: Array | npt.ArrayLike, rtol: Array | npt.ArrayLike = 1e-05, atol: Array | npt.ArrayLike = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close to each other; waits for the answer.

    They are where |a - b| <= atol + rtol * |b|. Infinities are close to themselves only.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    b : array_like
        What the elements are compared with: an array or a number.
    rtol : array_like, optional
        How far apart they may be, as a part of |b|.
    atol : array_like, optional
        How far apart they may be besides.
    equal_nan : bool, optional
        Whether NaNs are close to each other.

    Returns
    -------
    bool
        Whether isclose() holds for all.

    Examples
    --------
    >>> qn.allclose([1.0, 2.0], [1.0, 2.0 + 1e-9])
    True
    """

def amax(a: Array | npt.ArrayLike, axis: int | Sequence[int] | None = None, out: Array | None = None, keepdims: bool = False, initial: complex | None = None, where: Array | npt.ArrayLike = True) -> Array:
    """Greatest element over axes, or NaN where there is one.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axis : int or sequence of int, optional
        The axis to go along or over; negative ones count from the end. None: all elements.
    out : Array, optional
        An array for the result, which is then returned.
    keepdims : bool, optional
        Whether axes of one element stay in place of those that were gone over.
    initial : number, optional
        One value more, of the result's type.
    where : array_like, optional
        A mask: other elements do not count.

    Returns
    -------
    Array
        The greatest elements, without the axes that were gone over.

    Examples
    --------
    >>> print(qn.max([[1, 2], [3, 0]], axis=0))
    [3 2]
    """

def amin(a: Array | npt.ArrayLike, axis: int | Sequence[int] | None = None, out: Array | None = None, keepdims: bool = False, initial: complex | None = None, where: Array | npt.ArrayLike = True) -> Array:
    """Least element over axes, or NaN where there is one.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axis : int or sequence of int, optional
        The axis to go along or over; negative ones count from the end. None: all elements.
    out : Array, optional
        An array for the result, which is then returned.
    keepdims : bool, optional
        Whether axes of one element stay in place of those that were gone over.
    initial : number, optional
        One value more, of the result's type.
    where : array_like, optional
        A mask: other elements do not count.

    Returns
    -------
    Array
        The least elements, without the axes that were gone over.

    Examples
    --------
    >>> print(qn.min([[1, 2], [3, 0]], axis=0))
    [1 0]
    """

def angle(z: Array | npt.ArrayLike, deg: bool = False) -> Array:
    """Angles of complex numbers, from -pi to pi.

    Parameters
    ----------
    z : array_like
        Complex or real numbers.
    deg : bool, optional
        Whether the angles are in degrees.

    Returns
    -------
    Array
        The angles as real numbers.

    Examples
    --------
    >>> print(qn.angle([1 + 1j, -1j], deg=True))
    [ 45. -90.]
    """

def any(a: Array | npt.ArrayLike, axis: int | Sequence[int] | None = None, out: Array | None = None, keepdims: bool = False, *, where: Array | npt.ArrayLike = True) -> Array:
    """Whether any element over axes is not zero.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axis : int or sequence of int, optional
        The axis to go along or over; negative ones count from the end. None: all elements.
    out : Array, optional
        An array for the result, which is then returned.
    keepdims : bool, optional
        Whether axes of one element stay in place of those that were gone over.
    where : array_like, optional
        A mask: other elements do not count.

    Returns
    -------
    Array
        Booleans, without the axes that were gone over.

    Examples
    --------
    >>> print(qn.any([[0, 2], [0, 0]], axis=1))
    [ True False]
    """

def arccos(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Angles from 0 to pi with these cosines.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.arccos([0.0, 1.0]))
    [1.57079633 0.        ]
    """

def arccosh(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Inverse hyperbolic cosines, NaN below 1.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.arccosh([1.0, 2.0]))
    [0.        1.3169579]
    """

def arcsin(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Angles from -pi/2 to pi/2 with these sines.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.arcsin([0.0, 1.0]))
    [0.         1.57079633]
    """

def arcsinh(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Inverse hyperbolic sines.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.arcsinh([0.0, 1.0]))
    [0.         0.88137359]
    """

def arctan(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Angles from -pi/2 to pi/2 with these tangents.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.arctan([0.0, 1.0]))
    [0.         0.78539816]
    """

def arctan2(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Angles from -pi to pi of the points (x2, x1).

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.arctan2([1.0, -1.0], [1.0, -1.0]))
    [ 0.78539816 -2.35619449]
    """

def arctanh(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Inverse hyperbolic tangents, NaN outside of -1 to 1.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.arctanh([0.0, 0.5]))
    [0.         0.54930614]
    """

def argmax(a: Array | npt.ArrayLike, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array:
    """Index of the greatest element along an axis, or among all in C order.

    It is that of the first where several are equal, and that of the first NaN where there is one.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axis : int, optional
        The axis to go along or over; negative ones count from the end. None: all elements.
    out : Array, optional
        An array for the result, which is then returned.
    keepdims : bool, optional
        Whether axes of one element stay in place of those that were gone over.

    Returns
    -------
    Array
        The indices as int64.

    Examples
    --------
    >>> print(qn.argmax([[1, 5], [3, 4]], axis=1))
    [1 1]
    """

def argmin(a: Array | npt.ArrayLike, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array:
    """Index of the least element along an axis, or among all in C order.

    It is that of the first where several are equal, and that of the first NaN where there is one.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axis : int, optional
        The axis to go along or over; negative ones count from the end. None: all elements.
    out : Array, optional
        An array for the result, which is then returned.
    keepdims : bool, optional
        Whether axes of one element stay in place of those that were gone over.

    Returns
    -------
    Array
        The indices as int64.

    Examples
    --------
    >>> print(qn.argmin([[1, 5], [3, 4]], axis=1))
    [0 0]
    """

def around(a: Array | npt.ArrayLike, decimals: int = 0, out: Array | None = None) -> Array:
    """The elements rounded to a number of decimals, to even where two numbers are as near.

    Negative decimals round before the point: -2 to hundreds.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    decimals : int, optional
        How many digits stay behind the point.
    out : Array, optional
        An array for the result, which is then returned.

    Returns
    -------
    Array
        The rounded numbers, of the type of `a`.

    Examples
    --------
    >>> print(qn.round([1.25, 2.5, -1.75], 1), qn.round([15, 25], -1))
    [ 1.2  2.5 -1.8] [20 20]
    """

def array_equal(a1: Array | npt.ArrayLike, a2: Array | npt.ArrayLike, equal_nan: bool = False) -> bool:
    """Whether two arrays have one shape and equal elements; waits for the answer.

    Parameters
    ----------
    a1 : array_like
        An array, or numbers that become one.
    a2 : array_like
        What it is compared with.
    equal_nan : bool, optional
        Whether NaNs are equal to each other.

    Returns
    -------
    bool
        Whether they are equal.

    Examples
    --------
    >>> qn.array_equal([1, 2], [1, 2]), qn.array_equal([1, 2], [1, 2, 3])
    (True, False)
    """

def asin(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Angles from -pi/2 to pi/2 with these sines.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.arcsin([0.0, 1.0]))
    [0.         1.57079633]
    """

def asinh(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Inverse hyperbolic sines.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.arcsinh([0.0, 1.0]))
    [0.         0.88137359]
    """

def asinpi(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """arcsin(x) / pi.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.asinpi([0.5, 1.0]))
    [0.16666667 0.5       ]
    """

def atan(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Angles from -pi/2 to pi/2 with these tangents.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.arctan([0.0, 1.0]))
    [0.         0.78539816]
    """

def atan2(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Angles from -pi to pi of the points (x2, x1).

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.arctan2([1.0, -1.0], [1.0, -1.0]))
    [ 0.78539816 -2.35619449]
    """

def atan2pi(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """arctan2(x1, x2) / pi.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.atan2pi([1.0, -1.0], 1.0))
    [ 0.25 -0.25]
    """

def atanh(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Inverse hyperbolic tangents, NaN outside of -1 to 1.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.arctanh([0.0, 0.5]))
    [0.         0.54930614]
    """

def atanpi(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """arctan(x) / pi.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.atanpi([0.0, 1.0]))
    [0.   0.25]
    """

def bessel_jn(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Bessel functions of the first kind, of whole order x1.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.bessel_jn(0, [0.5, 1.0]))
    [0.93846981 0.76519769]
    """

def bessel_yn(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Bessel functions of the second kind, of whole order x1.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.bessel_yn(0, [0.5, 1.0]))
    [-0.44451873  0.08825696]
    """

def bitwise_and(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Bits that are set in both: x1 & x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.bitwise_and([12, 10], 6))
    [4 2]
    """

def bitwise_count(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """How many bits of the absolute values are set.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.bitwise_count([7, -8]))
    [3 1]
    """

def bitwise_invert(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The opposite of every bit: ~x; of booleans, not x.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.invert([0, 5]))
    [-1 -6]
    """

def bitwise_left_shift(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Bits moved up by x2: x1 << x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.left_shift([1, 3], 2))
    [ 4 12]
    """

def bitwise_not(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The opposite of every bit: ~x; of booleans, not x.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.invert([0, 5]))
    [-1 -6]
    """

def bitwise_or(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Bits that are set in one or both: x1 | x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.bitwise_or([12, 10], 6))
    [14 14]
    """

def bitwise_right_shift(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Bits moved down by x2: x1 >> x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.right_shift([8, 5], 2))
    [2 1]
    """

def bitwise_xor(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Bits that are set in exactly one: x1 ^ x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.bitwise_xor([12, 10], 6))
    [10 12]
    """

def cbrt(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Cube roots.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.cbrt([8.0, -27.0]))
    [ 2. -3.]
    """

def ceil(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The nearest whole numbers that are not less.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.ceil([-1.5, 1.5]))
    [-1.  2.]
    """

def conj(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Complex conjugates.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.conj([1 + 2j, 3 - 4j]))
    [1.-2.j 3.+4.j]
    """

def conjugate(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Complex conjugates.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.conj([1 + 2j, 3 - 4j]))
    [1.-2.j 3.+4.j]
    """

def copysign(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The absolute values of x1 with the signs of x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.copysign([1.0, -2.0], -0.0))
    [-1. -2.]
    """

def cos(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Cosines of angles in radians.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.cos([0.0, 0.5]))
    [1.         0.87758256]
    """

def cosh(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Hyperbolic cosines.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.cosh([0.0, 1.0]))
    [1.         1.54308063]
    """

def cospi(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Cosines of pi * x.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.cospi([0.5, 1.0]))
    [ 0. -1.]
    """

def count_nonzero(a: Array | npt.ArrayLike, axis: int | Sequence[int] | None = None, *, keepdims: bool = False) -> Array:
    """How many elements over axes are not zero.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axis : int or sequence of int, optional
        The axis to go along or over; negative ones count from the end. None: all elements.
    keepdims : bool, optional
        Whether axes of one element stay in place of those that were gone over.

    Returns
    -------
    Array
        The counts as int64.

    Examples
    --------
    >>> print(qn.count_nonzero([[0, 2], [1, 3]], axis=0))
    [1 2]
    """

def deg2rad(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Angles in radians of angles in degrees.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.deg2rad([90.0, 180.0]))
    [1.57079633 3.14159265]
    """

def degrees(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Angles in degrees of angles in radians.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.rad2deg([0.5, 1.0]))
    [28.64788976 57.29577951]
    """

def divide(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Quotients in floating point: x1 / x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.divide([1, 2, 3], 2))
    [0.5 1.  1.5]
    """

def divmod(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: tuple[Array | None, ...] | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> tuple[Array, Array]:
    """floor_divide and remainder of the elements of two arrays.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : tuple of Array or None, optional
        A tuple of two arrays for the results; None stands for a new one.
    where : array_like, optional
        A mask: other elements do not count.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    tuple[Array, Array]
        The quotients, rounded down, and the remainders.

    Examples
    --------
    >>> quotients, rest = qn.divmod([7, -7], 3)
    >>> print(quotients, rest)
    [ 2 -3] [1 2]
    """

def equal(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Whether elements are equal: x1 == x2. NaN is equal to nothing.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.equal([1, 2, 3], 2))
    [False  True False]
    """

def erf(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The error function.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.erf([0.0, 0.5]))
    [0.         0.52049988]
    """

def erfc(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """1 - erf(x), exact for large x too.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.erfc([0.0, 5.0]))
    [1.00000000e+00 1.53745979e-12]
    """

def exp(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Exponentials: e ** x.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.exp([0.0, 1.0]))
    [1.         2.71828183]
    """

def exp10(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Powers of ten: 10 ** x.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.exp10([0.0, 2.0]))
    [  1. 100.]
    """

def exp2(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Powers of two: 2 ** x.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.exp2([0.0, 3.0]))
    [1. 8.]
    """

def expm1(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """exp(x) - 1, exact for small x too.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.expm1([0.0, 1e-10]))
    [0.e+00 1.e-10]
    """

def fabs(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Absolute values in floating point.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.fabs([-1, 2]))
    [1. 2.]
    """

def fdim(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """How much x1 is above x2: x1 - x2, or 0 where that is negative.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.fdim([1.0, 5.0], 3.0))
    [0. 2.]
    """

def fix(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The numbers without their fractions.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.trunc([-1.5, 1.5]))
    [-1.  1.]
    """

def float_power(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Powers in float64, or in complex128 where an operand is complex: x1 ** x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: other elements do not count.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        float64 or complex128.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The powers.

    Examples
    --------
    >>> print(qn.float_power([2, 4], -1))
    [0.5  0.25]
    """

def floor(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The nearest whole numbers that are not greater.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.floor([-1.5, 1.5]))
    [-2.  1.]
    """

def floor_divide(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Quotients rounded down to whole numbers: x1 // x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.floor_divide([7, -7], 2))
    [ 3 -4]
    """

def fma(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, x3: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """x1 * x2 + x3, rounded once.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    x3 : array_like
        The third operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.fma([1.0, 2.0], 3.0, 0.5))
    [3.5 6.5]
    """

def fmax(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The greater elements of two arrays, without regard to NaN.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.fmax([1.0, float('nan')], 2.0))
    [2. 2.]
    """

def fmin(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The lesser elements of two arrays, without regard to NaN.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.fmin([1.0, float('nan')], 2.0))
    [1. 2.]
    """

def fmod(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Remainders of the division, with the sign of x1, as C has them.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.fmod([7.0, -7.0], 3.0))
    [ 1. -1.]
    """

def frexp(x: Array | npt.ArrayLike, /, out: tuple[Array | None, ...] | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> tuple[Array, Array]:
    """Mantissas from 0.5 to below 1, and exponents of 2, of the elements.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : tuple of Array or None, optional
        A tuple of two arrays for the results; None stands for a new one.
    where : array_like, optional
        A mask: other elements do not count.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    tuple[Array, Array]
        The mantissas, and the exponents as int32.

    Examples
    --------
    >>> mantissas, exponents = qn.frexp([8.0, -3.0])
    >>> print(mantissas, exponents)
    [ 0.5  -0.75] [4 2]
    """

def gamma(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The gamma function.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.gamma([3.0, 0.5]))
    [2.         1.77245385]
    """

def gcd(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Greatest common divisors of integers.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.gcd([12, 18], 8))
    [4 2]
    """

def greater(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Whether x1 > x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.greater([1, 2, 3], 2))
    [False False  True]
    """

def greater_equal(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Whether x1 >= x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.greater_equal([1, 2, 3], 2))
    [False  True  True]
    """

def heaviside(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """0 for negative x1, x2 for zero and 1 for positive x1.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.heaviside([-1.5, 0.0, 2.0], 0.5))
    [0.  0.5 1. ]
    """

def hypot(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Lengths sqrt(x1**2 + x2**2) of hypotenuses, without overflow on the way.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.hypot(3.0, [4.0, 5.0]))
    [5.         5.83095189]
    """

def i0(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Modified Bessel functions of the first kind, of order 0.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.i0([0.0, 1.0]))
    [1.         1.26606588]
    """

def ilogb(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The exponents of 2 as int32: floor(log2(abs(x))).

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.ilogb([1.0, 10.0]))
    [0 3]
    """

def imag(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Imaginary parts, zero for real numbers.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.imag([1 + 2j, 3 - 4j]))
    [ 2. -4.]
    """

def invert(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The opposite of every bit: ~x; of booleans, not x.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.invert([0, 5]))
    [-1 -6]
    """

def isclose(a: Array | npt.ArrayLike, b: Array | npt.ArrayLike, rtol: Array | npt.ArrayLike = 1e-05, atol: Array | npt.ArrayLike = 1e-08, equal_nan: bool = False) -> Array:
    """Whether elements are close to each other: |a - b| <= atol + rtol * |b|.

    Infinities are close to themselves only.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    b : array_like
        What the elements are compared with: an array or a number.
    rtol : array_like, optional
        How far apart they may be, as a part of |b|.
    atol : array_like, optional
        How far apart they may be besides.
    equal_nan : bool, optional
        Whether NaNs are close to each other.

    Returns
    -------
    Array
        Booleans, broadcast.

    Examples
    --------
    >>> print(qn.isclose([1.0, 1.1], [1.0 + 1e-9, 1.0]))
    [ True False]
    """

def iscomplex(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Whether elements have an imaginary part.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.iscomplex([1 + 2j, 3 + 0j]))
    [ True False]
    """

def isfinite(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Whether elements are neither infinite nor NaN.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.isfinite([1.0, float('inf')]))
    [ True False]
    """

def isinf(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Whether elements are infinite.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.isinf([1.0, float('-inf')]))
    [False  True]
    """

def isnan(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Whether elements are NaN.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.isnan([1.0, float('nan')]))
    [False  True]
    """

def isneginf(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Whether elements are negative infinity.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.isneginf([1.0, float('-inf')]))
    [False  True]
    """

def isposinf(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Whether elements are positive infinity.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.isposinf([1.0, float('inf')]))
    [False  True]
    """

def isreal(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Whether elements have no imaginary part.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.isreal([1 + 2j, 3 + 0j]))
    [False  True]
    """

def lcm(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Least common multiples of integers.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.lcm([4, 6], 10))
    [20 30]
    """

def ldexp(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """x1 * 2**x2, for whole x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.ldexp([0.5, 3.0], 2))
    [ 2. 12.]
    """

def left_shift(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Bits moved up by x2: x1 << x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.left_shift([1, 3], 2))
    [ 4 12]
    """

def less(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Whether x1 < x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.less([1, 2, 3], 2))
    [ True False False]
    """

def less_equal(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Whether x1 <= x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.less_equal([1, 2, 3], 2))
    [ True  True False]
    """

def lgamma(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Logarithms of the absolute values of the gamma function.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.lgamma([3.0, 100.0]))
    [  0.69314718 359.13420537]
    """

def log(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Natural logarithms, NaN for negative numbers.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.log([1.0, 10.0]))
    [0.         2.30258509]
    """

def log10(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Logarithms to base 10.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.log10([1.0, 1000.0]))
    [0. 3.]
    """

def log1p(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """log(1 + x), exact for small x too.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.log1p([0.0, 1e-10]))
    [0.e+00 1.e-10]
    """

def log2(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Logarithms to base 2.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.log2([1.0, 8.0]))
    [0. 3.]
    """

def logaddexp(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """log(exp(x1) + exp(x2)), without overflow on the way.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.logaddexp([0.0, 1000.0], 1000.0))
    [1000.         1000.69314718]
    """

def logaddexp2(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """log2(2**x1 + 2**x2), without overflow on the way.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.logaddexp2([0.0, 3.0], 3.0))
    [3.169925 4.      ]
    """

def logb(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The exponents of 2 in floating point: floor(log2(abs(x))).

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.logb([1.0, 10.0]))
    [0. 3.]
    """

def logical_and(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Whether both are not zero.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.logical_and([0, 1, 2], [1, 0, 1]))
    [False False  True]
    """

def logical_not(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Whether elements are zero.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.logical_not([0, 1, 2]))
    [ True False False]
    """

def logical_or(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Whether one of the two is not zero.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.logical_or([0, 1, 0], [1, 0, 0]))
    [ True  True False]
    """

def logical_xor(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Whether exactly one of the two is not zero.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.logical_xor([0, 1, 2], [1, 0, 1]))
    [ True  True False]
    """

def mad(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, x3: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """x1 * x2 + x3, rounded once or twice, whichever is faster.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    x3 : array_like
        The third operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.mad([1.0, 2.0], 3.0, 0.5))
    [3.5 6.5]
    """

def max(a: Array | npt.ArrayLike, axis: int | Sequence[int] | None = None, out: Array | None = None, keepdims: bool = False, initial: complex | None = None, where: Array | npt.ArrayLike = True) -> Array:
    """Greatest element over axes, or NaN where there is one.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axis : int or sequence of int, optional
        The axis to go along or over; negative ones count from the end. None: all elements.
    out : Array, optional
        An array for the result, which is then returned.
    keepdims : bool, optional
        Whether axes of one element stay in place of those that were gone over.
    initial : number, optional
        One value more, of the result's type.
    where : array_like, optional
        A mask: other elements do not count.

    Returns
    -------
    Array
        The greatest elements, without the axes that were gone over.

    Examples
    --------
    >>> print(qn.max([[1, 2], [3, 0]], axis=0))
    [3 2]
    """

def maximum(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The greater elements of two arrays, NaN where one of them is.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.maximum([1, 5, 3], 2))
    [2 5 3]
    """

def maxmag(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The elements whose absolute value is greater.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.maxmag([1.0, -5.0], 2.0))
    [ 2. -5.]
    """

def mean(a: Array | npt.ArrayLike, axis: int | Sequence[int] | None = None, dtype: npt.DTypeLike | None = None, out: Array | None = None, keepdims: bool = False, *, where: Array | npt.ArrayLike = True) -> Array:
    """Mean of the elements over axes, in floating point.

    Integers and booleans give the default precision: float64 where the device has it.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axis : int or sequence of int, optional
        The axis to go along or over; negative ones count from the end. None: all elements.
    dtype : dtype, optional
        The type to compute in, and of the result.
    out : Array, optional
        An array for the result, which is then returned.
    keepdims : bool, optional
        Whether axes of one element stay in place of those that were gone over.
    where : array_like, optional
        A mask: other elements do not count.

    Returns
    -------
    Array
        The means, without the axes that were gone over.

    Examples
    --------
    >>> print(qn.mean([[1, 2], [3, 4]], axis=0))
    [2. 3.]
    """

def min(a: Array | npt.ArrayLike, axis: int | Sequence[int] | None = None, out: Array | None = None, keepdims: bool = False, initial: complex | None = None, where: Array | npt.ArrayLike = True) -> Array:
    """Least element over axes, or NaN where there is one.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axis : int or sequence of int, optional
        The axis to go along or over; negative ones count from the end. None: all elements.
    out : Array, optional
        An array for the result, which is then returned.
    keepdims : bool, optional
        Whether axes of one element stay in place of those that were gone over.
    initial : number, optional
        One value more, of the result's type.
    where : array_like, optional
        A mask: other elements do not count.

    Returns
    -------
    Array
        The least elements, without the axes that were gone over.

    Examples
    --------
    >>> print(qn.min([[1, 2], [3, 0]], axis=0))
    [1 0]
    """

def minimum(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The lesser elements of two arrays, NaN where one of them is.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.minimum([1, 5, 3], 2))
    [1 2 2]
    """

def minmag(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The elements whose absolute value is less.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.minmag([1.0, -5.0], 2.0))
    [1. 2.]
    """

def mix(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, x3: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Blends x1 + (x2 - x1) * x3 of two arrays.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    x3 : array_like
        The third operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.mix([0.0, 10.0], 20.0, 0.5))
    [10. 15.]
    """

def mod(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Remainders of x1 // x2, with the sign of x2: x1 % x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.remainder([7, -7], 3))
    [1 2]
    """

def modf(x: Array | npt.ArrayLike, /, out: tuple[Array | None, ...] | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> tuple[Array, Array]:
    """The fractional and the whole parts of the elements, both with their sign.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : tuple of Array or None, optional
        A tuple of two arrays for the results; None stands for a new one.
    where : array_like, optional
        A mask: other elements do not count.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    tuple[Array, Array]
        The fractions and the whole parts.

    Examples
    --------
    >>> fractions, whole = qn.modf([1.5, -2.25])
    >>> print(fractions, whole)
    [ 0.5  -0.25] [ 1. -2.]
    """

def multiply(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Products of the elements of two arrays.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.multiply([1, 2, 3], 10))
    [10 20 30]
    """

def nan_to_num(x: Array | npt.ArrayLike, copy: bool = True, nan: Array | npt.ArrayLike = 0.0, posinf: Array | npt.ArrayLike | None = None, neginf: Array | npt.ArrayLike | None = None) -> Array:
    """The elements with numbers in place of NaN and infinities.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    copy : bool, optional
        False: `x` itself is changed, and returned.
    nan : array_like, optional
        What takes the place of NaN: a number, or an array that is broadcast.
    posinf : array_like, optional
        The same for infinity; the greatest number where nothing is given.
    neginf : array_like, optional
        The same for negative infinity; the least number where nothing is given.

    Returns
    -------
    Array
        The array with numbers only.

    Examples
    --------
    >>> print(qn.nan_to_num([1.0, float('nan'), float('inf')], posinf=9.0))
    [1. 0. 9.]
    """

def negative(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The numbers with the opposite sign: -x.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.negative([1, -2]))
    [-1  2]
    """

def nextafter(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The next numbers after x1 in the direction of x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.nextafter([1.0], 2.0))
    [1.]
    """

def not_equal(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Whether elements differ: x1 != x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.not_equal([1, 2, 3], 2))
    [ True False  True]
    """

def positive(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The numbers as they are: +x.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.positive([1, -2]))
    [ 1 -2]
    """

def pow(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Powers: x1 ** x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.power([1, 2, 3], 2))
    [1 4 9]
    """

def power(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Powers: x1 ** x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.power([1, 2, 3], 2))
    [1 4 9]
    """

def pown(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Powers with whole exponents.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.pown([2.0, -3.0], 3))
    [  8. -27.]
    """

def powr(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Powers of numbers that are not negative; NaN for others.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.powr([4.0, 9.0], 0.5))
    [2. 3.]
    """

def prod(a: Array | npt.ArrayLike, axis: int | Sequence[int] | None = None, dtype: npt.DTypeLike | None = None, out: Array | None = None, keepdims: bool = False, initial: complex | None = None, where: Array | npt.ArrayLike = True) -> Array:
    """Product of the elements over axes.

    Booleans and integers shorter than 64 bits are multiplied in 64 bits.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axis : int or sequence of int, optional
        The axis to go along or over; negative ones count from the end. None: all elements.
    dtype : dtype, optional
        The type to compute in, and of the result.
    out : Array, optional
        An array for the result, which is then returned.
    keepdims : bool, optional
        Whether axes of one element stay in place of those that were gone over.
    initial : number, optional
        One value more, of the result's type.
    where : array_like, optional
        A mask: other elements do not count.

    Returns
    -------
    Array
        The products, without the axes that were multiplied over.

    Examples
    --------
    >>> print(qn.prod([[1, 2], [3, 4]], axis=1))
    [ 2 12]
    """

def ptp(a: Array | npt.ArrayLike, axis: int | Sequence[int] | None = None, out: Array | None = None, keepdims: bool = False) -> Array:
    """Distance of the greatest element from the least over axes.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axis : int or sequence of int, optional
        The axis to go along or over; negative ones count from the end. None: all elements.
    out : Array, optional
        An array for the result, which is then returned.
    keepdims : bool, optional
        Whether axes of one element stay in place of those that were gone over.

    Returns
    -------
    Array
        The distances, without the axes that were gone over.

    Examples
    --------
    >>> print(qn.ptp([[1, 5], [3, 4]], axis=1))
    [4 1]
    """

def rad2deg(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Angles in degrees of angles in radians.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.rad2deg([0.5, 1.0]))
    [28.64788976 57.29577951]
    """

def radians(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Angles in radians of angles in degrees.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.deg2rad([90.0, 180.0]))
    [1.57079633 3.14159265]
    """

def real(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Real parts.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.real([1 + 2j, 3 - 4j]))
    [1. 3.]
    """

def reciprocal(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Reciprocals: 1 / x, which are whole numbers for integers.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.reciprocal([1.0, 2.0, 4.0]))
    [1.   0.5  0.25]
    """

def remainder(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Remainders of x1 // x2, with the sign of x2: x1 % x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.remainder([7, -7], 3))
    [1 2]
    """

def right_shift(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Bits moved down by x2: x1 >> x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.right_shift([8, 5], 2))
    [2 1]
    """

def rint(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The nearest whole numbers, in floating point; even ones where two are as near.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.rint([0.5, 1.5, 2.7]))
    [0. 2. 3.]
    """

def rootn(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Roots: x1 ** (1 / x2) for whole x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.rootn([8.0, -27.0], 3))
    [ 2. -3.]
    """

def round(a: Array | npt.ArrayLike, decimals: int = 0, out: Array | None = None) -> Array:
    """The elements rounded to a number of decimals, to even where two numbers are as near.

    Negative decimals round before the point: -2 to hundreds.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    decimals : int, optional
        How many digits stay behind the point.
    out : Array, optional
        An array for the result, which is then returned.

    Returns
    -------
    Array
        The rounded numbers, of the type of `a`.

    Examples
    --------
    >>> print(qn.round([1.25, 2.5, -1.75], 1), qn.round([15, 25], -1))
    [ 1.2  2.5 -1.8] [20 20]
    """

def rsqrt(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Reciprocals of square roots: 1 / sqrt(x).

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.rsqrt([1.0, 4.0]))
    [1.  0.5]
    """

def sign(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """-1, 0 or 1 for negative numbers, zero and positive ones; of complex numbers, x / abs(x).

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.sign([-1.5, 0.0, 2.0]))
    [-1.  0.  1.]
    """

def signbit(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Whether the sign bit is set, also that of -0.0.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.signbit([-0.0, 1.0]))
    [ True False]
    """

def sin(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Sines of angles in radians.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.sin([0.0, 0.5]))
    [0.         0.47942554]
    """

def sinc(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """sin(pi * x) / (pi * x), which is 1 at 0.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.sinc([0.0, 0.5]))
    [1.         0.63661977]
    """

def sinh(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Hyperbolic sines.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.sinh([0.0, 1.0]))
    [0.         1.17520119]
    """

def sinpi(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Sines of pi * x.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.sinpi([0.5, 1.0]))
    [1. 0.]
    """

def smoothstep(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, x3: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """A smooth step from 0 to 1 where x3 goes from x1 to x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    x3 : array_like
        The third operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.smoothstep(0.0, 1.0, [-1.0, 0.25, 2.0]))
    [0.      0.15625 1.     ]
    """

def spacing(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The distances to the next numbers away from zero.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.spacing([1.0, 1e10]))
    [2.22044605e-16 1.90734863e-06]
    """

def sqrt(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Square roots, NaN for negative numbers.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.sqrt([1.0, 4.0, 9.0]))
    [1. 2. 3.]
    """

def square(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Squares: x * x.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.square([1, -2, 3]))
    [1 4 9]
    """

def std(a: Array | npt.ArrayLike, axis: int | Sequence[int] | None = None, dtype: npt.DTypeLike | None = None, out: Array | None = None, ddof: complex = 0, keepdims: bool = False, *, where: Array | npt.ArrayLike = True, mean: Array | npt.ArrayLike | None = None, correction: complex | None = None) -> Array:
    """Standard deviation over axes: the square root of the variance.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axis : int or sequence of int, optional
        The axis to go along or over; negative ones count from the end. None: all elements.
    dtype : dtype, optional
        The type to compute in, and of the result.
    out : Array, optional
        An array for the result, which is then returned.
    ddof : number, optional
        Delta degrees of freedom: what the count is less in the divisor.
    keepdims : bool, optional
        Whether axes of one element stay in place of those that were gone over.
    where : array_like, optional
        A mask: other elements do not count.
    mean : array_like, optional
        The mean, with the reduced axes kept, where it is known already.
    correction : number, optional
        The array API's name for `ddof`.

    Returns
    -------
    Array
        The standard deviations, without the axes that were gone over.

    Examples
    --------
    >>> print(qn.std([1.0, 3.0, 5.0, 7.0]).item())
    2.23606797749979
    """

def subtract(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Differences: x1 - x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.subtract([1, 2, 3], [3, 2, 1]))
    [-2  0  2]
    """

def sum(a: Array | npt.ArrayLike, axis: int | Sequence[int] | None = None, dtype: npt.DTypeLike | None = None, out: Array | None = None, keepdims: bool = False, initial: complex | None = None, where: Array | npt.ArrayLike = True) -> Array:
    """Sum of the elements over axes.

    Booleans and integers shorter than 64 bits are summed in 64 bits, and float32 in float64 where the device has it.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axis : int or sequence of int, optional
        The axis to go along or over; negative ones count from the end. None: all elements.
    dtype : dtype, optional
        The type to compute in, and of the result.
    out : Array, optional
        An array for the result, which is then returned.
    keepdims : bool, optional
        Whether axes of one element stay in place of those that were gone over.
    initial : number, optional
        One value more, of the result's type.
    where : array_like, optional
        A mask: other elements do not count.

    Returns
    -------
    Array
        The sums, without the axes that were summed over.

    Examples
    --------
    >>> x = qn.asarray([[1, 2], [3, 4]])
    >>> print(qn.sum(x), qn.sum(x, axis=0))
    10 [4 6]
    """

def tan(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Tangents of angles in radians.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.tan([0.0, 0.5]))
    [0.         0.54630249]
    """

def tanh(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Hyperbolic tangents.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.tanh([0.0, 1.0]))
    [0.         0.76159416]
    """

def tanpi(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Tangents of pi * x.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.tanpi([0.0, 0.25]))
    [0. 1.]
    """

def tgamma(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The gamma function.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.gamma([3.0, 0.5]))
    [2.         1.77245385]
    """

def true_divide(x1: Array | npt.ArrayLike, x2: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """Quotients in floating point: x1 / x2.

    Parameters
    ----------
    x1 : array_like
        The first operand, broadcast with the others: an array or a number.
    x2 : array_like
        The second operand: an array or a number.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.divide([1, 2, 3], 2))
    [0.5 1.  1.5]
    """

def trunc(x: Array | npt.ArrayLike, /, out: Array | None = None, *, where: Array | npt.ArrayLike = True, casting: str = 'same_kind', order: str = 'K', dtype: npt.DTypeLike | None = None, subok: bool = True) -> Array:
    """The numbers without their fractions.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    out : Array, optional
        An array for the result, which is then returned.
    where : array_like, optional
        A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    dtype : dtype, optional
        The type to compute in, and of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The results, broadcast; they are computed when somebody needs them.

    Examples
    --------
    >>> print(qn.trunc([-1.5, 1.5]))
    [-1.  1.]
    """

def var(a: Array | npt.ArrayLike, axis: int | Sequence[int] | None = None, dtype: npt.DTypeLike | None = None, out: Array | None = None, ddof: complex = 0, keepdims: bool = False, *, where: Array | npt.ArrayLike = True, mean: Array | npt.ArrayLike | None = None, correction: complex | None = None) -> Array:
    """Variance over axes: the mean of the squared distances to the mean.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axis : int or sequence of int, optional
        The axis to go along or over; negative ones count from the end. None: all elements.
    dtype : dtype, optional
        The type to compute in, and of the result.
    out : Array, optional
        An array for the result, which is then returned.
    ddof : number, optional
        Delta degrees of freedom: what the count is less in the divisor.
    keepdims : bool, optional
        Whether axes of one element stay in place of those that were gone over.
    where : array_like, optional
        A mask: other elements do not count.
    mean : array_like, optional
        The mean, with the reduced axes kept, where it is known already.
    correction : number, optional
        The array API's name for `ddof`.

    Returns
    -------
    Array
        The variances, without the axes that were gone over.

    Examples
    --------
    >>> print(qn.var([1.0, 2.0, 3.0, 4.0]), qn.var([1.0, 2.0, 3.0, 4.0], ddof=1).item())
    1.25 1.6666666666666667
    """
