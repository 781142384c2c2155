# SPDX-License-Identifier: MIT
"""NumPy's rules at the edges: infinities and NaN, casting, axes, orders and counts. NumPy is the oracle."""

# ruff: noqa: B023  (functions given to same() are called at once)
import warnings

import numpy as np
import pytest

import quern as qn

INF, NAN = np.inf, np.nan
COMPLEX = [
    1 + 2j,
    1j,
    1 + 1j,
    1 + 2j,
    complex(NAN, 1),
    complex(1, NAN),
    complex(-0.0, 3),
    2j,
    complex(NAN, 0),
]


def on_host(value):
    if isinstance(value, qn.Array):
        return value.get()
    return [on_host(one) for one in value] if isinstance(value, (tuple, list)) else value


@pytest.fixture
def same(device):
    """same(function): function(numpy, array) and function(quern, array) are equal, or raise errors of one class."""

    def result_of(function, module, array):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return on_host(function(module, array)), None
            except Exception as error:
                return None, error

    def check(found, expected, where):
        if isinstance(expected, list):
            assert len(found) == len(expected), where
            for one, other in zip(found, expected, strict=True):
                check(one, other, where)
            return
        expected = np.asarray(expected)
        found = np.asarray(found)
        wide = {"f": 8, "c": 16}.get(expected.dtype.kind)
        if device.has_fp64 or expected.dtype.itemsize != wide:
            assert found.dtype == expected.dtype, where
        np.testing.assert_allclose(found, expected, rtol=1e-5, err_msg=where)

    def compare(function, where=""):
        expected, error = result_of(function, np, np.array)
        found, raised = result_of(
            function, qn, lambda *args, **named: qn.asarray(np.array(*args, **named), device=device)
        )
        if error is not None:
            kinds = [
                kind for kind in (TypeError, ValueError, IndexError, OverflowError) if isinstance(error, kind)
            ]
            assert raised is not None, f"{where}: NumPy raises {error!r}, found {found!r}"
            assert isinstance(raised, tuple(kinds)), f"{where}: NumPy raises {error!r}, got {raised!r}"
            assert isinstance(raised, qn.Error), f"{where}: {raised!r}"
            return
        if raised is not None:
            raise AssertionError(where) from raised
        check(found, expected, where)

    return compare


PLACES = [-INF, -1, 0, 0.25, 0.5, 1, 1.5, 2, 3, 1e30, INF, NAN]
POINTS = [
    [0.0, 1, 2],
    [0, 1, INF],
    [-INF, 0, INF],
    [-INF, INF],
    [0, 0, 1],
    [1.0],
    [INF],
    [0, 1, NAN],
    [0, INF, INF],
]
HEIGHTS = [[1.0, 2, 3], [1, INF, 2], [INF, INF, INF], [-INF, 0, INF], [1, 1, INF], [NAN, 1, 2], [1, 2, NAN]]


@pytest.mark.parametrize("points", POINTS, ids=str)
def test_interp_next_to_infinity_is_numpys(same, points):
    for heights in HEIGHTS:
        fp = heights[: len(points)]
        pairs = [complex(a, b) for a, b in zip(fp, fp[::-1], strict=True)]
        same(lambda m, a: m.interp(a(PLACES), a(points), a(fp)), f"{fp}")
        same(lambda m, a: m.interp(a(PLACES), a(points), a(fp), left=-7.0, right=9.0), f"{fp} with ends")
        same(lambda m, a: m.interp(a(PLACES), a(points), a(pairs)), f"{pairs}")


def test_interp_of_a_period_and_of_complex_numbers(same):
    xp, fp = [190.0, -190, 350, -350], [5.0, 10, 3, 4]
    same(lambda m, a: m.interp(a([-180.0, -170, -185, 185, -10, -5, 0, 365]), a(xp), a(fp), period=360))
    same(lambda m, a: m.interp(a([1j]), a([0.0, 1]), a([1.0, 2])))
    same(lambda m, a: m.interp(a([0.5]), a([0j, 1]), a([1.0, 2])))
    same(lambda m, a: m.interp(a([-1.0, 5]), a([0.0, 1]), a([1.0, 2j]), left=3j))


