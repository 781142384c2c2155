# SPDX-License-Identifier: MIT
"""Transforms with the expressions around them: values, numbers of launches, and what laziness must not change."""

import gc
import threading

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import quern as qn

TOLERANCE = {"f": 5e-6, "d": 1e-12, "F": 5e-6, "D": 1e-12}


def numbers(shape, dtype="complex64", seed=0):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def check(got, expected):
    """The relative error of the whole array."""
    got = got.get()
    assert got.shape == expected.shape
    if expected.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, expected)
        return
    error = np.linalg.norm((got - expected).ravel())
    assert error <= TOLERANCE[got.dtype.char] * max(np.linalg.norm(expected.ravel()), 1e-30)


def launches_of(work):
    """How many operations the device runs for the work once its kernels and tables exist."""
    work()
    before = qn.stats().launches
    result = work()
    qn.synchronize()
    return qn.stats().launches - before, result


@pytest.fixture
def fuses(loops, device):
    """Whether expressions become part of a transform: not where the host's precompiled function runs it."""
    return device.backend != "host" or loops == "grid"


def test_a_filtered_signal_takes_two_launches(device, fuses, provider):
    x, h = numbers((4, 64)), numbers(64, seed=1)
    with device:
        a, b = qn.asarray(x), qn.asarray(h)
        count, result = launches_of(lambda: qn.eval(qn.fft.ifft(qn.fft.fft(a) * b)))
        (result,) = [qn.fft.ifft(qn.fft.fft(a) * b)]
        check(result, np.fft.ifft(np.fft.fft(x) * h))
    if fuses:
        assert count == 2


def test_a_real_filter_takes_two_launches(device, fuses):
    x, h = numbers((4, 96), "float32"), numbers(49, seed=1)
    with device:
        a, b = qn.asarray(x), qn.asarray(h)

        def work():
            return qn.eval(qn.fft.irfft(qn.fft.rfft(a * 2 + 1) * b, n=96) - a)

        count, _ = launches_of(work)
        check(
            qn.fft.irfft(qn.fft.rfft(a * 2 + 1) * b, n=96) - a,
            (np.fft.irfft(np.fft.rfft(x * 2 + 1) * h, n=96) - x).astype("float32"),
        )
    if fuses:
        assert count == 2


def test_a_convolution_of_two_spectra_takes_three_launches(device, fuses):
    x, y = numbers((3, 60)), numbers((3, 60), seed=1)
    with device:
        a, b = qn.asarray(x), qn.asarray(y)
        count, _ = launches_of(lambda: qn.eval(qn.fft.ifft(qn.fft.fft(a) * qn.fft.fft(b))))
        check(qn.fft.ifft(qn.fft.fft(a) * qn.fft.fft(b)), np.fft.ifft(np.fft.fft(x) * np.fft.fft(y)))
    if fuses:
        assert count == 3


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_expressions_before_and_after_agree_with_numpy(device, loops, name):
    """The input and the result are each one expression of several arrays, some of them broadcast."""
    is_real = name in ("rfft", "ihfft")
    x = numbers((3, 4, 20), "float32" if is_real else "complex64")
    row, column = numbers((20,), "float32", 1), numbers((4, 1), "float32", 2)
    a, r, c = (qn.asarray(one, device=device) for one in (x, row, column))
    ours, theirs = getattr(qn.fft, name), getattr(np.fft, name)
    for axis in (2, 1):
        for n in (None, 8, 27):
            expected = theirs(x * row + column, n=n, axis=axis)
            factor = numbers(expected.shape[1:], "float32", 3)
            f = qn.asarray(factor, device=device)
            got = qn.abs(ours(a * r + c, n=n, axis=axis) * 2 - f) + f[0]
            check(got, (np.abs(expected * 2 - factor) + factor[0]).astype("float32"))


@pytest.mark.parametrize("n", [4100, 2**14, 3**9, pytest.param(2**20, marks=pytest.mark.slow)])
def test_long_lines_fuse_into_the_first_and_last_pass(device, loops, n, is_quick_on_pocl):
    if loops == "grid" and device.backend == "host" and n > 2**14:
        pytest.skip("takes long on the host")
    x, h = numbers((2, n)), numbers(n, seed=1)
    a, b = qn.asarray(x, device=device), qn.asarray(h, device=device)
    check(
        qn.fft.ifft(qn.fft.fft(a * 3 - 1) * b).real,
        np.fft.ifft(np.fft.fft(x * 3 - 1) * h).real.astype("float32"),
    )


