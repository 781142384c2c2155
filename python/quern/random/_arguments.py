# SPDX-License-Identifier: MIT
"""Arguments of random draws: parameters (numbers or arrays), sizes, outputs, devices."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any, TypedDict, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .. import _core
from .._array import asarray
from .._core import (
    ArgumentTypeError,
    ArgumentValueError,
    Array,
    Device,
    Event,
    Queue,
    RandomGenerator,
)

Size = int | Sequence[int] | None
Waits = Event | Sequence[Event] | None
# A parameter: one number for all elements, or an array that is broadcast.
Number = int | float | Array | ArrayLike


class Where(TypedDict, total=False):
    """Device and queue of a draw, and the events it waits for."""

    device: Device | str | None
    queue: Queue | None
    wait_for: Waits


class Options(Where, total=False):
    """Options of all distributions."""

    dtype: DTypeLike | None
    out: Array | None


# Name, domain in words, its lower and upper end, whether the ends are included, whether only integers are
# allowed.
_Domain = tuple[str, str, float, float, bool, bool, bool]


@functools.cache
def _domains(distribution: str) -> list[_Domain]:
    return RandomGenerator.parameters(distribution)


def is_single(distribution: str, parameter: object) -> bool:
    """Whether the parameter is a number; False for arrays, including 0-d arrays."""
    if isinstance(parameter, int | float | np.integer | np.floating):
        return True
    if not isinstance(parameter, Array | np.ndarray | Sequence) or isinstance(parameter, str | bytes):
        kind = type(parameter).__name__
        raise ArgumentTypeError(f"{distribution}: expected numbers or arrays as parameters, got {kind}")
    return False


def shape_of_parameters(distribution: str, parameters: Sequence[Number]) -> tuple[int, ...]:
    shapes = [p.shape if isinstance(p, Array) else np.shape(cast(Any, p)) for p in parameters]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        texts = [str(shape) for shape in shapes]
        listed = f"{', '.join(texts[:-1])} and {texts[-1]}"
        raise ArgumentValueError(
            f"{distribution}: parameters of the shapes {listed} do not broadcast together"
        ) from None


def check_shape(name: str, shape: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    """Raise ArgumentValueError unless parameters of this shape broadcast to `wanted`."""
    try:
        fits = np.broadcast_shapes(shape, wanted) == wanted
    except ValueError:
        fits = False
    if not fits:
        raise ArgumentValueError(f"{name}: parameters of the shape {shape} do not broadcast to {wanted}")


def as_parameters(
    distribution: str, parameters: Sequence[Number], result: Array, queue: Queue | None, endpoint: bool
) -> tuple[Array, ...]:
    """Convert parameters to arrays on the result's device. Host values are checked; device arrays are not, to avoid waiting."""
    check_shape(distribution, shape_of_parameters(distribution, parameters), result.shape)
    of_host: dict[str, Any] = {}
    for domain, values in zip(_domains(distribution), parameters, strict=True):
        if isinstance(values, Array):
            continue
        name, allowed, is_whole = domain[0], domain[1], domain[-1]
        array = of_host[name] = np.asarray(values)
        is_wrong = array.dtype.kind not in "iufb"
        if is_whole and array.dtype.kind == "f":
            # Like NumPy, accept floats as numbers of trials.
            is_wrong = distribution == "integers" or not np.all(array == np.floor(array))
        if is_wrong:
            kind = "integers" if is_whole else "numbers"
            raise ArgumentTypeError(f"{distribution}: expected {name} to hold {kind}, got {array.dtype}")
        # Check the values as the kernel gets them: a number above 0 may be 0 in float32.
        with np.errstate(over="ignore", under="ignore"):
            seen = array.astype(np.float32) if result.dtype == np.float32 else array
        if distribution != "integers" and not np.all(_is_within(array, domain) & _is_within(seen, domain)):
            raise ArgumentValueError(f"{distribution}: expected {name} {allowed} everywhere")
    _check_together(distribution, of_host, result.dtype, endpoint)
    return tuple(
        values if isinstance(values, Array) else moved(values, result, queue) for values in parameters
    )


def _is_within(array: Any, domain: _Domain) -> Any:
    _, _, least, most, has_least, has_most, _ = domain
    return (array >= least if has_least else array > least) & (array <= most if has_most else array < most)


