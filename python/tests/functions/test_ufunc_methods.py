# SPDX-License-Identifier: MIT
"""Methods of functions of two operands: at, reduceat, and reduce and accumulate of all of them. NumPy is the oracle."""

import numpy as np
import pytest

import quern as qn

RNG = np.random.default_rng(7)
TARGET = RNG.integers(1, 20, 50)
PLACES = RNG.integers(-50, 50, 400)
VALUES = RNG.integers(1, 5, 400)
REAL = ["i1", "u1", "i4", "u8", "f4"]
ASSOCIATIVE = ["add", "multiply", "maximum", "minimum", "bitwise_or", "bitwise_and", "bitwise_xor", "gcd"]


def check_at(device, name, target, index, values):
    theirs = target.copy()
    with np.errstate(all="ignore"):
        getattr(np, name).at(theirs, index, values)
    ours = qn.asarray(target, device=device)
    on_device = values if np.isscalar(values) else qn.asarray(values, device=device)
    getattr(qn, name).at(ours, index, on_device)
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-5, err_msg=name)
    again = qn.asarray(target, device=device)
    getattr(np, name).at(again, index, on_device)
    np.testing.assert_allclose(again.get(), theirs, rtol=1e-5, err_msg=f"numpy.{name}")


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("name", ["add", "subtract", "maximum", "minimum", "multiply"])
def test_every_value_counts_where_an_index_repeats(device, name, dtype):
    # Few repetitions where products would overflow floating point.
    count = 60 if name == "multiply" else 400
    check_at(device, name, TARGET.astype(dtype), PLACES[:count], VALUES[:count].astype(dtype))


@pytest.mark.parametrize(
    "name", ["bitwise_or", "bitwise_and", "bitwise_xor", "gcd", "logical_or", "logical_xor"]
)
def test_other_operations_count_every_value_too(device, name):
    check_at(device, name, TARGET.astype("i4"), PLACES, VALUES.astype("i4"))


@pytest.mark.parametrize("name", ["floor_divide", "remainder", "left_shift"])
def test_operations_that_are_not_associative_go_in_the_order_of_the_values(device, name):
    places = np.array([3, 3, 0, 3, 0, 7])
    check_at(device, name, TARGET.astype("i4"), places, np.array([2, 3, 2, 1, 4, 5], "i4"))


def test_quotients_go_in_the_order_of_the_values(device):
    target = TARGET.astype("f4")
    check_at(device, "divide", target, np.array([3, 3, 0]), np.array([2, 4, 8], "f4"))
    check_at(device, "power", target, [3, 3, 0], 2.0)


def test_complex_numbers_and_booleans_are_updated(device):
    target = (TARGET[:5] + 1j).astype("c8")
    check_at(device, "add", target, PLACES[:20] % 5, (VALUES[:20] * 1j).astype("c8"))
    truths = TARGET[:5] > 10
    check_at(device, "logical_or", truths, PLACES[:20] % 5, VALUES[:20] > 3)
    check_at(device, "add", truths, PLACES[:20] % 5, VALUES[:20] > 3)


@pytest.mark.parametrize(
    "index",
    [
        (np.array([0, 2, 2, -1]), slice(None)),
        (slice(None), np.array([1, 1, 0])),
        (np.array([0, 0, 3]), np.array([1, 1, 2])),
        np.array([3, 3, 3]),
        (Ellipsis, 1),
        slice(1, None),
        2,
    ],
    ids=str,
)
def test_indices_are_numpys(device, index):
    target = np.arange(12, dtype="f4").reshape(4, 3)
    check_at(device, "add", target, index, 2.0)
    values = np.arange(1, 1 + np.size(target[index]), dtype="f4").reshape(target[index].shape)
    check_at(device, "add", target, index, values)


def test_masks_choose_what_is_updated(device):
    target = np.arange(6, dtype="f4")
    check_at(device, "add", target, target > 2, np.float32(3))


def test_views_are_updated(device):
    whole = np.arange(24, dtype="f4").reshape(4, 6)
    ours = qn.asarray(whole, device=device)
    np.add.at(whole[::2, 1::2].T, np.array([0, 0, 2]), 10.0)
    qn.add.at(ours[::2, 1::2].T, np.array([0, 0, 2]), 10.0)
    np.testing.assert_array_equal(ours.get(), whole)


def test_values_may_be_of_the_array_itself(device):
    values = np.arange(6, dtype="f4")
    ours = qn.asarray(values, device=device)
    np.add.at(values, [0, 0, 1], values[3:])
    qn.add.at(ours, [0, 0, 1], ours[3:])
    np.testing.assert_array_equal(ours.get(), values)


