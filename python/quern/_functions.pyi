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

def append(arr: Array | npt.ArrayLike, values: Array | npt.ArrayLike, axis: int | None = None) -> Array:
    """Joins an array and values behind it along an axis, or flat.

    Parameters
    ----------
    arr : array_like
        An array, or numbers that become one.
    values : array_like
        What comes behind it.
    axis : int, optional
        The axis to join along; None: flat arrays.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.append([1, 2], [[3], [4]]))
    [1 2 3 4]
    """

def arange(start: complex, stop: complex | None = None, step: complex = 1, dtype: npt.DTypeLike | None = None, *, device: Device | str | None = None, queue: Queue | None = None) -> Array:
    """Makes an array of numbers from `start` to before `stop`, in steps; of one alone, from 0.

    Parameters
    ----------
    start : number
        The first number; where it is given alone, what they end before.
    stop : number, optional
        What they end before.
    step : number, optional
        The distance of neighbours.
    dtype : dtype, optional
        The type of the elements; where none is named, int64 for integers, otherwise the default floating point.
    device : Device or str, optional
        The device of the new array; the current one where none is named.
    queue : Queue, optional
        The queue for the work; the current one where none is named.

    Returns
    -------
    Array
        A new array of one dimension.

    Examples
    --------
    >>> print(qn.arange(4), qn.arange(1, 2, 0.25))
    [0 1 2 3] [1.   1.25 1.5  1.75]
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

def array_split(ary: Array | npt.ArrayLike, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Array]:
    """Splits an array along an axis into views; parts that cannot be equal differ by one.

    Parameters
    ----------
    ary : array_like
        An array, or numbers that become one.
    indices_or_sections : int or sequence of int
        How many parts, or a sequence of the indices at which a new part begins.
    axis : int, optional
        The axis to cut along.

    Returns
    -------
    list[Array]
        The parts.

    Examples
    --------
    >>> print(*qn.array_split([1, 2, 3, 4, 5], 2))
    [1 2 3] [4 5]
    """

def ascontiguousarray(a: Array | npt.ArrayLike, dtype: npt.DTypeLike | None = None) -> Array:
    """Returns the array in C order without gaps, with one dimension at least.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    dtype : dtype, optional
        The type to compute in, and of the result.

    Returns
    -------
    Array
        The array itself where it is so, otherwise a copy.

    Examples
    --------
    >>> print(qn.ascontiguousarray(qn.ones((2, 3)).T).strides)
    (16, 8)
    """

def asfortranarray(a: Array | npt.ArrayLike, dtype: npt.DTypeLike | None = None) -> Array:
    """Returns the array in Fortran's order without gaps, with one dimension at least.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    dtype : dtype, optional
        The type to compute in, and of the result.

    Returns
    -------
    Array
        The array itself where it is so, otherwise a copy.

    Examples
    --------
    >>> print(qn.asfortranarray(qn.ones((2, 3))).strides)
    (8, 16)
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

def atleast_1d(*arys: Array | npt.ArrayLike) -> Any:
    """Gives arrays one dimension at least.

    Parameters
    ----------
    *arys : array_like, optional
        Arrays, or numbers that become some.

    Returns
    -------
    Any
        The array, or a tuple of several.

    Examples
    --------
    >>> print(qn.atleast_1d(3).shape)
    (1,)
    """

def atleast_2d(*arys: Array | npt.ArrayLike) -> Any:
    """Gives arrays two dimensions at least: a vector becomes a row.

    Parameters
    ----------
    *arys : array_like, optional
        Arrays, or numbers that become some.

    Returns
    -------
    Any
        The array, or a tuple of several.

    Examples
    --------
    >>> print(qn.atleast_2d([1, 2]).shape)
    (1, 2)
    """

def atleast_3d(*arys: Array | npt.ArrayLike) -> Any:
    """Gives arrays three dimensions at least: a matrix gets a last axis.

    Parameters
    ----------
    *arys : array_like, optional
        Arrays, or numbers that become some.

    Returns
    -------
    Any
        The array, or a tuple of several.

    Examples
    --------
    >>> print(qn.atleast_3d([[1, 2]]).shape)
    (1, 2, 1)
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

def broadcast_arrays(*args: Array | npt.ArrayLike, subok: bool = False) -> tuple[Array, ...]:
    """Broadcasts arrays against each other, in views.

    Parameters
    ----------
    *args : array_like, optional
        The arrays.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    tuple[Array, ...]
        Views of the shape that the arrays have together.

    Examples
    --------
    >>> print(qn.broadcast_arrays([1, 2], [[3], [4]])[0])
    [[1 2]
     [1 2]]
    """

def broadcast_to(array: Array | npt.ArrayLike, shape: int | Sequence[int], subok: bool = False) -> Array:
    """Broadcasts an array to a shape, in a view that is not written to.

    Parameters
    ----------
    array : array_like
        An array, or numbers that become one.
    shape : int or sequence of int
        The shape of the result.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        A view in which one element may be at many places.

    Examples
    --------
    >>> print(qn.broadcast_to([1, 2], (2, 2)))
    [[1 2]
     [1 2]]
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