BAD_POSITIONS = [([5], (2, 2)), ([-1], (2, 2)), ([0, 3], (2, 2)), ([2**40], (3,)), ([[0, 1], [2, 4]], (2, 2))]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("positions, shape", BAD_POSITIONS, ids=str)
def test_unravel_index_out_of_range_is_a_value_error(same, positions, shape, order):
    same(lambda m, a: m.unravel_index(a(positions), shape, order))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("mode", ["raise", "wrap", "clip", ("raise", "clip"), ("wrap", "raise"), "other"])
def test_ravel_multi_index_out_of_range_follows_its_mode(same, mode, order):
    for rows, columns in (
        ([0, 1], [0, 2]),
        ([0, 2], [0, 1]),
        ([0, -1], [1, 2]),
        ([0, 1], [0, 3]),
        ([0, 9], [7, -8]),
    ):
        same(
            lambda m, a: m.ravel_multi_index((a(rows), a(columns)), (2, 3), mode, order), f"{rows} {columns}"
        )
    if mode != "other":
        same(lambda m, a: m.ravel_multi_index((a([0.5]), a([1.0])), (2, 3), mode, order))


def test_nan_to_num_takes_arrays(same):
    x = [[1.0, NAN, INF], [-INF, NAN, 5]]
    row, column = [10.0, 20, 30], [[7.0], [8.0]]
    for dtype in (np.float32, np.float64):
        same(lambda m, a: m.nan_to_num(a(x, dtype), nan=a(row)))
        same(lambda m, a: m.nan_to_num(a(x, dtype), nan=a(column), posinf=a(row), neginf=a([1, 2, 3])))
        same(lambda m, a: m.nan_to_num(a(x, dtype), nan=np.array(row), posinf=[4, 5, 6]))
    same(lambda m, a: m.nan_to_num(a([complex(NAN, INF), 1j]), nan=a([3.0, 4.0]), posinf=a([5.0, 6.0])))
    same(lambda m, a: m.nan_to_num(a(x), nan=a([1j, 2, 3])))
    same(lambda m, a: m.nan_to_num(a([1.0, NAN]), nan=a([1.0, 2, 3])))
    same(lambda m, a: m.nan_to_num(a(x), nan=1j))


KINDS = ["?", "b", "B", "h", "i", "q", "Q", "f", "F"]
CASTINGS = ["no", "equiv", "safe", "same_kind", "unsafe", "other"]


@pytest.mark.parametrize("casting", CASTINGS)
def test_joining_follows_the_casting_rule(same, casting):
    for given in KINDS:
        for wanted in KINDS:
            for name in ("concatenate", "stack", "vstack", "hstack"):
                same(
                    lambda m, a: getattr(m, name)([a([1, 0], given)] * 2, dtype=wanted, casting=casting),
                    f"{name} {given} {wanted}",
                )


@pytest.mark.parametrize("casting", CASTINGS)
def test_copyto_follows_the_casting_rule(same, casting):
    def copied(module, array, source, wanted):
        target = array([0, 0], wanted)
        module.copyto(target, source(array), casting=casting)
        return target

    for wanted in KINDS:
        for given in KINDS:
            same(lambda m, a: copied(m, a, lambda a: a([1, 0], given), wanted), f"{given} {wanted}")
        for number in (True, 1, 1.5, 1j):
            same(lambda m, a: copied(m, a, lambda a: number, wanted), f"{number!r} {wanted}")
    same(lambda m, a: copied(m, a, lambda a: 300, "B"), "300")
    same(lambda m, a: copied(m, a, lambda a: -1, "B"), "-1")


# Functions that write to out=, and what they are given.
INTO = {
    "concatenate": lambda m, x, out: m.concatenate([x, x], out=out),
    "stack": lambda m, x, out: m.stack([x, x], out=out),
    "add": lambda m, x, out: m.add(x, x, out=out),
    "sqrt": lambda m, x, out: m.sqrt(x, out=out),
    "sum": lambda m, x, out: m.sum(x, 0, out=out),
    "mean": lambda m, x, out: m.mean(x, 0, out=out),
    "max": lambda m, x, out: m.max(x, 0, out=out),
    "argmax": lambda m, x, out: m.argmax(x, 0, out=out),
    "round": lambda m, x, out: m.round(x, out=out),
}