def _check_together(distribution: str, of_host: dict[str, Any], dtype: np.dtype[Any], endpoint: bool) -> None:
    """Check conditions between parameters, for those that are host values."""
    if distribution in ("uniform", "integers") and len(of_host) == 2:
        low, high = of_host["low"], of_host["high"]
        if not np.all(low <= high if endpoint or distribution == "uniform" else low < high):
            raise ArgumentValueError(f"{distribution}: expected low to be below high everywhere")
    if distribution == "integers" and of_host:
        least, greatest = (0, 1) if dtype.kind == "b" else _limits(dtype)
        for values in of_host.values():
            if np.any(values < least) or np.any(values > greatest + (not endpoint)):
                raise ArgumentValueError(f"integers: bounds do not fit {dtype}")
    if distribution == "triangular" and len(of_host) == 3:
        left, mode, right = of_host["left"], of_host["mode"], of_host["right"]
        if not np.all((left <= mode) & (mode <= right) & (left < right)):
            raise ArgumentValueError("triangular: expected left <= mode <= right and left < right everywhere")
    if (
        distribution == "hypergeometric"
        and len(of_host) == 3
        and np.any(of_host["nsample"] > of_host["ngood"] + of_host["nbad"])
    ):
        raise ArgumentValueError("hypergeometric: expected nsample <= ngood + nbad everywhere")


def moved(values: Number, result: Array, queue: Queue | None) -> Array:
    """Copy host numbers to an array on the result's device."""
    array = np.asarray(values)
    if array.dtype == np.float64 and not result.device.has_fp64:
        array = array.astype(np.float32)
    return asarray(array, device=result.device, queue=queue)


def _limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    if dtype.kind not in "iu":
        raise ArgumentTypeError(f"integers: expected an integer dtype or bool, got {dtype}")
    return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)


def integer_bounds(
    name: str, low: int, high: int | None, dtype: np.dtype[Any], endpoint: bool
) -> tuple[int, int]:
    """First and last integer, both inclusive, from NumPy's arguments."""
    try:
        first, last = (
            (0, operator.index(low)) if high is None else (operator.index(low), operator.index(high))
        )
    except TypeError:
        raise ArgumentTypeError(f"{name}: expected low and high to be integers") from None
    if not endpoint:
        last -= 1
    if dtype.kind not in "iub":
        raise ArgumentTypeError(f"{name}: expected an integer dtype or bool, got {dtype}")
    least, greatest = (0, 1) if dtype.kind == "b" else _limits(dtype)
    if first < least:
        raise ArgumentValueError(f"{name}: low is {first}, below the least {dtype}, {least}")
    if last > greatest:
        raise ArgumentValueError(f"{name}: high reaches {last}, above the greatest {dtype}, {greatest}")
    if first > last:
        relation = "<=" if endpoint else "<"
        raise ArgumentValueError(f"{name}: expected low {relation} high, got {low} and {high}")
    return first, last


def integer(name: str, value: object) -> int:
    try:
        return operator.index(cast(int, value))
    except TypeError:
        raise ArgumentTypeError(f"{name}: expected an integer, got {type(value).__name__}") from None


def count_or_array(
    x: int | Array | ArrayLike, device: Device | str | None, queue: Queue | None
) -> int | Array:
    """The population to permute or choose from: a number n for range(n), or an array."""
    if isinstance(x, Array):
        if device is not None and _core.device(device) != x.device:
            raise ArgumentValueError(
                f"the array is on '{x.device.spec}', not on '{_core.device(device).spec}'"
            )
        return x
    if isinstance(x, int | np.integer):
        if not -(1 << 63) <= x < 1 << 63:
            raise ArgumentValueError(f"expected a number below 2**63, got {x}")
        return int(x)
    if isinstance(x, np.ndarray | list | tuple):
        return asarray(x, device=device, queue=queue)
    raise ArgumentTypeError(f"expected an integer or an array, got {type(x).__name__}")


def default_float(device: Device | str | None, queue: Queue | None) -> np.dtype[Any]:
    target = queue.device if queue is not None else _core.device(device)
    return np.dtype(np.float64 if target.has_fp64 else np.float32)


def check_out(out: Array, size: Size, dtype: DTypeLike | None, device: Device | str | None) -> None:
    if not isinstance(out, Array):
        raise ArgumentTypeError(f"out: expected a quern.Array, got {type(out).__name__}")
    if dtype is not None and np.dtype(dtype) != out.dtype and out.dtype.kind == "f":
        raise ArgumentTypeError(f"out: expected dtype {np.dtype(dtype)}, got {out.dtype}")
    lengths = None if size is None else (size,) if isinstance(size, int | np.integer) else tuple(size)
    if lengths is not None and lengths != out.shape:
        raise ArgumentValueError(f"out: expected shape {lengths} (size), got {out.shape}")
    if device is not None and _core.device(device) != out.device:
        raise ArgumentValueError(
            f"out: expected an array on '{_core.device(device).spec}', got one on '{out.device.spec}'"
        )
