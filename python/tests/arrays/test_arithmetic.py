# SPDX-License-Identifier: MIT
"""Elementwise arithmetic: NumPy's values, types and broadcasting, in one kernel for a whole expression."""

import warnings

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra import numpy as hnp

import quern as qn

pytestmark = pytest.mark.smoke

# One dtype of each kind is enough for every operation; promotion has tests of its own.
SAMPLES = {
    "bool": np.array([True, False, True, True, False, False]),
    "int32": np.array([3, -7, 0, 12, -1, 100], np.int32),
    "uint8": np.array([3, 250, 0, 12, 1, 100], np.uint8),
    "float32": np.array([0.5, -2.25, 0.0, 3.0, -0.75, 1e10], np.float32),
    "complex64": np.array([1 + 2j, -1j, 0, 3, 0.5 - 0.25j, 1e5], np.complex64),
}
OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}
ALL_DTYPES = [np.dtype(c) for c in "?bhilBHILfdFD"]


def of(function, *arguments):
    """NumPy's answer, or the exception it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*arguments)
        except (TypeError, ValueError, OverflowError) as error:
            return error


def assert_same(got, expected, ulps=4):
    expected = np.asarray(expected)
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    if expected.dtype.kind in "fc":
        scale = np.finfo(expected.dtype).eps * ulps
        np.testing.assert_allclose(got.get(), expected, rtol=scale, atol=scale * 1e-6)
    else:
        np.testing.assert_array_equal(got.get(), expected)


def check_together(pairs, ulps=4):
    """All in few kernels, since each takes its time to build."""
    qn.eval(*(got for got, _ in pairs))
    for got, expected in pairs:
        assert_same(got, expected, ulps)


@pytest.mark.parametrize("dtype", SAMPLES)
def test_operators_are_numpys(device, dtype):
    a = SAMPLES[dtype]
    b = np.roll(a, 2)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    pairs = []
    for function in OPERATORS.values():
        expected = of(function, a, b)
        if isinstance(expected, Exception):
            with pytest.raises(qn.ArgumentTypeError, match="is not defined for elements of"):
                function(x, y)
        else:
            pairs.append((function(x, y), expected))
    check_together(pairs)


@pytest.mark.parametrize("dtype", SAMPLES)
def test_numbers_take_the_type_of_the_array(device, dtype):
    a = SAMPLES[dtype]
    x = qn.asarray(a, device=device)
    pairs = []
    for number in (2, -3, 0.5, True, 2 + 1j):
        for function in (OPERATORS["+"], lambda p, q: q * p):
            expected = of(function, a, number)
            if isinstance(expected, Exception):
                with pytest.raises(qn.ArgumentError):
                    function(x, number)
            else:
                pairs.append((function(x, number), expected))
    check_together(pairs)


@pytest.mark.parametrize("a", ALL_DTYPES, ids=str)
def test_types_are_promoted_as_numpy_does(a):
    # Types are decided where the operation is written, the same on every device.
    x = qn.empty(1, a, "host")
    for b in ALL_DTYPES:
        assert (x * qn.empty(1, b, "host")).dtype == np.result_type(a, b)
    for function in (qn.sqrt, qn.sin) if a.kind not in "c" else ():
        assert function(x).dtype == of(getattr(np, function.__name__), np.ones(1, a)).dtype


# On every device; test_elementwise_functions.py has all of them on the host.
COMMON = [
    "sqrt",
    "exp",
    "log",
    "log1p",
    "sin",
    "cos",
    "tan",
    "arctan",
    "tanh",
    "floor",
    "rint",
    "sign",
    "abs",
    "square",
    "conj",
    "real",
    "isnan",
    "isfinite",
    "logical_not",
    "arctan2",
    "hypot",
    "maximum",
    "minimum",
    "power",
    "remainder",
    "copysign",
    "logaddexp",
    "logical_and",
]


@pytest.mark.parametrize("dtype", SAMPLES)
def test_functions_are_numpys(device, dtype):
    pairs = []
    for name in COMMON:
        oracle = getattr(np, name)
        values = [SAMPLES[dtype], np.roll(SAMPLES[dtype], 1)][: getattr(oracle, "nin", 1)]
        if name == "power" and dtype == "int32":
            values[1] = np.abs(values[1])
        expected = of(oracle, *values)
        function = getattr(qn, name)
        arrays = [qn.asarray(value, device=device) for value in values]
        if isinstance(expected, Exception):
            with pytest.raises(qn.ArgumentTypeError, match="is not defined for elements of"):
                function(*arrays)
        else:
            pairs.append((function(*arrays), expected))
    check_together(pairs, ulps=16)


@pytest.mark.parametrize(
    ("a", "b"), [((3, 1), (4,)), ((2, 3, 4), (3, 1)), ((), (5,)), ((1,), (0,)), ((2, 1, 2), (1, 3, 1))]
)
def test_shapes_are_broadcast(device, a, b):
    p = np.arange(np.prod(a, dtype=int), dtype=np.float32).reshape(a)
    q = np.arange(np.prod(b, dtype=int), dtype=np.float32).reshape(b) + 0.5
    assert_same(qn.asarray(p, device=device) - 2 * qn.asarray(q, device=device), p - 2 * q)


def test_shapes_that_do_not_fit_raise_where_the_expression_is_written(device):
    x, y = qn.zeros((3, 4), "float32", device), qn.zeros((3,), "float32", device)
    with pytest.raises(qn.ArgumentValueError, match=r"\(3, ?4\).*\(3,?\)"):
        x + y


def test_an_expression_is_one_kernel(device):
    a = np.linspace(0, 1, 1000, dtype=np.float32)
    x, y = qn.asarray(a, device=device), qn.asarray(a[::-1].copy(), device=device)
    before = qn.stats().launches
    z = qn.where(x > y, qn.sqrt(x * y + 1), 5 * x - y / 2).astype("float64")
    assert qn.stats().launches == before
    expected = np.where(a > a[::-1], np.sqrt(a * a[::-1] + 1), 5 * a - a[::-1] / 2)
    np.testing.assert_allclose(z.get(), expected, rtol=1e-6)
    assert qn.stats().launches == before + 1


def test_results_of_one_shape_are_one_kernel(device):
    x = qn.asarray(np.arange(100, dtype=np.float32), device=device)
    a, b = x + 1, x * 2
    before = qn.stats().launches
    qn.eval(a, b)
    assert qn.stats().launches == before + 1
    assert a.in_memory
    assert (b.get() == 2 * np.arange(100)).all()


def test_long_loops_stay_small(device):
    x = qn.zeros(10, "float32", device)
    y = qn.asarray(np.ones(10, np.float32), device=device)
    before = qn.stats().launches
    for _ in range(200):
        x = x + y
    assert qn.stats().launches - before >= 3  # what was written is run on the way
    assert (x.get() == 200).all()


def test_arange_and_full_are_part_of_the_kernel(device):
    before = qn.stats().launches
    z = qn.arange(10, dtype="float32", device=device) * qn.full(10, 3, dtype="float32", device=device)
    np.testing.assert_array_equal(z.get(), np.arange(10) * 3)
    assert qn.stats().launches == before + 1
    table = qn.arange(3, device=device) + qn.zeros((4, 3), "int64", device)
    np.testing.assert_array_equal(table.get(), np.zeros((4, 3), int) + np.arange(3))


@pytest.mark.parametrize("arguments", [(5,), (2, 9), (9, 2, -3), (0.0, 1.0, 0.125), (3, 3), (5, 2)], ids=str)
def test_arange_is_numpys(device, arguments):
    assert_same(qn.arange(*arguments, device=device), np.arange(*arguments))


def test_comparisons_hold_for_numbers_that_the_type_has_not(device):
    x = qn.asarray(np.array([0, 5, 255], np.uint8), device=device)
    assert (x < 300).get().all()
    assert (x > -1).get().all()
    assert not (x == 256).get().any()
    with pytest.raises(qn.ArgumentValueError, match="300 is out of bounds for uint8"):
        x + 300


def test_powers_are_numpys(device):
    a = np.array([0.5, 1.5, 3.0], np.float32)
    x = qn.asarray(a, device=device)
    for power in (2, 0.5, -1, 3, 1.5):
        assert_same(x**power, a**power, ulps=16)
    assert_same(2**x, 2**a, ulps=16)


def test_arrays_of_numpy_take_part(device):
    a = np.arange(4, dtype=np.float32)
    x = qn.asarray(a, device=device)
    assert_same(x + a, a + a)
    assert_same(x * np.float64(2), a * np.float64(2))


def test_arrays_of_two_devices_do_not_mix(device, other_device):
    with pytest.raises(qn.ArgumentValueError, match="copy it there"):
        qn.zeros(3, "float32", device) + qn.zeros(3, "float32", other_device)


def test_one_element_is_a_number(device):
    x = qn.asarray(np.array([2.5]), device=device)
    assert float(x) == 2.5
    assert int(x) == 2
    assert bool(x > 2)
    assert x.item() == 2.5
    with pytest.raises(qn.ArgumentValueError, match="ambiguous"):
        bool(qn.zeros(2, "float32", device) > 0)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_expressions_of_any_shape_and_layout_are_numpys(data):
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    dtypes = st.sampled_from(["int32", "float32", "float64", "uint8"])
    arrays, oracles = [], []
    for _ in range(3):
        part = tuple(n if data.draw(st.booleans()) else 1 for n in shape)
        part = part[data.draw(st.integers(0, len(part))) :]
        values = data.draw(hnp.arrays(data.draw(dtypes), part, elements=st.integers(0, 5)))
        array = qn.asarray(values, device="host")
        if values.ndim and data.draw(st.booleans()):
            array, values = array[::-1], values[::-1]
        if data.draw(st.booleans()):
            array, values = array.T.T if values.ndim < 2 else array, values
        arrays.append(array)
        oracles.append(values)
    (x, y, z), (p, q, r) = arrays, oracles
    assert_same((x + y) * z - x, (p + q) * r - p)
    assert_same(qn.where(x > y, z, x), np.where(p > q, r, p))


@pytest.mark.parametrize("other", ["x", b"x"])
def test_products_with_texts_name_the_text(device, other):
    x = qn.ones(1, dtype="int64", device=device)
    with pytest.raises(TypeError):
        np.ones(3) * other
    for product in (lambda: x * other, lambda: other * x):
        with pytest.raises(qn.ArgumentTypeError, match=f"multiply: expected .*{type(other).__name__}"):
            product()
    with pytest.raises(TypeError):
        x *= other
    assert x.get() == 1