def column_stack(tup: Array | npt.ArrayLike | Sequence[Array | npt.ArrayLike]) -> Array:
    """Joins arrays along the second axis; vectors are columns.

    Parameters
    ----------
    tup : sequence of array_like
        The arrays in one list or tuple.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.column_stack([[1, 2], [3, 4]]))
    [[1 3]
     [2 4]]
    """

def concat(arrays: Array | npt.ArrayLike | Sequence[Array | npt.ArrayLike], /, axis: int | None = 0, out: Array | None = None, *, dtype: npt.DTypeLike | None = None, casting: str = 'same_kind') -> Array:
    """Joins arrays along an axis that they have.

    Parameters
    ----------
    arrays : sequence of array_like
        The arrays in one list.
    axis : int, optional
        The axis of the result to join along; None: flat arrays.
    out : Array, optional
        An array for the result, which is then returned.
    dtype : dtype, optional
        The type of the result; without it, the one that all have together.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.

    Returns
    -------
    Array
        A new array, or `out`.

    Examples
    --------
    >>> print(qn.concat([[1, 2], [3]]))
    [1 2 3]
    """

def concatenate(arrays: Array | npt.ArrayLike | Sequence[Array | npt.ArrayLike], /, axis: int | None = 0, out: Array | None = None, *, dtype: npt.DTypeLike | None = None, casting: str = 'same_kind') -> Array:
    """Joins arrays along an axis that they have.

    Parameters
    ----------
    arrays : sequence of array_like
        The arrays in one list.
    axis : int, optional
        The axis of the result to join along; None: flat arrays.
    out : Array, optional
        An array for the result, which is then returned.
    dtype : dtype, optional
        The type of the result; without it, the one that all have together.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.

    Returns
    -------
    Array
        A new array, or `out`.

    Examples
    --------
    >>> print(qn.concat([[1, 2], [3]]))
    [1 2 3]
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

def copy(a: Array | npt.ArrayLike, order: str | None = 'K', subok: bool = False) -> Array:
    """Copies an array to memory of its own.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    subok : bool, optional
        Accepted for NumPy's sake.

    Returns
    -------
    Array
        The copy.

    Examples
    --------
    >>> x = qn.asarray([1, 2])
    >>> y = qn.copy(x)
    >>> x[0] = 9
    >>> print(y)
    [1 2]
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

def copyto(dst: Array, src: Array | npt.ArrayLike, casting: str = 'same_kind', where: Array | npt.ArrayLike = True) -> None:
    """Writes elements to an array, broadcast, where the mask holds.

    Parameters
    ----------
    dst : Array
        The array that is written.
    src : array_like
        What is written to it.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
    where : array_like, optional
        A mask: elements elsewhere stay what they are.

    Returns
    -------
    None
        Nothing.

    Examples
    --------
    >>> x = qn.asarray([1, 2, 3])
    >>> qn.copyto(x, 9, where=x > 1)
    >>> print(x)
    [1 9 9]
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

def delete(arr: Array | npt.ArrayLike, obj: Array | npt.ArrayLike | dict[int, Any] | slice, axis: int | None = None) -> Array:
    """Copies an array without these indices of an axis, or of all elements.

    Parameters
    ----------
    arr : array_like
        An array, or numbers that become one.
    obj : numbers, nested or not or slice
        Indices along the axis: an integer, several, a slice, or a mask.
    axis : int, optional
        The axis; None: of the flat array.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.delete([1, 2, 3, 4], [0, 2]))
    [2 4]
    """

def diag(v: Array | npt.ArrayLike, k: int = 0) -> Array:
    """Makes a matrix with these numbers on a diagonal, or copies the diagonal of a matrix.

    Parameters
    ----------
    v : array_like
        An array, or numbers that become one.
    k : int, optional
        How far the diagonal is above the main one; negative ones are below.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.diag([1, 2]))
    [[1 0]
     [0 2]]
    """

def diagflat(v: Array | npt.ArrayLike, k: int = 0) -> Array:
    """Makes a matrix with all of these numbers on a diagonal.

    Parameters
    ----------
    v : array_like
        An array, or numbers that become one.
    k : int, optional
        How far the diagonal is above the main one; negative ones are below.

    Returns
    -------
    Array
        A new array of two dimensions.

    Examples
    --------
    >>> print(qn.diagflat([[1], [2]]))
    [[1 0]
     [0 2]]
    """

def diagonal(a: Array | npt.ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Returns a view of the diagonals of matrices, along a new last axis.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    offset : int, optional
        How far the diagonal is above the main one; negative ones are below.
    axis1 : int, optional
        The axis of the rows.
    axis2 : int, optional
        The axis of the columns.

    Returns
    -------
    Array
        A view.

    Examples
    --------
    >>> print(qn.diagonal([[1, 2], [3, 4]]))
    [1 4]
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

def dsplit(ary: Array | npt.ArrayLike, indices_or_sections: int | Sequence[int]) -> list[Array]:
    """Splits an array of three dimensions or more along the third axis, into views.

    Parameters
    ----------
    ary : array_like
        An array, or numbers that become one.
    indices_or_sections : int or sequence of int
        How many parts, or a sequence of the indices at which a new part begins.

    Returns
    -------
    list[Array]
        The parts.

    Examples
    --------
    >>> print(*qn.dsplit([[[1, 2]]], 2))
    [[[1]]] [[[2]]]
    """

def dstack(tup: Array | npt.ArrayLike | Sequence[Array | npt.ArrayLike]) -> Array:
    """Joins arrays along the third axis.

    Parameters
    ----------
    tup : sequence of array_like
        The arrays in one list or tuple.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.dstack([[1, 2], [3, 4]]))
    [[[1 3]
      [2 4]]]
    """

def empty(shape: int | Sequence[int], dtype: npt.DTypeLike | None = None, order: str | Device | str | None = 'C', *, device: Device | str | None = None, queue: Queue | None = None) -> Array:
    """Makes an array whose elements are whatever was in memory.

    Parameters
    ----------
    shape : int or sequence of int
        The length of each axis.
    dtype : dtype, optional
        The type of the elements; where none is named, float64, or float32 on devices without it.
    order : str or Device or str, optional
        'F' for Fortran's order; a device is taken here, too.
    device : Device or str, optional
        The device of the new array; the current one where none is named.
    queue : Queue, optional
        The queue for the work; the current one where none is named.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.empty((2, 3), 'float32').shape)
    (2, 3)
    """

def empty_like(prototype: Array | npt.ArrayLike, /, dtype: npt.DTypeLike | None = None, order: str | None = 'K', subok: bool = True, shape: int | Sequence[int] | None = None, *, device: Device | str | None = None) -> Array:
    """Makes an array like another, whose elements are whatever was in memory.

    Parameters
    ----------
    prototype : array_like
        An array, or numbers that become one.
    dtype : dtype, optional
        The type of the elements, where it is to be another.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    subok : bool, optional
        Accepted for NumPy's sake.
    shape : int or sequence of int, optional
        The shape, where it is to be another.
    device : Device or str, optional
        The device, where it is to be another.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.empty_like([[1, 2, 3]]).shape)
    (1, 3)
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