@pytest.mark.parametrize("name", INTO)
def test_out_follows_the_same_kind_rule(same, device, name):
    function = INTO[name]
    x = [[1.0, 2.0], [4.0, 9.0]]
    shape = np.asarray(function(np, np.array(x), None)).shape
    for wanted in "biqfdD":
        if name == "argmax" and wanted == "b":
            continue  # NumPy's is an error although int64 to int8 is of the same kind

        def into(module, array, wanted=wanted):
            out = array(np.zeros(shape, wanted))
            function(module, array(x), out)
            return out

        if name == "argmax" and wanted in "ifdD":
            continue  # NumPy wants exactly intp
        if name in ("sum", "mean", "max") and wanted in "biq":
            # NumPy cuts fractions off where it reduces; here every out= follows the rule.
            with pytest.raises(TypeError, match="same_kind"):
                into(qn, lambda values: qn.asarray(values, device=device))
            continue
        same(into, wanted)


def test_piecewise_casts_as_an_assignment_does(same):
    x = [0, 1, 2, 3]
    for dtype in ("i", "B", "d", "?"):
        same(lambda m, a: m.piecewise(a(x, dtype), [a(x) > 1], [1.7]), dtype)
        same(lambda m, a: m.piecewise(a(x, dtype), [a(x) > 1], [300]), dtype)
        same(lambda m, a: m.piecewise(a(x, dtype), [a(x) > 1], [1j]), dtype) if dtype != "?" else None
        same(lambda m, a: m.piecewise(a(x, dtype), [a(x) > 1], [lambda v: v * 1.5, 2]), dtype)
        same(
            lambda m, a: m.piecewise(a(x, dtype), [a(x) > 1], [lambda v, k, s=0: v * k + s, 1], 2, s=3), dtype
        )
    same(lambda m, a: m.piecewise(a(x, "d"), [a(x) > 1], [lambda v: v * 1j + 4]))
    with pytest.warns(np.exceptions.ComplexWarning):
        qn.piecewise(qn.arange(3.0), [qn.arange(3) > 1], [lambda v: v * 1j])


def test_booleans_stay_what_they_are_in_numpy(same):
    b = [True, False, True]
    for mode in ("full", "same", "valid"):
        same(lambda m, a: m.correlate(a(b), a([True, True]), mode))
        same(lambda m, a: m.convolve(a(b), a([True, True]), mode))
    for name in ("conj", "conjugate"):
        same(lambda m, a: getattr(a(b), name)())
        same(lambda m, a: getattr(m, name)(a(b)))
    for name in (
        "gradient",
        "ediff1d",
        "ptp",
        "diff",
        "positive",
        "negative",
        "sign",
        "cumsum",
        "square",
        "vander",
    ):
        same(lambda m, a: getattr(m, name)(a(b)), name)
    for name in ("vdot", "inner", "outer", "kron", "dot", "polyval", "digitize", "cross"):
        same(lambda m, a: getattr(m, name)(a(b), a(b)), name)


AXES = {
    "all any argmax argmin argsort count_nonzero cumprod cumsum diff flip max mean min prod ptp sort std sum var": {},
    "median nanmax nanmean nanmedian nansum nanstd nanargmax average trapezoid gradient unwrap squeeze expand_dims": {},
    "unique": {},
}
ONE_AXIS = {
    "concatenate": lambda m, x, k: m.concatenate([x, x], axis=k),
    "stack": lambda m, x, k: m.stack([x, x], axis=k),
    "take": lambda m, x, k: m.take(x, [0], axis=k),
    "repeat": lambda m, x, k: m.repeat(x, 2, axis=k),
    "roll": lambda m, x, k: m.roll(x, 1, axis=k),
    "append": lambda m, x, k: m.append(x, x, axis=k),
    "delete": lambda m, x, k: m.delete(x, 0, axis=k),
    "insert": lambda m, x, k: m.insert(x, 0, 1, axis=k),
    "compress": lambda m, x, k: m.compress([True, False], x, axis=k),
    "swapaxes": lambda m, x, k: m.swapaxes(x, 0, k),
    "moveaxis": lambda m, x, k: m.moveaxis(x, 0, k),
    "rollaxis": lambda m, x, k: m.rollaxis(x, k),
    "diagonal": lambda m, x, k: m.diagonal(x, 0, 0, k),
    "trace": lambda m, x, k: m.trace(x, 0, k, 0),
    "lexsort": lambda m, x, k: m.lexsort((x, x), axis=k),
    "partition": lambda m, x, k: m.partition(x, 0, axis=k),
    "take_along_axis": lambda m, x, k: m.take_along_axis(x, m.argsort(x, axis=0), axis=k),
    "array_split": lambda m, x, k: m.array_split(x, 2, axis=k),
    "quantile": lambda m, x, k: m.quantile(x, 0.5, axis=k),
    "nanquantile": lambda m, x, k: m.nanquantile(x, 0.5, axis=k),
    "vecdot": lambda m, x, k: m.vecdot(x, x, axis=k),
    "cross": lambda m, x, k: m.cross(x, x, axis=k),
    "linspace": lambda m, x, k: m.linspace(x, x, 3, axis=k),
    "transpose": lambda m, x, k: m.transpose(x, (0, k)),
    "rot90": lambda m, x, k: m.rot90(x, axes=(0, k)),
    "unstack": lambda m, x, k: m.unstack(x, axis=k),
    "tensordot": lambda m, x, k: m.tensordot(x, x, axes=([k], [0])),
    "size": lambda m, x, k: m.size(x, k),
    "cumulative_sum": lambda m, x, k: m.cumulative_sum(x, axis=k),
}


