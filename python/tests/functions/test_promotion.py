# SPDX-License-Identifier: MIT
"""Functions made of several operations have NumPy's types on the way: narrow integers are promoted before they are
multiplied and summed, and what is joined has the type of all parts together."""

import numpy as np
import pytest

import quern as qn

INF, NAN = np.inf, np.nan

CASES = {
    "einsum_sums_int8_beside_int64": lambda m, a: m.einsum("i,j->j", a([100, 100], "i1"), a([1, 2], "i8")),
    "einsum_counts_booleans": lambda m, a: m.einsum("i,j->j", a([True, True, True], "?"), a([1, 2], "i8")),
    "einsum_of_float16_is_rounded_once": lambda m, a: m.einsum(
        "i,i,i->", a([300], "f2"), a([300], "f2"), a([0.001], "f2")
    ),
    "einsum_of_float16_beside_float64": lambda m, a: m.einsum("i,j->j", a([6e4, 6e4], "f2"), a([1.0], "f8")),
    "einsum_is_in_the_widest_precision": lambda m, a: m.einsum(
        "i,i,->", a([0.1, 0.7], "f2"), a([1 / 3, 1.7], "f4"), a(1e9, "f8")
    ),
    "average_with_int8_weights": lambda m, a: m.average(a([100, 100], "i1"), weights=a([100, 20], "i1")),
    "average_with_weights_of_two_axes": lambda m, a: m.average(
        a([[[1, 2]], [[3, 5]]], "u1"), axis=(2, 0), weights=a([[1, 2], [3, 200]], "u1")
    ),
    "average_of_no_axis": lambda m, a: m.average(a(3, "i1"), axis=0, weights=a(1, "i1")),
    "cov_is_float64": lambda m, a: m.cov(a([[1, 2, 4], [3, 1, 0]], "f4")),
    "corrcoef_of_complex_numbers_is_clipped": lambda m, a: m.corrcoef(a([[1 + 1j, 2, 4], [3, 1j, 0]], "c8")),
    "ravel_multi_index_of_int32": lambda m, a: m.ravel_multi_index(
        (a([60000], "i4"), a([7], "i4")), (70000, 70000)
    ),
    "ravel_multi_index_of_uint8": lambda m, a: m.ravel_multi_index((a([200], "u1"), a([7], "u1")), (300, 50)),
    "unravel_index_of_int8": lambda m, a: m.unravel_index(a([100, 7], "i1"), (3, 300)),
    "linspace_between_uint8": lambda m, a: m.linspace(a([200, 3], "u1"), a([10, 250], "u1"), 4),
    "linspace_between_scalars_of_float32": lambda m, a: m.linspace(np.float32(0), np.float32(1), 5),
    "linspace_has_a_step_of_its_own_type": lambda m, a: m.linspace(a(1, "u1"), a(0, "f4"), 3, retstep=True),
    "linspace_of_one_number_has_no_step": lambda m, a: m.linspace(a([1.0, 2.0]), a([3.0, 4.0]), 1, retstep=True)[1],
    "logspace_of_float32": lambda m, a: m.logspace(np.float32(0), np.float32(2), 3),
    "geomspace_between_signs_is_nan_inside": lambda m, a: m.geomspace(-1, 100, 4),
    "geomspace_of_complex_numbers": lambda m, a: m.geomspace(1j, -16j, 5),
    "clip_has_the_type_of_all_three": lambda m, a: m.clip(a([1, 9], "u2"), a([2, 2], "i2"), a([5, 5], "f4")),
    "clip_by_a_bound_of_another_type": lambda m, a: m.clip(a([1, 9], "i1"), 130, a([140, 200], "u1")),
    "select_with_python_choices": lambda m, a: m.select([a([True, False])], [1.0], a([2, 3], "f2")),
    "concat_has_the_type_of_all_parts": lambda m, a: m.concat([a([1], "i1"), a([2], "u2"), a([3], "c8")]),
    "stack_has_the_type_of_all_parts": lambda m, a: m.stack([a(1, "i1"), a(2, "u2"), a(3, "f4")]),
    "quantile_of_int16_by_float32": lambda m, a: m.quantile(a([1, 2, 4], "i2"), a([0.3], "f4")),
    "quantile_of_float32_by_a_list": lambda m, a: m.quantile(a([1, 2, 4], "f4"), [0.3, 0.5]),
    "quantile_of_booleans": lambda m, a: m.quantile(a([True, False]), 0.5),
    "nanquantile_of_integers_by_an_integer": lambda m, a: m.nanquantile(a([3, 1, 2], "u1"), 1),
    "nanquantile_at_an_infinity": lambda m, a: m.nanquantile(a([3, INF, NAN, 2], "f4"), 1),
    "nanmedian_of_one_huge_number": lambda m, a: m.nanmedian(a([1.7e308, NAN], "f8")),
    "nanvar_beside_an_infinity": lambda m, a: m.nanvar(a([1, INF, NAN], "f4")),
    "nanargmax_of_nothing_but_complex_nan": lambda m, a: m.nanargmax(a([complex(0, NAN)], "c8")),
    "var_by_a_mask_and_dtype": lambda m, a: m.var(a([1, 2, 5], "i4"), dtype="f4", where=a([True, False, True])),
    "std_in_complex": lambda m, a: m.std(a([1, 2, 5], "i4"), dtype="c8"),
    "sum_with_a_fraction_to_begin": lambda m, a: m.sum(a([1, 2], "i4"), initial=-0.5),
    "histogram_of_integer_weights": lambda m, a: m.histogram(
        a([0, 1, 1, 3], "u1"), [0, 1, 2, 4], weights=a([9, 8, 7, 6], "u1")
    ),
    "histogram_of_float16_has_its_edges": lambda m, a: m.histogram(a([0.25, 1, 7], "f2"), 3, density=True),
    "bincount_of_nothing_with_weights": lambda m, a: m.bincount(a([], "u4"), a([], "f4"), 2),
    "digitize_by_extreme_edges": lambda m, a: m.digitize(a([0, 5], "i4"), a([2**31 - 1, 1, -(2**31)], "i4")),
    "trapezoid_at_places_of_uint8": lambda m, a: m.trapezoid(a([1, 200, 250], "u1"), a([9, 4, 1], "i1")),
    "gradient_at_falling_places_of_uint8": lambda m, a: m.gradient(a([1.0, 2.0, 4.0]), a([9, 4, 1], "u1")),
    "gradient_of_booleans": lambda m, a: m.gradient(a([True, False, True])),
    "gradient_of_booleans_at_even_places": lambda m, a: m.gradient(a([True, False, True]), a([5.0, 3, 1]), edge_order=2),
    "gradient_of_booleans_at_uneven_places": lambda m, a: m.gradient(a([True, False, True]), a([5.0, 3, 2]), edge_order=2),
    "ediff1d_of_booleans": lambda m, a: m.ediff1d(a([True, False])),
    "ediff1d_with_an_end_of_another_kind": lambda m, a: m.ediff1d(a([1, 2], "u1"), to_end=-1),
    "diff_of_a_number_no_times": lambda m, a: m.diff(a(3, "i1"), n=0),
    "unwrap_of_integers": lambda m, a: m.unwrap(a([0, 1, 250, 251], "i2"), period=255),
    "unwrap_of_integers_by_an_even_period": lambda m, a: m.unwrap(a([0, 3, -3, 1], "i8"), period=6),
    "polyval_of_no_coefficients": lambda m, a: m.polyval(a([], "f8"), a([1, 2], "i4")),
    "convolve_keeps_infinities_apart": lambda m, a: m.convolve(a([1, 2, 3], "f4"), a([INF, 1], "f4")),
    "correlate_keeps_infinities_apart": lambda m, a: m.correlate(a([1, 2, 3], "f4"), a([NAN, 1], "f4"), "full"),
    "vecdot_of_float16_sums_before_it_rounds": lambda m, a: m.vecdot(
        a([60000, -60000, 1], "f2"), a([2, 2, 3], "f2")
    ),
    "vdot_of_float16_sums_before_it_rounds": lambda m, a: m.vdot(a([60000, -6e4], "f2"), a([2, 2], "f2")),
    "vecmat_of_booleans": lambda m, a: m.vecmat(a([True, True]), a([[True, False], [True, False]])),
    "round_of_booleans_to_digits": lambda m, a: m.round(a([True]), 1),
    "round_of_complex_infinities": lambda m, a: m.round(a([complex(INF, 1.26)], "c16"), 1),
    "logical_and_with_a_number_that_does_not_fit": lambda m, a: m.logical_and(a([0, 5], "u1"), -300),
    "equal_with_the_dtype_of_its_result": lambda m, a: m.equal(a([1, 2], "u1"), a([1, 3], "u1"), dtype="?"),
    "add_of_python_numbers_in_a_dtype": lambda m, a: m.add(True, 130, dtype="u2"),
    "insert_of_a_number_that_does_not_fit": lambda m, a: m.insert(a([1, 2], "u1"), 0, -4),
    "full_of_a_numpy_scalar_wraps": lambda m, a: m.full((2,), np.int16(300), "i1"),
    "norm_of_nothing": lambda m, a: m.linalg.norm(a([], "f4"), INF),
    "cumulative_sum_of_a_number": lambda m, a: m.cumulative_sum(a(5, "i2"), include_initial=True),
    "ascontiguousarray_of_a_number": lambda m, a: m.ascontiguousarray(a(5, "i2")),
    "ix_of_nothing": lambda m, a: m.ix_(a([], "i2"), a([1], "u1")),
    "repeat_of_nothing": lambda m, a: m.repeat(a([], "i2"), []),
    "partition_of_nothing": lambda m, a: m.partition(a([], "i2"), 0),
    "take_of_nothing_from_nothing": lambda m, a: m.take(a([], "i2"), a([], "i8"), mode="clip"),
}  # fmt: skip