def expand_dims(a: Array | npt.ArrayLike, axis: int | Sequence[int] = 0) -> Array:
    """Inserts axes of one element, in a view.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axis : int or sequence of int, optional
        Where the new axes are in the result.

    Returns
    -------
    Array
        A view.

    Examples
    --------
    >>> print(qn.expand_dims(qn.ones(3), (0, 2)).shape)
    (1, 3, 1)
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

def eye(N: int, M: int | None = None, k: int = 0, dtype: npt.DTypeLike | None = None, order: str | None = 'C', *, device: Device | str | None = None, queue: Queue | None = None) -> Array:
    """Makes a matrix with ones on a diagonal and zeros elsewhere.

    Parameters
    ----------
    N : int
        The number of rows.
    M : int, optional
        The number of columns; that of the rows where none is given.
    k : int, optional
        How far the diagonal is above the main one; negative ones are below.
    dtype : dtype, optional
        The type of the elements; where none is named, float64, or float32 on devices without it.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    device : Device or str, optional
        The device of the new array; the current one where none is named.
    queue : Queue, optional
        The queue for the work; the current one where none is named.

    Returns
    -------
    Array
        A new array of two dimensions.

    Examples
    --------
    >>> print(qn.eye(2, 3, k=1))
    [[0. 1. 0.]
     [0. 0. 1.]]
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

def fill_diagonal(a: Array, val: Array | npt.ArrayLike, wrap: bool = False) -> None:
    """Writes to the main diagonal of an array.

    Parameters
    ----------
    a : Array
        The matrix that is written, or an array of equal lengths.
    val : array_like
        A number, or values that are repeated along the diagonal.
    wrap : bool, optional
        Whether a tall matrix has the diagonal again below it.

    Returns
    -------
    None
        Nothing.

    Examples
    --------
    >>> x = qn.zeros((2, 2))
    >>> qn.fill_diagonal(x, 5)
    >>> print(x)
    [[5. 0.]
     [0. 5.]]
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

def flip(m: Array | npt.ArrayLike, axis: int | Sequence[int] | None = None) -> Array:
    """Reverses the elements along axes, in a view.

    Parameters
    ----------
    m : array_like
        An array, or numbers that become one.
    axis : int or sequence of int, optional
        The axis to go along or over; negative ones count from the end. None: all elements.

    Returns
    -------
    Array
        A view.

    Examples
    --------
    >>> print(qn.flip([[1, 2], [3, 4]], axis=1))
    [[2 1]
     [4 3]]
    """

def fliplr(m: Array | npt.ArrayLike) -> Array:
    """Reverses the elements along the second axis, in a view.

    Parameters
    ----------
    m : array_like
        An array, or numbers that become one.

    Returns
    -------
    Array
        A view.

    Examples
    --------
    >>> print(qn.fliplr([[1, 2], [3, 4]]))
    [[2 1]
     [4 3]]
    """

def flipud(m: Array | npt.ArrayLike) -> Array:
    """Reverses the elements along the first axis, in a view.

    Parameters
    ----------
    m : array_like
        An array, or numbers that become one.

    Returns
    -------
    Array
        A view.

    Examples
    --------
    >>> print(qn.flipud([[1, 2], [3, 4]]))
    [[3 4]
     [1 2]]
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

