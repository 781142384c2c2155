# SPDX-License-Identifier: MIT
"""Numbers that an element type cannot hold become infinity with NumPy's warning, or as numpy.errstate says."""

import warnings

import numpy as np
import pytest

import quern as qn


def test_a_number_that_overflows_becomes_infinity_with_numpys_warning(device):
    for make in (
        lambda: qn.full(3, 1e300, np.float32, device),
        lambda: qn.asarray([1e300], np.float32, device=device),
        lambda: qn.full(3, 1e10, np.float16, device),
    ):
        with pytest.warns(RuntimeWarning, match="overflow"):
            made = make()
        assert np.isinf(made.get()).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf(qn.full(3, np.inf, np.float32, device).get()).all()
        assert (qn.full(3, 1.1, np.float32, device).get() == np.float32(1.1)).all()


def test_errstate_says_what_comes_of_an_overflow(device):
    x = qn.asarray(np.ones(2, np.float32), device=device)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with np.errstate(over="ignore"):
            assert np.isinf((x + 1e300).get()).all() and np.isinf(qn.full_like(x, 1e300).get()).all()
        with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
            x + 1e300
        with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
            qn.full_like(x, 1e300)


def add_in_place(x, number):
    x += number
    return x


def put_first(x, number):
    x[:1] = number
    x[1] = number
    return x


@pytest.mark.parametrize(
    "use",
    [
        lambda x, number: x + number,
        lambda x, number: number * x,
        lambda x, number: x < number,
        lambda x, number: np.maximum(x, number),
        add_in_place,
        put_first,
        lambda x, number: np.full_like(x, number),
    ],
)
def test_a_number_that_overflows_beside_an_array_is_warned_of_as_in_numpy(device, use):
    for dtype, number in (
        (np.float32, 1e300),
        (np.float32, -1e39),
        (np.float32, 1e38),
        (np.float16, 1e5),
        (np.float16, 65519.0),
        (np.complex64, 1e300),
        (np.complex64, 1e300j),
        (np.float32, np.inf),
        (np.float32, 10**39),
        (np.float16, 10**5),
        (np.int32, 1000),
    ):
        expected, given = np.ones(2, dtype), qn.asarray(np.ones(2, dtype), device=device)
        if dtype == np.complex64 and use(np.ones(2), 1.0).dtype == bool:
            continue
        with warnings.catch_warnings(record=True) as of_numpy:
            warnings.simplefilter("always")
            expected = use(expected, number)
        with warnings.catch_warnings(record=True) as of_ours:
            warnings.simplefilter("always")
            found = use(given, number)
        assert {w.category for w in of_ours} == {w.category for w in of_numpy}, (dtype, number)
        assert found.dtype == expected.dtype
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(found.get(), expected, rtol=1e-3)