def outcome(function, module, make):
    with np.errstate(all="ignore"):
        try:
            return function(module, make), None
        except Exception as error:
            return None, error


def assert_same(found, expected):
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
        return
    values = found.get() if isinstance(found, qn.Array) else np.asarray(found)
    expected = np.asarray(expected)
    assert (values.dtype, values.shape) == (expected.dtype, expected.shape)
    kind = expected.real.dtype.kind
    tolerance = 16 * np.finfo(expected.dtype).eps if kind == "f" else 0
    np.testing.assert_allclose(values, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", CASES)
def test_types_on_the_way_are_numpys(device, name):
    if not device.has_fp64:
        pytest.skip("its default precision is another")
    if name.startswith("histogram_of_float16") and not device.has_fp16:
        pytest.skip("no float16")
    expected, error = outcome(CASES[name], np, lambda values, dtype=None: np.asarray(values, dtype))
    with device:
        found, wrong = outcome(CASES[name], qn, lambda values, dtype=None: qn.asarray(values, dtype))
    if error is None:
        assert wrong is None, wrong
        assert_same(found, expected)
    else:
        kinds = [kind for kind in (TypeError, ValueError, OverflowError) if isinstance(error, kind)]
        assert any(isinstance(wrong, kind) for kind in kinds), (error, wrong, found)