def full(shape: int | Sequence[int], fill_value: Array | npt.ArrayLike, dtype: npt.DTypeLike | None = None, order: str | Device | str | None = 'C', *, device: Device | str | None = None, queue: Queue | None = None) -> Array:
    """Makes an array of one value, or of values that are broadcast.

    The type of the elements is that of the value where none is named.

    Parameters
    ----------
    shape : int or sequence of int
        The length of each axis.
    fill_value : array_like
        The value, or values that are broadcast.
    dtype : dtype, optional
        The type of the elements; where none is named, float64, or float32 on devices without it.
    order : str or Device or str, optional
        'F' for Fortran's order; a device is taken here, too.
    device : Device or str, optional
        The device of the new array; the current one where none is named.
    queue : Queue, optional
        The queue for the work; the current one where none is named.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.full((2, 2), [1, 2]))
    [[1 2]
     [1 2]]
    """

def full_like(a: Array | npt.ArrayLike, fill_value: Array | npt.ArrayLike, dtype: npt.DTypeLike | None = None, order: str | None = 'K', subok: bool = True, shape: int | Sequence[int] | None = None, *, device: Device | str | None = None) -> Array:
    """Makes an array of one value like another.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    fill_value : array_like
        The value, or values that are broadcast.
    dtype : dtype, optional
        The type of the elements, where it is to be another.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    subok : bool, optional
        Accepted for NumPy's sake.
    shape : int or sequence of int, optional
        The shape, where it is to be another.
    device : Device or str, optional
        The device, where it is to be another.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.full_like([1, 2, 3], 7))
    [7 7 7]
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

def geomspace(start: Array | npt.ArrayLike, stop: Array | npt.ArrayLike, num: int = 50, endpoint: bool = True, dtype: npt.DTypeLike | None = None, axis: int = 0, *, device: Device | str | None = None) -> Array:
    """Makes numbers each of which is the same multiple of the one before it.

    Between real numbers of different signs they are NaN.

    Parameters
    ----------
    start : array_like
        The first number, or an array of them.
    stop : array_like
        The last number, or the one behind it where `endpoint` is false.
    num : int, optional
        How many numbers.
    endpoint : bool, optional
        Whether `stop` is the last of them.
    dtype : dtype, optional
        The type of the result; it is computed in floating point.
    axis : int, optional
        The axis of the result along which the numbers are, where the ends are arrays.
    device : Device or str, optional
        The device of the new array; the current one where none is named.

    Returns
    -------
    Array
        The numbers.

    Examples
    --------
    >>> print(qn.geomspace(1, 1000, 4))
    [   1.   10.  100. 1000.]
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

def hsplit(ary: Array | npt.ArrayLike, indices_or_sections: int | Sequence[int]) -> list[Array]:
    """Splits an array along the second axis, a vector along its only one, into views.

    Parameters
    ----------
    ary : array_like
        An array, or numbers that become one.
    indices_or_sections : int or sequence of int
        How many parts, or a sequence of the indices at which a new part begins.

    Returns
    -------
    list[Array]
        The parts.

    Examples
    --------
    >>> print(*qn.hsplit([1, 2, 3, 4], 2))
    [1 2] [3 4]
    """

def hstack(tup: Array | npt.ArrayLike | Sequence[Array | npt.ArrayLike], *, dtype: npt.DTypeLike | None = None, casting: str = 'same_kind') -> Array:
    """Joins arrays along the second axis, vectors along their only one.

    Parameters
    ----------
    tup : sequence of array_like
        The arrays in one list or tuple.
    dtype : dtype, optional
        The type of the result; without it, the one that all have together.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.hstack([[1, 2], [3]]))
    [1 2 3]
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

def identity(n: int, dtype: npt.DTypeLike | None = None, *, device: Device | str | None = None) -> Array:
    """Makes a square matrix with ones on its main diagonal.

    Parameters
    ----------
    n : int
        The number of rows, and of columns.
    dtype : dtype, optional
        The type of the elements; where none is named, float64, or float32 on devices without it.
    device : Device or str, optional
        The device of the new array; the current one where none is named.

    Returns
    -------
    Array
        A new array of two dimensions.

    Examples
    --------
    >>> print(qn.identity(2))
    [[1. 0.]
     [0. 1.]]
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

def indices(dimensions: int | Sequence[int], dtype: npt.DTypeLike | None = None, sparse: bool = False, *, device: Device | str | None = None) -> Any:
    """Makes the index of each element along each axis, stacked along a new first axis.

    Parameters
    ----------
    dimensions : int or sequence of int
        The shape of the grid.
    dtype : dtype, optional
        The type of the indices; int64 where none is named.
    sparse : bool, optional
        Whether there is a tuple of arrays that are broadcast, instead of one array.
    device : Device or str, optional
        The device of the new array; the current one where none is named.

    Returns
    -------
    Any
        One array, or a tuple of them.

    Examples
    --------
    >>> print(qn.indices((2, 2)))
    [[[0 0]
      [1 1]]

     [[0 1]
      [0 1]]]
    """

