# SPDX-License-Identifier: MIT
"""@qn.graph: functions that are recorded once and replayed, with arrays of each call."""

import contextvars
import threading

import numpy as np
import pytest

import quern as qn

pytestmark = pytest.mark.smoke


@pytest.fixture(autouse=True)
def current(queue):
    with queue:
        yield queue


def arrays(*values):
    return [qn.asarray(np.asarray(v, dtype="float32")) for v in values]


def test_later_calls_replay_on_the_arrays_of_the_call():
    calls = []

    @qn.graph
    def combine(x, y):
        calls.append(None)
        return 2 * x + y, {"sum": (x * y).sum()}

    for k in range(5):
        a, b = np.arange(8, dtype="float32") + k, np.full(8, k, "float32")
        z, rest = combine(*arrays(a, b))
        assert (z.get() == 2 * a + b).all()
        assert float(rest["sum"]) == (a * b).sum()
    assert len(calls) == 1
    assert combine.cache_info() == (4, 1, 16, 1)
    assert combine.__name__ == "combine"


def test_results_that_are_held_do_not_change():
    @qn.graph
    def twice(x):
        return x * 2

    (x,) = arrays(np.arange(8))
    results = [twice(x + k) for k in range(6)]
    for k, result in enumerate(results):
        assert (result.get() == 2 * (np.arange(8) + k)).all()
    view = results[2][2:5]
    del results
    for k in range(4):
        twice(x + 10 * k)
    assert (view.get() == (2 * (np.arange(8) + 2))[2:5]).all()


def test_lazy_expressions_of_results_keep_their_values():
    @qn.graph
    def twice(x):
        return x * 2

    (x,) = arrays(np.arange(8))
    pending = twice(x) + 1
    twice(x + 100)
    assert (pending.get() == 2 * np.arange(8) + 1).all()


def test_a_loop_feeds_results_back():
    @qn.graph
    def step(x, y):
        return x + y, y * 0.5

    x, y = arrays(np.zeros(8), np.ones(8))
    a, b = np.zeros(8, "float32"), np.ones(8, "float32")
    for _ in range(10):
        x, y = step(x, y)
        a, b = a + b, b * np.float32(0.5)
    assert (x.get() == a).all() and (y.get() == b).all()
    x, y = step(y, x)
    assert (x.get() == a + b).all() and (y.get() == a * np.float32(0.5)).all()


def test_arguments_are_written_in_place():
    @qn.graph
    def advance(x, v):
        x += v
        return x

    x, y, v = arrays(np.zeros(8), np.full(8, 5), np.ones(8))
    assert advance(x, v) is x
    assert advance(y, v) is y
    advance(x, v)
    assert (x.get() == 2).all() and (y.get() == 6).all()


def test_views_and_aliases():
    @qn.graph
    def middle(x, y):
        y[1:-1] = x[2:] + x[:-2]
        return y[1:-1], x

    a = np.arange(8, dtype="float32")
    x, y = arrays(a, np.zeros(8))
    inner, same = middle(x, y)
    assert same is x
    assert (inner.get() == a[2:] + a[:-2]).all()
    assert middle.cache_info().misses == 1
    middle(x, x)  # the same memory twice
    assert middle.cache_info().misses == 2
    expected = a.copy()
    expected[1:-1] = a[2:] + a[:-2]
    assert (x.get() == expected).all()
    big = qn.asarray(np.arange(32, dtype="float32"))
    inner, _ = middle(big[::4], y)
    assert middle.cache_info().misses == 3
    assert (inner.get() == np.arange(32)[::4][2:] + np.arange(32)[::4][:-2]).all()


def test_other_shapes_dtypes_and_values_are_recorded_anew():
    @qn.graph(maxsize=2)
    def power(x, n):
        return x**n

    for n in (2, 3, 2, 3):
        assert (power(qn.arange(4.0, dtype="float32"), n).get() == np.arange(4.0) ** n).all()
    assert power.cache_info() == (2, 2, 2, 2)
    assert (power(qn.arange(5.0, dtype="float32"), 2).get() == np.arange(5.0) ** 2).all()
    assert (power(qn.arange(5, dtype="int32"), 2).get() == np.arange(5) ** 2).all()
    info = power.cache_info()
    assert info.misses == 4 and info.currsize == 2
    power.cache_clear()
    assert power.cache_info() == (0, 0, 2, 0)


