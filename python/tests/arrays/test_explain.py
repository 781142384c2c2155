# SPDX-License-Identifier: MIT
"""Eager blocks, qn.explain, and errors that name the lines of the evaluated expressions."""

import gc
import inspect
import os
import re
import subprocess
import sys
import threading
from contextlib import contextmanager

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


def computed_by_numpy(values, arrays):
    """What the values of a plan are, if NumPy computes the operations; arrays are taken in their order."""
    arrays, found = iter(arrays), []
    for value in values:
        if value.kind == "array":
            found.append(next(arrays))
            assert (found[-1].dtype, found[-1].shape) == (value.dtype, value.shape)
        elif value.kind == "number":
            found.append(np.dtype(value.dtype).type(eval(value.name)))
        elif value.name == "astype":
            found.append(found[value.inputs[0]].astype(value.dtype))
        else:
            found.append(getattr(np, value.name)(*(found[k] for k in value.inputs)))
    return [x for x, value in zip(found, values, strict=True) if value.is_output]


def test_the_values_of_a_plan_are_the_expression(device):
    rng = np.random.default_rng(4)
    a, b = rng.random((3, 4)).astype("float32"), rng.random(4).astype("float32")
    i = rng.integers(0, 9, (3, 4), dtype="int16")
    x, y, n = (qn.asarray(data, device=device) for data in (a, b, i))
    shared = (x - 0.25) * qn.sin(y)
    first = qn.where(shared > 0.125, shared, -shared) + n.astype("float32")
    second = qn.sqrt(x) * -2 + shared
    (kernel,) = qn.explain(first, second).kernels
    values = kernel.values
    # x is one array, although two operations read it.
    assert [value.shape for value in values if value.kind == "array"] == [(3, 4), (4,), (3, 4)]
    assert sorted(value.name for value in values if value.kind == "number") == ["-2", "0.125", "0.25"]
    named = [value for value in values if value.kind == "operation"]
    assert {f"{value.name}({value.dtype}) at {value.line}" for value in named} == set(kernel.operations)
    assert all(k < number for number, value in enumerate(values) for k in value.inputs)
    found = computed_by_numpy(values, [a, b, i])
    assert len(found) == 2
    for got, expected in zip(found, (first, second), strict=True):
        np.testing.assert_allclose(got, expected.get(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("dtype", "number"),
    [
        ("bool", True),
        ("int8", -7),
        ("uint8", 200),
        ("int64", -(2**62)),
        ("uint64", 2**64 - 1),
        ("float16", 0.1),
        ("float32", 1e-30),
        ("float32", float("inf")),
        ("float64", 0.1),
        ("complex64", 1.5 - 2j),
        ("complex128", 0.1 + 1e-300j),
    ],
)
def test_numbers_of_a_plan_have_all_of_their_digits(device, dtype, number):
    if dtype in ("float64", "complex128") and not device.has_fp64:
        pytest.skip("needs float64")
    x = qn.asarray(np.zeros(3, dtype), device=device)
    (kernel,) = qn.explain(qn.equal(x, number)).kernels
    (value,) = [value for value in kernel.values if value.kind == "number"]
    kind = np.dtype(value.dtype).type
    assert kind(eval(value.name, {"inf": float("inf")})) == kind(number)


def test_products_have_no_values(device):
    x = qn.asarray(np.ones((300, 300), "float32"), device=device)
    assert qn.explain(x @ x).kernels[0].values == []


def test_arrays_of_one_shape_are_explained_as_one_kernel(device):
    x = qn.asarray(np.arange(4.0), device=device)
    together, apart = x + 1, x[:2] * 2
    assert len(qn.explain(together, x * 3, apart).kernels) == 2


def operations(array):
    (kernel,) = qn.explain(array).kernels
    return kernel.operations


@pytest.mark.parametrize("name", ["explain", "eval"])
def test_arrays_are_evaluated_and_explained_one_by_one(device, name):
    x = qn.zeros(3, "float32", device) + 1
    with pytest.raises(qn.ArgumentTypeError, match=rf"^{name}: .* list; .*{name}\(\*arrays\)"):
        getattr(qn, name)([x])
    assert not x.in_memory


def test_operations_know_the_lines_that_wrote_them(device):
    x = qn.asarray(np.arange(4.0), device=device)
    before = line()
    y = x + 1
    y = qn.sqrt(y)
    y = qn.where(y > 0, y.astype("float32"), 2)
    y = np.sin(y)
    y -= 1
    y = y[::2].T * 3
    file, _, number = before.rpartition(":")
    expected = ["add 1", "sqrt 2", "greater 3", "astype 3", "where 3", "sin 4", "subtract 5", "multiply 6"]
    found = []
    for operation in operations(y):
        name, where = re.fullmatch(r"(\w+)\(.*\) at (.*)", operation).groups()
        assert where.startswith(file + ":")
        found.append(f"{name} {int(where[len(file) + 1 :]) - int(number)}")
    assert found == expected


def test_lines_of_code_that_was_made_at_run_time_are_known_after_it_is_gone(device):
    x = qn.asarray(np.arange(4.0), device=device)
    for k in range(50):
        names = {"x": x}
        exec(compile("\n" * k + "y = x + 1", f"<cell {k}>", "exec"), names)
        x = names.pop("y") if k % 10 else names.pop("y").copy()
    lines = [operation.partition(" at ")[2] for operation in operations(x)]
    assert lines == [f"<cell {k}>:{k + 1}" for k in range(41, 50)]


def test_threads_know_their_own_lines(device):
    x = qn.asarray(np.arange(4.0), device=device)
    sources = [compile("\n" * k + "y = qn.sqrt(x[1:]) + 1", f"<thread {k}>", "exec") for k in range(4)]
    wrong = []

    def work(k):
        for _ in range(200):
            names = {"x": x, "qn": qn}
            exec(sources[k], names)
            if any(f" at <thread {k}>:{k + 1}" not in operation for operation in operations(names["y"])):
                wrong.append(operations(names["y"]))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@contextmanager
def out_of_memory(device):
    gc.collect()  # who is out of memory collects
    try:
        qn.trim_pool(device)
        qn.set_pool_limit(qn.pool_stats(device).in_use + 1000, device)
        with pytest.raises(qn.OutOfDeviceMemory) as caught:
            yield caught
    finally:
        qn.set_pool_limit(0, device)


def test_without_memory_the_error_says_what_was_to_be_computed(device):
    x = qn.asarray(np.arange(1 << 18, dtype=np.float32), device=device)
    y = x * 2; here = line()  # fmt: skip # noqa: E702
    y = y + 1
    file, _, number = here.rpartition(":")
    with out_of_memory(device) as caught:
        y.get()
    assert caught.value.requested >= x.nbytes
    # The outermost first.
    listed = f"\n  add(float32) at {file}:{int(number) + 1}\n  multiply(float32) at {here}\n"
    assert listed in str(caught.value) and "(262144,)" in str(caught.value) and "eager" in str(caught.value)
    # Everything is as it was.
    assert (x.get() == np.arange(1 << 18)).all()
    assert (y.get() == np.arange(1 << 18, dtype=np.float32) * 2 + 1).all()


def assigned_product(a, x, c):
    p = x @ x; here = line()  # fmt: skip # noqa: E702
    a[::2] = p * c
    return here


def updated_by_product(a, x, c):
    p = x @ x; here = line()  # fmt: skip # noqa: E702
    a[::2] += p * c
    return here


def assigned_transform(a, x, c):
    p = qn.fft.fft(x * 1j); here = line()  # fmt: skip # noqa: E702
    a[::2] = (p * c).real
    return here


def assigned_sparse_product(a, x, c):
    p = qn.sparse.csr_array(qn.eye(x.shape[0], dtype="float32")) @ x; here = line()  # fmt: skip # noqa: E702
    a[::2] = p * c
    return here


def product_of_products(a, x, c):
    p = x @ x; here = line()  # fmt: skip # noqa: E702
    a[::2] = p @ c
    return here


@pytest.mark.parametrize(
    ("assign", "function"),
    [
        (assigned_product, "matmul"),
        (updated_by_product, "matmul"),
        (product_of_products, "matmul"),
        (assigned_sparse_product, "matmul"),
        (assigned_transform, "fft"),
    ],
)
def test_without_memory_an_assignment_names_the_products_and_transforms_that_it_computes(
    device, assign, function
):
    """Pending work is named with its own line. Work that the earlier line ran itself fails there."""
    n = 256
    values = np.random.default_rng(3).random((n, n)).astype("float32")
    with device:
        x, c = qn.asarray(values), qn.asarray(values.T.copy())
        a = qn.zeros((2 * n, n), "float32")
        here = assign(a, x, c)
        expected = a.get()
        a[:] = 0
        qn.synchronize()
        file, _, number = here.rpartition(":")
        with out_of_memory(device) as caught:
            assign(a, x, c)
        frames = [entry for entry in caught.traceback if entry.name == assign.__name__]
        text = str(caught.value)
        if frames[-1].lineno + 1 == int(number):
            assert f"{function}(" not in text or here in text
        else:
            assert f"{function}(" in text and f" at {file}:{number}" in text, text
        assert not a.get().any()  # No array was changed.
        assign(a, x, c)
        np.testing.assert_array_equal(a.get(), expected)


def test_of_a_long_expression_an_error_lists_both_ends(device):
    x = y = qn.asarray(np.arange(1 << 18, dtype=np.float32), device=device)
    for k in range(30):
        y = qn.sqrt(y) if k % 2 else -y
    with out_of_memory(device) as caught:
        y.get()
    text = str(caught.value).partition("the result of:")[2].splitlines()[1:-1]
    assert [entry.split("(")[0].strip() for entry in text[:3]] == ["sqrt", "negative", "sqrt"]
    assert text[12].strip() == "... and 14 more"
    assert len(text) == 17 and text[-1].startswith("  negative(float32) at ")
    assert x.get()[-1] == (1 << 18) - 1


def test_an_expression_whose_kernel_fails_to_build_is_reported_with_its_lines(tmp_path):
    """An expression that the host's compiler does not take, as it is a program that always fails."""
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    script = tmp_path / "script.py"
    script.write_text(
        "import quern as qn\n"
        "x = qn.asarray([1.0, 2.0], device='host')\n"
        "y = qn.sqrt(x)\n"
        "try:\n"
        "    (y + 3 * x).get()\n"
        "except qn.BuildError as error:\n"
        "    print(error)\n"
    )
    environment = os.environ | {
        "QUERN_CC": str(broken),
        "QUERN_HOST_LOOPS": "never",
        "QUERN_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, check=False
    )
    for operation in (
        f"add(float64) at {script}:5",
        f"multiply(float64) at {script}:5",
        f"sqrt(float64) at {script}:3",
    ):
        assert f"\n  {operation}\n" in done.stdout, (done.stdout, done.stderr)