@pytest.mark.parametrize("axis", [2, -3, 10**6, -(10**6)])
def test_an_axis_that_is_not_there_is_numpys_axis_error(device, axis):
    x = qn.asarray(np.arange(4.0).reshape(2, 2), device=device)
    named = [name for names in AXES for name in names.split()]
    calls = ONE_AXIS | {name: lambda m, x, k, name=name: getattr(m, name)(x, axis=k) for name in named}
    for name, call in calls.items():
        if name in ("expand_dims", "stack", "linspace") and axis in (2, -3):
            continue  # the result has one more
        with pytest.raises(np.exceptions.AxisError) as raised:
            call(qn, x, axis)
        assert isinstance(raised.value, (qn.ArgumentValueError)) and isinstance(raised.value, IndexError), (
            name
        )


def test_axes_that_are_there_twice_are_a_value_error(device):
    x = qn.asarray(np.arange(4.0).reshape(2, 2), device=device)
    for name in [
        "all",
        "any",
        "count_nonzero",
        "flip",
        "max",
        "mean",
        "min",
        "prod",
        "std",
        "sum",
        "var",
        "median",
        "nansum",
    ]:
        for axes in ((0, 0), (0, -2)):
            with pytest.raises(ValueError):
                getattr(qn, name)(x, axis=axes)
        with pytest.raises(np.exceptions.AxisError):
            getattr(qn, name)(x, axis=(0, 5))
    for call in (
        lambda: x.transpose((0, 0)),
        lambda: qn.moveaxis(x, (0, 0), (0, 1)),
        lambda: qn.expand_dims(x, (0, 0)),
    ):
        with pytest.raises(ValueError):
            call()


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_numbers_are_ordered_by_their_parts(same, device, dtype):
    if dtype == np.complex128 and not device.has_fp64:
        pytest.skip("the device has no float64")
    c = np.array(COMPLEX, dtype)
    ordered = np.sort(c)
    for side in ("left", "right"):
        same(lambda m, a: m.searchsorted(a(ordered), a(c), side), side)
        same(lambda m, a: m.searchsorted(a([0.0, 1, 1, 2], c.real.dtype), a(c), side), side)
        same(lambda m, a: m.searchsorted(a(c), a(c), side, m.argsort(a(c))), side)
        same(lambda m, a: m.searchsorted(a([], dtype), a(c), side), side)
    for name in ("sort", "unique", "median", "nanmedian", "max", "min", "argmax", "argmin"):
        same(lambda m, a: getattr(m, name)(a(c)), name)
        same(lambda m, a: getattr(m, name)(a(c[:4])), name)
        same(lambda m, a: getattr(m, name)(a(c[:3])), name)
    for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d", "isin"):
        same(lambda m, a: getattr(m, name)(a(c), a([*c[2:], 5j], dtype)), name)
        same(lambda m, a: getattr(m, name)(a(c[:4]), a([1, 0, 5], c.real.dtype)), name)
    for name in ("quantile", "percentile", "nanquantile"):
        same(lambda m, a: getattr(m, name)(a(c), 0.5), name)
    same(lambda m, a: m.digitize(a(c), a([0.0, 1.0])))
    same(lambda m, a: m.digitize(a([1.0]), a([1j, 2j])))


EDGES = [
    [1.0, 2, NAN],
    [NAN, 2, 1],
    [NAN, NAN],
    [NAN],
    [2, 1, NAN],
    [],
    [1.0],
    [1, 1, 1],
    [3.0, 3, NAN],
    [1, 3, 2],
]


