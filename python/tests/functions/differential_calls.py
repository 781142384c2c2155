# SPDX-License-Identifier: MIT
"""Which functions are compared with NumPy's, and the comparison of one call.

A name is that of a function of quern, `linalg.` or `fft.` and that of one of quern.linalg or quern.fft, `Array.` and that of a method,
`operator.` and that of a function of Python's module operator, or that of a function of two operands and one of its methods.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import differential_arrays  # noqa: F401  (these fill the table)
import differential_creation  # noqa: F401
import differential_factors
import differential_methods  # noqa: F401
import differential_numbers  # noqa: F401
import differential_opencl
import differential_polynomials  # noqa: F401
import differential_products  # noqa: F401
import differential_transforms
import numpy as np
from differential import Call, Draw, Operand, Outcome, difference, on_host, outcome_of
from differential_known import known
from differential_table import CALLS, words

import quern as qn
from quern import _core

import differential_keywords  # noqa: F401  isort: skip  (it adds to what the others draw)

# What NumPy calls otherwise, or has only as a part of something else; and what only SciPy or a formula has.
NUMPYS: dict[str, Callable[..., Any]] = {
    "cummax": lambda x, axis=None, out=None: np.maximum.accumulate(
        np.atleast_1d(x) if axis is not None else np.ravel(x), axis or 0, out=out
    ),
    "cummin": lambda x, axis=None, out=None: np.minimum.accumulate(
        np.atleast_1d(x) if axis is not None else np.ravel(x), axis or 0, out=out
    ),
    # A set: NumPy's is in any order.
    "unique_values": lambda x: np.sort(np.unique_values(x)),
    "in1d": lambda x, others, **options: np.isin(x, others, **options).ravel(),
    **differential_transforms.ORACLES,
    **differential_factors.ORACLES,
    **differential_opencl.FORMULAS,
}

# Functions that have nothing to compare with, and why.
NOT_COMPARED: dict[str, str] = dict.fromkeys(
    words(
        """
    backend_reports c_type_name check_struct_layout copy_rect current_device current_queue
    default_device device devices find_libraries finish_compilation pinned_empty pool_stats set_device set_pool_limit stats
    struct_definition synchronize trim_pool benchmark tune eager explain eval asnumpy from_dlpack
    get_array_module load save savez savez_compressed loadtxt savetxt fromfile fromstring __array_namespace_info__ In InOut Out
    as_completed wait_all wait_any profile graph is_capturing copy_bandwidth set_allocator svm_empty svm_grain svm_view
    """
    ),
    "about devices, memory, files and other libraries, which NumPy does not have in this form",
)
NOT_COMPARED |= dict.fromkeys(
    words(
        """
    dtype errstate geterr seterr get_printoptions printoptions set_printoptions isscalar iterable ndindex
    ndenumerate s_ index_exp promote_types base_repr binary_repr format_float_positional
    format_float_scientific mintypecode typename
    """
    ),
    "NumPy's own object",
)
NOT_COMPARED |= dict.fromkeys(
    ["array2string", "array_repr", "array_str"], "text, which test_printing.py compares with NumPy's"
)
NOT_COMPARED |= dict.fromkeys(
    ["may_share_memory", "shares_memory", "Array.to_device"], "a question about the memory of devices"
)
NOT_COMPARED |= dict.fromkeys(
    words("Array.dump Array.dumps Array.tofile Array.resize Array.setflags"),
    "of files, or of who owns the memory, which test_ndarray_attributes.py compares with NumPy",
)
NOT_COMPARED["linalg.LinAlgError"] = "NumPy's own class"
NOT_COMPARED |= dict.fromkeys(
    ["get_float32_matmul_precision", "set_float32_matmul_precision"], "a setting of Quern's own"
)


def function_of(name: str, module: Any) -> Callable[..., Any]:
    """The function of this name: of NumPy or of quern. It returns what is determined of its result."""
    found = _function_of(name, module)
    determined = differential_factors.DETERMINED.get(name)
    return (
        found if determined is None else lambda *args, **kwargs: determined(on_host(found(*args, **kwargs)))
    )


def _function_of(name: str, module: Any) -> Callable[..., Any]:
    place, _, own = name.rpartition(".")
    if place == "operator":
        function = getattr(operator, own)
        if own != "setitem":
            return function  # type: ignore[no-any-return]
        return lambda x, index, value: (function(x, index, value), x)[1]
    if place == "Array":
        return lambda x, *args, **kwargs: getattr(x, own)(*args, **kwargs)
    if module is np and name in NUMPYS:
        return NUMPYS[name]
    if isinstance(getattr(np, place, None), np.ufunc):
        return getattr(getattr(module, place), own)  # type: ignore[no-any-return]
    found: Any = operator.attrgetter(name)(module)
    if own in ("mgrid", "ogrid", "r_", "c_"):
        return lambda key: found[key]
    if own in ("finfo", "iinfo"):
        return lambda dtype: (
            [getattr(found(dtype), part) for part in ("bits", "dtype")]
            + [float(getattr(found(dtype), part)) for part in ("max", "min")]
        )
    return found  # type: ignore[no-any-return]


def names_to_compare() -> set[str]:
    """Every public function, also those that the table forgets."""
    found = set()
    for name in qn.__all__:
        value = getattr(qn, name)
        is_grid = name in ("mgrid", "ogrid", "r_", "c_")
        if (callable(value) and not isinstance(value, type)) or is_grid:
            found.add(name)
    parts = {f"linalg.{name}" for name in qn.linalg.__all__} | {f"fft.{name}" for name in qn.fft.__all__}
    return (found | parts | set(_core.functions)) - set(NOT_COMPARED)


def methods_to_compare() -> set[str]:
    """Every public method that NumPy's arrays have, too."""
    shared = [name for name in dir(qn.Array) if not name.startswith("_") and hasattr(np.ndarray, name)]
    return {f"Array.{name}" for name in shared if callable(getattr(qn.Array, name))} - set(NOT_COMPARED)


@dataclass
class Comparison:
    """One call of a function, and what both sides made of it."""

    name: str
    seed: object
    call: Call
    expected: Outcome
    found: Outcome
    difference: str
    known_as: str

    def __str__(self) -> str:
        return (
            f"{self.name}, seed {self.seed!r}: {self.difference}\n  {self.call!r}\n"
            f"  NumPy: {self.expected!r}\n  quern: {self.found!r}"
        )


def compared(name: str, seed: object, device: qn.Device) -> Comparison:
    """Draws a call from the seed, makes it with both, and compares."""
    draw = Draw((seed, name))
    draw.name = name
    call = CALLS[name](draw)
    expected = outcome_of(function_of(name, np), call, Operand.numpy)
    with device:
        found = outcome_of(function_of(name, qn), call, lambda operand: operand.quern(device))
    how = difference(call, expected, found)
    return Comparison(
        name,
        seed,
        call,
        expected,
        found,
        how,
        known(name, call, expected, found, how) if how else "",
    )
