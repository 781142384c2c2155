# SPDX-License-Identifier: MIT
"""Fourier transforms, compared with numpy.fft: lengths, axes, strides, dtypes, keywords, errors."""

import threading

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import quern as qn

TOLERANCE = {"f": 3e-6, "d": 1e-13, "F": 3e-6, "D": 1e-13}
# One point; powers; small and large primes; products of all radices.
LENGTHS = [1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 37, 64, 97, 120, 143, 210, 961, 1024]


def numbers(shape, dtype="complex128", seed=0):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype) if np.dtype(dtype).kind in "fc" else (values * 20).astype(dtype)


def check(got, expected):
    """The relative error of the whole array."""
    got = got.get()
    assert got.shape == expected.shape
    assert got.dtype == expected.dtype
    error = np.linalg.norm((got - expected).ravel())
    assert error <= TOLERANCE[got.dtype.char] * max(np.linalg.norm(expected.ravel()), 1e-30)


def lengths_for(is_quick_on_pocl, loops):
    if is_quick_on_pocl:
        return [1, 8, 15, 37]
    return LENGTHS if loops == "chunks" else [1, 15, 37, 64, 143]  # each is compiled


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_every_length_agrees_with_numpy(device, dtype, loops, provider, is_quick_on_pocl):
    for n in lengths_for(is_quick_on_pocl, loops):
        x = numbers((5, n), dtype, n)
        a = qn.asarray(x, device=device)
        check(qn.fft.fft(a), np.fft.fft(x))
        check(qn.fft.ifft(a), np.fft.ifft(x))
        check(qn.fft.irfft(a, n=n), np.fft.irfft(x, n=n))
        real = qn.asarray(x.real, device=device)
        check(qn.fft.rfft(real), np.fft.rfft(x.real))
        check(qn.fft.fft(real), np.fft.fft(x.real))


