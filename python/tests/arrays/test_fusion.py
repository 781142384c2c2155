# SPDX-License-Identifier: MIT
"""Which expressions become one kernel, counted by launches, and which must not."""

import operator

import numpy as np
import pytest

import quern as qn


def ramp(device, count=64):
    values = np.arange(count, dtype=np.float32)
    return qn.asarray(values, device=device), values.copy()


def test_an_assignment_of_what_reads_the_target_at_the_same_places_is_one_launch(device, launches):
    x, expected = ramp(device)
    y, other = ramp(device)

    def whole():
        x[:] = x + 1

    def nested():
        x[...] = (x * 2 + y) * x

    def part():
        x[1:10] = x[1:10] * 3

    def update():
        x[::2] += x[::2] * y[::2]

    assert launches(whole) == 1
    assert launches(nested) == 1
    assert launches(part) == 1
    assert launches(update) == 2  # the product may still be needed
    expected += 1
    expected = (expected * 2 + other) * expected
    expected[1:10] *= 3
    expected[::2] += expected[::2] * other[::2]
    assert np.array_equal(x.get(), expected)


def test_an_assignment_of_what_reads_the_target_elsewhere_is_computed_first(device, launches, use_host_loops):
    use_host_loops("until_compiled")
    x, expected = ramp(device)

    def shift():
        x[1:] = x[:-1] + 1

    assert launches(shift) == (1 if device.backend == "host" else 2)  # a small one has no memory of its own
    expected[1:] = expected[:-1] + 1
    assert np.array_equal(x.get(), expected)


def test_an_expression_in_use_keeps_the_values_from_before_an_assignment(device):
    x, values = ramp(device)
    kept = x + 1
    x[:] = kept
    x += kept * x
    assert np.array_equal(kept.get(), values + 1)
    assert np.array_equal(x.get(), (values + 1) + (values + 1) * (values + 1))


def test_a_part_of_an_assigned_expression_in_use_keeps_its_values_from_before(device):
    x, values = ramp(device)
    part = x * 2
    x[:] = part + 1
    assert np.array_equal(part.get(), values * 2)
    assert np.array_equal(x.get(), values * 2 + 1)


def test_other_expressions_of_the_target_have_the_values_from_before_an_assignment(device):
    x, values = ramp(device)
    other = x - 5
    x[:] = x * 3
    assert np.array_equal(other.get(), values - 5)
    assert np.array_equal(x.get(), values * 3)


def test_an_assignment_that_is_refused_leaves_the_expression_what_it_was(device):
    x, values = ramp(device)
    with pytest.raises(ValueError, match="broadcast"):
        x[:3] = x + 1
    total = x + 1
    assert np.array_equal(total.get(), values + 1)


def test_results_of_more_inputs_than_a_kernel_takes_are_several_kernels(device, launches):
    inputs = [qn.asarray(np.full(8, k, np.float32), device=device)[::2] for k in range(16 * 12)]
    most = inputs[0].device.max_argument_bytes
    results = []
    for group in range(16):
        total = inputs[group * 12]
        for k in range(1, 12):
            total = total + inputs[group * 12 + k]
        results.append(total)
    assert launches(lambda: qn.eval(*results)) >= len(inputs) * 24 / most
    for group, result in enumerate(results):
        assert np.array_equal(result.get(), np.full(4, sum(range(group * 12, group * 12 + 12)), np.float32))


def test_a_loop_that_never_looks_takes_no_more_kernels_and_memory_the_longer_it_runs(device):
    x, values = ramp(device)
    expected = values.astype(np.float64)
    seen = []
    for step in range(2000):
        x = x * 1.0001 + 1
        expected = expected * 1.0001 + 1
        if step % 500 == 499:
            seen.append(qn.stats())
    assert seen[-1].compilations == seen[1].compilations
    assert seen[-1].bytes_in_use <= seen[0].bytes_in_use + 16 * 4096
    assert np.allclose(x.get(), expected, rtol=1e-4)


def test_a_view_of_an_expression_is_one_kernel_over_the_elements_that_it_shows(device, launches):
    x, values = ramp(device, 1 << 16)
    in_use = qn.stats().bytes_in_use
    part = (x + 1)[::4]
    assert launches(lambda: qn.eval(part)) == 1
    assert qn.stats().bytes_in_use - in_use < x.nbytes / 2
    assert np.array_equal(part.get(), (values + 1)[::4])


