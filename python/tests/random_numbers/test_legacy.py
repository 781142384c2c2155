# SPDX-License-Identifier: MIT
"""NumPy's legacy interface: RandomState, and module functions that share one RandomState."""

import pickle
import threading

import numpy as np
import pytest

import quern as qn


@pytest.fixture(autouse=True)
def state_as_before():
    """Tests leave the shared numbers where they were."""
    state = qn.random.get_state()
    yield
    qn.random.set_state(state)


def test_a_seed_gives_the_numbers_of_default_rng(device):
    legacy, modern = qn.random.RandomState(7), qn.random.default_rng(7)
    with device:
        assert np.array_equal(legacy.rand(3, 4).get(), modern.random((3, 4)).get())
        assert np.array_equal(legacy.randn(6).get(), modern.standard_normal(6).get())
        assert np.array_equal(legacy.randint(-3, 5, 20).get(), modern.integers(-3, 5, 20).get())
        assert np.array_equal(legacy.permutation(9).get(), modern.permutation(9).get())
        assert np.array_equal(legacy.random_sample(5).get(), modern.random(5).get())
        assert type(legacy.rand()) is float and type(legacy.randn()) is float
        assert type(legacy.randint(5)) is int and type(legacy.tomaxint()) is int


def test_functions_of_the_module_follow_seed(device):
    with device:
        qn.random.seed(11)
        first = [qn.random.rand(3).get(), qn.random.normal(1, 2, 4).get(), qn.random.choice(10, 3).get()]
        qn.random.seed(11)
        again = [qn.random.rand(3).get(), qn.random.normal(1, 2, 4).get(), qn.random.choice(10, 3).get()]
        for one, other in zip(first, again, strict=True):
            assert np.array_equal(one, other)
        state = qn.random.get_state()
        drawn = qn.random.beta(2, 3, 5).get()
        qn.random.set_state(state)
        assert np.array_equal(qn.random.beta(2, 3, 5).get(), drawn)
        peer = qn.random.RandomState(11)
        assert np.array_equal(peer.rand(3).get(), first[0])
        qn.random.seed()
        assert qn.random.get_state()["key"] != state["key"]


def test_integers_do_not_reach_the_upper_bound(device):
    state = qn.random.RandomState(3)
    drawn = state.randint(2, 5, size=1000, device=device)
    assert drawn.dtype == np.dtype(int)
    assert set(drawn.tolist()) == {2, 3, 4}
    assert set(state.randint(3, size=1000, dtype=np.uint8, device=device).tolist()) == {0, 1, 2}
    columns = state.randint([0, 10], [2, 12], size=(200, 2), device=device).get()
    assert set(columns[:, 0]) == {0, 1} and set(columns[:, 1]) == {10, 11}
    with pytest.raises(ValueError, match="randint: expected low < high"):
        state.randint(3, 3)
    with pytest.raises(TypeError, match="randint: expected low and high to be integers"):
        state.randint(3.5)
    wide = state.tomaxint(1000, device=device).get()
    assert wide.min() >= 0 and wide.max() > 1 << 62


def test_lengths_are_integers():
    state = qn.random.RandomState(3)
    with qn.device("host"):
        assert state.rand(2, 0, 3).shape == (2, 0, 3)
        with pytest.raises(TypeError, match="rand: expected an integer"):
            state.rand((2, 3))
        with pytest.raises(ValueError, match="negative"):
            state.randn(-1)


def test_a_state_can_be_pickled_and_set():
    state = qn.random.RandomState(qn.random.Threefry(5))
    state.random(7, device="host")
    copy = pickle.loads(pickle.dumps(state))
    assert copy.random(device="host") == state.random(device="host")
    known = state.get_state()
    assert known["bit_generator"] == "Threefry"
    first = state.rand(device="host")
    state.set_state(known)
    assert state.rand(device="host") == first
    state.seed(5)
    assert state.get_state() == qn.random.Threefry(5).state
    with pytest.raises(ValueError, match="state"):
        state.set_state({"bit_generator": "MT19937"})


def test_threads_share_the_module_without_sharing_numbers():
    qn.random.seed(1)
    drawn = [[] for _ in range(4)]

    def draw(mine):
        for _ in range(50):
            mine.extend(qn.random.rand(4, device="host").tolist())

    threads = [threading.Thread(target=draw, args=(mine,)) for mine in drawn]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    together = sorted(number for mine in drawn for number in mine)
    assert together == sorted(qn.random.RandomState(1).rand(800, device="host").tolist())


def test_processes_draw_other_numbers_unless_they_are_seeded(run_python):
    code = "import quern as qn; print(qn.random.rand(2, device='host').tolist())"
    assert run_python(code).stdout != run_python(code).stdout
    seeded = "import quern as qn; qn.random.seed(5); print(qn.random.rand(2, device='host').tolist())"
    assert run_python(seeded).stdout == run_python(seeded).stdout


def test_numpys_seeds_are_seeds():
    def first(seed):
        return qn.random.default_rng(seed).random(device="host")

    assert first(np.random.SeedSequence(5)) == first(np.random.SeedSequence(5))
    assert first(np.random.SeedSequence(5)) != first(np.random.SeedSequence(6))
    assert first(np.random.PCG64(5)) == first(np.random.PCG64(5))
    bits = np.random.PCG64(5)
    assert first(bits) != first(bits)  # its next words are another seed
    assert first(np.random.default_rng(5)) == first(np.random.PCG64(5))
    assert first(np.array([1, 2])) == first([1, 2]) != first([2, 1])
    assert first(np.int32(4)) == first(4)
    assert qn.random.RandomState(np.random.SeedSequence(5)).random(device="host") == first(
        np.random.SeedSequence(5)
    )