@pytest.mark.parametrize("index", [[0, 2, 2, 2], slice(1, 4), [True, False, True, False, True]])
@pytest.mark.parametrize("name", ["negative", "sqrt", "square", "invert"])
def test_functions_of_one_operand_apply_as_often_as_an_index_repeats(device, name, index):
    theirs = np.array([4, 16, 3, 81, 2], "int32" if name == "invert" else "float32")
    ours = qn.asarray(theirs, device=device)
    again = qn.asarray(theirs, device=device)
    getattr(np, name).at(theirs, index)
    getattr(qn, name).at(ours, index)
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-6)
    getattr(np, name).at(again, index)
    np.testing.assert_allclose(again.get(), theirs, rtol=1e-6)
    assert not hasattr(getattr(qn, name), "reduce")


def test_what_cannot_be_updated_is_refused(device):
    x = qn.zeros(4, "int32", device)
    with pytest.raises(qn.ArgumentTypeError, match=r"add\.at: cannot cast float64 to int32"):
        qn.add.at(x, [0], 1.5)
    with pytest.raises(IndexError):
        qn.add.at(x, [4], 1)
    with pytest.raises(qn.ArgumentTypeError, match="expected an array to write to"):
        qn.add.at(np.zeros(3), [0], 1)
    with pytest.raises(TypeError):
        np.sin.at(x, [0])
    np.testing.assert_array_equal(x.get(), 0)


def test_positions_on_the_device_out_of_bounds_write_nothing(device):
    x = qn.zeros(4, "int32", device)
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        qn.add.at(x, qn.asarray(np.array([1, 9]), device=device), 1)
    np.testing.assert_array_equal(x.get(), 0)


@pytest.mark.parametrize("name", [*ASSOCIATIVE, "subtract", "floor_divide"])
@pytest.mark.parametrize("starts", [[0, 4, 1, 9], [2], [0, 1, 2, 3], [9, 3, 3, 5], []], ids=str)
def test_parts_of_an_axis_are_reduced(device, name, starts):
    values = RNG.integers(1, 7, 10).astype("i4")
    expected = getattr(np, name).reduceat(values, np.array(starts, int))
    x = qn.asarray(values, device=device)
    for made in (getattr(qn, name).reduceat(x, starts), getattr(np, name).reduceat(x, starts)):
        assert made.dtype == expected.dtype
        np.testing.assert_array_equal(made.get(), expected)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_parts_are_reduced_along_an_axis(device, axis):
    values = RNG.integers(0, 9, (5, 4, 6)).astype("f4")
    starts = np.array([0, 2, 1, 3])
    expected = np.add.reduceat(values, starts, axis=axis)
    x = qn.asarray(values, device=device)
    out = qn.zeros(expected.shape, "float32", device)
    assert qn.add.reduceat(x, qn.asarray(starts, device=device), axis, None, out) is out
    np.testing.assert_allclose(out.get(), expected, rtol=1e-6)
    np.testing.assert_array_equal(
        qn.maximum.reduceat(x, starts, axis=axis).get(), np.maximum.reduceat(values, starts, axis=axis)
    )
    with pytest.raises(IndexError, match="out of bounds"):
        qn.add.reduceat(x, [0, 9], axis)


def test_sums_of_parts_take_a_type(device):
    values = np.array([100, 100, 100], "i1")
    x = qn.asarray(values, device=device)
    assert qn.add.reduceat(x, [0, 1]).dtype == np.add.reduceat(values, [0, 1]).dtype
    np.testing.assert_array_equal(
        qn.add.reduceat(x, [0, 1], dtype="int8").get(), np.add.reduceat(values, [0, 1], dtype="int8")
    )


@pytest.mark.parametrize(
    "name", ["subtract", "bitwise_or", "bitwise_xor", "gcd", "floor_divide", "logical_xor"]
)
def test_all_functions_of_two_operands_reduce_and_accumulate(device, name):
    values = RNG.integers(1, 9, (4, 3)).astype("i4")
    x = qn.asarray(values, device=device)
    ours, theirs = getattr(qn, name), getattr(np, name)
    np.testing.assert_array_equal(ours.reduce(x).get(), theirs.reduce(values))
    np.testing.assert_array_equal(
        ours.reduce(x, axis=1, keepdims=True).get(), theirs.reduce(values, 1, keepdims=True)
    )
    np.testing.assert_array_equal(ours.accumulate(x, axis=1).get(), theirs.accumulate(values, axis=1))
    np.testing.assert_array_equal(theirs.accumulate(x).get(), theirs.accumulate(values))
    if name not in ("subtract", "floor_divide"):
        np.testing.assert_array_equal(ours.reduce(x, axis=None).get(), theirs.reduce(values, axis=None))
        np.testing.assert_array_equal(ours.reduce(x, initial=1).get(), theirs.reduce(values, initial=1))


