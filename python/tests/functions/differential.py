# SPDX-License-Identifier: MIT
"""Calls drawn at random, made with NumPy and with quern, and what differs between the two.

`differential_calls.py` says how each function is called and `differential_known.py` which differences docs/numpy-differences.md names.
A call is drawn from a seed alone, so that the seed in a report repeats it.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import quern as qn

DTYPES = [np.dtype(code) for code in "?bhilBHILefdFD"]
FLOATS = "fc"
NUMBERS = "biufc"
REAL = "biuf"


class Operand:
    """An array as both sides get it: elements in memory, and a view of them."""

    def __init__(self, base: np.ndarray, steps: Sequence[tuple[str, Any]] = (), is_lazy: bool = False):
        self.base = base
        self.steps = list(steps)
        self.is_lazy = is_lazy

    def _view(self, module: Any, x: Any) -> Any:
        for step, detail in self.steps:
            if step == "index":
                x = x[detail]
            elif step == "transpose":
                x = x.T
            else:
                x = module.broadcast_to(x, detail)
        return x

    def numpy(self) -> np.ndarray:
        return self._view(np, self.base.copy())

    def quern(self, device: Any) -> qn.Array:
        x = self._view(qn, qn.asarray(self.base, device=device))
        # An expression that has not run yet, whose values are the same.
        return qn.where(qn.asarray(True, device=device), x, x) if self.is_lazy else x

    @property
    def dtype(self) -> np.dtype:
        return self.base.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.numpy().shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    def __repr__(self) -> str:
        x = self.numpy()
        text = f"np.array({x.tolist()!r}, {str(x.dtype)!r})" + (f".reshape{x.shape}" if x.size == 0 else "")
        how = [f"{step} {detail}".strip() for step, detail in self.steps] + ["lazy"] * self.is_lazy
        return text + (f"<{', '.join(how)}>" if how else "")


@dataclass
class Call:
    """One call: what both sides are given, and how near their results have to be."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    # Sums lose digits to cancellation: the error allowed is relative to this number, not to the result alone.
    scale: float = 0.0
    # Where intermediate results are in another precision than the result, it is this dtype's.
    precision: Any = None
    # Some results are not determined: "elements" are whatever was in memory.
    ignored: str = ""

    def __repr__(self) -> str:
        given = [repr(one) for one in self.args] + [f"{key}={value!r}" for key, value in self.kwargs.items()]
        return f"({', '.join(given)})"