def insert(arr: Array | npt.ArrayLike, obj: Array | npt.ArrayLike | dict[int, Any] | slice, values: Array | npt.ArrayLike, axis: int | None = None) -> Array:
    """Copies an array with values in front of these indices of an axis, or of all elements.

    Parameters
    ----------
    arr : array_like
        An array, or numbers that become one.
    obj : numbers, nested or not or slice
        Indices along the axis: an integer, several, a slice, or a mask.
    values : array_like
        What is put in front of them; it becomes the array's type.
    axis : int, optional
        The axis; None: of the flat array.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.insert([1, 2, 3], 1, [8, 9]))
    [1 8 9 2 3]
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

def linspace(start: Array | npt.ArrayLike, stop: Array | npt.ArrayLike, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: npt.DTypeLike | None = None, axis: int = 0, *, device: Device | str | None = None, queue: Queue | None = None) -> Any:
    """Makes evenly spaced numbers between two.

    Parameters
    ----------
    start : array_like
        The first number, or an array of them.
    stop : array_like
        The last number, or the one behind it where `endpoint` is false.
    num : int, optional
        How many numbers.
    endpoint : bool, optional
        Whether `stop` is the last of them.
    retstep : bool, optional
        Whether the distance of neighbours is returned, too.
    dtype : dtype, optional
        The type of the result; it is computed in floating point.
    axis : int, optional
        The axis of the result along which the numbers are, where the ends are arrays.
    device : Device or str, optional
        The device of the new array; the current one where none is named.
    queue : Queue, optional
        The queue for the work; the current one where none is named.

    Returns
    -------
    Any
        The numbers; with `retstep` a pair of them and the distance of neighbours.

    Examples
    --------
    >>> print(qn.linspace(0, 1, 5))
    [0.   0.25 0.5  0.75 1.  ]
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

def logspace(start: Array | npt.ArrayLike, stop: Array | npt.ArrayLike, num: int = 50, endpoint: bool = True, base: Array | npt.ArrayLike = 10.0, dtype: npt.DTypeLike | None = None, axis: int = 0, *, device: Device | str | None = None) -> Array:
    """Makes powers of a base whose exponents are evenly spaced.

    Parameters
    ----------
    start : array_like
        The first number, or an array of them.
    stop : array_like
        The last number, or the one behind it where `endpoint` is false.
    num : int, optional
        How many numbers.
    endpoint : bool, optional
        Whether `stop` is the last of them.
    base : array_like, optional
        What is raised to the powers.
    dtype : dtype, optional
        The type of the result; it is computed in floating point.
    axis : int, optional
        The axis of the result along which the numbers are, where the ends are arrays.
    device : Device or str, optional
        The device of the new array; the current one where none is named.

    Returns
    -------
    Array
        The powers.

    Examples
    --------
    >>> print(qn.logspace(0, 2, 3))
    [  1.  10. 100.]
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

def matrix_transpose(x: Array | npt.ArrayLike, /) -> Array:
    """Exchanges the last two axes, in a view.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.

    Returns
    -------
    Array
        A view.

    Examples
    --------
    >>> print(qn.matrix_transpose(qn.ones((5, 2, 3))).shape)
    (5, 3, 2)
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

def meshgrid(*xi: Array | npt.ArrayLike, copy: bool = True, sparse: bool = False, indexing: str = 'xy') -> tuple[Array, ...]:
    """Makes grids of coordinates: each array along its own axis, the same along all others.

    Parameters
    ----------
    *xi : array_like, optional
        The coordinates along each axis.
    copy : bool, optional
        Whether the grids have memory of their own; otherwise they are views.
    sparse : bool, optional
        Whether the other axes of a grid have length 1.
    indexing : str, optional
        'xy' has the second array along the first axis, as in drawings; 'ij' the first.

    Returns
    -------
    tuple[Array, ...]
        A grid for each array.

    Examples
    --------
    >>> print(qn.meshgrid([1, 2], [3, 4])[1])
    [[3 3]
     [4 4]]
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

def moveaxis(a: Array | npt.ArrayLike, source: int | Sequence[int], destination: int | Sequence[int]) -> Array:
    """Moves axes to other places, in a view; the others stay in their order.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    source : int or sequence of int
        The axis to move, or several.
    destination : int or sequence of int
        Where they go, as many as in `source`.

    Returns
    -------
    Array
        A view.

    Examples
    --------
    >>> print(qn.moveaxis(qn.ones((2, 3, 4)), 0, -1).shape)
    (3, 4, 2)
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

def ones(shape: int | Sequence[int], dtype: npt.DTypeLike | None = None, order: str | Device | str | None = 'C', *, device: Device | str | None = None, queue: Queue | None = None) -> Array:
    """Makes an array of ones.

    Parameters
    ----------
    shape : int or sequence of int
        The length of each axis.
    dtype : dtype, optional
        The type of the elements; where none is named, float64, or float32 on devices without it.
    order : str or Device or str, optional
        'F' for Fortran's order; a device is taken here, too.
    device : Device or str, optional
        The device of the new array; the current one where none is named.
    queue : Queue, optional
        The queue for the work; the current one where none is named.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.ones(3, 'int32'))
    [1 1 1]
    """