def test_other_dtypes_before_and_after(device, loops):
    x = (numbers((5, 24), "float32") * 20).astype("int16")
    a = qn.asarray(x, device=device)
    check(qn.fft.fft(a + a), np.fft.fft((x + x).astype("float64")))
    check(qn.abs(qn.fft.fft(a.astype("float32"))) > 50, np.abs(np.fft.fft(x.astype("float32"))) > 50)
    half = x.astype("float16")
    b = qn.asarray(half, device=device)
    check(qn.fft.rfft(b * 2), np.fft.rfft((half * 2).astype("float32")))
    check(qn.log1p(qn.abs(qn.fft.fft(a))), np.log1p(np.abs(np.fft.fft(x))))


def test_a_part_that_an_array_holds_is_computed_once(device, fuses):
    x = numbers((4, 64))
    with device:
        a = qn.asarray(x)

        def work():
            spectrum = qn.fft.fft(a)
            twice = spectrum * 2
            shifted = twice + 1
            return qn.eval(shifted, twice, spectrum)

        alone, _ = launches_of(lambda: qn.eval(qn.fft.fft(a)))
        count, _ = launches_of(work)
        spectrum = qn.fft.fft(a)
        twice = spectrum * 2
        shifted = twice + 1
        check(shifted, np.fft.fft(x) * 2 + 1)
        check(twice, np.fft.fft(x) * 2)
        check(spectrum, np.fft.fft(x))
    if fuses:
        assert count <= alone + 2


def test_a_transform_that_is_used_twice_in_an_expression(device, loops):
    x = numbers((4, 30))
    a = qn.asarray(x, device=device)
    spectrum = qn.fft.fft(a)
    power = (spectrum * qn.conj(spectrum)).real
    del spectrum
    check(power, (np.abs(np.fft.fft(x)) ** 2).astype("float32"))


def test_views_of_a_pending_transform(device, loops):
    x = numbers((4, 30))
    a = qn.asarray(x, device=device)
    check(qn.fft.fft(a)[:, ::2] * 2, np.fft.fft(x)[:, ::2] * 2)
    check(qn.fft.fft(a).T + 1, np.fft.fft(x).T + 1)
    check(qn.fft.fft(a[::2, ::-1] * 2), np.fft.fft(x[::2, ::-1] * 2))
    check(qn.fft.fft(qn.broadcast_to(a[:1], (3, 30)) + 1), np.fft.fft(np.broadcast_to(x[:1], (3, 30)) + 1))
    check(qn.sum(qn.abs(qn.fft.fft(a)) ** 2), np.sum(np.abs(np.fft.fft(x)) ** 2).astype("float32"))


def test_inputs_that_are_written_later_do_not_change_the_result(device, loops):
    x = numbers((4, 64))
    a = qn.asarray(x, device=device)
    pending = qn.fft.fft(a * 2)
    after = qn.fft.fft(a) + a
    a[:] = 0
    check(pending, np.fft.fft(x * 2))
    check(after, np.fft.fft(x) + x)
    b = qn.asarray(x, device=device)
    filtered = qn.fft.ifft(qn.fft.fft(b) * b)
    b += 1
    check(filtered, np.fft.ifft(np.fft.fft(x) * x))


def test_results_are_written_to_memory_that_they_read(device, loops):
    x = numbers((4, 16))
    a = qn.asarray(x, device=device)
    a[:] = qn.fft.fft(a) * 2
    check(a, np.fft.fft(x) * 2)
    b = qn.asarray(x, device=device)
    assert qn.fft.fft(b + 1, out=b) is b
    check(b, np.fft.fft(x + 1))
    c = qn.asarray(x, device=device)
    c += qn.fft.fft(c)
    check(c, x + np.fft.fft(x))
    wide = qn.zeros((4, 32), "complex64", device=device)
    wide[:, ::2] = qn.fft.ifft(c) * 3
    check(wide[:, ::2], np.fft.ifft(x + np.fft.fft(x)) * 3)
    assert not wide[:, 1::2].get().any()


def test_an_expression_updated_in_place_stays_pending(device, fuses):
    x = numbers((4, 64))
    with device:
        a = qn.asarray(x)

        def work():
            spectrum = qn.fft.fft(a)
            spectrum *= 2
            spectrum += 1
            return qn.eval(spectrum)

        count, _ = launches_of(work)
        spectrum = qn.fft.fft(a)
        spectrum *= 2
        spectrum += 1
        check(spectrum, np.fft.fft(x) * 2 + 1)
    if fuses:
        assert count == 1


def test_several_axes_fuse_at_both_ends(device, loops):
    x, h = numbers((6, 5, 8)), numbers((5, 8), seed=1)
    a, b = qn.asarray(x, device=device), qn.asarray(h, device=device)
    check(
        qn.fft.ifft2(qn.fft.fft2(a * 2) * b) + a,
        (np.fft.ifft2(np.fft.fft2(x * 2) * h) + x).astype("complex64"),
    )
    check(qn.fft.irfftn(qn.fft.rfftn(a.real + 1), s=(6, 5, 8)), x.real + 1)
    check(a, x)  # transforms in place write only memory of their own