def test_views_of_expressions_are_read_by_others_in_one_kernel(device, launches):
    x, values = ramp(device)
    grid, expected = x.reshape(8, 8), values.reshape(8, 8)
    row, line = qn.asarray(values[:8], device=device), values[:8]
    results = {
        "slices": (lambda: (grid * 2)[1:, ::-1] + row, (expected * 2)[1:, ::-1] + line),
        "transposed": (lambda: (grid + row).T * grid, (expected + line).T * expected),
        "a view of a view": (
            lambda: (grid - row).T[2:, None, 1] + row,
            (expected - line).T[2:, None, 1] + line,
        ),
        "a row of a sum": (lambda: (grid + row)[3] * 2, (expected + line)[3] * 2),
        "one twice": (lambda: next(y[1:] + y[:-1] for y in [x * x]), (values**2)[1:] + (values**2)[:-1]),
    }
    for name, (function, wanted) in results.items():
        result = function()
        assert launches(lambda result=result: qn.eval(result)) == 1, name
        assert np.array_equal(result.get(), wanted), name


def test_a_view_and_what_it_shows_see_what_is_written_to_the_other(device):
    x, values = ramp(device)
    total = x + 1
    part = total[::2]
    part[0] = 100
    total[2] = 200
    part += 1
    expected = values + 1
    expected[0] = 100
    expected[2] = 200
    expected[::2] += 1
    assert np.array_equal(total.get(), expected)
    assert np.array_equal(part.get(), expected[::2])


def test_a_view_outlives_what_it_shows_and_can_be_written(device):
    x, values = ramp(device)
    part = (x + 1)[10:20]
    again = part[2:4]
    part[3] = -1
    expected = (values + 1)[10:20]
    expected[3] = -1
    assert np.array_equal(again.get(), expected[2:4])
    assert np.array_equal(part.get(), expected)


def test_what_a_view_of_an_expression_reads_is_as_it_was_when_it_was_written(device):
    x, values = ramp(device)
    part = (x + 1)[::2]
    more = part * 2
    x[:] = 0
    assert np.array_equal(part.get(), (values + 1)[::2])
    assert np.array_equal(more.get(), (values + 1)[::2] * 2)


def test_sums_of_views_of_expressions_are_those_of_the_elements_shown(device, launches):
    x, values = ramp(device)
    grid = x.reshape(8, 8)
    alone = launches(lambda: qn.eval(qn.sum(grid)))
    assert launches(lambda: qn.eval(qn.sum((grid * grid)[1:, ::2]))) == alone
    assert qn.sum((grid * grid)[1:, ::2]).item() == (values.reshape(8, 8) ** 2)[1:, ::2].sum()
    assert qn.sum(qn.full((4, 4), 3.0, device=device)[::2]).item() == 24
    assert qn.sum(qn.arange(10, device=device)[::2]).item() == 20


def test_an_assigned_expression_in_use_keeps_its_elements(device):
    x, expected = ramp(device)
    arguments = (..., x + 1)
    x.__setitem__(*arguments)
    x += 5
    assert np.array_equal(arguments[1].get(), expected + 1)
    assert np.array_equal(x.get(), expected + 6)
    arguments = (x, x * 2)
    operator.iadd(*arguments)
    assert np.array_equal(arguments[1].get(), (expected + 6) * 2)


@pytest.mark.parametrize("shape", [(3001, 2048), (2500, 1001), (3, 1500, 640)])
def test_rows_columns_and_single_numbers_beside_large_arrays_are_read_where_they_belong(device, shape):
    rng = np.random.default_rng(5)
    whole = rng.random(shape, dtype=np.float32)
    parts = [
        rng.random(shape[-1], dtype=np.float32),
        rng.random((shape[-2], 1), dtype=np.float32),
        rng.random((1, 1), dtype=np.float32),
        rng.random((1,) * (len(shape) - 1) + shape[-1:]),
    ]
    x, (row, column, single, wide) = (
        qn.asarray(whole, device=device),
        (qn.asarray(p, device=device) for p in parts),
    )
    found = (x * row + column) * single + (x - wide)
    expected = (whole * parts[0] + parts[1]) * parts[2] + (whole - parts[3])
    np.testing.assert_allclose(found.get(), expected, rtol=1e-5, atol=1e-6)
    x += row * 2  # read and written at the same places
    np.testing.assert_allclose(x.get(), whole + parts[0] * 2, rtol=1e-6)
    x[...] = x - x[..., :1, :]  # a row of what is written
    expected = (whole + parts[0] * 2) - (whole + parts[0] * 2)[..., :1, :]
    np.testing.assert_allclose(x.get(), expected, rtol=1e-5, atol=1e-5)