def test_true_and_one_are_different_values():
    @qn.graph
    def typed(x, flag):
        return x + (10 if flag is True else 1)

    (x,) = arrays(np.zeros(2))
    assert (typed(x, True).get() == 10).all()
    assert (typed(x, 1).get() == 1).all()


def test_reads_are_refused_at_their_line():
    @qn.graph
    def reads(x):
        y = x * 2
        return y if float(y.sum()) > 0 else x  # the line of the error

    with pytest.raises(qn.CaptureError) as caught:
        reads(*arrays(np.ones(4)))
    assert any("the line of the error" in str(entry.statement) for entry in caught.traceback)
    assert reads.cache_info().currsize == 0
    with pytest.raises(qn.CaptureError):
        qn.graph(lambda x: print(x))(*arrays(np.ones(4)))
    with pytest.raises(qn.CaptureError):
        qn.graph(lambda x: x[x > 0])(*arrays(np.ones(4)))
    with pytest.raises(qn.CaptureError, match=r"qn\.asarray"):
        qn.graph(lambda x: x)(np.ones(4))
    with pytest.raises(TypeError, match="hashable"):
        qn.graph(lambda x: x)({1, 2})


def test_draws_need_their_generator_as_an_argument():
    rng = qn.random.default_rng(3)
    with pytest.raises(qn.CaptureError, match="generator"):
        qn.graph(lambda x: x + rng.random(4))(qn.zeros(4))

    @qn.graph
    def noisy(x, rng):
        return x + rng.random(4) + rng.normal(size=4)

    drawn, expected = qn.random.default_rng(7), qn.random.default_rng(7)
    for k in range(4):
        result = noisy(qn.full(4, float(k)), drawn)
        assert np.allclose(result.get(), (k + expected.random(4) + expected.normal(size=4)).get())
    assert noisy.cache_info().hits == 3


def test_a_generator_needs_parameters_from_outside():
    @qn.graph
    def dependent(x, rng):
        y = x + 1
        qn.eval(y)
        return rng.normal(y, 1.0)

    with pytest.raises(qn.CaptureError, match="outside of the capture"):
        dependent(qn.zeros(4), qn.random.default_rng(1))


def test_draws_use_the_arguments_of_each_call():
    @qn.graph
    def noisy(x, rng):
        return rng.normal(x, 1e-6) + x

    rng = qn.random.default_rng(1)
    for k in range(4):
        assert np.allclose(noisy(qn.full(4, float(k)), rng).get(), 2 * k, atol=1e-3)
    assert noisy.cache_info().misses == 1


@pytest.mark.parametrize("parameter", [lambda x: x + 1, lambda x: x[:2]])
def test_draws_cannot_use_what_is_made_of_arguments(parameter):
    with pytest.raises(qn.CaptureError, match=r"uses an array|view of an argument"):
        qn.graph(lambda x, rng: rng.normal(parameter(x), 1.0))(qn.zeros(4), qn.random.default_rng(1))


def test_an_argument_may_be_an_array_that_the_function_finds_elsewhere():
    known, other = arrays([1, 2, 3], [10, 20, 30])

    @qn.graph
    def add(x):
        return x + known

    for x in (known, other, known, other, other + 1):
        assert (add(x).get() == x.get() + np.array([1, 2, 3])).all()

    @qn.graph
    def accumulate(x):
        x += 1
        return x + known

    assert accumulate(other).get().tolist() == [12, 23, 34]
    assert accumulate(known).get().tolist() == [4, 6, 8]  # known itself has changed before it is added
    assert accumulate(other).get().tolist() == [14, 25, 36]


def test_a_call_that_is_recorded_but_not_replayed_draws_once():
    known, other = arrays(np.arange(4), np.full(4, 10))
    drawn, expected = qn.random.default_rng(7), qn.random.default_rng(7)

    def noisy(x, rng):
        return x + known + rng.random(4, dtype="float32")

    recorded = qn.graph(noisy)
    for x in (known, known, other, known, other):
        assert (recorded(x, drawn).get() == noisy(x, expected).get()).all()
        assert drawn.bit_generator.state == expected.bit_generator.state
    assert recorded.cache_info().misses == 1