def test_products_beside_transforms(device, loops):
    x = numbers((16, 16))
    a = qn.asarray(x, device=device)
    check(qn.fft.fft(a @ a + 1), np.fft.fft(x @ x + 1).astype("complex64"))
    check(qn.fft.fft(a) + a @ a, (np.fft.fft(x) + x @ x).astype("complex64"))
    check(qn.fft.fft(a) @ a, (np.fft.fft(x) @ x).astype("complex64"))


def test_expressions_of_indices_and_random_numbers(device, loops):
    with device:
        k = qn.arange(32, dtype="float32")
        check(qn.fft.fft(k * 2), np.fft.fft(np.arange(32, dtype="float32") * 2))
        check(qn.fft.fft(qn.ones(8, "float32")), np.fft.fft(np.ones(8, "float32")))
        drawn = qn.random.default_rng(3).random((4, 8), dtype="float32")
        spectrum = qn.fft.fft(drawn * 2)
        check(spectrum, np.fft.fft(drawn.get() * 2))


def test_an_expression_of_many_arrays_is_stored_first(device, loops):
    x = [numbers((3, 12), seed=k) for k in range(12)]
    arrays = [qn.asarray(one, device=device) for one in x]
    check(qn.fft.fft(sum(arrays)) * 2, np.fft.fft(sum(x)) * 2)
    check(qn.fft.fft(arrays[0]) + sum(arrays), np.fft.fft(x[0]) + sum(x))


def test_explain_names_the_operations_around_a_transform(device, fuses):
    if not fuses:
        pytest.skip("a transform on the host is not pending")
    a = qn.asarray(numbers((4, 64)), device=device)
    (kernel,) = qn.explain(qn.fft.fft(a * 2) + 1).kernels
    assert [operation.split("(")[0] for operation in kernel.operations] == ["multiply", "fft", "add"]
    assert kernel.bytes_written == a.nbytes
    assert kernel.bytes_read == a.nbytes
    assert "test_fft_fusion.py" in kernel.operations[1]


def test_errors_of_an_assigned_transform_name_its_operations_and_lines(device, fuses):
    """Between its two passes the transform needs memory that the pool refuses."""
    if not fuses:
        pytest.skip("the host's function transforms when it is called")
    n = 1 << 15
    values = numbers(n)
    with device:
        a, b, c = qn.zeros(n, "complex64"), qn.asarray(values), qn.asarray(values[::-1].copy())
        qn.synchronize()
        gc.collect()  # who is out of memory collects
        qn.trim_pool(device)
        qn.set_pool_limit(qn.pool_stats(device).in_use + 1000, device)
        try:
            with pytest.raises(qn.OutOfDeviceMemory) as caught:
                a[:] = qn.fft.fft(b) * c
        finally:
            qn.set_pool_limit(0, device)
        text = str(caught.value)
        assert "fft(complex64) at " in text and "multiply" in text and "test_fft_fusion.py:" in text
        a[:] = qn.fft.fft(b) * c
        check(a, np.fft.fft(values) * values[::-1])


@pytest.mark.parametrize(
    "statement",
    [
        "a[:] = F.fft(b) * longer",
        "a[:] = F.fft(b) * rows",
        "a[:-1] = F.fft(b) * c",
        "a[:] = F.fft(b)[:5] * c[:5]",
        "a[:] = F.fft(b, axis=1) * c",
        "a[:] = F.fft(b, n=0) * c",
        "a[:] = F.fft(b, norm='none') * c",
        "a[:] = F.fft(b) * c[70]",
        "a[:] = F.fft(b) @ longer",
        "a[:] = F.fft(b) << 1",
        "a[70] = (F.fft(b) * c)[0]",
        "a &= F.fft(b) * c",
    ],
)
def test_an_assignment_that_fails_raises_numpys_error_and_writes_nothing(device, loops, statement):
    a, b = numbers(64), numbers(64, seed=1)
    values = {"a": a, "b": b, "c": b[::-1].copy(), "longer": numbers(65), "rows": numbers((2, 64))}
    with pytest.raises((ValueError, IndexError, TypeError)) as expected:
        exec(statement, {"F": np.fft, **values})
    with device:
        ours = {name: qn.asarray(value) for name, value in values.items()}
        with pytest.raises(qn.ArgumentError) as caught:
            exec(statement, {"F": qn.fft, **ours})
        kinds = [one for one in (ValueError, IndexError, TypeError) if isinstance(expected.value, one)]
        assert any(isinstance(caught.value, one) for one in kinds)
        np.testing.assert_array_equal(ours["a"].get(), a)
        ours["a"][:] = qn.fft.fft(ours["b"]) * ours["c"]
        check(ours["a"], np.fft.fft(b) * values["c"])


