# SPDX-License-Identifier: MIT
"""NumPy's own functions called with our arrays: each goes to the row of the same name, with NumPy's arguments as they are.
The calls are those of the differential test; NumPy with its own arrays is the oracle."""

import inspect
import operator
import pickle
import pydoc

import numpy as np
import pytest
from differential import Draw, Operand, difference, outcome_of
from differential_calls import CALLS, NUMPYS, function_of
from differential_known import known

import quern as qn
from quern import _core, _dispatch

BINARY = sorted(
    name
    for name in _core.functions
    if isinstance(getattr(np, name, None), np.ufunc) and hasattr(_core.functions[name], "reduce")
)


def is_dispatched(name):
    place = name.rpartition(".")[0]
    if place in ("operator", "Array") or name in NUMPYS:
        return False
    try:
        found = operator.attrgetter(name)(np)
    except AttributeError:
        return False
    is_method = isinstance(getattr(np, place, None), np.ufunc)
    return is_method or isinstance(found, np.ufunc) or hasattr(found, "_implementation")


def has_operand(value):
    if isinstance(value, (list, tuple)):
        return any(map(has_operand, value))
    return isinstance(value, Operand)


@pytest.mark.parametrize("name", sorted(filter(is_dispatched, CALLS)))
def test_numpys_functions_are_ours_by_name_and_arguments(name):
    device, different = qn.device("host"), []
    for seed in range(30):
        draw = Draw((seed, name))
        draw.name = name
        call = CALLS[name](draw)
        if not has_operand(call.args):
            continue
        expected = outcome_of(function_of(name, np), call, Operand.numpy)
        with device:
            found = outcome_of(function_of(name, np), call, lambda operand: operand.quern(device))
        how = difference(call, expected, found)
        if how and not known(name, call, expected, found, how):
            different.append(f"{how}: {name}{call!r}\n  NumPy: {expected!r}\n  quern: {found!r}")
    assert not different, "\n".join(different[:3])


def test_results_of_numpys_functions_are_our_arrays(device):
    x = qn.asarray(np.arange(6, dtype="f4").reshape(2, 3), device=device)
    for made in (np.sin(x), np.concatenate([x, x]), np.linalg.norm(x), np.add.reduce(x), np.pad(x, 1)):
        assert isinstance(made, qn.Array) and made.device == device
    assert all(isinstance(one, qn.Array) for one in np.nonzero(x))


def test_python_translates_no_names_and_no_arguments():
    """The rows have NumPy's names and parameters, so what is left in Python is a lookup."""
    assert len(inspect.getsource(_dispatch).splitlines()) < 120
    assert {"concatenate", "conjugate", "transpose", "amax"} <= set(_core.functions)


@pytest.mark.parametrize("name", BINARY)
def test_methods_of_functions_are_rows_with_numpys_parameters(name):
    ours, theirs = getattr(qn, name), getattr(np, name)
    for method in ("reduce", "accumulate", "reduceat", "outer", "at"):
        found = getattr(ours, method)
        assert found.__qualname__.endswith(f".{method}") and found.__module__ == "quern"
        assert pickle.loads(pickle.dumps(found)) is found
        assert "Parameters" in pydoc.render_doc(found, renderer=pydoc.plaintext)
        try:
            expected = inspect.signature(getattr(theirs, method)).parameters
        except ValueError:  # NumPy does not tell
            continue
        taken = inspect.signature(found).parameters
        named = [
            key for key, one in expected.items() if one.kind not in (one.VAR_KEYWORD, one.POSITIONAL_ONLY)
        ]
        assert not set(named) - set(taken)


def test_functions_of_one_operand_have_no_methods_but_at():
    for method in ("reduce", "accumulate", "reduceat", "outer"):
        assert not hasattr(qn.sin, method) and not hasattr(qn.sum, method)
    assert hasattr(qn.sin, "at") and not hasattr(qn.sum, "at")
    with pytest.raises(qn.ArgumentTypeError, match=r"add\.reduce: unexpected keyword argument 'axs'"):
        qn.add.reduce([1, 2], axs=0)


