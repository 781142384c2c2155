# SPDX-License-Identifier: MIT
"""The rules of lazy evaluation: together they give NumPy's results, and each is needed."""

import lazy_model
import lazy_quern
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from lazy_machine import LazyMachine

import quern as qn


def machine_of(make):
    return type("Machine", (LazyMachine,), {"make": staticmethod(make)})


def test_the_rules_of_the_model_keep_numpys_answers():
    run_state_machine_as_test(
        machine_of(lazy_model.Model),
        settings=settings(
            max_examples=300, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )


def test_lazy_arrays_keep_numpys_answers(device):
    # Few kernels in all, so that PoCL builds each once.
    run_state_machine_as_test(
        machine_of(lambda: lazy_quern.Quern(device)),
        settings=settings(
            max_examples=100, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )


@pytest.mark.parametrize("rule", lazy_model.RULES)
def test_without_a_rule_there_is_a_wrong_answer(rule):
    # Looking only, and not for the smallest program: any will do.
    with pytest.raises(BaseException) as caught:
        run_state_machine_as_test(
            machine_of(lambda: lazy_model.Model(without=rule)),
            settings=settings(
                max_examples=3000,
                stateful_step_count=25,
                deadline=None,
                derandomize=True,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
                print_blob=False,
            ),
        )
    assert "AssertionError" in repr(caught.value) or isinstance(caught.value, AssertionError)


def test_leaving_a_queue_starts_what_was_written_on_it(device):
    x = qn.zeros(10, "float32", device)
    with qn.Queue(device):
        y = x + 1
        assert not y.in_memory
    assert y.in_memory


def test_what_is_converted_on_the_way_is_evaluated_before_it_is_written(device):
    a = qn.asarray(np.arange(3, dtype=np.int32), device=device)
    expressions = [a + 1.5, qn.where(a, 1.0, 2.0), a / 2]
    a[:] = 100
    for got, expected in zip(expressions, ([1.5, 2.5, 3.5], [2, 1, 1], [0, 0.5, 1]), strict=True):
        np.testing.assert_array_equal(got.get(), expected)
    a.buffer.native_handle  # noqa: B018 others may use the memory from here on
    assert (a + 1.5).in_memory


def test_long_sums_stay_fused(device):
    x = qn.asarray(np.ones(10, np.float32), device=device)
    before = qn.stats().launches
    total = x
    for _ in range(60):
        total = total + x
    assert (total.get() == 61).all()
    assert qn.stats().launches - before <= 5