class Draw:
    """What a call is made of, from a seed."""

    def __init__(self, seed: object):
        self.random = random.Random(repr(seed))
        self.name = ""
        self.regime = self.random.choices(["small", "normal", "special", "extreme"], [4, 3, 2, 2])[0]

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    def integer(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def pick(self, options: Sequence[Any]) -> Any:
        return self.random.choice(options)

    def maybe(self, **options: Any) -> dict[str, Any]:
        """Some of these keywords; what is a function is called for its value."""
        chosen = {key: value for key, value in options.items() if self.chance(0.3)}
        return {key: value() if callable(value) else value for key, value in chosen.items()}

    def dtype(self, kinds: str = NUMBERS) -> np.dtype:
        return self.pick([one for one in DTYPES if one.kind in kinds])

    def shape(self, low: int = 0, high: int = 3, longest: int = 4) -> tuple[int, ...]:
        rank = self.integer(low, high)
        lengths = [self.pick([1, 2, 3, longest]) for _ in range(rank)]
        if rank and self.chance(0.06):
            lengths[self.integer(0, rank - 1)] = 0
        return tuple(lengths)

    def element(self, dtype: np.dtype) -> Any:
        """A Python number that the dtype holds."""
        if dtype.kind == "b":
            return self.chance(0.5)
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            low, high = int(limits.min), int(limits.max)
            if self.regime == "normal":
                return self.integer(max(low, -100), min(high, 200))
            if self.regime in ("extreme", "special") and self.chance(0.6):
                return self.pick([low, high, low + 1, high - 1, 0, 1, high // 2, self.integer(low, high)])
            return self.integer(max(low, -4), 5)
        if dtype.kind == "c":
            part = np.dtype(np.float32 if dtype.itemsize == 8 else np.float64)
            return complex(self.element(part), self.element(part))
        if self.regime == "special" and self.chance(0.5):
            return self.pick([float("nan"), float("inf"), -float("inf"), -0.0, 0.0])
        if self.regime == "extreme" and self.chance(0.3):
            limits = np.finfo(dtype)
            return float(self.pick([limits.max, limits.min, limits.tiny, limits.eps, -limits.tiny]))
        if self.regime == "normal":
            return float(np.array(self.random.gauss(0, 10), dtype))
        return self.integer(-8, 8) / 4

    def elements(self, dtype: np.dtype, shape: Sequence[int]) -> np.ndarray:
        count = int(np.prod(shape, dtype=np.int64))
        return np.array([self.element(dtype) for _ in range(count)], dtype).reshape(shape)

    def array(
        self,
        kinds: str = NUMBERS,
        shape: Sequence[int] | None = None,
        dtype: Any = None,
        low: int = 0,
        high: int = 3,
        plain: bool = False,
    ) -> Operand:
        """An array, often a view of another."""
        wanted = self.dtype(kinds) if dtype is None else np.dtype(dtype)
        lengths = tuple(self.shape(low, high) if shape is None else shape)
        layout = self.pick(
            ["plain", "plain", "transposed", "reversed", "strided", "offset", "broadcast", "lazy"]
        )
        if plain or layout == "plain" or not lengths:
            return Operand(self.elements(wanted, lengths), is_lazy=layout == "lazy" and not plain)
        if layout == "lazy":
            return Operand(self.elements(wanted, lengths), is_lazy=True)
        if layout == "transposed":
            return Operand(self.elements(wanted, lengths[::-1]), [("transpose", "")])
        at = self.integer(0, len(lengths) - 1)
        if layout == "broadcast":
            base = self.elements(wanted, (*lengths[:at], 1, *lengths[at + 1 :]))
            return Operand(base, [("broadcast", lengths)])
        part, length = {
            "reversed": (slice(None, None, -1), lengths[at]),
            "strided": (slice(None, None, 2), max(2 * lengths[at] - self.integer(0, 1), 0)),
            "offset": (slice(1, None), lengths[at] + 1),
        }[layout]
        base = self.elements(wanted, (*lengths[:at], length, *lengths[at + 1 :]))
        return Operand(base, [("index", (*[slice(None)] * at, part))])

    def broadcast_shapes(self, count: int, low: int = 0, high: int = 3) -> list[tuple[int, ...]]:
        """Shapes that broadcast, mostly."""
        whole = self.shape(low, high)
        shapes = []
        for _ in range(count):
            cut = self.integer(0, len(whole)) if self.chance(0.3) else 0
            own = [1 if self.chance(0.15) else length for length in whole[cut:]]
            if own and self.chance(0.02):
                own[0] += 1
            shapes.append(tuple(own))
        return shapes

    def number(self, kinds: str = NUMBERS) -> Any:
        """A Python number."""
        kind = self.pick([one for one in "bifc" if one in kinds.replace("u", "i")])
        return self.element(
            np.dtype({"b": "?", "i": "int64" if self.chance(0.3) else "int8", "f": "f8", "c": "c16"}[kind])
        )

    def value(self, kinds: str = NUMBERS, shape: Sequence[int] = ()) -> Any:
        """An array mostly; a number of Python's or NumPy's, or a list, now and then."""
        form = self.random.choices(["array", "number", "scalar", "list"], [14, 3, 1, 1])[0]
        if form == "array":
            return self.array(kinds, shape)
        if form == "number":
            return self.number(kinds)
        dtype = self.dtype(kinds)
        if form == "scalar":
            return dtype.type(self.element(dtype))
        return self.elements(
            np.dtype({"b": "?", "i": "i8", "u": "i8", "f": "f8", "c": "c16"}[dtype.kind]), shape
        ).tolist()

    def axis(self, rank: int) -> int:
        if self.chance(0.03):
            return self.pick([rank, -rank - 1])
        return self.integer(-rank, rank - 1) if rank else self.pick([0, -1])

    def axes(self, rank: int, none: bool = True) -> Any:
        """What a reduction takes: None, one axis, or several."""
        form = self.pick(["none", "one", "one", "several"])
        if form == "none" and none:
            return None
        if form == "several" and rank > 1:
            count = self.integer(1, rank)
            chosen = self.random.sample(range(rank), count)
            if self.chance(0.03):
                chosen.append(chosen[0])
            return tuple(axis - rank if self.chance(0.3) else axis for axis in chosen)
        return self.axis(rank)

    def flag(self) -> bool:
        return self.chance(0.5)

    def mask(self, shape: Sequence[int]) -> Operand:
        return self.array(shape=shape, dtype=np.bool_)


def largest(*operands: Any) -> float:
    """The greatest finite size among the elements: what cancellation is measured by."""
    found = 1.0
    for one in operands:
        x = np.asarray(one.base if isinstance(one, Operand) else one)
        if x.dtype.kind in "biufc" and x.size:
            with np.errstate(all="ignore"):
                sizes = np.abs(x.astype(np.complex128))
            sizes = sizes[np.isfinite(sizes)]
            found = max(found, float(sizes.max())) if sizes.size else found
    return min(found, 1e100)


def converted(value: Any, convert: Callable[[Operand], Any]) -> Any:
    """The value with arrays of one side in the place of operands."""
    if isinstance(value, Operand):
        return convert(value)
    if isinstance(value, (list, tuple)):
        return type(value)(converted(one, convert) for one in value)
    if isinstance(value, dict):
        return {key: converted(one, convert) for key, one in value.items()}
    return value


def on_host(value: Any) -> Any:
    if isinstance(value, qn.Array):
        return value.get()
    if isinstance(value, (list, tuple)):
        return [on_host(one) for one in value]
    if isinstance(value, dict):
        return {key: on_host(one) for key, one in value.items()}
    return value


@dataclass
class Outcome:
    """What a call gave: its result and its arguments afterwards, or the error."""

    result: Any = None
    arguments: Any = None
    error: Exception | None = None

    def __repr__(self) -> str:
        if self.error is not None:
            return f"{type(self.error).__name__}: {str(self.error)[:200]}"
        x = self.result
        return f"{x!r} {x.dtype} {x.shape}" if isinstance(x, (np.ndarray, np.generic)) else repr(x)


def outcome_of(function: Callable[..., Any], call: Call, convert: Callable[[Operand], Any]) -> Outcome:
    """Calls the function, and waits for all that it gives: errors may come with the elements."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        args, kwargs = converted(call.args, convert), converted(call.kwargs, convert)
        try:
            result = on_host(function(*args, **kwargs))
            return Outcome(result, on_host([args, kwargs]))
        except Exception as error:  # what it is compared by is its type
            return Outcome(error=error)


_KINDS_OF_ERRORS = (IndexError, OverflowError, ZeroDivisionError, TypeError, ValueError)


def difference(call: Call, expected: Outcome, found: Outcome) -> str:
    """Says how the two differ; nothing where they do not."""
    if expected.error is not None and found.error is not None:
        if isinstance(
            found.error,
            NotImplementedError | MemoryError | SystemError | AttributeError | KeyError | AssertionError,
        ):
            return f"error type: {type(found.error).__name__}"
        kinds = [kind for kind in _KINDS_OF_ERRORS if isinstance(expected.error, kind)]
        if kinds and not any(isinstance(found.error, kind) for kind in kinds):
            return f"error type: {type(expected.error).__name__} expected"
        return ""
    if expected.error is not None:
        return f"no error: {type(expected.error).__name__} expected"
    if found.error is not None:
        return f"an error: {type(found.error).__name__}"
    return _differs(call, expected.result, found.result) or (
        _differs(call, expected.arguments, found.arguments, " of an argument")
    )


def _differs(call: Call, expected: Any, found: Any, what: str = "") -> str:
    if isinstance(expected, (list, tuple)) and isinstance(found, (list, tuple)):
        if len(expected) != len(found):
            return f"number of results{what}: {len(expected)} expected"
        differences = (_differs(call, one, other, what) for one, other in zip(expected, found, strict=True))
        return next((one for one in differences if one), "")
    if isinstance(expected, dict) and isinstance(found, dict):
        return _differs(call, list(expected.values()), list(found.values()), what)
    is_array = isinstance(expected, (np.ndarray, np.generic))
    if not is_array and not isinstance(found, np.ndarray):
        return "" if _is_same(expected, found) else f"value{what}"
    try:
        one, other = np.asarray(expected), np.asarray(found)
    except ValueError:
        return f"kind of result{what}"
    if one.shape != other.shape:
        return f"shape{what}"
    if one.dtype != other.dtype:
        return f"dtype{what}: {one.dtype} expected"
    if call.ignored == "elements" or one.dtype.kind not in NUMBERS:
        return ""
    return "" if _are_near(one, other, call.scale, call.precision) else f"value{what}"


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, (float, complex)) and isinstance(other, (float, complex)):
        return _are_near(np.asarray(one), np.asarray(other, type(one)), 0.0)
    return bool(one == other) or one is other


def _are_near(expected: np.ndarray, found: np.ndarray, scale: float, precision: Any = None) -> bool:
    if expected.dtype.kind in "biu":
        return bool((expected == found).all())
    if expected.dtype.kind == "c":
        # A part may be small beside the other; NaN in one of them says nothing of the other.
        return _are_near_complex(expected, found, scale, precision)
    tolerance = _tolerance(expected.dtype, precision)
    with np.errstate(all="ignore"):
        wide, other = expected.astype(np.float64), found.astype(np.float64)
        near = np.abs(wide - other) <= tolerance * (np.abs(wide) + scale) + float(
            np.finfo(expected.dtype).tiny
        )
    return bool((near | (wide == other) | (np.isnan(wide) & np.isnan(other))).all())


def _tolerance(dtype: np.dtype, precision: Any) -> float:
    """The relative error allowed, in steps of the coarser of the two types."""
    types = [np.dtype(one) for one in (dtype, precision) if one is not None and np.dtype(one).kind in FLOATS]
    return max((4 if one == np.float16 else 32) * float(np.finfo(one).eps) for one in types)


def _are_near_complex(expected: np.ndarray, found: np.ndarray, scale: float, precision: Any) -> bool:
    part = expected.real.dtype
    tolerance = _tolerance(part, precision)
    with np.errstate(all="ignore"):
        size = np.abs(expected.astype(np.complex128))
        near = np.abs(expected.astype(np.complex128) - found) <= tolerance * (size + scale) + float(
            np.finfo(part).tiny
        )
        both_nan = np.isnan(expected) & np.isnan(found)
        same = [
            (one == other)
            | (np.isnan(one) & np.isnan(other))
            | (np.abs(one - other) <= tolerance * (np.abs(one) + scale))
            for one, other in ((expected.real, found.real), (expected.imag, found.imag))
        ]
    return bool((near | both_nan | (same[0] & same[1])).all())