def ones_like(a: Array | npt.ArrayLike, dtype: npt.DTypeLike | None = None, order: str | None = 'K', subok: bool = True, shape: int | Sequence[int] | None = None, *, device: Device | str | None = None) -> Array:
    """Makes an array of ones like another.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    dtype : dtype, optional
        The type of the elements, where it is to be another.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    subok : bool, optional
        Accepted for NumPy's sake.
    shape : int or sequence of int, optional
        The shape, where it is to be another.
    device : Device or str, optional
        The device, where it is to be another.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.ones_like([1, 2, 3]))
    [1 1 1]
    """

def pad(array: Array | npt.ArrayLike, pad_width: Array | npt.ArrayLike | dict[int, Any], mode: str = 'constant', *, constant_values: Array | npt.ArrayLike | dict[int, Any] | None = None) -> Array:
    """Pads an array on all sides with numbers, or with its own elements.

    Parameters
    ----------
    array : array_like
        An array, or numbers that become one.
    pad_width : numbers, nested or not
        How many elements before and behind: one number, a pair, a pair for each axis, or a dict of them.
    mode : str, optional
        'constant', 'edge', 'reflect', 'symmetric', 'wrap' or 'empty'.
    constant_values : numbers, nested or not, optional
        The numbers, as `pad_width` has them; 0 where none are given.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.pad([1, 2], (1, 2), mode='edge'))
    [1 1 2 2 2]
    """

def permute_dims(a: Array | npt.ArrayLike, axes: int | Sequence[int] | None = None) -> Array:
    """Permutes the axes of an array, in a view; reverses them where no order is given.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axes : int or sequence of int, optional
        For each axis of the result, which axis of the array it is. None: all of them reversed.

    Returns
    -------
    Array
        A view.

    Examples
    --------
    >>> print(qn.permute_dims(qn.ones((2, 3, 4)), (2, 0, 1)).shape)
    (4, 2, 3)
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

def putmask(a: Array, /, mask: Array | npt.ArrayLike, values: Array | npt.ArrayLike) -> None:
    """Writes to the elements where a mask holds the values at the same places, over and over.

    Parameters
    ----------
    a : Array
        The array that is written.
    mask : array_like
        Of as many elements as the array.
    values : array_like
        What is written, repeated to the size of the array.

    Returns
    -------
    None
        Nothing.

    Examples
    --------
    >>> x = qn.asarray([1, 2, 3])
    >>> qn.putmask(x, x > 1, [7, 8, 9])
    >>> print(x)
    [1 8 9]
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

def ravel(a: Array | npt.ArrayLike, order: str | None = 'C') -> Array:
    """Flattens to one dimension without gaps: a view where the elements lie so, otherwise a copy.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    order : str, optional
        'C' counts the elements as C does, 'F' as Fortran, 'A' as Fortran where the array is in its order, 'K' as they are in memory.

    Returns
    -------
    Array
        All elements in one dimension.

    Examples
    --------
    >>> print(qn.ravel([[1, 2], [3, 4]], order='F'))
    [1 3 2 4]
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

def repeat(a: Array | npt.ArrayLike, repeats: Array | npt.ArrayLike | dict[int, Any], axis: int | None = None) -> Array:
    """Repeats each element of an array.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    repeats : numbers, nested or not
        How often, for all elements or for each index along the axis.
    axis : int, optional
        The axis to repeat along; None: of the flat array.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.repeat([1, 2], [1, 3]))
    [1 2 2 2]
    """

def reshape(a: Array | npt.ArrayLike, /, shape: int | Sequence[int], order: str | None = 'C', *, copy: bool | None = None) -> Array:
    """Gives the elements another shape: a view where strides allow, otherwise a copy.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    shape : int or sequence of int
        The new lengths; one may be -1, which is then what the others leave.
    order : str, optional
        'C' reads and writes the elements as C counts them, 'F' as Fortran does, 'A' as Fortran where the array is in its order.
    copy : bool, optional
        True: always a copy. False: an error where a copy is needed.

    Returns
    -------
    Array
        The elements in the new shape.

    Examples
    --------
    >>> print(qn.reshape(qn.arange(4), (2, 2)))
    [[0 1]
     [2 3]]
    """

def resize(a: Array | npt.ArrayLike, new_shape: int | Sequence[int]) -> Array:
    """Fills a new shape with the elements in C order, over and over.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    new_shape : int or sequence of int
        The shape of the result.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.resize([1, 2, 3], (2, 2)))
    [[1 2]
     [3 1]]
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

def roll(a: Array | npt.ArrayLike, shift: int | Sequence[int], axis: int | Sequence[int] | None = None) -> Array:
    """Rolls elements along axes: those that leave at one end come in at the other.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    shift : int or sequence of int
        By how many places, for each axis or for all.
    axis : int or sequence of int, optional
        The axes to roll along; None: the flat array, which then gets its shape back.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.roll([1, 2, 3, 4], 1))
    [4 1 2 3]
    """

