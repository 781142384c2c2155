# SPDX-License-Identifier: MIT
"""Indexing with arrays and masks, to read and to write, compared with NumPy."""

import inspect
import threading

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import quern as qn

pytestmark = pytest.mark.usefixtures("no_errors_left")


def pair(device, shape=(3, 4, 5), dtype=np.int64):
    a = np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape)
    return qn.asarray(a, device=device), a


def line():
    """Where the caller is, as file:line."""
    frame = inspect.currentframe().f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def on_device(index, device):
    """The index with its NumPy arrays on the device."""
    if isinstance(index, tuple):
        return tuple(on_device(part, device) for part in index)
    return qn.asarray(index, device=device) if isinstance(index, np.ndarray) else index


def outcome(function):
    """What a function returns, or the kind of its error."""
    try:
        return function(), None
    except (IndexError, TypeError, ValueError) as error:
        return None, IndexError if isinstance(error, IndexError) else ValueError


array = np.array
INDICES = [
    [0, 2],
    [],
    array([0, -1, 1]),
    array([[0, 1], [2, -3]], np.int8),
    array(1),
    np.s_[:, [1, 3]],
    np.s_[..., array([4, 0, 0])],
    np.s_[array([0, 1]), array([1, 2])],
    np.s_[array([0, 1]), :, array([1, 2])],
    np.s_[0, :, array([1, 2])],
    np.s_[:, 0, array([1, 2])],
    np.s_[array([0, 1])[:, None], array([1, 2])],
    np.s_[array([0, 1]), None, array([1, 2])],
    np.s_[None, array([0, 1]), ..., None],
    np.s_[::-1, array([0, 3]), ::2],
    np.s_[array([0, 1]), ..., 1],
    np.s_[0, ..., array([1, 2])],
    True,
    False,
    np.s_[:, True],
    np.s_[array([0, 1]), True],
    np.arange(60).reshape(3, 4, 5) % 7 == 0,
    np.arange(12).reshape(3, 4) % 5 == 0,
    array([True, False, True]),
    np.s_[:, array([True, False, True, False])],
    np.s_[array([True, False, True]), array([1, 2])],
    np.s_[1, np.arange(20).reshape(4, 5) % 3 == 0],
    np.s_[::2, np.arange(20).reshape(4, 5) % 3 == 0],
    np.zeros((3, 4, 5), bool),
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indexing_with_arrays_is_numpys(device, index):
    x, a = pair(device)
    for given_index in (index, on_device(index, device)):
        got = x[given_index]
        assert got.shape == a[index].shape
        np.testing.assert_array_equal(got.get(), a[index])


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_writing_with_arrays_is_numpys(device, index):
    for value in (-7, "array"):
        x, a = pair(device)
        positions = np.arange(a.size).reshape(a.shape)[index]
        if value == "array" and np.unique(positions).size != positions.size:
            continue  # any of the values may be the last
        values = np.arange(a[index].size).reshape(a[index].shape) - 100 if value == "array" else value
        a[index] = values
        x[on_device(index, device)] = values
        np.testing.assert_array_equal(x.get(), a)


def parts(draw, length):
    """One part of an index into an axis of this length, now and then one that does not fit."""
    kind = draw(st.sampled_from(["int", "slice", "array", "array", "list", "mask"]))
    if kind == "int":
        return draw(st.integers(-length, length))
    if kind == "slice":
        return draw(st.slices(length))
    if kind == "mask":
        return draw(hnp.arrays(bool, length))
    shape = draw(st.sampled_from([(), (1,), (2,), (3,), (2, 1), (1, 3), (0,)]))
    edge = length + (draw(st.integers(0, 20)) == 0)
    bounds = st.integers(-length, max(edge - 1, 0))
    array = draw(hnp.arrays(draw(st.sampled_from([np.int64, np.int8])), shape, elements=bounds))
    return array.tolist() if kind == "list" and shape else array


@st.composite
def indexed(draw):
    shape = draw(st.sampled_from([(3, 4, 2), (4, 3), (5,), (0, 3), (2, 0), (1, 1, 1), ()]))
    view = tuple(slice(None, None, draw(st.sampled_from([1, 1, 2, -1]))) for _ in shape)
    order = draw(st.permutations(range(len(shape))))
    lengths = np.empty(shape)[view].transpose(order).shape
    index = []
    for length in lengths[: draw(st.integers(0, len(lengths)))]:
        index.append(parts(draw, length))
        if draw(st.integers(0, 6)) == 0:
            index.append(draw(st.sampled_from([None, True, False])))
    if draw(st.booleans()):
        index.insert(draw(st.integers(0, len(index))), ...)
    return shape, view, order, tuple(index)


@settings(max_examples=150, deadline=None)
@given(case=indexed(), on=st.booleans())
def test_reading_any_index_of_any_view_is_numpys(case, on):
    shape, view, order, index = case
    x, a = pair("host", shape)
    x, a = x[view].transpose(order), a[(*view, ...)].transpose(order)
    expected, error = outcome(lambda: a[index])
    got, own_error = outcome(lambda: x[on_device(index, "host") if on else index].get())
    # If the result has no elements, the kernel does not check single positions that are on the device.
    assert own_error == error or (on and error is IndexError and got.size == 0)
    if error is None:
        np.testing.assert_array_equal(got, expected)


@settings(max_examples=150, deadline=None)
@given(case=indexed(), on=st.booleans(), kind=st.sampled_from(["number", "full", "row", "self", "wrong"]))
def test_writing_any_index_of_any_view_is_numpys(case, on, kind):
    shape, view, order, index = case
    base, whole = pair("host", shape)
    x, a = base[(*view, ...)].transpose(order), whole[(*view, ...)].transpose(order)
    selected, error = outcome(lambda: a[index])
    if error is not None:
        return
    # Of equal positions any may be last, so they all get the same value.
    if kind == "full":
        value = selected * 3 - 1
    elif kind == "row" and selected.ndim and selected.size:
        value = np.broadcast_to(selected[-1:] * 0 + np.int64(5), selected.shape)[0]
    elif kind == "wrong":
        value = np.zeros((7, 11), np.int64)
    else:
        value = np.int64(-3)
    _, error = outcome(lambda: a.__setitem__(index, value))
    value = int(value) if kind == "number" else qn.asarray(value, device="host")
    _, own_error = outcome(lambda: x.__setitem__(on_device(index, "host") if on else index, value))
    assert own_error == error or a.size == 0 or selected.size == 0
    np.testing.assert_array_equal(base.get(), whole)


def test_a_mask_and_a_number_are_one_kernel(device):
    x, a = pair(device, (100,), np.float32)
    mask = qn.asarray(a > 20, device=device)
    x[mask] = 0  # compiles
    before = qn.stats().launches
    x[mask] = -1.5
    assert qn.stats().launches == before + 1
    a[a > 20] = -1.5
    np.testing.assert_array_equal(x.get(), a)


def test_indices_on_the_device_out_of_bounds_raise_when_the_result_is_read(device):
    x, _ = pair(device, (4, 5))
    index = qn.asarray(np.array([0, 7, 1]), device=device)
    y = x[:, index]; here = line()  # fmt: skip # noqa: E702
    for _ in range(2):  # its elements never become good
        with pytest.raises(
            qn.ArgumentIndexError, match="index 7 is out of bounds for axis 1 with size 5"
        ) as caught:
            y.get()
        assert here in str(caught.value)
    z = x[index - 10] * 2
    with pytest.raises(IndexError, match=r"index -(9|10) is out of bounds for axis 0 with size 4"):
        z.get()


def test_indices_on_the_device_out_of_bounds_write_nothing(device):
    base, a = pair(device, (10,))
    x = base[2:6]
    x[qn.asarray(np.array([1, 4, -5, 100, -100]), device=device)] = -1
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 4"):
        base.get()
    a[3] = -1
    np.testing.assert_array_equal(base.get(), a)


def bad_and_good(device):
    x, a = pair(device, (4,))
    bad = x[qn.asarray(np.array([4, 0]), device=device)]
    good = x[qn.asarray(np.array([3, 0]), device=device)]
    return bad, good, a[[3, 0]]


def test_every_result_of_a_bad_index_raises_and_no_other_does(device):
    bad, good, expected = bad_and_good(device)
    sums, copied = qn.sum(bad), bad.copy()
    joined = qn.concat([good, bad])
    mixed, unmixed = bad * 2 + good, good * 2
    qn.eval(mixed, unmixed)
    other = qn.Queue(device)
    for _ in range(2):
        np.testing.assert_array_equal(good.get(), expected)
        np.testing.assert_array_equal(unmixed.get(queue=other), 2 * expected)
        np.testing.assert_array_equal((good + 1).get(), expected + 1)
        for array in (bad, sums, copied, joined, mixed, bad[1:] - 1):
            with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 4"):
                array.get(queue=other)
        with pytest.raises(IndexError, match="index 4"):
            bad.get_async().result()
    bad[...] = good  # all of it is new
    np.testing.assert_array_equal((bad + 0).get(), expected)


def test_a_kernel_of_the_user_passes_a_bad_index_on(device):
    bad, good, expected = bad_and_good(device)
    program = qn.Program(
        "kernel void add_one(global long *x, global long *y)"
        " { y[get_global_id(0)] = x[get_global_id(0)] + 1; }"
    )
    one, other = (qn.empty(2, "int64", device=device) for _ in range(2))
    with device:
        program.add_one(None, (2,), None, bad, one).wait()
        program.add_one(None, (2,), None, good, other).wait()
    np.testing.assert_array_equal(other.get(), expected + 1)
    with pytest.raises(IndexError, match="index 4"):
        one.get()
    with pytest.raises(IndexError, match="index 4"):
        one.buffer.read()


def test_finishing_a_queue_raises_its_own_index_errors_once(device):
    mine, others = qn.Queue(device), qn.Queue(device)
    with mine:
        bad, good, expected = bad_and_good(device)
        worse = bad_and_good(device)[0]
    others.finish()
    with others:
        np.testing.assert_array_equal((good + 1).get(), expected + 1)
    with pytest.raises(IndexError, match="index 4"):
        mine.finish()
    mine.finish()
    for array in (bad, worse):
        with pytest.raises(IndexError, match="index 4"):
            array.get()
    with mine:
        x, _ = pair(device, (4,))
        x[qn.asarray(np.array([4]), device=device)] = 1
    with pytest.raises(IndexError, match="assignment"):
        x.get()
    mine.finish()  # the read has raised it


def test_in_an_eager_block_a_bad_index_raises_where_it_is_written(device):
    x, a = pair(device, (4,))
    index = qn.asarray(np.array([-5]), device=device)
    with qn.eager():
        with pytest.raises(IndexError, match="index -5 is out of bounds for axis 0 with size 4"):
            x[index]
        with pytest.raises(IndexError, match="index -5"):
            x[index] = 1
    np.testing.assert_array_equal(x.get(), a)
    qn.Queue.of(device).finish()


def test_threads_get_the_index_errors_of_the_arrays_they_read(device):
    x, a = pair(device, (4,))
    wrong = []

    def work(k):
        where = np.array([k % 4, 4 * (k % 2)])
        with qn.Queue(device):
            for _ in range(30):
                y = x[qn.asarray(where, device=device)]
                try:
                    if (y.get() != a[where]).any() or k % 2:
                        wrong.append((k, "not told"))
                except IndexError:
                    if k % 2 == 0:
                        wrong.append((k, "told"))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_an_index_error_on_one_queue_is_raised_by_reads_on_another(device):
    x, _ = pair(device, (4,))
    index = qn.asarray(np.array([4]), device=device)
    with qn.Queue(device):
        y = x[index]
    with pytest.raises(IndexError, match="index 4"):
        y.get(queue=qn.Queue(device))


def test_a_chain_of_2100_lookups_is_right(device):
    x, a = pair(device, (4,))
    index = qn.asarray(np.array([3, 0, 1, 1]), device=device)
    for _ in range(2100):
        x = x[index]
        a = a[[3, 0, 1, 1]]
    np.testing.assert_array_equal(x.get(), a)


@pytest.mark.parametrize(
    ("index", "text"),
    [
        ([0, 3], "index 3 is out of bounds for axis 0 with size 3"),
        (np.s_[:, np.array([-5])], "index -5 is out of bounds for axis 1 with size 4"),
        (np.array([2**63], np.uint64), "out of bounds"),
        (np.array([1.0]), "integers or booleans"),
        ([True, False], "axis is 3 but size of corresponding boolean axis is 2"),
        (np.s_[[0, 1], [0, 1, 2]], r"could not be broadcast together with shapes \(2,\) \(3,\)"),
        (np.s_[[0], [0], [0], [0]], "too many indices"),
        (1.5, "got float"),
    ],
    ids=str,
)
def test_host_indices_that_do_not_fit_are_index_errors_at_once(device, index, text):
    x, _ = pair(device)
    for use in (lambda: x[index], lambda: x.__setitem__(index, 0)):
        with pytest.raises(qn.ArgumentIndexError, match=text):
            use()


def test_values_that_do_not_fit_an_index_are_refused(device):
    x, a = pair(device, (6,))
    with pytest.raises(qn.ArgumentValueError, match=r"\(3,\) do not broadcast to \(2,\)"):
        x[[0, 1]] = np.zeros(3)
    with pytest.raises(qn.ArgumentValueError, match=r"\(4,\) do not broadcast to \(2,\)"):
        x[x > 3] = np.zeros(4)
    np.testing.assert_array_equal(x.get(), a)


def test_augmented_assignment_with_repeated_indices_does_not_add_up(device):
    x, a = pair(device, (5,), np.float32)
    x[[1, 1, 3]] += 10
    a[[1, 1, 3]] += 10
    x[x > 12] *= 2
    a[a > 12] *= 2
    np.testing.assert_array_equal(x.get(), a)


def test_what_is_assigned_is_read_before_it_is_written(device):
    x, a = pair(device, (8,))
    index = np.array([3, 1, 7, 0, 2, 6, 5, 4])
    x[index] = x[::-1]
    a[index] = a[::-1].copy()
    np.testing.assert_array_equal(x.get(), a)
    x[x] = x + 100
    a[a.copy()] = a + 100
    np.testing.assert_array_equal(x.get(), a)


POINT = np.dtype([("x", np.float32), ("n", np.int16)], align=True)


@pytest.mark.parametrize(
    "dtype", [POINT, np.dtype([(name, np.int8) for name in "abc"]), qn.vec.float3, np.complex128, np.float16]
)
def test_elements_of_any_type_are_moved(device, dtype):
    a = np.frombuffer(np.arange(12 * 16, dtype=np.uint8).tobytes(), dtype, 12).copy().reshape(3, 4)
    a = np.arange(12).astype(dtype).reshape(3, 4) if np.dtype(dtype).kind in "cf" else a
    x = qn.asarray(a, device=device)
    for index in (np.s_[::2, ::-1], np.s_[[0, 2]], np.arange(12).reshape(3, 4) % 5 == 0):
        assert x[index].get().tolist() == a[index].tolist()
    x[[2, 0]] = x[:2]
    a[[2, 0]] = a[:2].copy()
    x[1] = x[0, ::-1]
    a[1] = a[0, ::-1]
    assert x.get().tolist() == a.tolist()
    assert qn.asarray(x.T, copy=True).get().tolist() == a.T.tolist()


def test_strided_views_are_filled_set_and_copied(device):
    x, a = pair(device, (10,))
    x[::2].fill(7)
    a[::2].fill(7)
    x[::-3].set(np.arange(4))
    a[::-3] = np.arange(4)
    np.testing.assert_array_equal(x.get(), a)
    y = qn.asarray(x[::2], copy=True)
    y[...] = 0
    np.testing.assert_array_equal(x.get(), a)


@pytest.mark.parametrize(
    ("dtype", "value", "error"),
    [
        (np.float32, 1j, qn.ArgumentTypeError),
        (np.int32, 1j, qn.ArgumentTypeError),
        (np.int32, float("nan"), qn.ArgumentValueError),
        (np.int32, 3e9, qn.ArgumentValueError),
        (np.int64, float("-inf"), qn.ArgumentValueError),
        (np.uint8, -1.5, qn.ArgumentValueError),
        (np.uint8, 256, qn.ArgumentValueError),
        (np.float32, None, qn.ArgumentTypeError),
    ],
    ids=str,
)
def test_numbers_that_elements_cannot_be_are_refused(device, dtype, value, error):
    x, a = pair(device, (3,), dtype)
    for index in (0, [0], a > 1):
        with pytest.raises(error):
            x[index] = value
    np.testing.assert_array_equal(x.get(), a)


def test_numbers_become_elements_as_numpys_do(device):
    for dtype, value in (
        (bool, 1j),
        (np.int16, -7.9),
        (np.uint64, 1.8e19),
        (np.float32, 1e300),
        (np.uint8, 0.5),
    ):
        x, a = pair(device, (3,), dtype)
        with np.errstate(over="ignore"):
            a[1] = value
            x[1] = value
        np.testing.assert_array_equal(x.get(), a)


def test_a_mask_of_no_elements_chooses_none(device):
    for shape, lengths in (((3, 4), (0, 4)), ((3, 4), (0,)), ((3,), (0,))):
        a, mask = np.ones(shape), np.zeros(lengths, bool)
        x, chosen = qn.asarray(a, dtype=np.float32, device=device), qn.asarray(mask, device=device)
        assert x[chosen].shape == a[mask].shape
        x[chosen] = 5
        np.testing.assert_array_equal(x.get(), a)
    with pytest.raises(IndexError, match="did not match"):
        qn.zeros((3, 0), device=device)[qn.zeros((2, 0), bool, device=device)]


def test_a_bad_position_beside_good_ones_on_reversed_axes_reads_and_writes_nothing(device):
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    base = qn.asarray(values, device=device)
    mirrored = base[::-1, ::-1]
    rows, columns = (qn.asarray(np.array(p), device=device) for p in ([5, 1], [3, 2]))
    with pytest.raises(IndexError, match="5"):
        mirrored[rows, columns].get()
    mirrored[rows, columns] = -1
    with pytest.raises(IndexError, match="5"):
        base.get()
    qn.Queue.of(device).finish()
    values[::-1, ::-1][1, 2] = -1
    np.testing.assert_array_equal(base.get(), values)


def test_numpys_asarray_raises_the_error_of_a_bad_assignment(device):
    x = qn.zeros(5, device=device)
    x[qn.asarray(np.array([1, 99]), device=device)] = 7
    with pytest.raises(IndexError, match="99"):
        np.asarray(x)
    np.testing.assert_array_equal(np.asarray(x), [0, 7, 0, 0, 0])


def test_an_element_is_read_and_written_after_the_kernel_that_is_under_way(queue, device, spin):
    x = qn.asarray(np.zeros(4, np.float32), device=device)
    with queue:
        spin(queue, 0.2, x)
        assert float(x[0]) > 1  # the kernel's result
        spin(queue, 0.2, x)
        x[0] = -3
        x[3] = x[0]
        assert x.get().tolist() == [-3, 0, 0, -3]


def test_an_element_does_not_follow_its_array_and_pending_expressions_keep_theirs(device):
    x = qn.asarray(np.arange(5.0, dtype=np.float32), device=device)
    first, twice = x[1], x * 2
    x[1] = 10
    assert float(first) == 1
    assert twice.get().tolist() == [0, 2, 4, 6, 8]
    assert float(x[1]) == 10 and int(x[-4]) == 10


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        (bool, True),
        (np.int8, -3),
        (np.uint64, 2**64 - 1),
        (np.float16, 0.5),
        (np.float32, 1.5),
        (np.complex64, 1 - 2j),
    ],
)
def test_elements_of_each_dtype_are_pythons_numbers(device, dtype, value):
    x = qn.asarray(np.zeros((2, 3), dtype), device=device)
    x[1, -1] = value
    assert x[1, 2].item() == value and type(x[1, 2].item()) is type(np.asarray(value, dtype).item())
    assert x.get()[1, 2] == value and np.count_nonzero(x.get()) == 1