def test_views_of_one_array_may_overlap():
    @qn.graph
    def shift(x, y):
        x += y

    for k in range(3):
        expected = np.arange(k, k + 64, dtype="float32")
        (x,) = arrays(expected)
        shift(x[1:], x[:-1])
        expected[1:] += expected[:-1].copy()
        assert (x.get() == expected).all()
    assert shift.cache_info().misses == 1


def test_two_arrays_exchange_their_places():
    @qn.graph
    def step(x, y):
        y[:] = 2 * x

    x, y = arrays(np.ones(8), np.zeros(8))
    for _ in range(6):
        step(x, y)
        x, y = y, x
    assert (x.get() == 64).all() and (y.get() == 32).all()


def test_bad_indices_of_a_new_argument_reach_readers(no_errors_left):
    @qn.graph
    def twice(x):
        return x * 2

    (x,) = arrays(np.arange(4))
    twice(x)
    bad = x[qn.asarray(np.array([0, 1, 2, 99]))]
    with pytest.raises(IndexError):
        twice(bad).get()


def test_bad_indices_reach_readers_after_the_results_of_earlier_calls_are_dropped(no_errors_left):
    x = qn.arange(4.0)

    @qn.graph
    def gather(index):
        return x[index]

    for _ in range(3):
        gather(qn.asarray([3, 0]))  # the next call writes the same memory
        result = gather(qn.asarray([1, 9]))
        with pytest.raises(IndexError, match="index 9 is out of bounds"):
            result.get()
        assert gather(qn.asarray([2, 2])).get().tolist() == [2, 2]
        del result


def test_arguments_that_are_read_may_be_mapped():
    @qn.graph
    def twice(x):
        return x * 2

    (x, y) = arrays(np.arange(4), np.arange(4) + 1)
    twice(x)
    with y.map("r") as view:
        result = twice(y)
        assert (view == np.arange(4) + 1).all()
    assert (result.get() == 2 * (np.arange(4) + 1)).all()


def test_a_call_that_fails_leaves_later_calls_right():
    @qn.graph
    def noisy(x, rng):
        return x + rng.random(4)

    class Failing(qn.random.Generator):
        fails = False

        def random(self, *args, **kwargs):
            if self.fails:
                raise ZeroDivisionError
            return super().random(*args, **kwargs)

    rng = Failing(qn.random.Philox(5))
    held = [noisy(qn.full(4, 1.0), rng)]
    Failing.fails = True
    with pytest.raises(ZeroDivisionError):
        noisy(qn.full(4, 2.0), rng)
    Failing.fails = False
    held += [noisy(qn.full(4, 3.0), rng), noisy(qn.full(4, 4.0), rng)]
    expected = qn.random.Generator(qn.random.Philox(5))
    for result, number in zip(held, (1, 3, 4), strict=True):
        assert np.allclose(result.get(), number + expected.random(4).get())
    assert noisy.cache_info().misses == 1


def test_arguments_without_elements():
    @qn.graph
    def twice(x, y):
        return x * 2, y + 1

    for k in range(3):
        empty, rest = twice(qn.zeros((0, 3)), qn.full(2, float(k)))
        assert empty.shape == (0, 3) and (rest.get() == k + 1).all()


def test_zeros_of_both_signs_and_nan_are_different_values():
    @qn.graph
    def sign(x, value):
        return qn.copysign(x, value)

    (x,) = arrays(np.ones(2))
    assert (sign(x, 0.0).get() == 1).all()
    assert (sign(x, -0.0).get() == -1).all()
    for _ in range(3):
        sign(x, float("nan"))
    assert sign.cache_info().misses == 3