def rollaxis(a: Array | npt.ArrayLike, axis: int, start: int = 0) -> Array:
    """Moves an axis in front of another, in a view.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axis : int
        The axis to move.
    start : int, optional
        The axis that it is moved in front of; the rank: behind all.

    Returns
    -------
    Array
        A view.

    Examples
    --------
    >>> print(qn.rollaxis(qn.ones((2, 3, 4)), 2).shape)
    (4, 2, 3)
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

def rot90(m: Array | npt.ArrayLike, k: int = 1, axes: int | Sequence[int] = (0, 1)) -> Array:
    """Rotates by right angles in the plane of two axes, in a view.

    Parameters
    ----------
    m : array_like
        An array, or numbers that become one.
    k : int, optional
        How many right angles.
    axes : int or sequence of int, optional
        The plane; it is turned from the first of them to the second.

    Returns
    -------
    Array
        A view.

    Examples
    --------
    >>> print(qn.rot90([[1, 2], [3, 4]]))
    [[2 4]
     [1 3]]
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

def split(ary: Array | npt.ArrayLike, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Array]:
    """Splits an array along an axis into views of equal length, or cut at given indices.

    Parameters
    ----------
    ary : array_like
        An array, or numbers that become one.
    indices_or_sections : int or sequence of int
        How many parts, or a sequence of the indices at which a new part begins.
    axis : int, optional
        The axis to cut along.

    Returns
    -------
    list[Array]
        The parts.

    Examples
    --------
    >>> print(*qn.split([1, 2, 3, 4], [1, 2]))
    [1] [2] [3 4]
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

def squeeze(a: Array | npt.ArrayLike, axis: int | Sequence[int] | None = None) -> Array:
    """Removes axes of one element, in a view.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axis : int or sequence of int, optional
        The axes to remove; None: all of length 1.

    Returns
    -------
    Array
        A view.

    Examples
    --------
    >>> print(qn.squeeze(qn.ones((1, 3, 1)), axis=0).shape)
    (3, 1)
    """

def stack(arrays: Array | npt.ArrayLike | Sequence[Array | npt.ArrayLike], axis: int = 0, out: Array | None = None, *, dtype: npt.DTypeLike | None = None, casting: str = 'same_kind') -> Array:
    """Joins arrays of one shape along a new axis.

    Parameters
    ----------
    arrays : sequence of array_like
        The arrays in one list.
    axis : int, optional
        The axis of the result to join along; None: flat arrays.
    out : Array, optional
        An array for the result, which is then returned.
    dtype : dtype, optional
        The type of the result; without it, the one that all have together.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.

    Returns
    -------
    Array
        A new array, or `out`.

    Examples
    --------
    >>> print(qn.stack([[1, 2], [3, 4]], axis=1))
    [[1 3]
     [2 4]]
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

def swapaxes(a: Array | npt.ArrayLike, axis1: int, axis2: int) -> Array:
    """Exchanges two axes, in a view.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axis1 : int
        The first axis.
    axis2 : int
        The second axis.

    Returns
    -------
    Array
        A view.

    Examples
    --------
    >>> print(qn.swapaxes(qn.ones((2, 3, 4)), 0, 2).shape)
    (4, 3, 2)
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

def tile(A: Array | npt.ArrayLike, reps: int | Sequence[int]) -> Array:
    """Repeats the whole array along each axis.

    Parameters
    ----------
    A : array_like
        An array, or numbers that become one.
    reps : int or sequence of int
        How often along each axis.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.tile([1, 2], (2, 2)))
    [[1 2 1 2]
     [1 2 1 2]]
    """

def trace(a: Array | npt.ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: npt.DTypeLike | None = None, out: Array | None = None) -> Array:
    """Sums the elements of a diagonal.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    offset : int, optional
        How far the diagonal is above the main one; negative ones are below.
    axis1 : int, optional
        The axis of the rows.
    axis2 : int, optional
        The axis of the columns.
    dtype : dtype, optional
        The type to compute in, and of the result.
    out : Array, optional
        An array for the result, which is then returned.

    Returns
    -------
    Array
        The sums, of one dimension for each axis beyond two.

    Examples
    --------
    >>> print(qn.trace([[1, 2], [3, 4]]))
    5
    """

def transpose(a: Array | npt.ArrayLike, axes: int | Sequence[int] | None = None) -> Array:
    """Permutes the axes of an array, in a view; reverses them where no order is given.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    axes : int or sequence of int, optional
        For each axis of the result, which axis of the array it is. None: all of them reversed.

    Returns
    -------
    Array
        A view.

    Examples
    --------
    >>> print(qn.permute_dims(qn.ones((2, 3, 4)), (2, 0, 1)).shape)
    (4, 2, 3)
    """

def tri(N: int, M: int | None = None, k: int = 0, dtype: npt.DTypeLike | None = None, *, device: Device | str | None = None) -> Array:
    """Makes a matrix with ones on and below a diagonal and zeros above.

    Parameters
    ----------
    N : int
        The number of rows.
    M : int, optional
        The number of columns; that of the rows where none is given.
    k : int, optional
        How far the diagonal is above the main one; negative ones are below.
    dtype : dtype, optional
        The type of the elements; where none is named, float64, or float32 on devices without it.
    device : Device or str, optional
        The device of the new array; the current one where none is named.

    Returns
    -------
    Array
        A new array of two dimensions.

    Examples
    --------
    >>> print(qn.tri(2, 3))
    [[1. 0. 0.]
     [1. 1. 0.]]
    """

def tril(m: Array | npt.ArrayLike, k: int = 0) -> Array:
    """Copies what is on and below a diagonal; the rest is zero.

    Parameters
    ----------
    m : array_like
        An array, or numbers that become one.
    k : int, optional
        How far the diagonal is above the main one; negative ones are below.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.tril([[1, 2], [3, 4]]))
    [[1 0]
     [3 4]]
    """

def trim_zeros(filt: Array | npt.ArrayLike, trim: str = 'fb', axis: int | Sequence[int] | None = None) -> Array:
    """Cuts zeros off the edges of an array, in a view. Waits to know where they end.

    Parameters
    ----------
    filt : array_like
        An array, or numbers that become one.
    trim : str, optional
        'f' cuts at the front, 'b' at the back, 'fb' at both.
    axis : int or sequence of int, optional
        The axes to cut along; None: all of them.

    Returns
    -------
    Array
        A view.

    Examples
    --------
    >>> print(qn.trim_zeros([0, 0, 1, 2, 0]))
    [1 2]
    """

def triu(m: Array | npt.ArrayLike, k: int = 0) -> Array:
    """Copies what is on and above a diagonal; the rest is zero.

    Parameters
    ----------
    m : array_like
        An array, or numbers that become one.
    k : int, optional
        How far the diagonal is above the main one; negative ones are below.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.triu([[1, 2], [3, 4]]))
    [[1 2]
     [0 4]]
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