def same(ours, theirs):
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-12)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c8"])
def test_powers_in_double_precision_have_all_methods(device, dtype):
    if not device.has_fp64:
        pytest.skip("needs float64")
    values = RNG.integers(1, 4, (3, 3)).astype(dtype)
    x = qn.asarray(values, device=device)
    ours, theirs = qn.float_power, np.float_power
    same(ours.reduce(x), theirs.reduce(values))
    same(
        ours.reduce(x, axis=1, keepdims=True, initial=2.0),
        theirs.reduce(values, 1, keepdims=True, initial=2.0),
    )
    same(ours.accumulate(x, axis=1), theirs.accumulate(values, axis=1))
    same(ours.reduceat(x, [0, 2, 1]), theirs.reduceat(values, [0, 2, 1]))
    same(ours.outer(x, x[0]), theirs.outer(values, values[0]))
    same(np.float_power.outer(x, x[0]), theirs.outer(values, values[0]))
    if dtype == "f8":
        check_at(device, "float_power", values[0], [0, 0, 2], values[1, 0])
        check_at(device, "float_power", values[0], [0, 0, 2], values[1])
    with pytest.raises(ValueError, match=r"float_power\.reduce"):
        ours.reduce(x[:0])
    with pytest.raises(TypeError, match=r"float_power\.reduce.*float32"):
        ours.reduce(x, dtype="float32")


def test_ldexp_has_the_methods_that_numpys_has(device):
    if not device.has_fp64:
        pytest.skip("needs float64")
    values = np.array([[1, 2, 3], [4, -5, 6]])
    x = qn.asarray(values, device=device)
    same(qn.ldexp.reduce(x), np.ldexp.reduce(values))
    same(qn.ldexp.reduce(x, axis=1, keepdims=True), np.ldexp.reduce(values, axis=1, keepdims=True))
    same(qn.ldexp.reduce(x, axis=1, initial=3), np.ldexp.reduce(values, axis=1, initial=3))
    mask = np.array([True, False, True])
    same(qn.ldexp.reduce(x, 1, initial=0.5, where=mask), np.ldexp.reduce(values, 1, initial=0.5, where=mask))
    same(qn.ldexp.outer(x / 2, x[0]), np.ldexp.outer(values / 2, values[0]))
    target = values[0] + 0.5
    check_at(device, "ldexp", target, [0, 2, 0], 3)
    check_at(device, "ldexp", target, [0, 2, 0], np.array([3, -1, 2]))
    with pytest.raises(ValueError, match=r"ldexp\.reduce"):
        qn.ldexp.reduce(x[:0])
    for call in (
        lambda module, a: module.ldexp.reduce(a * 0.5),
        lambda module, a: module.ldexp.accumulate(a),
        lambda module, a: module.ldexp.reduceat(a, [0, 1]),
        lambda module, a: module.ldexp.outer(a * 0.5, a * 0.5),
        lambda module, a: module.ldexp.at(a * 0.5, 0, 0.5),
    ):
        with pytest.raises(TypeError):
            call(np, values)
        with pytest.raises(TypeError, match="ldexp"):
            call(qn, x)


def test_functions_with_two_results_have_an_outer_product_only(device):
    a, b = np.array([[7, -9], [4, 0]]), np.array([2, -3, 5])
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    for ours, theirs in zip(qn.divmod.outer(x, y), np.divmod.outer(a, b), strict=True):
        np.testing.assert_array_equal(ours.get(), theirs, strict=True)
    outs = [np.zeros((2, 2, 3), int) for _ in range(2)]
    ours = tuple(qn.asarray(out, device=device) for out in outs)
    where = np.array([True, False, True])
    np.divmod.outer(a, b, out=tuple(outs), where=where)
    assert qn.divmod.outer(x, y, out=ours, where=qn.asarray(where, device=device))[0] is ours[0]
    for one, expected in zip(ours, outs, strict=True):
        np.testing.assert_array_equal(one.get(), expected, strict=True)
    assert [one.get().tolist() for one in np.divmod.outer(x, 4)] == [
        m.tolist() for m in np.divmod.outer(a, 4)
    ]
    for name in ("divmod", "modf", "frexp"):
        for method in ("reduce", "accumulate", "reduceat", "at"):
            assert not hasattr(getattr(qn, name), method)
    assert not hasattr(qn.modf, "outer") and not hasattr(qn.frexp, "outer")


ELEMENTWISE = sorted(
    name for name in dir(qn) if isinstance(getattr(np, name, None), np.ufunc) and name in qn.__all__
)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_functions_have_the_attributes_of_ufuncs(name):
    ours, theirs = getattr(qn, name), getattr(np, name)
    for attribute in ("nin", "nout", "nargs", "identity", "signature"):
        mine, expected = getattr(ours, attribute), getattr(theirs, attribute)
        assert type(mine) is type(expected) and mine == expected, attribute


def test_other_functions_have_no_attributes_of_ufuncs():
    for function in (qn.sum, qn.median, qn.linalg.norm, qn.add.reduce, qn.Array.sum):
        for attribute in ("nin", "nout", "nargs", "identity", "signature"):
            assert not hasattr(function, attribute)
