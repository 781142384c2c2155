# SPDX-License-Identifier: MIT
"""Creating arrays, compared with NumPy's functions of the same names."""

import array
import math

import numpy as np
import pytest

import quern as qn


def assert_same(x, expected, rtol=0.0):
    expected = np.asarray(expected)
    assert isinstance(x, qn.Array)
    assert x.shape == expected.shape
    assert x.dtype == expected.dtype
    np.testing.assert_allclose(x.get(), expected, rtol=rtol)


@pytest.mark.parametrize(
    "values",
    [True, 3, 2.5, 1j, 1 << 63, [], [[1, 2], [3, 4]], (1.5, 2), range(4), np.float32(3), [True, 2.5]],
)
def test_python_values_become_arrays_of_numpys_type(device, values):
    assert_same(qn.asarray(values, device=device), np.asarray(values))


def test_buffers_become_arrays(device):
    assert_same(qn.asarray(array.array("f", [1, 2, 3]), device=device), np.float32([1, 2, 3]))
    assert_same(qn.asarray(memoryview(b"abc"), device=device), np.uint8([97, 98, 99]))


def test_lists_of_arrays_are_stacked(device):
    x = qn.asarray([1.0, 2.0], device=device)
    assert_same(qn.asarray([x, x + 1], device=device), [[1.0, 2.0], [2.0, 3.0]])


def test_an_array_that_already_fits_is_not_copied(device):
    x = qn.zeros(3, "float32", device)
    assert qn.asarray(x) is x
    assert qn.asarray(x, "float32", device=device, copy=False) is x
    other = qn.asarray(x, copy=True)
    other[0] = 1
    assert x.tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="needs a copy"):
        qn.asarray(x, "int32", copy=False)


def test_an_array_is_converted_where_it_is(device):
    x = qn.asarray([[1.5, 2.5], [3.5, 4.5]], device=device).T
    y = qn.asarray(x, "int32")
    assert y.device == device
    assert not y.in_memory  # nothing was fetched
    assert_same(y, np.int32([[1, 3], [2, 4]]))


def test_arrays_move_between_devices(device, other_device):
    a = np.arange(12.0).reshape(3, 4)
    x = qn.asarray(a, device=device)
    y = x[::2, ::-1].to_device(other_device)
    assert y.device == other_device
    assert_same(y, a[::2, ::-1])
    assert x.to_device(device) is x
    assert_same(qn.astype(x.T, "float32", device=other_device), a.T.astype("float32"))
    assert qn.asarray(y).device == other_device
    with pytest.raises(ValueError, match="stream"):
        x.to_device(other_device, stream=qn.Queue(device))


def test_bytes_are_shared_on_the_host_without_a_copy():
    memory = bytearray(b"abc")
    x = qn.asarray(memory, device="host", copy=False)
    x[1] = ord("x")
    qn.synchronize("host")
    assert memory == b"axc"
    with pytest.raises(ValueError, match="copy=False"):
        qn.asarray([1, 2], device="host", copy=False)


@pytest.mark.parametrize("name", ["empty", "zeros", "ones"])
def test_arrays_by_shape_have_the_default_dtype_unless_one_is_given(device, name):
    make = getattr(qn, name)
    for shape in [(), 3, (2, 0), (2, 3)]:
        x = make(shape, device=device)
        assert x.device == device
        if name == "empty":
            assert (x.shape, x.dtype) == (
                np.empty(shape).shape,
                np.float64 if device.has_fp64 else np.float32,
            )
        elif device.has_fp64:
            assert_same(x, getattr(np, name)(shape))
    assert make(2, "int16", device).dtype == np.int16


@pytest.mark.parametrize("value", [True, 7, 2.5, 1 + 2j, np.int8(3), np.float32(0.1), [1, 2, 3]])
def test_full_takes_the_type_of_the_value(device, value):
    assert_same(qn.full((2, 3), value, device=device), np.full((2, 3), value))
    assert_same(qn.full((2, 3), value, "complex64", device), np.full((2, 3), value, "complex64"))


def test_a_value_that_does_not_fit_is_refused(device):
    with pytest.raises(ValueError, match="300"):
        qn.full(3, 300, "uint8", device)


def test_arrays_like_others_have_their_shape_type_and_device(device):
    x = qn.zeros((2, 3), "int16", device)
    for name in ["zeros_like", "ones_like"]:
        y = getattr(qn, name)(x)
        assert y.device == device
        assert_same(y, getattr(np, name)(x.get()))
        assert_same(getattr(qn, name)(x, dtype="float32"), getattr(np, name)(x.get(), dtype="float32"))
    assert_same(qn.full_like(x, 5), np.full_like(x.get(), 5))
    assert_same(qn.full_like(x, 5, shape=(4,)), np.full_like(x.get(), 5, shape=4))
    assert qn.empty_like(x).dtype == np.int16


@pytest.mark.parametrize(
    "arguments",
    [(5,), (2, 7), (7, 2, -2), (0,), (-3,), (0.5, 3), (0, 1, 0.25), (3, -1, -0.5)],
)
def test_arange_counts_as_numpy_does(device, arguments):
    assert_same(qn.arange(*arguments, device=device), np.arange(*arguments))


