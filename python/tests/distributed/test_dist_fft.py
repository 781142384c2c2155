# SPDX-License-Identifier: MIT
"""Fourier transforms of distributed arrays: NumPy's results in every layout, one exchange for each redistribution."""

import fft_programs
import numpy as np
import programs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quern
import quern.dist as qn

NAMES = [body.__name__ for body in fft_programs.BODIES]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=20)
@given(ranks=st.integers(1, 8), seed=st.integers(0, 2**32 - 1))
def test_a_program_gives_what_numpy_gives(name, ranks, seed):
    with quern.device("host"):
        qn.on_threads(ranks, programs.run, name, seed, fft_programs.BODIES, timeout=60)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=5)
@given(ranks=st.integers(9, 64), seed=st.integers(0, 2**32 - 1))
def test_a_program_gives_what_numpy_gives_on_many_ranks(name, ranks, seed):
    """Most arrays have fewer rows than there are ranks."""
    with quern.device("host"):
        qn.on_threads(ranks, programs.run, name, seed, fft_programs.BODIES, timeout=300)


@pytest.mark.parametrize("name", NAMES)
def test_a_program_gives_what_numpy_gives_on_every_device(name, device):
    with device:
        qn.on_threads(3, programs.run, name, 1, fft_programs.BODIES, timeout=300)


def counted(ranks, make, transform):
    """Messages and bytes that all ranks together send in a transform, and whether its layout is that of the input."""

    def program():
        x = make()
        qn.barrier()
        before = np.array(x.comm.sent)
        y = transform(x)
        return np.array(x.comm.sent) - before, y.layout == x.layout

    done = qn.on_threads(ranks, program)
    assert all(same for _, same in done)
    return sum(count for count, _ in done).tolist()


ITEM = 16  # bytes of a complex number


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_whole_axes_need_no_messages(ranks):
    make = lambda: qn.ones((12, 12, 5), layout=(ranks,))  # noqa: E731
    assert counted(ranks, make, lambda x: qn.fft.fftn(x, axes=(1, 2))) == [0, 0]
    assert counted(ranks, lambda: qn.ones(12, layout="replicated"), qn.fft.fft) == [0, 0]
    assert counted(ranks, lambda: qn.ones((12, 12), layout=qn.owned(1)), qn.fft.fft2) == [0, 0]


@pytest.mark.parametrize("ranks", [2, 3, 4, 6])
def test_a_split_axis_takes_two_exchanges(ranks):
    """Of all elements but those that stay; every rank sends one message to every other one, there and back."""
    n = 12
    messages, sent = counted(ranks, lambda: qn.ones((n, n, 5), layout=(ranks,)), qn.fft.fftn)
    assert messages == 2 * ranks * (ranks - 1)
    assert sent == 2 * n * n * 5 * ITEM * (ranks - 1) // ranks


def test_a_grid_of_ranks_takes_two_exchanges_if_the_other_axis_is_long_enough():
    messages, sent = counted(4, lambda: qn.ones((8, 8, 8), layout=(2, 2)), qn.fft.fftn)
    assert messages == 2 * 4 * 3
    assert sent == 2 * 8**3 * ITEM * 3 // 4


def test_two_split_axes_and_no_other_take_three_exchanges():
    """From a grid of 2 x 2 to whole rows, to whole columns, and back."""
    messages, _ = counted(4, lambda: qn.ones((8, 8), layout=(2, 2)), qn.fft.fft2)
    grid = np.arange(4).reshape(2, 2).repeat(4, 0).repeat(4, 1)  # the rank of each element
    rows = np.arange(4).repeat(2)[:, None] + 0 * grid

    def pairs(one, other):
        return len({pair for pair in zip(one.flat, other.flat, strict=True) if pair[0] != pair[1]})

    assert messages == pairs(grid, rows) + pairs(rows, rows.T) + pairs(rows.T, grid)


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_a_long_line_takes_three_exchanges(ranks):
    n = (12 * ranks) ** 2
    messages, sent = counted(ranks, lambda: qn.ones(n), qn.fft.fft)
    assert messages == 3 * ranks * (ranks - 1)
    assert sent == 3 * n * ITEM * (ranks - 1) // ranks


def test_no_rank_gets_more_than_its_share_of_a_line_of_prime_length():
    """A transform of 10,007 points is three of 143 x 143 or slightly more."""
    ranks, n = 4, 10_007

    def program():
        x = qn.ones(n)
        before = x.comm.sent[1]
        qn.fft.fft(x)
        return x.comm.sent[1] - before

    for sent in qn.on_threads(ranks, program):
        assert sent < 12 * (2.2 * n / ranks) * ITEM


@pytest.mark.parametrize(
    ("call", "kind", "match"),
    [
        (lambda x: qn.fft.fft(x, n=0), ValueError, r"Invalid number of FFT data points \(0\)"),
        (lambda x: qn.fft.fft(x, norm="other"), ValueError, "Invalid norm value other"),
        (lambda x: qn.fft.fft(x, axis=2), IndexError, "axis 2 is out of bounds"),
        (lambda x: qn.fft.rfft(x * 1j), TypeError, "expected real elements"),
        (lambda x: qn.fft.fftn(x, s=(2,), axes=(0, 1)), ValueError, "different lengths"),
        (lambda x: qn.fft.fft([1.0, 2.0]), TypeError, "fft"),
        (lambda x: qn.fft.fftfreq(0), ValueError, "at least 1"),
    ],
)
def test_wrong_arguments_are_named_on_all_ranks(call, kind, match):
    def program():
        with pytest.raises(kind, match=match):
            call(qn.ones((4, 4)))

    qn.on_threads(3, program)