VALUES = np.array([[3, 1, 2], [7, 5, 4], [6, 9, 8]], "i4")
MASK = np.array([[True, False, True], [False, True, True], [True, True, False]])
FOLDS = [
    ("subtract", {"initial": 100}),
    ("subtract", {"initial": 100, "axis": 1, "where": MASK}),
    ("floor_divide", {"initial": 10_000, "where": MASK}),
    ("bitwise_xor", {"where": MASK}),
    ("bitwise_and", {"where": MASK, "axis": None}),
    ("gcd", {"where": MASK, "initial": 6}),
    ("lcm", {"where": MASK, "initial": 1, "keepdims": True}),
    ("fmax", {"where": MASK, "initial": 2}),
    ("logical_xor", {"where": MASK}),
    ("maximum", {"dtype": "f4", "axis": (0, 1)}),
    ("maximum", {"where": MASK, "initial": 4}),
    ("logical_or", {"dtype": "?"}),
    ("add", {"where": MASK, "initial": 5, "dtype": "f4", "keepdims": True, "axis": None}),
]


@pytest.mark.parametrize(("name", "options"), FOLDS)
def test_reductions_take_all_keywords(device, name, options):
    x = qn.asarray(VALUES, device=device)
    ours = {
        key: qn.asarray(one, device=device) if isinstance(one, np.ndarray) else one
        for key, one in options.items()
    }
    expected = getattr(np, name).reduce(VALUES, **options)
    for made in (getattr(qn, name).reduce(x, **ours), getattr(np, name).reduce(x, **ours)):
        assert made.dtype == expected.dtype
        np.testing.assert_array_equal(made.get(), expected)
    out = qn.zeros(expected.shape, expected.dtype, device)
    assert getattr(qn, name).reduce(x, out=out, **ours) is out
    np.testing.assert_array_equal(out.get(), expected)


def test_reductions_without_a_first_element_are_refused(device):
    x = qn.asarray(VALUES, device=device)
    for call in (
        lambda m, a: m.fmax.reduce(a[:0]),
        lambda m, a: m.subtract.reduce(a, where=a > 2),
        lambda m, a: m.lcm.reduce(a, axis=(0, 0)),
    ):
        with pytest.raises(ValueError):
            call(np, VALUES)
        with pytest.raises(qn.ArgumentValueError):
            call(qn, x)
    with pytest.raises(TypeError):
        np.logical_and.reduce(VALUES, dtype="i4")
    with pytest.raises(qn.ArgumentTypeError):
        qn.logical_and.reduce(x, dtype="i4")
    assert qn.fmax.reduce(qn.asarray(3.5, device=device)).item() == np.fmax.reduce(3.5)


def test_outer_takes_the_keywords_of_the_function(device):
    x = qn.asarray(VALUES[0], device=device)
    out = qn.zeros((3, 3), "f4", device)
    assert qn.multiply.outer(x, [1, 2, 3], out=out, where=MASK) is out
    expected = np.zeros((3, 3), "f4")
    np.multiply.outer(VALUES[0], [1, 2, 3], out=expected, where=MASK)
    np.testing.assert_array_equal(out.get(), expected)
    assert np.add.outer(x, x, dtype="f4").dtype == np.float32


def test_greatest_complex_numbers_are_accumulated_as_numpy_has_them(device):
    values = np.array([1 + 2j, 1 + 1j, 3 - 1j, 2j], "c8")
    x = qn.asarray(values, device=device)
    np.testing.assert_array_equal(qn.maximum.accumulate(x).get(), np.maximum.accumulate(values))
    np.testing.assert_array_equal(
        qn.maximum.accumulate(x.real, dtype="f8" if device.has_fp64 else "f4").get(),
        np.maximum.accumulate(values.real, dtype="f8" if device.has_fp64 else "f4"),
    )
