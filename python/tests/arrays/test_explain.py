# SPDX-License-Identifier: MIT
"""Looking into laziness: eager blocks, explanations, and errors that say what was evaluated."""

import inspect
import threading

import numpy as np
import pytest

import quern as qn


def line():
    """Where the caller is, as file:line."""
    frame = inspect.currentframe().f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def test_in_an_eager_block_operations_run_where_they_are_written(device):
    x = qn.asarray(np.arange(4.0), device=device)
    before = x * 2
    with qn.eager():
        launches = qn.stats().launches
        y = x + 1
        z = y * 3
        assert y.in_memory and z.in_memory and not before.in_memory
        assert qn.stats().launches - launches == 2
        with qn.eager():
            pass
        assert (x - 1).in_memory
        others = []
        thread = threading.Thread(target=lambda: others.append((x + 1).in_memory))
        thread.start()
        thread.join()
        assert others == [False]
    assert not (x + 1).in_memory
    assert z.get().tolist() == [3, 6, 9, 12]


def test_an_eager_block_ends_with_an_error_too(device):
    x = qn.asarray(np.arange(4.0), device=device)
    with pytest.raises(qn.ArgumentError), qn.eager():
        x + qn.zeros(3, device=device)
    assert not (x + 1).in_memory


def test_explain_tells_the_kernels_that_will_run_and_runs_none(device):
    x = qn.asarray(np.arange(6, dtype=np.float32).reshape(2, 3), device=device)
    row = qn.asarray(np.ones(3, np.float32), device=device)
    z = (x + qn.sin(row)) * 2
    launches = qn.stats().launches
    explanation = qn.explain(z)
    assert qn.stats().launches == launches and not z.in_memory
    (kernel,) = explanation.kernels
    assert [operation.split("(")[0] for operation in kernel.operations] == ["sin", "add", "multiply"]
    assert (kernel.elements, kernel.arrays_read) == (6, 2)
    assert (kernel.bytes_read, kernel.bytes_written) == (24 + 12, 24)
    assert (explanation.bytes_read, explanation.bytes_written) == (36, 24)
    assert "kernel void" in kernel.source
    for text in ("1 of 1", "36 bytes", "multiply(float32)", "kernel void"):
        assert text in str(explanation)
    z.get()
    assert qn.stats().launches == launches + 1
    assert qn.explain(z).kernels == [] and "no kernel" in str(qn.explain(z))
    with pytest.raises(qn.ArgumentTypeError, match="explain"):
        qn.explain(3)


def test_arrays_of_one_shape_are_explained_as_one_kernel(device):
    x = qn.asarray(np.arange(4.0), device=device)
    together, apart = x + 1, x[:2] * 2
    assert len(qn.explain(together, x * 3, apart).kernels) == 2


def test_operations_know_their_lines_where_that_is_asked_for(device):
    x = qn.asarray(np.arange(4.0), device=device)
    with qn.debug():
        y = x + 1; here = line()  # fmt: skip # noqa: E702
        z = qn.sqrt(y)
    first, second = qn.explain(z * 2).kernels[0].operations[:2]
    assert here in first and first.startswith("add")
    file, _, number = here.rpartition(":")
    assert f"{file}:{int(number) + 1}" in second and second.startswith("sqrt")
    assert " at " not in qn.explain(x + 1).kernels[0].operations[0]


def test_without_memory_the_error_says_what_was_to_be_computed(device):
    x = qn.asarray(np.arange(1 << 18, dtype=np.float32), device=device)
    with qn.debug():
        y = x * 2 + 1
    try:
        qn.trim_pool(device)
        qn.set_pool_limit(qn.pool_stats(device).in_use + 1000, device)
        with pytest.raises(
            qn.OutOfDeviceMemory, match=r"(?s)multiply\(float32\) at .*test_explain.*add.*eager"
        ) as caught:
            y.get()
        assert caught.value.requested >= x.nbytes
    finally:
        qn.set_pool_limit(0, device)
    # Everything is as it was.
    assert (x.get() == np.arange(1 << 18)).all()
    assert (y.get() == np.arange(1 << 18, dtype=np.float32) * 2 + 1).all()