def test_an_assignment_from_another_device_names_both(device, other_device):
    a, b = numbers(64), numbers(64, seed=1)
    ours, near, far = (
        qn.asarray(a, device=device),
        qn.asarray(b, device=device),
        qn.asarray(b, device=other_device),
    )
    for compute in (
        lambda: qn.fft.fft(near) * far,
        lambda: qn.fft.fft(far) * 2,
        lambda: qn.fft.fft(far) * near,
    ):
        with pytest.raises(qn.ArgumentValueError) as caught:
            ours[:] = compute()
        assert device.spec in str(caught.value) and other_device.spec in str(caught.value)
    np.testing.assert_array_equal(ours.get(), a)


def test_an_index_out_of_bounds_in_an_assigned_transform_reaches_each_reader(device, loops):
    b, positions = numbers(64), np.full(64, 70)
    with device:
        a, ours, index = qn.zeros(64, "complex64"), qn.asarray(b), qn.asarray(positions)

        def read():
            a[:] = qn.fft.fft(ours) * ours[index]
            return a.get()

        with pytest.raises(IndexError, match="index 70 is out of bounds for axis 0 with size 64"):
            read()
        a[:] = qn.fft.fft(ours) * 2
        check(a, np.fft.fft(b) * 2)


def test_eager_blocks_transform_at_once(device, loops):
    x = numbers((4, 64))
    with device:
        a = qn.asarray(x)
        with qn.eager():
            before = qn.stats().launches
            spectrum = qn.fft.fft(a)
            assert qn.stats().launches > before
        check(spectrum, np.fft.fft(x))


def test_lengths_with_a_large_prime_factor_take_few_launches(device, fuses, monkeypatch):
    monkeypatch.setenv("QUERN_LIBRARIES", "never")
    x = numbers((4, 37))
    with device:
        a = qn.asarray(x)
        count, _ = launches_of(lambda: qn.eval(qn.fft.fft(a * 2) + 1))
        check(qn.fft.fft(a * 2) + 1, (np.fft.fft(x * 2) + 1).astype("complex64"))
    if fuses:
        assert count <= 3  # the transform of the filter, and both passes of the convolution


def test_threads_evaluate_one_pending_transform(device, loops):
    x = numbers((8, 64))
    a = qn.asarray(x, device=device)
    failures = []
    for _ in range(5):
        spectrum = qn.fft.fft(a * 2)
        results = [spectrum + k for k in range(4)]

        def work(k, results=results):
            try:
                check(results[k], np.fft.fft(x * 2) + k)
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failures


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_expression_around_a_transform_agrees_with_numpy(set_loops, data):
    set_loops("grid")
    rank = data.draw(st.integers(1, 3))
    shape = tuple(data.draw(st.lists(st.integers(1, 9), min_size=rank, max_size=rank)))
    x = numbers(shape)
    other = numbers([d if data.draw(st.booleans()) else 1 for d in shape], "float32", 1)
    index = tuple(slice(None, None, data.draw(st.sampled_from([1, -1]))) for _ in shape)
    axis = data.draw(st.integers(-rank, rank - 1))
    a, b = qn.asarray(x, device="host"), qn.asarray(other, device="host")
    expected = np.fft.fft(x[index] * other + 1, axis=axis) * other - x
    got = qn.fft.fft(a[index] * b + 1, axis=axis) * b - a
    if data.draw(st.booleans()):
        expected, got = np.fft.ifft(expected, axis=0), qn.fft.ifft(got, axis=0)
    check(got, expected.astype("complex64"))


def test_indices_and_random_numbers_after_a_transform(device, loops):
    x = numbers((32,))
    with device:
        a = qn.asarray(x)
        check(qn.fft.fft(a) * qn.arange(32, dtype="float32"), np.fft.fft(x) * np.arange(32))
        draws = qn.random.default_rng(5).random(32, dtype="float32").get()
        check(qn.fft.fft(a) + qn.random.default_rng(5).random(32, dtype="float32"), np.fft.fft(x) + draws)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_results_of_sixteen_bits(device, loops, dtype):
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    x = numbers((4, 32))
    with device:
        result = qn.abs(qn.fft.fft(qn.asarray(x))).astype(dtype)
        got = result.astype("float32").get()
    np.testing.assert_allclose(got, np.abs(np.fft.fft(x)), rtol=2**-7, atol=1e-2)


@pytest.mark.parametrize("length", [1, 18, 19, 20, 45])
def test_a_transform_along_two_axes_of_a_long_expression(device, loops, length):
    x = np.ones((8, 8), "complex64")
    with device:
        e = qn.asarray(x)
        for _ in range(length):
            e = e + 1
        result = qn.fft.fft2(e)
        del e
        check(result, np.fft.fft2(x + np.complex64(length)))
