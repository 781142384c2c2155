# SPDX-License-Identifier: MIT
"""Array: a distributed array with NumPy's operators and methods."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

import quern

from .._core import (
    ArgumentTypeError,
    ArgumentValueError,
    Communicator,
    DistributedArray,
    Layout,
)
from .._core import Array as LocalArray
from .._core import functions as _functions
from ._layouts import LayoutLike, layout_of
from ._ranks import current


def _takes(value: Any) -> bool:
    return isinstance(value, (Array, LocalArray, np.ndarray)) or is_number(value)


def _binary(name: str) -> Callable[[Array, Any], Array]:
    """The method of an operator: the elementwise function of this name, or matmul."""

    function = _functions[name]

    def method(self: Array, other: Any) -> Any:
        blocks = self._blocks
        # Blocks of one layout, which sweeps of stencils have, take the short way: apply() would find the same.
        if type(other) is Array and name != "matmul" and blocks.is_aligned(other._blocks):
            return wrap(blocks.with_block(function(blocks.local, other._blocks.local)))
        return _operate(name, self, other) if _takes(other) else NotImplemented

    return method


def _reflected(name: str) -> Callable[[Array, Any], Array]:
    function = _functions[name]

    def method(self: Array, other: Any) -> Any:
        if type(other) in (int, float) and self._blocks.layout.root is None:
            return wrap(self._blocks.with_block(function(other, self._blocks.local)))
        return _operate(name, other, self) if _takes(other) else NotImplemented

    return method


def _in_place(name: str) -> Callable[[Array, Any], Array]:
    def method(self: Array, other: Any) -> Any:
        if not _takes(other):
            return NotImplemented
        operand = other if isinstance(other, Array) or is_number(other) else replicated(other, self)
        if isinstance(operand, Array):
            operand = operand._blocks.broadcast_to(self.shape).redistribute(self.layout).local
        _functions[name](self.local, operand, out=self.local)
        return self

    return method


def _unary(name: str) -> Callable[[Array], Array]:
    def method(self: Array) -> Array:
        return _operate(name, self)

    return method


def _operate(name: str, *operands: Any) -> Array:
    if name == "matmul":
        return quern.dist.matmul(*operands)
    result: Array = apply(_functions[name], name, operands, {})
    return result


class Array:
    """Array whose elements are spread over ranks; each rank has a block of them on its device.

    Functions such as zeros() and asarray() make arrays. All ranks call the same functions in the same order.
    Operators, methods and functions are those of NumPy. Slices are copies.

    Parameters
    ----------
    local : quern.Array
        Block of this rank.
    layout : Layout
        Which rank has which elements.
    comm : Communicator, optional
        Ranks; by default those of init().

    Examples
    --------
    >>> x = qn.dist.arange(6.0)
    >>> float((2 * x + 1).sum())
    36.0
    """

    __slots__ = ("_blocks",)
    __array_priority__ = 100
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, local: LocalArray, layout: Layout, comm: Communicator | None = None) -> None:
        self._blocks = DistributedArray(comm or current(), layout, local)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the whole array."""
        return self._blocks.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._blocks.shape)

    @property
    def size(self) -> int:
        """Number of elements of the whole array."""
        return int(np.prod(self._blocks.shape, dtype=np.int64))

    @property
    def dtype(self) -> np.dtype[Any]:
        """Data type of the elements."""
        return self._blocks.local.dtype

    @property
    def nbytes(self) -> int:
        """Number of bytes of the whole array."""
        return self.size * self.dtype.itemsize

    @property
    def device(self) -> Any:
        """Device of this rank's block."""
        return self._blocks.local.device

    @property
    def comm(self) -> Communicator:
        """Ranks that have the array."""
        return self._blocks.communicator

    @property
    def local(self) -> LocalArray:
        """Block of this rank, without a copy: writes to it change the array."""
        return self._blocks.local

    @property
    def layout(self) -> Layout:
        """Which rank has which elements."""
        return self._blocks.layout

    @property
    def owned(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each axis the intervals (start, stop) of indices that this rank has."""
        return self._blocks.layout.intervals(self._blocks.communicator.rank)

    def owner(self, index: int | tuple[int, ...]) -> int:
        """Return the lowest rank that has an element. Does not communicate.

        Parameters
        ----------
        index : int or tuple of ints
            Index of the element.

        Returns
        -------
        int
            Number of the rank.

        Examples
        --------
        >>> qn.dist.zeros(4).owner(-1)
        0
        """
        given = index if isinstance(index, tuple) else (index,)
        lengths = self.shape + (0,) * len(given)
        at = [int(one) + (length if one < 0 else 0) for one, length in zip(given, lengths, strict=False)]
        return self._blocks.layout.owner(at)

    def redistribute(self, layout: LayoutLike) -> Array:
        """Return the same elements in another layout.

        Parameters
        ----------
        layout : Layout, str, sequence of ints, cyclic or owned
            New layout, as for zeros().

        Returns
        -------
        Array
            New array.

        Examples
        --------
        >>> str(qn.dist.zeros(4).redistribute("replicated").layout)
        'replicated'
        """
        chosen = layout_of(layout, self.shape, self.comm)
        moved = wrap(self._blocks.redistribute(chosen))
        return Array(moved.local.copy(), chosen, self.comm) if self._has_whole_blocks(chosen) else moved

    def _has_whole_blocks(self, layout: Layout) -> bool:
        """Whether each rank has its elements of another layout already, in the same block."""
        return self.comm.size == 1 or layout == self.layout or str(layout) == str(self.layout) == "replicated"

    def gather(self, root: int | None = None) -> LocalArray | None:
        """Return all elements as an array of one rank.

        Parameters
        ----------
        root : int, optional
            Rank that gets the elements; by default all ranks do.

        Returns
        -------
        quern.Array
            All elements; None on ranks other than `root`.

        Examples
        --------
        >>> qn.dist.arange(3).gather()
        array([0, 1, 2], device='host')
        """
        whole = self._blocks.gather(root)
        if root is not None and root != self.comm.rank:
            return None
        ranks = self.comm.size
        gathered = (
            Layout.replicated(ranks, self.shape) if root is None else Layout.owned(ranks, self.shape, root)
        )
        return whole.copy() if self._has_whole_blocks(gathered) else whole

    def get(self) -> np.ndarray[Any, Any]:
        """Return all elements as a NumPy array, on every rank.

        Returns
        -------
        numpy.ndarray
            The elements.

        Examples
        --------
        >>> qn.dist.arange(3).get()
        array([0, 1, 2])
        """
        whole: np.ndarray[Any, Any] = self._blocks.gather().get()
        return whole

    def astype(self, dtype: Any, copy: bool = True) -> Array:
        """Convert the elements.

        Parameters
        ----------
        dtype : dtype
            New data type.
        copy : bool, optional
            Whether to copy elements that have the dtype already.

        Returns
        -------
        Array
            The converted elements.

        Examples
        --------
        >>> qn.dist.ones(2).astype("int32").dtype
        dtype('int32')
        """
        if not copy and self.dtype == np.dtype(dtype):
            return self
        return self._with(self.local.astype(dtype))

    def copy(self) -> Array:
        """Return a copy.

        Returns
        -------
        Array
            Array with memory of its own.

        Examples
        --------
        >>> qn.dist.ones(2).copy().shape
        (2,)
        """
        if self.comm.size == 1:
            return self._with(self.local.copy())
        made = wrap(DistributedArray.empty(self.comm, self.layout, self.dtype, self.device))
        made.local[...] = self.local
        return made

    def to_device(self, device: Any, /, *, stream: Any = None) -> Array:
        """Copy the block of this rank to another device. Does not communicate.

        Parameters
        ----------
        device : Device or str
            Device of the result.
        stream : Queue, optional
            Queue of the copy.

        Returns
        -------
        Array
            Array on the device.

        Examples
        --------
        >>> qn.dist.ones(2).to_device("host").device.backend
        'host'
        """
        return self._with(self.local.to_device(device, stream=stream))

    def item(self) -> Any:
        """Return the only element as a Python number. Does not communicate.

        Returns
        -------
        int, float, complex or bool
            The element.

        Examples
        --------
        >>> qn.dist.ones(3).sum().item()
        3.0
        """
        if self.size != 1:
            raise ArgumentValueError("can only convert an array of size 1 to a Python scalar")
        if not self.layout.is_replicated:
            raise ArgumentValueError(
                f"the element is on one rank only ({self.layout}); call redistribute('replicated') on all ranks first"
            )
        return self.local.item()

    @property
    def T(self) -> Array:
        """The array with its axes in reverse order."""
        return wrap(self._blocks.permute_dims(list(range(self.ndim))[::-1]))

    @property
    def mT(self) -> Array:
        """The array with its last two axes exchanged."""
        if self.ndim < 2:
            raise ArgumentValueError("mT: the array has fewer than two axes")
        order = list(range(self.ndim))
        return wrap(self._blocks.permute_dims([*order[:-2], order[-1], order[-2]]))

    @property
    def real(self) -> Array:
        """Real parts of the elements."""
        return self._with(_functions["real"](self.local))

    @property
    def imag(self) -> Array:
        """Imaginary parts of the elements."""
        return self._with(_functions["imag"](self.local))

    def _with(self, local: LocalArray) -> Array:
        return Array(local, self.layout, self.comm)

    def __getitem__(self, index: Any) -> Array:
        mask = quern.dist._masks.mask_of(index, self)
        if mask is not None:
            return quern.dist._masks.selected(self, mask)
        if quern.dist._indexing.has_arrays(index):
            return quern.dist._indexing.get_at(self, index)
        return wrap(self._blocks.get_item(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        mask = quern.dist._masks.mask_of(index, self)
        if mask is not None:
            quern.dist._masks.set_where(self, mask, value)
            return
        if quern.dist._indexing.has_arrays(index):
            quern.dist._indexing.set_at(self, index, value)
            return
        if not isinstance(value, Array):
            if is_number(value):
                self._blocks.set_item(index, value)
                return
            value = replicated(value, self)
        self._blocks.set_item(index, value._blocks)

    __add__ = _binary("add")
    __radd__ = _reflected("add")
    __iadd__ = _in_place("add")
    __sub__ = _binary("subtract")
    __rsub__ = _reflected("subtract")
    __isub__ = _in_place("subtract")
    __mul__ = _binary("multiply")
    __rmul__ = _reflected("multiply")
    __imul__ = _in_place("multiply")
    __truediv__ = _binary("divide")
    __rtruediv__ = _reflected("divide")
    __itruediv__ = _in_place("divide")
    __floordiv__ = _binary("floor_divide")
    __rfloordiv__ = _reflected("floor_divide")
    __ifloordiv__ = _in_place("floor_divide")
    __mod__ = _binary("remainder")
    __rmod__ = _reflected("remainder")
    __imod__ = _in_place("remainder")
    __pow__ = _binary("power")
    __rpow__ = _reflected("power")
    __ipow__ = _in_place("power")
    __and__ = _binary("bitwise_and")
    __rand__ = _reflected("bitwise_and")
    __iand__ = _in_place("bitwise_and")
    __or__ = _binary("bitwise_or")
    __ror__ = _reflected("bitwise_or")
    __ior__ = _in_place("bitwise_or")
    __xor__ = _binary("bitwise_xor")
    __rxor__ = _reflected("bitwise_xor")
    __ixor__ = _in_place("bitwise_xor")
    __lshift__ = _binary("left_shift")
    __rlshift__ = _reflected("left_shift")
    __ilshift__ = _in_place("left_shift")
    __rshift__ = _binary("right_shift")
    __rrshift__ = _reflected("right_shift")
    __irshift__ = _in_place("right_shift")
    __matmul__ = _binary("matmul")
    __rmatmul__ = _reflected("matmul")
    __eq__ = _binary("equal")  # type: ignore[assignment]
    __ne__ = _binary("not_equal")  # type: ignore[assignment]
    __lt__ = _binary("less")
    __le__ = _binary("less_equal")
    __gt__ = _binary("greater")
    __ge__ = _binary("greater_equal")
    __neg__ = _unary("negative")
    __pos__ = _unary("positive")
    __abs__ = _unary("absolute")
    __invert__ = _unary("invert")

    if TYPE_CHECKING:  # the functions of the namespace, which __init__.py adds
        all: Callable[..., Array]
        any: Callable[..., Array]
        argmax: Callable[..., Array]
        argmin: Callable[..., Array]
        clip: Callable[..., Array]
        conj: Callable[..., Array]
        dot: Callable[..., Array]
        max: Callable[..., Array]
        mean: Callable[..., Array]
        min: Callable[..., Array]
        prod: Callable[..., Array]
        ptp: Callable[..., Array]
        reshape: Callable[..., Array]
        round: Callable[..., Array]
        squeeze: Callable[..., Array]
        std: Callable[..., Array]
        sum: Callable[..., Array]
        take: Callable[..., Array]
        transpose: Callable[..., Array]
        var: Callable[..., Array]

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Iterator[Array]:
        raise ArgumentTypeError(
            "iteration over a distributed array would send one message for each element; iterate over x.local"
        )

    def __bool__(self) -> bool:
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __index__(self) -> int:
        return operator.index(self.item())

    def __repr__(self) -> str:
        head = f"Array of shape {self.shape}, {self.dtype}, {self.layout}"
        if self.layout.is_replicated:
            return f"<{head}:\n{self.local}>"
        ranks = f"rank {self.comm.rank} of {self.comm.size} has shape {self.local.shape}"
        return f"<{head}; {ranks}:\n{self.local}>"

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.shape and self.layout.is_replicated:  # a number that every rank has
            return np.array(self.local.get(), *args[:1])
        raise ArgumentTypeError(
            "a distributed array is not converted to a NumPy array without a request: x.get() gathers all elements on "
            "every rank, x.local is the block of this rank"
        )

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return quern.dist

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return quern.dist._numpy.call_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return quern.dist._numpy.call_function(func, args, kwargs)


def wrap(blocks: DistributedArray) -> Array:
    """The array that holds these blocks."""
    made = object.__new__(Array)
    made._blocks = blocks
    return made


def is_number(value: Any) -> bool:
    """Whether a value is one number, which needs no layout."""
    return isinstance(value, (bool, int, float, complex, np.generic))


def replicated(value: Any, beside: Array | None = None) -> Array:
    """Values that all ranks give alike, on every rank; does not communicate."""
    local = (
        value
        if isinstance(value, LocalArray)
        else quern.asarray(value, device=None if beside is None else beside.device)
    )
    comm = beside.comm if beside is not None else current()
    return Array(local, Layout.replicated(comm.size, local.shape), comm)


def apply(function: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function of elements with blocks that have one layout."""
    out = kwargs.get("out")
    if out is not None and not isinstance(out, Array):
        raise ArgumentTypeError(f"{name}: out: expected a distributed array, got {type(out).__name__}")
    first = next((one for one in (*args, *kwargs.values()) if isinstance(one, Array)), None)
    if first is None:
        raise ArgumentTypeError(
            f"{name}: at least one operand must be a distributed array; quern.dist.asarray() makes one"
        )

    def spread(value: Any) -> Any:
        """An operand that is not a distributed array yet: all ranks give the same values."""
        if isinstance(value, Array) or is_number(value) or value is None or isinstance(value, (str, type)):
            return value
        if isinstance(value, (LocalArray, np.ndarray, list, tuple)):
            return replicated(value, first)
        return value

    args = tuple(spread(one) for one in args)
    if "where" in kwargs:
        kwargs["where"] = spread(kwargs["where"])
    arrays = [one for one in (out, *args, *kwargs.values()) if isinstance(one, Array)]
    layout, blocks = DistributedArray.align(name, [one._blocks for one in arrays])
    if out is not None and layout != out.layout:
        raise ArgumentValueError(f"{name}: out has the layout {out.layout}, and the result {layout}")
    block_of = {id(one): block for one, block in zip(arrays, blocks, strict=True)}
    locals_ = [block_of[id(one)] if isinstance(one, Array) else one for one in args]
    options = {key: block_of[id(one)] if isinstance(one, Array) else one for key, one in kwargs.items()}
    if out is not None:
        options["out"] = out.local
    result = function(*locals_, **options)
    if out is not None:
        return out
    if isinstance(result, tuple):
        return tuple(_wrapped(one, layout, first) for one in result)
    return _wrapped(result, layout, first)


def _wrapped(block: LocalArray, layout: Any, beside: Array) -> Array:
    return wrap(DistributedArray(beside.comm, layout, block))