@pytest.mark.parametrize("edges", EDGES, ids=str)
def test_nan_among_edges_is_where_numpy_has_it(same, edges):
    x = [0, 1, 1.5, 2, 3, NAN, INF, -INF]
    for dtype in (np.float32, np.float64):
        for right in (False, True):
            same(lambda m, a: m.digitize(a(x, dtype), a(edges, dtype), right=right), f"{right}")
        for side in ("left", "right"):
            same(lambda m, a: m.searchsorted(a(np.sort(edges), dtype), a(x, dtype), side), side)


@pytest.mark.parametrize("order", ["C", "F", "A", "K", None])
def test_orders_are_numpys(same, device, order):
    x = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
    for view in (
        lambda a: a(x),
        lambda a: a(x).T,
        lambda a: a(x).transpose(1, 0, 2),
        lambda a: a(x)[::-1, :, ::2],
    ):
        if order is not None:
            same(lambda m, a: m.ravel(view(a), order=order))
            same(lambda m, a: view(a).ravel(order=order))
            same(lambda m, a: view(a).flatten(order=order))
            same(lambda m, a: view(a).copy(order=order))
            same(lambda m, a: m.copy(view(a), order=order))
            same(lambda m, a: view(a).astype("i4", order=order))
        if order in ("C", "F", "A"):
            same(lambda m, a: m.reshape(view(a), (4, -1), order=order))
            same(lambda m, a: view(a).reshape(4, -1, order=order))
            same(lambda m, a: view(a).reshape((-1,), order=order))
        same(lambda m, a: m.array(view(a), order=order))
        same(lambda m, a: m.asarray(view(a), order=order))
        if order is None:
            continue
        same(lambda m, a: m.zeros_like(view(a), order=order))
        same(lambda m, a: m.ones_like(view(a), order=order))
        same(lambda m, a: m.full_like(view(a), 3, order=order))
    if order in ("C", "F"):
        for name in ("zeros", "ones"):
            same(lambda m, a: getattr(m, name)((2, 3), order=order))
        same(lambda m, a: m.full((2, 3), 4.5, order=order))
        same(lambda m, a: m.eye(3, order=order))


def test_fortrans_order_is_honoured(device):
    x = qn.asarray(np.arange(6.0, dtype=np.float32).reshape(2, 3), device=device)
    made = [
        qn.zeros((2, 3), np.float32, device, order="F"),
        qn.full((2, 3), 1.0, np.float32, device, order="F"),
        qn.zeros_like(x, order="F"),
        qn.asarray(x, order="F"),
        x.copy(order="F"),
        x.astype(np.float32, order="F"),
    ]
    for one in made:
        assert one.strides == (4, 8)
    for wrong in ("X", "", 3):
        for call in (
            x.ravel,
            x.flatten,
            x.copy,
            lambda order: qn.zeros(3, order=order),
            lambda order: qn.asarray(x, order=order),
        ):
            with pytest.raises(ValueError):
                call(order=wrong)


def test_numpys_functions_with_an_order_take_our_arrays(device):
    x = qn.asarray(np.arange(6.0, dtype=np.float32).reshape(2, 3), device=device)
    for order in ("C", "K", "A", "F"):
        assert isinstance(np.zeros_like(x, order=order), qn.Array)
        np.testing.assert_array_equal(np.ravel(x, order=order).get(), np.ravel(x.get(), order=order))
        np.testing.assert_array_equal(np.copy(x, order=order).get(), x.get())


def test_numpys_functions_of_objects_fall_back_to_the_host(device):
    x = qn.asarray(np.arange(3.0, dtype=np.float32), device=device)
    found = np.broadcast_arrays(x, None, 0.5, "text")
    expected = np.broadcast_arrays(x.get(), None, 0.5, "text")
    for one, other in zip(found, expected, strict=True):
        assert isinstance(one, np.ndarray) and one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    assert all(isinstance(one, qn.Array) for one in np.broadcast_arrays(x, 0.5, x.get()))


