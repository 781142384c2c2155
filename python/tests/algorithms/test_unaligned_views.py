# SPDX-License-Identifier: MIT
"""Views that begin where OpenCL devices cannot point kernels to, given to generators and algorithms."""

import numpy as np
import pytest

import quern as qn
from quern import algorithms

N = 1000
BEFORE, AFTER = 3, 5


@pytest.fixture
def values():
    return np.random.default_rng(3).integers(-100, 100, N).astype(np.int32)


class Framed:
    """An array in the middle of a larger one, whose other elements must stay as they are."""

    def __init__(self, values, device):
        rim = np.full(BEFORE + len(values) + AFTER, 77, values.dtype)
        rim[BEFORE:-AFTER] = values
        self.whole = qn.asarray(rim, device=device)
        start = BEFORE * values.itemsize
        self.view = qn.Array(self.whole.buffer.sub_buffer(start, values.nbytes), values.dtype, values.shape)

    def get(self):
        every = self.whole.get()
        assert (every[:BEFORE] == 77).all()
        assert (every[-AFTER:] == 77).all()
        return every[BEFORE:-AFTER]


def test_elementwise_kernels_take_them(device, values):
    x, y = Framed(values, device), Framed(np.zeros(N, np.int32), device)
    qn.ElementwiseKernel("const int *x, int *y", "y[i] = x[i] + 1")(x.view, y.view)
    np.testing.assert_array_equal(y.get(), values + 1)


def test_pointers_of_elementwise_kernels_may_be_views(device, values):
    x, y = Framed(values, device), Framed(np.zeros(N, np.int32), device)
    qn.ElementwiseKernel(
        "const int *x, int *y", "y[n - 1 - i] = x[max(i, 1l) - 1] + n", preamble=f"#define n {N}"
    )(x.view, y.view, range=N)
    expected = np.concatenate([values[:1], values[:-1]])[::-1] + N
    np.testing.assert_array_equal(y.get(), expected)


def test_reductions_take_them_and_leave_their_result_in_one(device, values):
    x, out = Framed(values, device), Framed(np.zeros(1, np.int32), device)
    total = qn.ReductionKernel("int32", "0", "a + b")
    assert total(x.view).get() == values.sum()
    total(x.view, out=qn.Array(out.view.buffer, np.int32, ())).wait()
    assert out.get() == values.sum()


def test_scans_take_them(device, values):
    x, y = Framed(values, device), Framed(np.zeros(N, np.int32), device)
    scan = qn.ScanKernel("int32", "const int *x, int *y", "x[i]", "a + b", output_statement="y[i] = item")
    scan(x.view, y.view).wait()
    np.testing.assert_array_equal(y.get(), np.cumsum(values))
    scan(x.view, x.view).wait()
    np.testing.assert_array_equal(x.get(), np.cumsum(values))


def test_sorts_run_in_place(device, values):
    x = Framed(values, device)
    algorithms.sort(x.view, out=x.view).wait()
    np.testing.assert_array_equal(x.get(), np.sort(values))


def test_selections_take_them(device, values):
    x = Framed(values, device)
    np.testing.assert_array_equal(algorithms.copy_if(x.view, "x[i] > 0").get(), values[values > 0])


def test_histograms_take_them(device, values):
    x, out = Framed(values, device), Framed(np.zeros(8, np.int64), device)
    algorithms.histogram(x.view, 8, (-100, 100), out=out.view)
    np.testing.assert_array_equal(out.get(), np.histogram(values, 8, (-100, 100))[0])


def test_random_numbers_go_there(device):
    out = Framed(np.zeros(N, np.uint32), device)
    qn.random.default_rng(5).integers(0, 2**32, dtype=np.uint32, out=out.view)
    expected = qn.random.default_rng(5).integers(0, 2**32, N, dtype=np.uint32, queue=qn.Queue(device)).get()
    np.testing.assert_array_equal(out.get(), expected)


def test_kernels_of_the_user_get_an_error_that_says_where_views_may_begin(device):
    if device.sub_buffer_alignment == 1:
        pytest.skip("kernels of this device can be pointed anywhere")
    x = Framed(np.zeros(N, np.int32), device)
    fill = qn.Program("kernel void fill(global int *x) { x[get_global_id(0)] = 1; }").fill
    with pytest.raises(qn.ArgumentValueError, match="must start at a multiple of"):
        fill(qn.Queue(device), N, None, x.view)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("n", [100, 40_000])
def test_complex_numbers_may_be_aligned_as_their_parts(dtype, n):
    itemsize = np.dtype(dtype).itemsize
    memory = np.zeros((n + 2) * itemsize + 64, np.uint8)
    start = -memory.ctypes.data % itemsize + itemsize // 2
    values = memory[start : start + n * itemsize].view(dtype)
    values[:] = np.arange(n) % 5 + 1j
    x = qn.from_dlpack(values)
    np.testing.assert_allclose(qn.cumsum(x).get(), np.cumsum(values), rtol=1e-4)
    np.testing.assert_array_equal(qn.nonzero(x)[0].get(), np.flatnonzero(values))
    mask = values.real > 2
    np.testing.assert_array_equal(x[qn.asarray(mask, device=x.device)].get(), values[mask])
