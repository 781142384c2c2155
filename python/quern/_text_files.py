# SPDX-License-Identifier: MIT
"""Arrays from and to text and raw bytes in files: loadtxt, savetxt, fromfile, fromstring."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ._array import asarray
from ._core import Array, Device
from ._interop import asnumpy

_Text = str | os.PathLike[str] | IO[Any] | Iterable[str] | Iterable[bytes]


def loadtxt(
    fname: _Text,
    dtype: DTypeLike = float,
    comments: str | Sequence[str] | None = "#",
    delimiter: str | None = None,
    converters: Mapping[int, Callable[[str], Any]] | Callable[[str], Any] | None = None,
    skiprows: int = 0,
    usecols: int | Sequence[int] | None = None,
    unpack: bool = False,
    ndmin: int = 0,
    encoding: str | None = None,
    max_rows: int | None = None,
    *,
    quotechar: str | None = None,
    like: object = None,
    device: Device | str | None = None,
) -> Array:
    """Load an array from lines of text. The host reads the text, as NumPy does.

    Parameters
    ----------
    fname : path, file object or iterable of lines
        The text. Names that end with .gz or .bz2 are decompressed.
    dtype : dtype, optional
        Dtype of the elements.
    comments : str or sequence of str, optional
        Characters that start a comment; None if there are none.
    delimiter : str, optional
        Character between the values of a line; any white space by default.
    converters : dict or callable, optional
        Functions from the text of a value to the value, for each column or for all.
    skiprows : int, optional
        Number of lines to skip at the start.
    usecols : int or sequence of ints, optional
        Columns to read; all by default.
    unpack : bool, optional
        Whether the result is transposed, so that each of its rows is a column of the text.
    ndmin : int, optional
        Least number of axes of the result: 0, 1 or 2.
    encoding : str, optional
        Encoding of the text.
    max_rows : int, optional
        Number of lines to read after those that are skipped.
    quotechar : str, optional
        Character around values that contain delimiters or comments.
    like : object, optional
        Accepted for compatibility with NumPy.
    device : Device or str, optional
        Device of the result; the current device by default.

    Returns
    -------
    Array
        The numbers of the text.

    Examples
    --------
    >>> print(qn.loadtxt(["1 2", "3 4"]))
    [[1. 2.]
     [3. 4.]]
    """
    read: Any = np.loadtxt  # its overloads are too many for unions of types
    found = read(
        fname,
        dtype,
        comments,
        delimiter,
        converters,
        skiprows,
        usecols,
        False,
        ndmin,
        encoding,
        max_rows,
        quotechar=quotechar,
    )
    result = asarray(found, device=device)
    return result.T if unpack else result


def savetxt(
    fname: str | os.PathLike[str] | IO[Any],
    X: Array | ArrayLike,
    fmt: str | Sequence[str] = "%.18e",
    delimiter: str = " ",
    newline: str = "\n",
    header: str = "",
    footer: str = "",
    comments: str = "# ",
    encoding: str | None = None,
) -> None:
    """Save an array of one or two axes as lines of text.

    Parameters
    ----------
    fname : path or file object
        Name of the file, which is compressed if it ends with .gz, or an open file.
    X : array_like
        Array to save. The call waits for its elements.
    fmt : str or sequence of str, optional
        Format of a value, or of each column.
    delimiter : str, optional
        Text between the values of a line.
    newline : str, optional
        Text between lines.
    header, footer : str, optional
        Text before the first line and after the last one.
    comments : str, optional
        Text that precedes header and footer.
    encoding : str, optional
        Encoding of the file.

    Examples
    --------
    >>> import io
    >>> file = io.StringIO()
    >>> qn.savetxt(file, qn.asarray([[1, 2], [3, 4]]), fmt="%d")
    >>> file.getvalue()
    '1 2\\n3 4\\n'
    """
    np.savetxt(fname, asnumpy(X), fmt, delimiter, newline, header, footer, comments, encoding)


def fromfile(
    file: str | os.PathLike[str] | IO[Any],
    dtype: DTypeLike = float,
    count: int = -1,
    sep: str = "",
    offset: int = 0,
    *,
    like: object = None,
    device: Device | str | None = None,
) -> Array:
    """Load a vector from the raw bytes of a file, or from its text. x.tofile() writes such files.

    Parameters
    ----------
    file : path or file object
        Name of the file, or an open file.
    dtype : dtype, optional
        Dtype of the elements.
    count : int, optional
        Number of elements to read; -1 for all.
    sep : str, optional
        Text between the numbers; empty for raw bytes.
    offset : int, optional
        Number of bytes to skip, for raw bytes.
    like : object, optional
        Accepted for compatibility with NumPy.
    device : Device or str, optional
        Device of the result; the current device by default.

    Returns
    -------
    Array
        The elements of the file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     qn.arange(3).tofile(file.name)
    ...     print(qn.fromfile(file.name, "int64"))
    [0 1 2]
    """
    return asarray(np.fromfile(file, dtype, count, sep, offset), device=device)


def fromstring(
    string: str,
    dtype: DTypeLike = float,
    count: int = -1,
    *,
    sep: str,
    like: object = None,
    device: Device | str | None = None,
) -> Array:
    """Make a vector from numbers in a text. For bytes use frombuffer.

    Parameters
    ----------
    string : str
        The text.
    dtype : dtype, optional
        Dtype of the elements.
    count : int, optional
        Number of elements to read; -1 for all.
    sep : str
        Text between the numbers.
    like : object, optional
        Accepted for compatibility with NumPy.
    device : Device or str, optional
        Device of the result; the current device by default.

    Returns
    -------
    Array
        The numbers of the text.

    Examples
    --------
    >>> print(qn.fromstring("1, 2, 3", int, sep=","))
    [1 2 3]
    """
    return asarray(np.fromstring(string, dtype, count, sep=sep), device=device)
