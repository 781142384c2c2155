# SPDX-License-Identifier: MIT
"""The differences from NumPy that docs/numpy-differences.md names, in one table: how each is recognised, and the words of the page.

A difference that no row recognises fails the tests. A row says no more than it has to: it names the functions and the
calls that it is about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from differential import Call, Operand, Outcome
from differential_table import words


@dataclass(frozen=True)
class Known:
    """A difference, as the page names it."""

    words: str
    holds: Callable[[str, Call, Outcome, Outcome, str], bool]


def _own(name: str) -> str:
    return name.rpartition(".")[2]


def _operands(call: Call) -> list[np.ndarray]:
    def found(value: Any) -> list[np.ndarray]:
        if isinstance(value, Operand):
            return [value.numpy()]
        if isinstance(value, (list, tuple)):
            return [array for one in value for array in found(one)]
        return [np.asarray(value)] if isinstance(value, (bool, int, float, complex, np.generic)) else []

    return found([*call.args, *call.kwargs.values()])


def _parts(value: Any) -> list[np.ndarray]:
    if isinstance(value, (list, tuple)):
        return [array for one in value for array in _parts(one)]
    return [np.asarray(value)] if isinstance(value, (np.ndarray, np.generic, float, complex)) else []


def _differ_only_where(
    call: Call, expected: Outcome, found: Outcome, is_excused: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> bool:
    """Whether elements that differ are all excused."""
    if expected.error is not None or found.error is not None:
        return False
    pairs = list(zip(_parts(expected.result), _parts(found.result), strict=False))
    for one, other in pairs:
        if one.shape != other.shape or one.dtype != other.dtype:
            return False
        with np.errstate(all="ignore"):
            scale = np.abs(one[np.isfinite(one)]).astype(float).max(initial=float(call.scale))
            small = (1e-3 if one.dtype == np.float16 else 1e-6) * scale
            near = np.isclose(one, other, rtol=1e-3, atol=small, equal_nan=True)
        if not (near | is_excused(one, other)).all():
            return False
    return bool(pairs)


def _complex_infinities(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    if not any(one.dtype.kind == "c" for one in (*_operands(call), *_parts(expected.result))):
        return False
    huge = [one for one in _operands(call) if one.dtype.kind == "c"]
    is_huge = any(
        (np.abs(one.view(one.real.dtype)) > np.finfo(one.dtype).max / 8).any()
        for one in map(np.atleast_1d, map(np.ascontiguousarray, huge))
    )
    return _differ_only_where(call, expected, found, lambda a, b: ~np.isfinite(a) | ~np.isfinite(b) | is_huge)


_SUMS = words(
    """
    sum prod mean var std nansum nanprod nanmean nanvar nanstd cumsum cumprod nancumsum nancumprod
    cumulative_sum cumulative_prod average matmul dot inner vdot vecdot matvec vecmat tensordot
    einsum trace convolve correlate cov corrcoef polyval norm vector_norm matrix_norm trapezoid
    unwrap kron matrix_power gradient linspace polymul polydiv polyint poly polyfit
    """
)


def _overflow(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    if _own(name) not in _SUMS:
        return False
    floats = [one for one in _operands(call) if one.dtype.kind in "fc" and one.size]
    with np.errstate(all="ignore"):
        is_huge = any((np.abs(one[np.isfinite(one)]) > np.finfo(one.dtype).max / 1e3).any() for one in floats)
    if _own(name) == "linspace" and expected.error is None:
        most = min(
            (float(np.finfo(one.dtype).max) for one in _parts(expected.result) if one.dtype.kind in "fc"),
            default=np.inf,
        )
        is_huge = is_huge or any((np.abs(one.astype(complex)) > most).any() for one in _operands(call))
    if call.kwargs.get("dtype") == np.float16:
        is_huge = is_huge or any((np.abs(one) > 1e2).any() for one in _operands(call))
    if call.kwargs.get("dtype") == np.float32 and "prod" in name:
        is_huge = is_huge or any((np.abs(one.astype(float)) > 1e5).any() for one in _operands(call))
    return is_huge and _differ_only_where(
        call, expected, found, lambda a, b: ~np.isfinite(a) | ~np.isfinite(b) | (np.abs(a) > 1)
    )


def _is_cast_of_nothing(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    """Floats without an integer of their value, converted to integers."""
    wanted = [np.dtype(one).kind for one in (*call.args, *call.kwargs.values()) if isinstance(one, np.dtype)]
    targets = [one.dtype.kind for one in call.kwargs.values() if isinstance(one, Operand)]
    targets += [call.args[0].dtype.kind] if name == "copyto" else []
    if _own(name) == "linspace" and wanted and wanted[0] in "iu":
        limits = np.iinfo(call.kwargs["dtype"])
        ends = [one.real.astype(float) for one in _operands(call)]
        return any(((one < limits.min) | (one > limits.max)).any() for one in ends)
    floats = [one for one in _operands(call) if one.dtype.kind in "fc"]
    if (
        not floats
        or not any(kind in "iu" for kind in (*wanted, *targets))
        or not difference.startswith("value")
    ):
        return False
    with np.errstate(all="ignore"):
        return any((~np.isfinite(one) | (np.abs(one) >= 100) | (one.real < 0)).any() for one in floats)


def _is_number_out_of_bounds(
    name: str, call: Call, expected: Outcome, found: Outcome, difference: str
) -> bool:
    if name == "pad":  # the mean of nothing
        is_of_nothing = call.kwargs.get("mode") in ("mean", "median") and call.kwargs.get("stat_length") == 0
        return is_of_nothing and _operands(call)[0].dtype.kind in "iu"
    return isinstance(found.error, OverflowError) and any(one.dtype.kind in "fc" for one in _operands(call))


def _infinite_neighbours(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    return (
        _own(name) in ("quantile", "percentile", "nanquantile", "nanpercentile")
        and _differ_only_where(call, expected, found, lambda a, b: ~np.isfinite(a))
        and _are_far_apart(call.args[0].numpy())
    )


def _are_far_apart(values: np.ndarray) -> bool:
    """Whether there are infinities, or numbers whose difference is one."""
    if values.dtype.kind != "f":
        return False
    with np.errstate(all="ignore"):
        return bool(np.isinf(np.nanmax(values, initial=0) - np.nanmin(values, initial=0)))


def _dot_with_zero(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    if _own(name) not in ("dot", "inner", "tensordot", "matmul", "outer", "kron"):
        return False
    return _differ_only_where(call, expected, found, lambda a, b: (a == 0) & np.isnan(b))


def _sum_of_infinities(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    return name == "einsum" and _differ_only_where(
        call, expected, found, lambda a, b: ~np.isfinite(a) | ~np.isfinite(b)
    )


def _two_mistakes(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    kinds = (TypeError, ValueError, OverflowError)
    is_either = isinstance(expected.error, kinds) and isinstance(found.error, kinds)
    return (
        is_either
        and difference.startswith("error type")
        and (
            name.startswith("operator.i")
            or "out" in call.kwargs
            or "dtype" in call.kwargs
            or _own(name) == "clip"
        )
    )


def _narrower(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    dtype = call.kwargs.get("dtype")
    if _own(name) not in ("var", "std", "nanvar", "nanstd") or dtype is None:
        return False
    return bool(np.dtype(dtype) != np.result_type(dtype, call.args[0].dtype)) and difference == "value"


def _integer_quantiles(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    if _own(name) not in ("quantile", "percentile", "nanquantile", "nanpercentile") or difference != "value":
        return False
    x = call.args[0].numpy()
    if x.dtype.kind not in "iu" or x.size == 0:
        return False
    low, high = int(x.min()), int(x.max())
    return high - low > np.iinfo(x.dtype).max or max(high, -low) > 1 << 53


def _nothing_to_order(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    if _own(name) not in ("quantile", "percentile", "nanquantile", "nanpercentile", "median", "nanmedian"):
        return False
    x = call.args[0].numpy()
    only_nan = x.dtype.kind == "f" and np.isnan(x).any()
    return x.size == 0 or (bool(only_nan) and difference.startswith("dtype"))


def _counts_booleans(name: str, call: Call) -> bool:
    return _own(name) == "bitwise_count" and _operands(call)[0].dtype.kind == "b"


def _strict_numbers(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    """Python numbers and lists that a rule of casting refuses."""
    has_number = any(not isinstance(one, Operand) for one in call.args)
    return (
        call.kwargs.get("casting") in ("no", "equiv", "safe")
        and isinstance(expected.error, TypeError)
        and found.error is None
        and (has_number or _own(name) == "signbit" or _counts_booleans(name, call))
    )


_SELECTIONS = words(
    "argmax argmin nanargmax nanargmin take compress quantile percentile nanquantile nanpercentile choose"
)


_ORDER = words(
    """
    min max amin amax nanmin nanmax any all median nanmedian quantile percentile nanquantile nanpercentile
    """
)


def _out(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    out = call.kwargs.get("out")
    if not isinstance(out, Operand):
        return False
    is_reduction = _own(name) in _SUMS or _own(name) in _ORDER
    if isinstance(found.error, TypeError | OverflowError) or is_reduction:
        return True
    if _own(name) in _SELECTIONS and found.error is None:
        return isinstance(expected.error, TypeError | OverflowError)
    # The last digits are those of the type that the operands have, not of a wider `out`.
    types = [one.dtype for one in call.args if isinstance(one, Operand | np.generic)]
    if _own(name) in ("round", "around") and types and types[0].kind == "f":
        step = 2 * float(np.finfo(types[0]).eps)
        return _differ_only_where(call, expected, found, lambda a, b: abs(a - b) <= step * abs(a))
    is_wider = out.dtype == np.float64 and bool(types) and np.result_type(*types, np.float16) == np.float32
    return is_wider and _differ_only_where(call, expected, found, lambda a, b: np.zeros(a.shape, bool))


def _minus_infinity(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    return _own(name) in ("pow", "power", "float_power", "ipow") and _differ_only_where(
        call,
        expected,
        found,
        lambda a, b: (np.isnan(a) & np.isposinf(b)) | (np.isposinf(a) & np.isnan(b)),
    )


def _edges(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    if _own(name) != "histogram" or expected.error is not None or found.error is not None:
        return False
    (counts, edges), (ours, our_edges) = expected.result, found.result
    if edges.dtype != np.float32 or not np.allclose(edges, our_edges, rtol=1e-6, atol=1e-6):
        return False
    return bool(np.isclose(np.sum(ours), np.sum(counts), rtol=1e-5)) and "weights" not in call.kwargs


def _spaced(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    """Within the precision that the ends have, and of integers one apart at most."""
    narrow = [one for one in _operands(call) if one.dtype in (np.float16, np.float32)]
    is_named = _own(name) in ("linspace", "logspace", "geomspace") and call.kwargs.get("dtype") is not None
    if not is_named or not narrow or not difference.startswith("value"):
        return False
    precision = max(float(np.finfo(one.dtype).eps) for one in narrow)
    for theirs, ours in zip(_parts(expected.result), _parts(found.result), strict=True):
        far = np.abs(theirs.astype(complex)).max(initial=1.0) * 4 * precision
        if (
            _own(name) == "logspace"
        ):  # A power of 10 has the rounding of its exponent 2.3 times as often as that is.
            far *= 4
        if theirs.dtype.kind in "iu":
            far += 1
        if not np.allclose(theirs.astype(complex), ours.astype(complex), rtol=0, atol=far, equal_nan=True):
            return False
    return True


def _leaves_range(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    """A product that is a number beyond the least or the greatest of its type on the way."""
    if "prod" not in _own(name) or not difference.startswith("value"):
        return False
    values = call.args[0].numpy()
    dtype = np.dtype(call.kwargs.get("dtype") or values.dtype)
    if dtype.kind not in "fc":
        return False
    size = np.abs(values.astype(np.complex128)).ravel()
    size = size[np.isfinite(size) & (size != 0)]
    # Whatever axis it is taken along, some of these are multiplied.
    steps, limits = np.log2(size), np.finfo(dtype)
    return bool(
        steps[size < 1].sum() < np.log2(float(limits.tiny))
        or steps[size > 1].sum() > np.log2(float(limits.max))
    )


def _unread_positions(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    """Positions along an axis of an array that has no elements for other reasons."""
    if not isinstance(expected.error, IndexError) or found.error is not None:
        return False
    if _own(name) == "setitem":
        before = call.args[0].numpy()
        return np.array_equal(found.result, before, equal_nan=before.dtype.kind in "fc")
    return all(one.size == 0 for one in _parts(found.result))


def _taken(names: str, difference: str) -> Callable[[str, Call, Outcome, Outcome, str], bool]:
    """These functions take what NumPy refuses, or the other way round."""
    known = set(names.split())
    return lambda name, call, expected, found, how: _own(name) in known and how.startswith(difference)


def _lost_weights(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    """Weights that cancel: how far the rounding of their sum may take the average."""
    if name != "average" or difference != "value" or not isinstance(call.kwargs.get("weights"), Operand):
        return False
    weights = call.kwargs["weights"].numpy()
    wide = weights.astype(np.complex128)
    precision = np.finfo(weights.dtype if weights.dtype.kind in "fc" else np.float64).eps
    with np.errstate(all="ignore"):
        lost = float(64 * precision * abs(wide).sum() / abs(wide.sum()))
        near = np.isclose(expected.result, found.result, rtol=min(lost, 1e-3), atol=0)
    return not lost < 0.1 or (lost > 1e3 * precision and bool(near.all()))


def _does_not_vary(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    if name != "corrcoef" or difference != "value":
        return False
    values = np.atleast_2d(_operands(call)[0])
    return any((values == values.take([0], axis)).all(axis).any() for axis in (0, 1) if values.size)


def _masked_sum(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    """One after the other in float16 the rounding of as many steps adds up."""
    if _own(name) not in ("sum", "mean", "nansum", "nanmean") or "where" not in call.kwargs:
        return False
    values = call.args[0].numpy()
    if np.dtype(call.kwargs.get("dtype") or values.dtype) != np.float16 or difference != "value":
        return False
    with np.errstate(all="ignore"):
        far = np.abs(values[np.isfinite(values)]).astype(float).sum() * values.size * 2.0**-11
    return _differ_only_where(call, expected, found, lambda a, b: np.abs(a.astype(float) - b) <= far)


def _unsigned_positions(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    return "according to the rule 'safe'" in str(expected.error) and any(
        one.dtype == np.uint64 for one in _operands(call)
    )


def _negative_powers(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    errors = f"{expected.error} {found.error}"
    return _own(name) in ("pow", "power", "ipow") and "negative integer powers" in errors


def _single_elements(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    return name in ("Array.__int__", "Array.__float__", "Array.__complex__", "Array.__index__") and (
        call.args[0].ndim > 0
    )


_SETS = words("setxor1d intersect1d union1d setdiff1d isin in1d searchsorted unique digitize")


def _wide_sets(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    if found.error is not None:
        return False
    types = {one.dtype for one in _operands(call)}
    is_wide = any(one.kind in "iu" and one.itemsize == 8 for one in types)
    return _own(name) in _SETS and is_wide and len(types) > 1 and np.result_type(*types).kind in "fc"


def _close_edges(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    edges = _operands(call)[1:2]
    is_beyond = any(one.dtype.kind in "iu" and (abs(one.astype(float)) > 2**53).any() for one in edges)
    return _own(name) == "digitize" and found.error is None and is_beyond


def _overflowing_distance(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    sizes = [np.abs(one.astype(np.complex128)) for one in _operands(call)[:2]]
    return name in ("isclose", "allclose") and any((one > 6e4).any() for one in sizes)


def _infinite_slopes(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> bool:
    is_infinite = any(one.dtype.kind in "fc" and not np.isfinite(one).all() for one in _operands(call)[:1])
    return (
        name == "gradient"
        and is_infinite
        and _differ_only_where(call, expected, found, lambda a, b: ~np.isfinite(a) | ~np.isfinite(b))
    )


def _dtype(call: Call) -> np.dtype:
    given = call.args[0]
    return given.dtype if isinstance(given, Operand) else np.asarray(given).dtype


def _operands_are(call: Call, kinds: str) -> bool:
    return _dtype(call).kind in kinds


def _is_half(call: Call) -> bool:
    """Whether a function of this is computed in float16."""
    return _dtype(call) in (np.float16, np.int8, np.uint8, np.bool_)


KNOWN = [
    Known("Complex products at infinities", _complex_infinities),
    Known("Sums and products that overflow on the way", _overflow),
    Known("Integers converted from unrepresentable values", _is_cast_of_nothing),
    Known("Integers converted from unrepresentable values", _is_number_out_of_bounds),
    Known("Sums and products that overflow on the way", _sum_of_infinities),
    Known("A call with two errors", _two_mistakes),
    Known(
        "`sinc` of huge numbers",
        lambda name, call, expected, found, how: (
            name == "sinc" and _differ_only_where(call, expected, found, lambda a, b: np.isnan(a) & (b == 0))
        ),
    ),
    Known("Quantiles beside infinities", _infinite_neighbours),
    Known("`dot` with the number 0", _dot_with_zero),
    Known("Quantiles of integers do not wrap around", _integer_quantiles),
    Known("Quantiles of an empty array", _nothing_to_order),
    Known("`out=` says where a result is stored, not how it is computed", _out),
    Known("`casting=` applies to arrays", _strict_numbers),
    Known("`digitize` with integers beyond 2^53", _close_edges),
    Known("`var` and `std` with a narrower `dtype=`", _narrower),
    Known(
        "Squares that underflow their dtype",
        lambda name, call, expected, found, how: (
            _own(name) in ("var", "std", "nanvar", "nanstd")
            and bool(call.kwargs.get("ddof") or call.kwargs.get("correction"))
            and any(((one != 0) & (abs(one) < 1e-15)).any() for one in _operands(call)[:1])
            and _differ_only_where(call, expected, found, lambda a, b: np.isnan(a) & np.isinf(b))
        ),
    ),
    Known("Minus infinity to the power 0.5", _minus_infinity),
    Known("An element on the edge of two bins", _edges),
    Known("`linspace` with a `dtype=` wider than its ends", _spaced),
    Known("Products that overflow their dtype on the way", _leaves_range),
    Known(
        "A device without half precision",
        lambda name, call, expected, found, how: "has no half precision" in str(found.error),
    ),
    Known(
        "Splitting into 0 parts",
        lambda name, call, expected, found, how: (
            name.endswith("split")
            and isinstance(expected.error, ZeroDivisionError)
            and found.error is not None
        ),
    ),
    Known("Weights whose sum is zero", _taken("average", "no error: ZeroDivisionError")),
    Known("Weights whose sum is zero", _lost_weights),
    Known("Correlations of constant data", _does_not_vary),
    Known("A sum of float16 with `where=`", _masked_sum),
    Known(
        "Python integers beyond int64 converted to bool",
        lambda name, call, expected, found, how: (
            how == "no error: OverflowError expected"
            and any(type(one) is int and abs(one) >> 63 for one in (*call.args, *call.kwargs.values()))
            and any(part.dtype == np.bool_ for part in _parts(found.result))
        ),
    ),
    Known("Indices of dtype uint64", _unsigned_positions),
    Known("Indices into an array without elements", _unread_positions),
    Known("Integers to negative powers", _negative_powers),
    Known("Arrays of one element convert to `float`, `int` and `complex`", _single_elements),
    Known("Set functions of 64-bit integers beside other types", _wide_sets),
    Known("`isclose` of numbers whose difference overflows", _overflowing_distance),
    Known("`gradient` with infinite coordinates", _infinite_slopes),
    Known("`fill` returns an event", lambda name, *rest: name == "Array.fill" and rest[-1] == "value"),
    Known(
        "`reciprocal` of the integer 0",
        lambda name, call, expected, found, how: _own(name) == "reciprocal" and _operands_are(call, "iu"),
    ),
    Known("`ldexp` of a Python integer", _taken("ldexp", "dtype: float16")),
    Known(
        "`ldexp` of a Python integer",
        lambda name, call, expected, found, how: (
            _own(name) == "ldexp"
            and how == "value"
            and isinstance(call.args[0], int)
            and "out" in call.kwargs
        ),
    ),
    Known(
        "The square of booleans",
        lambda name, call, expected, found, how: (
            how.startswith("dtype") and _own(name) in ("pow", "ipow") and _operands_are(call, "b")
        ),
    ),
    Known("`ldexp` of a Python integer", _taken("ldexp", "no error: OverflowError")),
    Known(
        "`where` of Python integers that the dtype cannot hold",
        _taken("where", "an error: ArgumentOverflowError"),
    ),
    Known(
        "`i0` of infinity",
        lambda name, call, expected, found, how: (
            _own(name) == "i0"
            and _differ_only_where(call, expected, found, lambda a, b: np.isnan(a) & np.isinf(b))
        ),
    ),
    Known(
        "`spacing` of negative float16",
        lambda name, call, expected, found, how: (
            _own(name) == "spacing" and (_is_half(call) or call.kwargs.get("dtype") == np.float16)
        ),
    ),
    Known(
        "`einsum` with `optimize=` of narrow integers",
        lambda name, call, expected, found, how: (
            name == "einsum"
            and bool(call.kwargs.get("optimize"))
            and (how == "value" or how.startswith("dtype"))
            and any(one.dtype.kind in "biu" and one.dtype.itemsize < 8 for one in _operands(call))
        ),
    ),
    Known("`select` of Python integers beside unsigned ones", _taken("select", "no error: TypeError")),
    Known(
        "A complex number does not become a real one",
        lambda name, call, expected, found, how: (
            isinstance(found.error, TypeError)
            and (
                "cannot convert a complex number" in str(found.error)
                or "cannot convert complex numbers" in str(found.error)
                or (
                    "cannot hold the given number" in str(found.error)
                    and call.kwargs.get("casting") == "unsafe"
                )
                or (
                    "the result has dtype complex" in str(found.error)
                    and call.kwargs.get("casting") == "unsafe"
                )
            )
        ),
    ),
]


def known(name: str, call: Call, expected: Outcome, found: Outcome, difference: str) -> str:
    """The words of the page for a difference, or nothing."""
    return next((one.words for one in KNOWN if one.holds(name, call, expected, found, difference)), "")
