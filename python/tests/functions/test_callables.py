# SPDX-License-Identifier: MIT
"""Functions that take Python callables: vectorize, apply_along_axis, apply_over_axes, pad with a callable. NumPy is the oracle."""

import numpy as np
import pytest

import quern as qn

DATA = np.arange(24, dtype="f4").reshape(2, 3, 4)


def test_vectorize_calls_the_function_for_each_element(device):
    seen = []

    def clipped(x, low):
        """Not less than low."""
        seen.append(x)
        return x if x > low else low

    ours, theirs = qn.vectorize(clipped), np.vectorize(clipped)
    x = qn.asarray(DATA, device=device)
    made = ours(x, 5)
    assert len(seen) >= DATA.size
    assert isinstance(made, qn.Array) and made.device == device
    expected = theirs(DATA, 5)
    assert made.dtype == expected.dtype and ours.__doc__ == theirs.__doc__
    np.testing.assert_array_equal(made.get(), expected)
    broadcast = ours(x[0, :, :1], qn.asarray(np.array([1, 9], "f4"), device=device))
    np.testing.assert_array_equal(broadcast.get(), theirs(DATA[0, :, :1], np.array([1, 9], "f4")))


def test_vectorize_takes_numpys_keywords(device):
    x = qn.asarray(DATA[0], device=device)
    both = qn.vectorize(lambda v: (v + 1, v < 4), otypes=["f4", "?"])
    for one, other in zip(
        both(x), np.vectorize(lambda v: (v + 1, v < 4), otypes=["f4", "?"])(DATA[0]), strict=True
    ):
        assert one.dtype == other.dtype and one.device == device
        np.testing.assert_array_equal(one.get(), other)
    total = qn.vectorize(lambda row, scale: row.sum() * scale, signature="(n),()->()", excluded={"scale"})
    np.testing.assert_array_equal(total(x, 2).get(), DATA[0].sum(1) * 2)

    @qn.vectorize(otypes=["i4"])
    def rounded(v):
        return round(float(v))

    assert rounded(x).dtype == np.int32
    with device:
        assert rounded(2.6).item() == 3


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize(
    "function",
    [
        lambda v: v.sum(),
        lambda v: v[::-1],
        lambda v: v[:2].reshape(2, 1) * v[:1],
        lambda v, more=1: v[:1] + more,
        lambda v: 7,
    ],
)
def test_functions_are_applied_along_an_axis(device, function, axis):
    expected = np.apply_along_axis(function, axis, DATA)
    x = qn.asarray(DATA, device=device)
    for made in (qn.apply_along_axis(function, axis, x), np.apply_along_axis(function, axis, x)):
        assert isinstance(made, qn.Array) and made.dtype == expected.dtype
        np.testing.assert_array_equal(made.get(), expected)


def test_functions_are_applied_over_axes(device):
    x = qn.asarray(DATA, device=device)
    for axes in (0, (0, 2), [-1, 1]):
        expected = np.apply_over_axes(np.sum, DATA, axes)
        np.testing.assert_array_equal(qn.apply_over_axes(qn.sum, x, axes).get(), expected)
        np.testing.assert_array_equal(np.apply_over_axes(np.sum, x, axes).get(), expected)
    with pytest.raises(qn.ArgumentValueError, match="as many axes"):
        qn.apply_over_axes(lambda a, axis: a.sum(), x, 0)
    with pytest.raises(qn.ArgumentValueError, match="no slice"):
        qn.apply_along_axis(lambda v: v, 0, x[:, :0])


def test_a_callable_pads_each_vector(device):
    def pad_with(vector, widths, axis, options):
        number = options.get("padder", 10) + axis
        vector[: widths[0]] = number
        if widths[1]:
            vector[-widths[1] :] = -number

    x = qn.asarray(DATA, device=device)
    for width, options in ((2, {}), (((1, 0), (0, 2), (1, 1)), {"padder": 100})):
        expected = np.pad(DATA, width, pad_with, **options)
        np.testing.assert_array_equal(qn.pad(x, width, pad_with, **options).get(), expected)
    np.testing.assert_array_equal(
        qn.pad(x, {-1: (2, 1)}, mode=pad_with).get(), np.pad(DATA, {-1: (2, 1)}, mode=pad_with)
    )


def test_positions_of_masks_are_numpys(device):
    with device:
        for one, other in zip(qn.mask_indices(3, qn.triu, 1), np.mask_indices(3, np.triu, 1), strict=True):
            assert one.device == device
            np.testing.assert_array_equal(one.get(), other)


def test_memory_is_shared_where_a_byte_is(device):
    data = np.arange(120, dtype="i4").reshape(4, 5, 6)
    x = qn.asarray(data, device=device)
    views = [
        lambda a: a,
        lambda a: a[::2],
        lambda a: a[1::2],
        lambda a: a[:, ::2, 1::3],
        lambda a: a[:, 1::2, ::3],
        lambda a: a[::-1, :, 2].T,
        lambda a: a[:, :, 3],
        lambda a: a[3, 4, 5],
        lambda a: a[:0],
        lambda a: a.reshape(-1)[7::11],
        lambda a: a.reshape(-1)[3::13],
    ]
    for one in views:
        for other in views:
            expected = np.shares_memory(one(data), other(data))
            assert qn.shares_memory(one(x), other(x)) == expected
            assert qn.shares_memory(other(x), one(x)) == expected
    assert not qn.shares_memory(x, x.copy())


def test_requirements_are_met_with_as_few_copies_as_can_be(device):
    x = qn.asarray(DATA, device=device)
    assert qn.require(x, requirements=["C", "A", "O", "W"]) is x
    fortran = qn.require(x, requirements="F")
    assert (
        qn.isfortran(fortran)
        and not qn.isfortran(x)
        and fortran.strides == np.require(DATA, requirements="F").strides
    )
    part = x[:, 1:2]
    assert qn.shares_memory(qn.require(part, "f4"), x)
    assert not qn.shares_memory(qn.require(part, requirements=["O"]), x)
    with pytest.raises(qn.ArgumentValueError, match="requirements"):
        qn.require(x, requirements=["Z"])
    with pytest.raises(qn.ArgumentValueError, match="both"):
        qn.require(x, requirements=["C", "F"])