def unstack(x: Array | npt.ArrayLike, /, *, axis: int = 0) -> tuple[Array, ...]:
    """Splits an array along an axis into views without that axis.

    Parameters
    ----------
    x : array_like
        An array, or numbers that become one.
    axis : int, optional
        The axis to go along.

    Returns
    -------
    tuple[Array, ...]
        A view for each index along the axis.

    Examples
    --------
    >>> print(*qn.unstack([[1, 2], [3, 4]]))
    [1 2] [3 4]
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

def vsplit(ary: Array | npt.ArrayLike, indices_or_sections: int | Sequence[int]) -> list[Array]:
    """Splits an array of two dimensions or more along the first axis, into views.

    Parameters
    ----------
    ary : array_like
        An array, or numbers that become one.
    indices_or_sections : int or sequence of int
        How many parts, or a sequence of the indices at which a new part begins.

    Returns
    -------
    list[Array]
        The parts.

    Examples
    --------
    >>> print(*qn.vsplit([[1, 2], [3, 4]], 2))
    [[1 2]] [[3 4]]
    """

def vstack(tup: Array | npt.ArrayLike | Sequence[Array | npt.ArrayLike], *, dtype: npt.DTypeLike | None = None, casting: str = 'same_kind') -> Array:
    """Joins arrays along the first axis; vectors are rows.

    Parameters
    ----------
    tup : sequence of array_like
        The arrays in one list or tuple.
    dtype : dtype, optional
        The type of the result; without it, the one that all have together.
    casting : str, optional
        Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.vstack([[1, 2], [3, 4]]))
    [[1 2]
     [3 4]]
    """

def zeros(shape: int | Sequence[int], dtype: npt.DTypeLike | None = None, order: str | Device | str | None = 'C', *, device: Device | str | None = None, queue: Queue | None = None) -> Array:
    """Makes an array of zeros.

    Parameters
    ----------
    shape : int or sequence of int
        The length of each axis.
    dtype : dtype, optional
        The type of the elements; where none is named, float64, or float32 on devices without it.
    order : str or Device or str, optional
        'F' for Fortran's order; a device is taken here, too.
    device : Device or str, optional
        The device of the new array; the current one where none is named.
    queue : Queue, optional
        The queue for the work; the current one where none is named.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.zeros(3))
    [0. 0. 0.]
    """

def zeros_like(a: Array | npt.ArrayLike, dtype: npt.DTypeLike | None = None, order: str | None = 'K', subok: bool = True, shape: int | Sequence[int] | None = None, *, device: Device | str | None = None) -> Array:
    """Makes an array of zeros like another.

    Parameters
    ----------
    a : array_like
        An array, or numbers that become one.
    dtype : dtype, optional
        The type of the elements, where it is to be another.
    order : str, optional
        'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order.
    subok : bool, optional
        Accepted for NumPy's sake.
    shape : int or sequence of int, optional
        The shape, where it is to be another.
    device : Device or str, optional
        The device, where it is to be another.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> print(qn.zeros_like([1, 2, 3]))
    [0 0 0]
    """