COMPLEX = ["fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "irfft", "irfft2", "irfftn", "hfft"]
REAL = ["rfft", "ihfft", "rfft2", "rfftn"]


@pytest.mark.parametrize("name", COMPLEX + REAL)
def test_every_function_agrees_with_numpy_with_and_without_libraries(device, provider, name):
    x = numbers((3, 4, 6), "complex64" if name in COMPLEX else "float32")
    for norm in ("backward", "ortho", "forward"):
        check(
            getattr(qn.fft, name)(qn.asarray(x, device=device), norm=norm),
            getattr(np.fft, name)(x, norm=norm),
        )


@pytest.mark.parametrize("name", ["dct", "dst", "idct", "idst", "dctn", "dstn", "idctn", "idstn"])
def test_every_real_transform_agrees_with_scipy_with_and_without_libraries(device, provider, name):
    transforms = pytest.importorskip("scipy.fft")
    x = numbers((4, 6), "float32")
    for kind in (1, 2, 3, 4):
        check(
            getattr(qn.fft, name)(qn.asarray(x, device=device), type=kind),
            getattr(transforms, name)(x, type=kind),
        )


def test_convolutions_agree_with_numpy_with_and_without_libraries(device, provider):
    x, y = numbers(100, "float32"), numbers(17, "float32", 1)
    got = qn.fft.fftconvolve(qn.asarray(x, device=device), qn.asarray(y, device=device))
    np.testing.assert_allclose(got.get(), np.convolve(x, y), atol=1e-4)


@pytest.mark.parametrize("n", [4096, 4100, 3**9, 2**16, pytest.param(2**19, marks=pytest.mark.slow)])
def test_lengths_of_several_passes_agree_with_numpy(device, n, loops, provider, is_quick_on_pocl):
    if (is_quick_on_pocl and n != 4100) or (loops == "grid" and n in (4096, 2**16)):
        pytest.skip("each length is compiled")
    for dtype in ("complex64", "complex128"):
        x = numbers((2, n), dtype)
        a = qn.asarray(x, device=device)
        check(qn.fft.fft(a), np.fft.fft(x))
        check(qn.fft.ifft(a, norm="ortho"), np.fft.ifft(x, norm="ortho"))
        check(qn.fft.irfft(a, n=n), np.fft.irfft(x, n=n))
        check(qn.fft.rfft(qn.asarray(x.real, device=device), n=n), np.fft.rfft(x.real, n=n))
        check(qn.fft.fft(a[0, : n - 5], n=n), np.fft.fft(x[0, : n - 5], n=n))


@pytest.mark.slow
def test_a_prime_of_several_passes_agrees_with_numpy(device):
    x = numbers(10007)
    check(qn.fft.fft(qn.asarray(x, device=device)), np.fft.fft(x))
    check(qn.fft.rfft(qn.asarray(x.real, device=device)), np.fft.rfft(x.real))


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_axes_lengths_and_norms_agree_with_numpy(device, name, is_quick_on_pocl):
    x = numbers((6, 5, 8), "complex64")
    if name in ("rfft", "ihfft"):
        x = x.real.copy()
    a = qn.asarray(x, device=device)
    ours, theirs = getattr(qn.fft, name), getattr(np.fft, name)
    for axis in (0, 1) if is_quick_on_pocl else (0, 1, 2, -1, -3):
        for n in (None, 5) if is_quick_on_pocl else (None, 1, 3, 4, 7, 12):
            check(ours(a, n=n, axis=axis), theirs(x, n=n, axis=axis))
    for norm in ("backward", "ortho", "forward", None):
        check(ours(a, norm=norm), theirs(x, norm=norm))


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"])
def test_several_axes_agree_with_numpy(device, name, is_quick_on_pocl):
    x = numbers((4, 6, 5), "complex64")
    if name.startswith("rfft"):
        x = x.real.copy()
    a = qn.asarray(x, device=device)
    ours, theirs = getattr(qn.fft, name), getattr(np.fft, name)
    check(ours(a), theirs(x))
    if is_quick_on_pocl:
        return
    check(ours(a, axes=(0, 2)), theirs(x, axes=(0, 2)))
    check(ours(a, axes=(2, 0), norm="ortho"), theirs(x, axes=(2, 0), norm="ortho"))
    check(ours(a, s=(3, 7), axes=(0, 1), norm="forward"), theirs(x, s=(3, 7), axes=(0, 1), norm="forward"))
    check(ours(a, s=(-1, 4), axes=(1, 2)), theirs(x, s=(-1, 4), axes=(1, 2)))
    if not name.endswith("2"):
        check(ours(a, axes=(1,)), theirs(x, axes=(1,)))
        check(ours(a, axes=(0, 0) if name in ("fftn", "ifftn") else (0, 1)),
              theirs(x, axes=(0, 0) if name in ("fftn", "ifftn") else (0, 1)))  # fmt: skip


def test_strided_lines_are_read_in_place(device):
    x = numbers((9, 10, 12, 3), "complex64")
    a = qn.asarray(x, device=device)
    for index in (
        np.s_[::2, ::-1, 1::3], np.s_[:, 3], np.s_[..., 1], np.s_[::-1, :, ::-2], np.s_[:, :, 2:3], np.s_[:, ::3, :, ::2],
    ):  # fmt: skip
        for axis in (0, -1):
            check(qn.fft.fft(a[index], axis=axis), np.fft.fft(x[index], axis=axis))
    check(qn.fft.fft(a.T, axis=1), np.fft.fft(x.T, axis=1))
    check(qn.fft.rfft(a.real[:, ::2], axis=2), np.fft.rfft(x.real[:, ::2], axis=2))
    check(qn.fft.irfft(a[:, ::2], axis=1), np.fft.irfft(x[:, ::2], axis=1))
    b = np.broadcast_to(x[:1], x.shape)
    check(qn.fft.fft(qn.broadcast_to(a[:1], a.shape), axis=0), np.fft.fft(b, axis=0))


def test_more_axes_than_a_pass_has_loops_are_copied(device):
    x = numbers((2, 3, 2, 3, 2, 3, 4), "complex64")
    a = qn.asarray(x, device=device)
    check(qn.fft.fft(a[:, ::2, :, ::2, :, ::2], axis=-1), np.fft.fft(x[:, ::2, :, ::2, :, ::2], axis=-1))


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int32", "int64", "float16", "float32", "float64"]
)
def test_dtypes_follow_numpy(device, dtype):
    x = numbers((3, 8), dtype)
    a = qn.asarray(x, device=device)
    check(qn.fft.fft(a), np.fft.fft(x))
    check(qn.fft.rfft(a), np.fft.rfft(x))
    if dtype != "float16":  # NumPy rounds the result to float16
        check(qn.fft.irfft(a), np.fft.irfft(x))


def test_expressions_are_transformed(device):
    x = numbers(64, "complex64")
    a = qn.asarray(x, device=device)
    check(
        qn.fft.ifft(qn.fft.fft(a * 2) * a) + a, (np.fft.ifft(np.fft.fft(x * 2) * x) + x).astype("complex64")
    )