def test_graph_functions_nest_and_are_methods():
    @qn.graph
    def inner(x):
        return x + 1

    class Model:
        def __init__(self):
            (self.w,) = arrays(np.full(4, 3))

        @qn.graph
        def apply(self, x):
            return inner(x) * self.w

    model = Model()
    for k in range(3):
        assert (model.apply(arrays(np.full(4, k))[0]).get() == (k + 1) * 3).all()
    assert inner.cache_info().currsize == 0
    model.w += 1
    assert (model.apply(arrays(np.zeros(4))[0]).get() == 4).all(), "the memory is read anew"


def test_an_exception_in_the_function_leaves_no_recording():
    @qn.graph
    def fails(x):
        x += 1
        raise RuntimeError("no")

    (x,) = arrays(np.zeros(4))
    for _ in range(2):
        with pytest.raises(RuntimeError, match="no"):
            fails(x)
    assert fails.cache_info() == (0, 2, 16, 0)
    assert (x.get() == 0).all()


def test_errors_of_arguments_reach_the_results():
    @qn.graph
    def twice(x):
        return x * 2

    base, index = qn.arange(4.0), qn.asarray(np.array([0, 1]))
    assert (twice(base[index]).get() == [0, 2]).all()
    bad = base[index + 7]
    result = twice(bad)
    with pytest.raises(IndexError):
        result.get()
    with pytest.raises(IndexError):
        bad.get()
    assert (twice(base[index]).get() == [0, 2]).all(), "an error of one call does not affect the next"


def test_arguments_that_are_only_read_stay_readable():
    @qn.graph
    def add(x, y):
        return x + y

    x, y = arrays(np.ones(4), np.ones(4))
    add(x, y)
    pending = y * 3  # reads y lazily, and stays valid
    x2, _ = arrays(np.full(4, 5), np.ones(4))
    assert (add(x2, y).get() == 6).all()
    y += 10
    assert (pending.get() == 3).all()
    assert (add(x, y).get() == 12).all()


def test_threads_call_one_function(queue):
    @qn.graph
    def add(x, y):
        return x + y

    wrong = []

    def call(k):
        with qn.Queue(queue.device):
            for j in range(20):
                x, y = arrays(np.full(16, k), np.full(16, j))
                if not (add(x, y).get() == k + j).all():
                    wrong.append((k, j))

    threads = [threading.Thread(target=call, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_unusual_arguments():
    with pytest.raises(ValueError, match="maxsize"):
        qn.graph(maxsize=0)(lambda x: x)
    with pytest.raises(TypeError, match="expected a function"):
        qn.graph(3)

    @qn.graph
    def nothing(x):
        x += 1

    (x,) = arrays(np.zeros(4))
    assert nothing(x) is None
    assert nothing(x) is None
    assert (x.get() == 2).all()
    assert qn.graph(lambda: qn.ones(3))().get().tolist() == [1, 1, 1]


@pytest.mark.parametrize("use", ["synchronize", "write", "capture", "profile"])
def test_other_threads_leave_the_expressions_of_a_capture_alone(use):
    (x,) = arrays(np.ones(100))
    inside, go = threading.Event(), threading.Event()

    @qn.graph
    def f(u):
        r = u * 2 + 1 + x
        inside.set()
        assert go.wait(60)
        return r + 1

    results = []
    context = contextvars.copy_context()  # the thread has the current queue of this one
    thread = threading.Thread(
        target=lambda: results.append(context.run(lambda: f(*arrays([1] * 100)).get()[0]))
    )
    thread.start()
    assert inside.wait(60)
    try:
        if use == "synchronize":
            qn.synchronize()
        elif use == "write":
            x.fill(5)
        elif use == "capture":
            with qn.Queue(x.device).capture():
                pass
        else:
            with qn.profile():
                pass
    finally:
        go.set()
        thread.join()
    added = 5 if use == "write" else 1
    assert results == [4 + added]
    assert (f(*arrays([10] * 100)).get() == 22 + added).all()


def test_bad_indices_of_intermediates_reach_the_results(no_errors_left):
    @qn.graph
    def gather(x, index):
        return x[index] + 1

    x = qn.arange(4.0)
    for _ in range(3):
        assert (gather(x, qn.asarray([3, 0])).get() == [4, 1]).all()
        result = gather(x, qn.asarray([1, 9]))
        with pytest.raises(IndexError, match="index 9 is out of bounds"):
            result.get()
