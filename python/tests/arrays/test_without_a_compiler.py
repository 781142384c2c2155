# SPDX-License-Identifier: MIT
"""Arrays on the host need no C compiler: what is checked here runs in processes that find none."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import quern as qn


def run_alone(check, tmp_path, **environment):
    """Runs a function of this file in a process with an empty cache, and without a compiler unless one is named."""
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import {__name__.split('.')[-1]} as t; t.{check.__name__}()"
    names = {"QUERN_CC": "/nonexistent", "QUERN_CACHE_DIR": str(tmp_path / "cache"), "QUERN_DEVICE": "host"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | names | environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def same(found, expected, exact=True):
    found, expected = found.get() if isinstance(found, qn.Array) else found, np.asarray(expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    if exact:
        assert found.tobytes() == expected.tobytes()
    else:
        np.testing.assert_allclose(found, expected, rtol=4e-3 if expected.dtype == np.float16 else 1e-5)


DTYPES = [
    "bool",
    "int8",
    "uint16",
    "int32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


def numbers(shape, dtype, seed=0):
    values = np.random.default_rng(seed).integers(0, 2 if dtype == "bool" else 5, shape).astype(dtype)
    return values + 1j * values[::-1] if np.dtype(dtype).kind == "c" else values


def check_moved_elements():
    structure = np.dtype([("a", "i4"), ("b", "f4", (3,)), ("c", "u1")])
    for dtype in [*DTYPES, structure]:
        x = np.zeros((40, 70), dtype)
        x.view(np.uint8).reshape(-1)[:] = np.arange(x.nbytes) % 2
        q = qn.asarray(x)
        same(q.T.copy(), x.T.copy())
        same(q[::-2, 1::3].copy(), x[::-2, 1::3].copy())
        same(qn.broadcast_to(q[0], (3, 70)).copy(), np.broadcast_to(x[0], (3, 70)).copy())
        i, j = np.array([3, -1, 39]), np.array([[0], [-70]])
        same(q[qn.asarray(i)], x[i])
        same(q[qn.asarray(i), qn.asarray(j)], x[i, j])
        q[qn.asarray(i), 5] = q[0, 6:9].copy()
        x[i, 5] = x[0, 6:9]
        same(q, x)
    x = np.arange(24.0).reshape(2, 3, 4)
    q = qn.asarray(x)
    for name, arguments in {
        "tile": [(2, 1, 2)],
        "repeat": [3, 1],
        "rot90": [],
        "roll": [2, 1],
        "flip": [],
        "moveaxis": [0, 2],
    }.items():
        same(getattr(qn, name)(q, *arguments).copy(), getattr(np, name)(x, *arguments).copy())
    order = np.argsort(-x, axis=1)
    same(qn.take_along_axis(q, qn.asarray(order), 1), np.take_along_axis(x, order, 1))
    same(qn.take(q, qn.asarray([2, 0]), axis=2), np.take(x, [2, 0], axis=2))
    assert str(q[::-1, :, ::2]) == str(x[::-1, :, ::2])
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 2"):
        q[qn.asarray([0, 7])].get()


def check_products():
    for dtype in DTYPES:
        a, b = numbers((3, 9, 33), dtype), numbers((33, 18), dtype, 1)
        x, y = qn.asarray(a), qn.asarray(b)
        same(x @ y, a @ b, exact=False)
        same(y.T @ x[0].T, b.T @ a[0].T, exact=False)
        same(x[1] @ y[:, 4], a[1] @ b[:, 4], exact=False)
    a = numbers((300, 400), "float32")
    same(qn.asarray(a) @ qn.asarray(a).T, a @ a.T, exact=False)


def check_reductions():
    for dtype in DTYPES:
        a = numbers((7, 300), dtype)
        x = qn.asarray(a)
        for name in ["min", "max", "argmin", "argmax"]:
            for axis in [None, 0, 1]:
                same(getattr(qn, name)(x, axis=axis), getattr(np, name)(a, axis=axis))
    z = np.array([1 + 2j, complex(np.nan, 0), 3, complex(0, np.nan)])
    assert qn.argmax(qn.asarray(z)).item() == qn.argmin(qn.asarray(z)).item() == 1
    x = np.linspace(1, 9, 50)
    same(qn.ldexp(qn.asarray(x), qn.asarray(np.arange(50))), np.ldexp(x, np.arange(50)))


def check_errors():
    # A kernel that somebody wrote says what is missing; memory that must not be written says so, too.
    with pytest.raises(qn.BuildError, match="QUERN_CC"):
        qn.Program("kernel void k(global int *x) { x[0] = 1; }").k(None, 1, None, qn.zeros(1, "int32"))
    data = np.arange(4.0)
    data.flags.writeable = False
    x = qn.from_dlpack(data)
    for write in (lambda: x.__setitem__(0, 1), lambda: x.__setitem__(qn.asarray([1]), 1)):
        with pytest.raises(qn.ArgumentValueError, match="read-only"):
            write()


def check_that_nothing_is_compiled():
    check_moved_elements()
    a = numbers((30, 20), "float32")
    same(qn.asarray(a) @ qn.asarray(a).T, a @ a.T, exact=False)
    assert qn.stats().compilations == 0


@pytest.mark.parametrize("check", [check_moved_elements, check_products, check_reductions, check_errors])
def test_arrays_work_where_there_is_no_compiler(check, tmp_path):
    run_alone(check, tmp_path)


def test_small_arrays_do_not_wait_for_a_compiler(tmp_path):
    run_alone(check_that_nothing_is_compiled, tmp_path, QUERN_CC="gcc")