def test_out_receives_the_result(device):
    x = numbers((4, 16), "complex64")
    a = qn.asarray(x, device=device)
    out = qn.zeros((4, 16), "complex64", device=device)
    assert qn.fft.fft(a, out=out) is out
    check(out, np.fft.fft(x))
    before = a * 1
    pending = before + 1
    assert qn.fft.ifft(a, out=a) is a  # in place
    check(a, np.fft.ifft(x))
    check(pending, x + 1)
    wide = qn.zeros((4, 16), "complex128", device=device)
    qn.fft.fft(before, out=wide)
    np.testing.assert_allclose(wide.get(), np.fft.fft(x), rtol=1e-4, atol=1e-4)
    strided = qn.zeros((16, 8), "complex64", device=device)
    qn.fft.fftn(before, out=strided[:, ::2].T)
    check(strided[:, ::2].T, np.fft.fftn(x))
    real = qn.zeros((4, 16), "float32", device=device)
    qn.fft.irfft(before[:, :9], out=real)
    check(real, np.fft.irfft(x[:, :9]))
    half = qn.asarray(x, device=device)
    qn.fft.fft(half[:, :8], out=half[:, 4:12])  # overlapping memory
    check(half[:, 4:12], np.fft.fft(x[:, :8]))
    with pytest.raises(
        ValueError, match=r"fft: out: expected an array of shape \(4,16\), got one of \(4,8\)"
    ):
        qn.fft.fft(before, out=out[:, :8])
    with pytest.raises(TypeError, match="fft: out"):
        qn.fft.fft(before, out=real)


def test_sizes_without_elements_follow_numpy(device):
    empty = np.zeros((0, 4), "complex64")
    a = qn.asarray(empty, device=device)
    check(qn.fft.fft(a), np.fft.fft(empty))
    check(qn.fft.irfft(a), np.fft.irfft(empty))
    check(qn.fft.rfft(qn.asarray(empty.real, device=device)), np.fft.rfft(empty.real))
    for call in (
        lambda m, x: m.fft(x, axis=0),
        lambda m, x: m.fft(x, n=0),
        lambda m, x: m.ifft(x, n=-2),
        lambda m, x: m.irfft(x[:, :1]),
        lambda m, x: m.fftn(x),
    ):
        with pytest.raises(ValueError, match="Invalid number of FFT data points"):
            call(np.fft, empty)
        with pytest.raises(ValueError, match="Invalid number of FFT data points"):
            call(qn.fft, a)


def test_wrong_arguments_raise_as_in_numpy(device):
    a = qn.ones((3, 4), "complex64", device=device)
    with pytest.raises(
        ValueError, match='Invalid norm value other; should be "backward", "ortho" or "forward"'
    ):
        qn.fft.fft(a, norm="other")
    with pytest.raises(IndexError):
        qn.fft.fft(a, axis=2)
    with pytest.raises(TypeError, match="rfft: expected real elements, got complex64"):
        qn.fft.rfft(a)
    with pytest.raises(ValueError, match="Shape and axes have different lengths"):
        qn.fft.fftn(a, s=(3,), axes=(0, 1))
    with pytest.raises(ValueError, match="s has 3 lengths"):
        qn.fft.fftn(a, s=(3, 2, 1))
    with pytest.raises(IndexError):
        qn.fft.fft(qn.asarray(1.0, device=device))


def test_frequencies_and_shifts_agree_with_numpy(device):
    with device:
        for n in (1, 2, 7, 10):
            np.testing.assert_allclose(qn.fft.fftfreq(n, 0.25).get(), np.fft.fftfreq(n, 0.25))
            np.testing.assert_allclose(qn.fft.rfftfreq(n, 0.25).get(), np.fft.rfftfreq(n, 0.25))
        assert qn.fft.fftfreq(4, dtype="float32").dtype == np.float32
        with pytest.raises(TypeError, match="dtype"):
            qn.fft.fftfreq(4, dtype="int32")
        with pytest.raises(ValueError, match="Invalid number"):
            qn.fft.fftfreq(0)
    x = numbers((4, 5), "float32")
    a = qn.asarray(x, device=device)
    for axes in (None, 0, (1,), (0, 1), ()):
        np.testing.assert_array_equal(qn.fft.fftshift(a, axes=axes).get(), np.fft.fftshift(x, axes=axes))
        np.testing.assert_array_equal(qn.fft.ifftshift(a, axes=axes).get(), np.fft.ifftshift(x, axes=axes))
    assert qn.fft.fftfreq(8, device=device).device == device