def test_large_integers_are_counted_exactly(device):
    assert qn.arange(0, (1 << 53) + 1, 1 << 52, device=device).tolist() == [0, 1 << 52, 1 << 53]
    largest = (1 << 64) - 1
    assert qn.arange(largest - 2, largest, dtype="uint64", device=device).tolist() == [
        largest - 2,
        largest - 1,
    ]


def test_arange_of_integers_by_fractions_steps_as_numpy_does(device):
    for arguments in [(0, 3, 0.5), (0.5, 4, 1.5), (2.9, -3, -1.2)]:
        assert_same(qn.arange(*arguments, dtype="int32", device=device), np.arange(*arguments, dtype="int32"))


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize(
    "arguments", [(0, 1, 5), (2, -3, 7), (1.5, 2.5, 1), (0, 1, 0), (3, 3, 4), (0, 5e-324, 3)]
)
def test_linspace_is_numpys(device, arguments, endpoint):
    assert_same(
        qn.linspace(*arguments, endpoint=endpoint, device=device),
        np.linspace(*arguments, endpoint=endpoint),
        rtol=1e-15,
    )


def test_linspace_of_other_types_is_numpys(device):
    for dtype in ["int32", "float32", "complex64"]:
        assert_same(
            qn.linspace(-3, 4, 9, dtype=dtype, device=device), np.linspace(-3, 4, 9, dtype=dtype), rtol=1e-6
        )
    assert_same(qn.linspace(1j, 2, 5, device=device), np.linspace(1j, 2, 5), rtol=1e-15)
    numbers, step = qn.linspace(0, 1, 11, retstep=True, device=device)
    assert step == 0.1
    assert numbers.shape == (11,)


def test_linspace_of_arrays_adds_an_axis(device):
    a, b = np.array([0.0, 1.0]), np.array([[1.0], [4.0], [9.0]])
    for axis in (0, -1, 1):
        got = qn.linspace(qn.asarray(a, device=device), qn.asarray(b, device=device), 4, axis=axis)
        assert_same(got, np.linspace(a, b, 4, axis=axis), rtol=1e-15)


def test_the_last_number_is_the_end_itself(device):
    stop = 0.1 + 0.2
    assert qn.linspace(-7, stop, 100, device=device)[-1].item() == stop


def test_numbers_by_powers_and_by_multiples(device):
    assert_same(qn.logspace(0, 3, 4, device=device), np.logspace(0, 3, 4), rtol=1e-14)
    assert_same(qn.logspace(0, 3, 4, base=2, device=device), np.logspace(0, 3, 4, base=2), rtol=1e-14)
    assert_same(qn.geomspace(1, 1000, 4, device=device), np.geomspace(1, 1000, 4), rtol=1e-14)
    assert_same(qn.geomspace(-2, -32, 5, device=device), np.geomspace(-2, -32, 5), rtol=1e-14)
    for bad in [(0, 1), (1, 0)]:
        with pytest.raises(ValueError, match="geomspace"):
            qn.geomspace(*bad, device=device)


@pytest.mark.parametrize("k", [0, 1, -2, 10, -10, 1 << 70])
def test_ones_are_on_the_diagonal_only(device, k):
    for shape in [(3, 3), (2, 5), (4, 2), (0, 3)]:
        assert_same(qn.eye(*shape, k=k, device=device), np.eye(*shape, k=max(min(k, 99), -99)))
    assert_same(qn.eye(3, dtype="int8", device=device), np.eye(3, dtype="int8"))
    assert_same(qn.identity(3, "float32", device=device), np.identity(3, "float32"))


@pytest.mark.parametrize("name", ["tril", "triu"])
def test_triangles_are_numpys(device, name):
    for dtype in ["float32", "bool"]:
        a = (np.arange(24).reshape(2, 3, 4) % 5).astype(dtype)
        x = qn.asarray(a, device=device)
        for k in (0, 1, -2, 7, -7):
            assert_same(getattr(qn, name)(x, k=k), getattr(np, name)(a, k=k))
    assert_same(qn.tri(3, 5, 1, device=device), np.tri(3, 5, 1))
    vector = np.arange(1.0, 4.0)
    assert_same(getattr(qn, name)(qn.asarray(vector, device=device), 1), getattr(np, name)(vector, 1))
    with pytest.raises(ValueError, match=name):
        getattr(qn, name)(qn.zeros((), device=device))


def test_a_diagonal_is_a_view(device):
    a = np.arange(24.0).reshape(2, 3, 4)
    x = qn.asarray(a, device=device)
    for arguments in [(), (1,), (-1,), (0, 1, 2), (1, -1, 0), (9,)]:
        assert_same(qn.diagonal(x, *arguments), np.diagonal(a, *arguments))
        assert_same(x.trace(*arguments), a.trace(*arguments))
    qn.diagonal(x[0])[...] = -1
    assert x[0, 2, 2].item() == -1
    with pytest.raises(ValueError, match="diagonal"):
        qn.diagonal(x, 0, 1, 1)