def test_sums_along_columns_of_what_is_computed_with_a_row_are_those_of_numpy(device):
    values = np.random.default_rng(6).random((1500, 260), dtype=np.float32)
    x = qn.asarray(values, device=device)
    distances = (x - x.mean(axis=0)) ** 2
    expected = ((values - values.mean(axis=0, dtype=np.float64)) ** 2).sum(axis=0)
    np.testing.assert_allclose(distances.sum(axis=0).get(), expected, rtol=1e-5)
    assert x.mean(axis=0).dtype == np.float32 and x.sum(axis=1).dtype == np.float32
    np.testing.assert_allclose(x.var(axis=0).get(), values.var(axis=0, dtype=np.float64), rtol=1e-5)
    np.testing.assert_allclose(x.mean().get(), values.mean(dtype=np.float64), rtol=1e-6)
    both = (x + 1j * x[::-1]).mean(axis=1)
    assert both.dtype == np.complex64
    np.testing.assert_allclose(both.get(), (values + 1j * values[::-1]).mean(axis=1), rtol=1e-5)


def test_what_is_computed_a_second_time_as_a_part_of_something_is_stored(device, launches):
    values = np.arange(64, dtype=np.float32)
    x = qn.asarray(values, device=device)
    part = (x * 2 + 1) * (x - 3) + x * x
    expected = (values * 2 + 1) * (values - 3) + values * values
    for number in range(3):
        result = part + number
        assert launches(lambda r=result: qn.eval(r)) == 1
        np.testing.assert_array_equal(result.get(), expected + number)
    assert launches(lambda: np.testing.assert_array_equal(part.get(), expected)) == 0


def test_a_second_sum_of_an_expression_reads_what_was_stored_for_it(device):
    values = np.arange(64, dtype=np.float32)
    x = qn.asarray(values, device=device)
    part = (x * 2 + 1) * (x - 3) + x
    expected = (values * 2 + 1) * (values - 3) + values
    assert (float(part.sum()), float(part.max()), float(part.min())) == (
        expected.sum(),
        expected.max(),
        expected.min(),
    )
    before = qn.stats().launches
    np.testing.assert_array_equal(part.get(), expected)
    assert qn.stats().launches == before


@pytest.mark.parametrize(
    "make", [lambda d: qn.arange(6.0, device=d), lambda d: qn.linspace(0, 1, 6, device=d)]
)
def test_a_row_that_counts_its_elements_is_added_to_each_row_in_place(device, make):
    if not device.has_fp64:
        pytest.skip("needs float64")
    row = make(device).get()
    x = qn.zeros((4, 6), device=device)
    x += make(device)
    x[1:] -= make(device) * 3
    expected = np.zeros((4, 6)) + row
    expected[1:] -= row * 3
    np.testing.assert_allclose(x.get(), expected, rtol=1e-15)


SHIFTS = {
    "down": lambda y: y.__setitem__(slice(1, None), y[:-1]),
    "up": lambda y: y.__setitem__(slice(None, -1), y[1:]),
    "flip": lambda y: y.__setitem__(slice(None), y[::-1]),
    "right": lambda y: y.__setitem__((..., slice(1, None)), y[..., :-1]),
    "mirror": lambda y: y.__setitem__(..., y[..., ::-1]),
    "transpose": lambda y: y.__setitem__(slice(None), y.T),
}


@pytest.mark.parametrize("loops", ["only", "never"])
@pytest.mark.parametrize("change", SHIFTS)
@pytest.mark.parametrize("shape", [(8, 8), (3, 3, 3), (40,)])
def test_an_expression_is_assigned_views_of_itself_as_they_were(device, change, shape, loops, use_host_loops):
    use_host_loops(loops)
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    y, expected = qn.asarray(values, device=device) * 2, values * 2
    SHIFTS[change](y)
    SHIFTS[change](expected)
    np.testing.assert_array_equal(y.get(), expected)