RANGES = [
    (2**31 - 2, 2**31 + 2, 1, np.int32), (-(2**31) + 1, -(2**31) - 3, -1, np.int32), (0, 300, 1, np.uint8), (0, 300, 1, np.int8),
    (-1, 2, 1, np.uint8), (127, 130, 1, np.int8), (0, 2**40, 2**39, np.int32), (2**63 - 2, 2**63 + 2, 1, np.uint64),
    (2**64 - 2, 2**64 + 3, 1, np.uint64), (3e9, 3e9 + 2, 1, np.int32), (0, 3e9, 1e9, np.int32), (1.5, 4, 1, np.int32),
    (0, 2, 1, bool), (0, 3, 1, bool), (2**40, 2**40 + 3, 1, np.float32), (2**63 - 5, 2**63 - 1, 1, np.int64), (5, 0, -2, np.uint8),
    (0, 10**30, 1, None), (0, 1e30, 1, None), (0, INF, 1, None), (NAN, 1, 1, None), (0, 1, 1e-300, None), (0, 5, 0, None),
    (2**31 - 2, 2**31 + 2, 1, None), (-(2**63), -(2**63) + 3, 1, None),
]  # fmt: skip


@pytest.mark.parametrize("start, stop, step, dtype", RANGES, ids=str)
def test_arange_wraps_and_refuses_as_numpy_does(same, start, stop, step, dtype):
    if step == 0:
        with pytest.raises(ValueError):
            qn.arange(start, stop, step)
    else:
        same(lambda m, a: m.arange(start, stop, step, dtype=dtype))


HUGE = 10**30
COUNTS = {
    "linspace": lambda m, n: m.linspace(0, 1, n),
    "logspace": lambda m, n: m.logspace(0, 1, n),
    "geomspace": lambda m, n: m.geomspace(1, 2, n),
    "zeros": lambda m, n: m.zeros(n),
    "zeros of two": lambda m, n: m.zeros((2, n)),
    "full": lambda m, n: m.full(n, 1),
    "eye": lambda m, n: m.eye(n),
    "eye of two": lambda m, n: m.eye(2, n),
    "identity": lambda m, n: m.identity(n),
    "repeat": lambda m, n: m.repeat(m.ones(2), n),
    "tile": lambda m, n: m.tile(m.ones(2), n),
    "vander": lambda m, n: m.vander(m.ones(2), n),
    "bincount": lambda m, n: m.bincount(m.ones(2, dtype=int), minlength=n),
    "indices": lambda m, n: m.indices((n,)),
    "broadcast_to": lambda m, n: m.broadcast_to(m.ones(1), n),
    "histogram": lambda m, n: m.histogram(m.ones(2), n),
    "resize": lambda m, n: m.resize(m.ones(2), n),
    "reshape": lambda m, n: m.reshape(m.ones(2), (n, 3)),
    "diag": lambda m, n: m.diag(m.ones(2), n) if n > 0 else m.zeros(-1),
    "pad": lambda m, n: m.pad(m.ones(2), n),
}


@pytest.mark.parametrize("count", [HUGE, -HUGE, -1])
@pytest.mark.parametrize("name", COUNTS)
def test_counts_that_cannot_be_are_typed_errors(name, count):
    if name == "geomspace" and count == -HUGE:
        count = -2
    try:
        np_error = None
        COUNTS[name](np, count)
    except Exception as error:
        np_error = error
    assert np_error is not None
    with pytest.raises((ValueError, OverflowError, MemoryError, TypeError)) as raised:
        COUNTS[name](qn, count)
    assert isinstance(raised.value, qn.Error), repr(raised.value)


@pytest.mark.parametrize("order", ["C", "F", "A"])
@pytest.mark.parametrize("shape", [(2, 6), (-1, 3), (2, 2, 3), (12,), (12, 1)])
def test_orders_of_reshape_count_vectors_too(device, shape, order):
    for a in (np.arange(12), np.arange(24)[::2], np.arange(12)[::-1], np.arange(12).reshape(3, 4)):
        x = qn.asarray(a, device=device)
        np.testing.assert_array_equal(x.reshape(shape, order=order).get(), a.reshape(shape, order=order))
        np.testing.assert_array_equal(
            qn.reshape(x + 0, shape, order=order).get(), a.reshape(shape, order=order)
        )


def test_an_array_made_in_c_order_is_c_contiguous(device):
    x = qn.asarray(np.arange(6.0, dtype=np.float32).reshape(2, 3), device=device)
    y = qn.asarray(x.T, order="C")
    assert y.strides == (8, 4) and y.tolist() == x.get().T.tolist()
    assert qn.asarray(x, order="C").strides == x.strides
    assert x.reshape(np.array([3, 2]), order="F").tolist() == x.get().reshape((3, 2), order="F").tolist()