def test_numpys_functions_dispatch(device):
    x = numbers((3, 8), "complex64")
    a = qn.asarray(x, device=device)
    for name in ("fft", "ifft", "fft2", "ifftn", "irfft", "hfft", "fftshift"):
        got = getattr(np.fft, name)(a)
        assert isinstance(got, qn.Array)
        check(got, getattr(np.fft, name)(x))


def test_every_name_of_numpys_fft_is_there():
    assert set(np.fft.__all__) - {"test"} <= set(qn.fft.__all__)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_results_that_exceed_the_caches_agree_with_numpy(device, dtype):
    rng = np.random.default_rng(5)
    n = (1 << 21) // (1 if dtype == "complex64" else 2) + 4096
    bound = 1e-4 if dtype == "complex64" else 1e-11
    for shape, axis in (
        ((n // 64, 64), 1),
        ((64, n // 64), 0),
        ((n // 96, 96), 1),
        ((3, n // 2048 * 1024), 1),
    ):
        x = (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
        a = qn.asarray(x, device=device)
        for name in ("fft", "ifft"):
            expected = getattr(np.fft, name)(x, axis=axis)
            got = getattr(qn.fft, name)(a, axis=axis).get()
            assert np.abs(got - expected).max() <= bound * np.abs(expected).max()
        # Elements that no whole cache line holds.
        whole = qn.empty((x.size + 3,), dtype, device=device)
        out = whole[3:].reshape(shape)
        qn.fft.fft(a, axis=axis, out=out)
        expected = np.fft.fft(x, axis=axis)
        assert np.abs(out.get() - expected).max() <= bound * np.abs(expected).max()


def test_small_transforms_are_computed_at_once_on_the_host():
    with qn.device("host"):
        x = np.random.default_rng(6).standard_normal((4, 1024)).astype("float32")
        for a, call, oracle in (
            (x[0, :500], qn.fft.rfft, np.fft.rfft),
            (x[0] + 1j * x[1], qn.fft.fft, np.fft.fft),
            (x[:, ::4], qn.fft.fft2, np.fft.fft2),
            ((x[2] + 1j * x[3])[:251], qn.fft.irfft, np.fft.irfft),
        ):
            given = qn.asarray(a)
            with qn.profile() as profile:
                got = call(given)
            assert profile.at_once >= got.ndim  # work of other threads counts, too
            assert not profile.records
            np.testing.assert_allclose(got.get(), oracle(a), rtol=1e-4, atol=1e-3)


def test_threads_transform_at_the_same_time(device):
    x = [numbers((3, n), "complex64", n) for n in (60, 64, 100, 128)]
    arrays = [qn.asarray(one, device=device) for one in x]
    failures = []

    def work(seed):
        try:
            for k in range(6):
                i = (seed + k) % len(x)
                check(qn.fft.ifft(qn.fft.fft(arrays[i])), x[i])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_many_lengths_keep_bounded_memory():
    with qn.device("host"):
        qn.fft.fft(qn.ones(10, "complex64")).get()
        before = qn.stats().bytes_in_use
        for n in range(1, 1500):
            qn.fft.fft(qn.ones(n, "complex64"))
        qn.synchronize()
        assert qn.stats().bytes_in_use - before < 80 << 20


@settings(max_examples=25)
@given(data=st.data())
def test_any_shape_axis_and_slice_agrees_with_numpy(data):
    rank = data.draw(st.integers(1, 4))
    shape = tuple(data.draw(st.lists(st.integers(1, 20), min_size=rank, max_size=rank)))
    x = numbers(shape, data.draw(st.sampled_from(["complex64", "complex128", "float32", "int32"])))
    index = tuple(slice(None, None, data.draw(st.sampled_from([1, 2, -1]))) for _ in shape)
    axis = data.draw(st.integers(-rank, rank - 1))
    n = data.draw(st.none() | st.integers(1, 40))
    norm = data.draw(st.sampled_from([None, "ortho", "forward"]))
    name = data.draw(
        st.sampled_from(["fft", "ifft", "irfft", "hfft"] + ([] if x.dtype.kind == "c" else ["rfft"]))
    )
    if name in ("irfft", "hfft") and n is None and x[index].shape[axis] == 1:
        n = 2
    a = qn.asarray(x, device="host")
    check(
        getattr(qn.fft, name)(a[index], n=n, axis=axis, norm=norm),
        getattr(np.fft, name)(x[index], n=n, axis=axis, norm=norm),
    )
