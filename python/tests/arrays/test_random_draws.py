# SPDX-License-Identifier: MIT
"""Draws as parts of expressions: which kernels there are, and that the numbers are those of a draw into memory."""

import numpy as np
import pytest

import quern as qn

# Two words of a block, one word, and one that may be refused; normal numbers are made by twos.
DRAWS = [
    ("random", {"dtype": "float64"}),
    ("normal", {"loc": 3, "scale": 2, "dtype": "float32"}),
    ("exponential", {"scale": 2, "dtype": "float32"}),
    ("integers", {"low": -5, "high": 3 << 29, "dtype": "int32"}),
]


@pytest.fixture
def kernels(device, use_host_loops):
    """How many kernels one expression of random numbers is: compiled for CPUs, it reads the numbers from memory."""
    use_host_loops("until_compiled")
    return 2 if device.kind == "cpu" and device.backend != "host" else 1


def generator(engine=qn.random.Philox, skipped=0):
    rng = qn.random.Generator(engine(11))
    rng.bit_generator.advance(skipped)
    return rng


def in_memory(device, name, options, size, **of_generator):
    out = qn.empty(size, options["dtype"], device=device)
    getattr(generator(**of_generator), name)(size=size, out=out, **options)
    return out.get()


@pytest.mark.parametrize(("name", "options"), DRAWS, ids=[name for name, _ in DRAWS])
@pytest.mark.parametrize("skipped", [0, 3])
def test_an_expression_has_the_numbers_of_a_draw_into_memory(
    device, launches, kernels, name, options, skipped
):
    drawn = getattr(generator(skipped=skipped), name)(size=1003, device=device, **options)
    copied = qn.where(drawn == drawn, drawn, 0)
    assert launches(lambda: qn.eval(copied)) == kernels
    expected = in_memory(device, name, options, 1003, skipped=skipped)
    assert np.array_equal(copied.get(), expected)
    assert np.array_equal(drawn.get(), expected)


def test_numbers_of_threefry_are_computed_where_they_are_needed_too(device, launches, kernels):
    drawn = generator(qn.random.Threefry, 2).random(500, dtype="float32", device=device) + 1
    assert launches(lambda: qn.eval(drawn)) == kernels
    expected = in_memory(device, "random", {"dtype": "float32"}, 500, engine=qn.random.Threefry, skipped=2)
    assert np.array_equal(drawn.get(), expected + 1)


def test_a_draw_takes_its_words_when_it_is_written(device):
    rng, other = generator(), generator()
    first = rng.random(10, device=device)
    second = rng.random(10, device=device)
    late = second.get(), first.get()
    expected = other.random(10, device=device).get(), other.random(10, device=device).get()
    assert np.array_equal(late[1], expected[0]) and np.array_equal(late[0], expected[1])


def test_sums_of_random_numbers_need_no_memory_for_them(device, launches, kernels):
    rng = generator()
    hits = rng.random(10_001, dtype="float32", device=device) < 0.5
    with qn.eager():
        expected = generator().random(10_001, dtype="float32", device=device).get() < 0.5
    results = []
    assert launches(lambda: results.append(hits.sum())) in (
        kernels,
        kernels + 1,
    )  # parts may be added by another
    assert results[0].item() == expected.sum()
    assert results[0].shape == ()
    x = qn.asarray(np.ones((4, 5), np.float32), device=device)
    scaled = (x * generator().random((4, 5), dtype="float32", device=device)).max(keepdims=True)
    assert scaled.shape == (1, 1)
    expected = in_memory(device, "random", {"dtype": "float32"}, (4, 5))
    assert scaled.item() == expected.max()
    assert int(qn.argmax(generator().random(999, dtype="float32", device=device))) == int(
        np.argmax(in_memory(device, "random", {"dtype": "float32"}, 999))
    )


def test_noise_is_added_in_one_kernel(device, launches, kernels):
    x = qn.asarray(np.arange(600, dtype=np.float32), device=device)
    noisy = x + np.float32(0.5) * generator().normal(size=600, dtype="float32", device=device)
    assert launches(lambda: qn.eval(noisy)) == kernels
    normal = in_memory(device, "normal", {"dtype": "float32"}, 600)
    assert np.array_equal(noisy.get(), np.arange(600, dtype=np.float32) + np.float32(0.5) * normal)


def test_all_readers_see_the_same_numbers(device):
    drawn = generator().random((20, 30), device=device)
    doubled, turned, row = drawn * 2, drawn.T + 0.0, drawn[3] + 1
    column = drawn.sum(axis=0)
    spread = drawn[:, :1] + qn.zeros((20, 30), device=device)
    expected = in_memory(device, "random", {"dtype": "float64"}, (20, 30))
    assert np.array_equal(doubled.get(), expected * 2)
    assert np.array_equal(turned.get(), expected.T)
    assert np.array_equal(row.get(), expected[3] + 1)
    assert np.allclose(column.get(), expected.sum(axis=0), rtol=1e-14)
    assert np.array_equal(spread.get(), np.broadcast_to(expected[:, :1], (20, 30)))
    assert np.array_equal(drawn.get(), expected)


def test_writing_to_a_draw_does_not_change_what_was_made_of_it(device):
    drawn = generator().random(50, device=device)
    before = drawn + 1
    drawn[:] = 0
    assert np.array_equal(before.get(), in_memory(device, "random", {"dtype": "float64"}, 50) + 1)
    assert not drawn.get().any()


def test_a_draw_of_nothing_takes_no_words_and_launches_nothing(device, launches):
    rng = generator()
    assert launches(lambda: qn.eval(rng.random((0, 3), device=device) + 1)) == 0
    assert rng.bit_generator.state == generator().bit_generator.state


def test_an_eager_draw_is_made_at_once(device, launches):
    def draw():
        with qn.eager():
            generator().random(10, device=device)

    assert launches(draw) == 1
    assert launches(lambda: generator().random(10, device=device)) == 0


def test_explain_names_the_draw_and_shows_its_function(device):
    plan = qn.explain(generator().random(100, dtype="float32", device=device) + 1)
    text = str(plan)
    assert "random.uniform(float32)" in text
    assert "quern_random_uniform_float32" in text
    assert "fill" in str(qn.explain(generator().random(100, device=device)))


def test_many_numbers_are_the_same_wherever_they_are_computed(device):
    count = 70_001  # so many that a CPU has them in memory first
    shifted = generator(skipped=1).random(count, dtype="float32", device=device) + 1
    expected = in_memory(device, "random", {"dtype": "float32"}, count, skipped=1)
    assert np.array_equal(shifted.get(), expected + 1)
    target = qn.zeros(count, "float32", device=device)
    target[:] = generator(skipped=1).random(count, dtype="float32", device=device)
    assert np.array_equal(target.get(), expected)
    assert generator(skipped=1).random(count, dtype="float32", device=device).max().item() == expected.max()