def test_a_matrix_is_made_of_its_diagonal(device):
    v = np.array([1, 2, 3], np.int32)
    for k in (0, 2, -1):
        assert_same(qn.diag(qn.asarray(v, device=device), k), np.diag(v, k))
    m = np.arange(6).reshape(2, 3)
    assert_same(qn.diag(qn.asarray(m, device=device), 1), np.diag(m, 1))


@pytest.mark.parametrize("options", [{}, {"indexing": "ij"}, {"sparse": True}, {"copy": False}])
def test_grids_are_numpys(device, options):
    a, b, c = np.arange(2), np.linspace(0, 1, 3), np.array([5, 6], np.int8)
    for arrays in [(a,), (a, b), (a, b, c)]:
        got = qn.meshgrid(*(qn.asarray(x, device=device) for x in arrays), **options)
        assert isinstance(got, tuple)
        for x, expected in zip(got, np.meshgrid(*arrays, **options), strict=True):
            assert_same(x, expected)
    with pytest.raises(ValueError, match="indexing"):
        qn.meshgrid(indexing="yx")


def test_indices_and_functions_of_them(device):
    assert_same(qn.indices((2, 3), device=device), np.indices((2, 3)))
    for x, expected in zip(
        qn.indices((2, 3), sparse=True, device=device), np.indices((2, 3), sparse=True), strict=True
    ):
        assert_same(x, expected)
    got = qn.fromfunction(lambda i, j: 10 * i + j, (2, 3), device=device)
    assert_same(got, np.fromfunction(lambda i, j: 10 * i + j, (2, 3)))


def test_contiguous_copies_are_made_only_of_what_is_not(device):
    x = qn.asarray(np.arange(6).reshape(2, 3), device=device)
    assert qn.ascontiguousarray(x).buffer is not None
    assert qn.ascontiguousarray(x.T).strides == (16, 8)
    assert_same(qn.copy(x.T), np.arange(6).reshape(2, 3).T)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda xp: xp.zeros(2.5), "zeros: shape"),
        (lambda xp: xp.ones((2, 3.5)), "ones: shape"),
        (lambda xp: xp.empty("a"), "empty: shape"),
        (lambda xp: xp.full(np.float64(3), 1), "full: shape"),
        (lambda xp: xp.broadcast_to(1, 2.5), "broadcast_to: shape"),
        (lambda xp: xp.eye("a"), "eye: N"),
        (lambda xp: xp.eye(2, 2.5), "eye: M"),
        (lambda xp: xp.identity(2.5), "identity: n"),
        (lambda xp: xp.linspace(0, 1, 2.5), r"linspace: num must be an integer, got 2\.5"),
        (lambda xp: xp.linspace(0, 1, "a"), "linspace: num"),
        (lambda xp: xp.logspace(0, 1, 2.5), "logspace: num"),
        (lambda xp: xp.geomspace(1, 2, 2.5), "geomspace: num"),
        (lambda xp: xp.indices((2.5, 3)), "indices: dimensions"),
        (lambda xp: xp.fromfunction(lambda i: i, (2.5,)), "fromfunction: a length"),
        (lambda xp: xp.vander([1.0, 2.0], 2.5), "vander: N"),
        (lambda xp: xp.tile([1.0, 2.0], 2.5), "tile: reps must be an integer"),
        (lambda xp: xp.random.default_rng(1).random(2.5), "shape must be"),
    ],
)
def test_fractions_and_words_are_no_counts(call, text):
    with pytest.raises(TypeError):
        call(np)
    with pytest.raises(qn.ArgumentTypeError, match=text):
        call(qn)


def test_counts_may_be_numpys_integers(device):
    for shape in (
        np.int8(3),
        np.array(3),
        np.array([3, 2]),
        [np.int64(3), 2],
        qn.asarray([3, 2], device=device),
    ):
        assert qn.zeros(shape, device=device).shape == np.zeros(np.asarray(shape)).shape
    assert qn.linspace(0, 1, np.int8(3), device=device).get().tolist() == [0, 0.5, 1]
    assert qn.tile(qn.arange(2, device=device), np.int64(2)).get().tolist() == [0, 1, 0, 1]


def test_strings_are_no_elements(device):
    x = qn.zeros(3, "float32", device)
    for call in (
        lambda: qn.asarray(["a", "b"], device=device),
        lambda: qn.full(3, "a", device=device),
        lambda: x.__setitem__(0, "a"),
    ):
        with pytest.raises(qn.ArgumentTypeError, match="strings; elements must be bool, integers"):
            call()


def test_bad_arguments_are_named(device):
    with pytest.raises(ValueError, match="num is -1"):
        qn.linspace(0, 1, -1, device=device)
    with pytest.raises(ValueError, match="step must not be 0"):
        qn.arange(0, 1, 0, device=device)
    with pytest.raises(ValueError, match="diag"):
        qn.diag(qn.zeros((1, 1, 1), device=device))
    assert math.isnan(qn.linspace(0, 1, 1, retstep=True, device=device)[1])
