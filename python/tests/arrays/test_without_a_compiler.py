# SPDX-License-Identifier: MIT
"""Arrays on the host need no C compiler: what is checked here runs in processes that find none."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import quern as qn


def run_alone(check, tmp_path, before=(), **environment):
    """Runs a function of this file in a process with an empty cache, and without a compiler unless one is named.
    Returns what it wrote to standard error."""
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import {__name__.split('.')[-1]} as t; t.{check.__name__}()"
    names = {
        "QUERN_CC": "/nonexistent",
        "QUERN_CACHE_DIR": str(tmp_path / "cache"),
        "QUERN_DEVICE": "host",
        "QUERN_HOST_LOOPS": "",
    }
    done = subprocess.run(
        [*before, sys.executable, "-c", code],
        env=os.environ | names | environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def same(found, expected, exact=True):
    found, expected = found.get() if isinstance(found, qn.Array) else found, np.asarray(expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    if exact and expected.dtype.kind in "fc":
        np.testing.assert_array_equal(found, expected)  # as values: a NaN is a NaN, and -0.0 is 0.0
    elif exact:
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


def draws(rng):
    for dtype in ("float32", "float64"):
        for name in ("random", "standard_normal", "standard_exponential"):
            yield getattr(rng, name)(1003, dtype=dtype)
    for dtype in ("bool", "int16", "int64"):
        yield rng.integers(0, 2 if dtype == "bool" else 100, 501, dtype=dtype)
    yield rng.integers(-(1 << 62), 1 << 62, 501)
    yield rng.random(1001, dtype="float32") + 1


def save_draws():
    found = {
        f"{name}_{number}": array.get()
        for name, count in (("Philox", 11), ("Threefry", 3))
        for number, array in zip(
            range(count), draws(qn.random.Generator(getattr(qn.random, name)(5))), strict=False
        )
    }
    np.savez(os.environ["QUERN_TEST_DRAWS"], **found)


def check_random_numbers():
    with np.load(os.environ["QUERN_TEST_DRAWS"]) as compiled:
        assert len(compiled.files) == 14
        for key in compiled:
            name, number = key.split("_")
            if number == "0":
                here = draws(qn.random.Generator(getattr(qn.random, name)(5)))
            same(next(here), compiled[key])
    rng = qn.random.default_rng(7)
    x = qn.asarray(np.arange(50))
    rng.shuffle(x)
    same(qn.sort(x), np.arange(50))
    same(qn.sort(rng.permutation(300)), np.arange(300))
    same(
        qn.sort(rng.permutation(qn.asarray(np.arange(30).reshape(10, 3))), axis=0),
        np.arange(30).reshape(10, 3),
    )
    assert len(set(rng.choice(9, 5, replace=False).get().tolist())) == 5
    assert set(rng.choice(5, 200, p=[0, 0.2, 0.3, 0.5, 0]).get().tolist()) == {1, 2, 3}
    assert set(rng.choice(4, 2, False, [0.5, 0, 0, 0.5]).get().tolist()) == {0, 3}
    count = 20_000
    for drawn, mean, deviation in (
        (rng.standard_gamma(2.5, count, dtype="float32"), 2.5, 2.5**0.5),
        (rng.gamma(0.5, 2.0, count), 1.0, 2**0.5),
        (rng.lognormal(0, 0.5, count), np.exp(0.125), (np.expm1(0.25) * np.exp(0.25)) ** 0.5),
        (rng.poisson(3.0, count), 3.0, 3**0.5),
        (rng.poisson(30.0, count, dtype="int16"), 30.0, 30**0.5),
        (rng.binomial(9, 0.2, count, dtype="uint8"), 1.8, 1.44**0.5),
        (rng.binomial(900, 0.4, count), 360.0, 216**0.5),
    ):
        numbers = drawn.get().astype(np.float64)
        assert abs(numbers.mean() - mean) < 5 * deviation / count**0.5
        assert abs(numbers.std() / deviation - 1) < 0.1
    assert qn.stats().compilations == 0


def check_order():
    for dtype in DTYPES:
        a = numbers((6, 50), dtype)
        if np.dtype(dtype).kind in "fc":
            a[1, ::7] = np.nan
        x = qn.asarray(a)
        for axis in [0, 1]:
            same(qn.sort(x, axis=axis), np.sort(a, axis=axis))
            same(qn.argsort(x, axis=axis, stable=True), np.argsort(a, axis=axis, stable=True))
        same(qn.lexsort([x[0], x[2]]), np.lexsort([a[0], a[2]]))
        for found, expected in zip(
            qn.unique(x, return_index=True, return_inverse=True, return_counts=True),
            np.unique(a, return_index=True, return_inverse=True, return_counts=True),
            strict=True,
        ):
            same(found, expected)
        same(x[x != 0], a[a != 0])
        for found, expected in zip(qn.nonzero(x), np.nonzero(a), strict=True):
            same(found, expected)
    a = np.random.default_rng(0).random((300, 200))  # more than what is little
    x = qn.asarray(a)
    same(qn.sort(x, axis=0), np.sort(a, axis=0))
    same(qn.median(x, axis=1), np.median(a, axis=1), exact=False)
    same(qn.quantile(x, 0.3), np.quantile(a, 0.3), exact=False)


def check_sums_along_an_axis():
    for dtype in DTYPES:
        a = numbers((2, 5, 70), dtype)
        x = qn.asarray(a)
        for axis in [None, 0, 1, 2]:
            same(qn.cumsum(x, axis=axis), np.cumsum(a, axis=axis), exact=False)
            if dtype != "float16":  # they overflow later here
                few, b = x[:, :2, :4], a[:, :2, :4]
                same(qn.cumprod(few, axis=axis), np.cumprod(b, axis=axis), exact=False)
        if np.dtype(dtype).kind != "c":
            same(qn.cummax(x, axis=1), np.maximum.accumulate(a, axis=1))
    a = np.random.default_rng(0).random(100_000)
    same(qn.cumsum(qn.asarray(a) * 2), np.cumsum(a * 2), exact=False)


def check_sets_and_counts():
    for dtype in ["int8", "uint16", "int64", "float32", "float64"]:
        a, b = numbers(3000, dtype) * 3, numbers(40, dtype, 1) * 2
        x, y = qn.asarray(a), qn.asarray(b)
        for name in ["isin", "intersect1d", "union1d", "setdiff1d", "setxor1d"]:
            same(getattr(qn, name)(x, y), getattr(np, name)(a, b))
        edges = np.array([0, 3, 7, 12], dtype)
        same(qn.searchsorted(qn.asarray(edges), x), np.searchsorted(edges, a))
        same(qn.digitize(x, qn.asarray(edges)), np.digitize(a, edges))
        same(qn.histogram(x, 5)[0], np.histogram(a, 5)[0])
    a = numbers(40_000, "int64")
    same(qn.bincount(qn.asarray(a)), np.bincount(a))


def check_errors():
    # A kernel that a user wrote says what is missing; memory that must not be written says so, too.
    with pytest.raises(qn.BuildError, match=os.environ.get("QUERN_TEST_REASON", "QUERN_CC")):
        qn.Program("kernel void k(global int *x) { x[0] = 1; }").k(None, 1, None, qn.zeros(1, "int32"))
    data = np.arange(4.0)
    data.flags.writeable = False
    x = qn.from_dlpack(data)
    for write in (lambda: x.__setitem__(0, 1), lambda: x.__setitem__(qn.asarray([1]), 1)):
        with pytest.raises(qn.ArgumentValueError, match="read-only"):
            write()


def check_large_work():
    """More than what is done without a kernel where there is a compiler."""
    n = 1 << 20
    rng = qn.random.default_rng(3)
    same(qn.sort(rng.permutation(n)), np.arange(n))
    a = np.random.default_rng(1).integers(0, 1000, n)
    x = qn.asarray(a)
    same(qn.sort(x), np.sort(a))
    same(qn.cumsum(x), np.cumsum(a))
    same(qn.unique(x), np.unique(a))
    same(qn.bincount(x), np.bincount(a))
    same(x[x > 500], a[a > 500])
    same(qn.searchsorted(qn.asarray(np.arange(0, 1000, 7)), x), np.searchsorted(np.arange(0, 1000, 7), a))
    same(qn.histogram(x, 5)[0], np.histogram(a, 5)[0])
    same((x * 3 + 1).sum(), (a * 3 + 1).sum())
    m = numbers((200, 1500), "float32")
    same(qn.asarray(m) @ qn.asarray(m).T, m @ m.T, exact=False)


def check_everything():
    for check in (
        check_large_work,
        check_products,
        check_reductions,
        check_order,
        check_sums_along_an_axis,
        check_sets_and_counts,
        check_moved_elements,
        check_errors,
    ):
        check()
    qn.finish_compilation()


def check_that_nothing_is_compiled():
    check_moved_elements()
    a = numbers((30, 20), "float32")
    same(qn.asarray(a) @ qn.asarray(a).T, a @ a.T, exact=False)
    same(qn.sort(qn.asarray(a), axis=0), np.sort(a, axis=0))
    same(qn.cumsum(qn.asarray(a), axis=1), np.cumsum(a, axis=1))
    same(qn.unique(qn.asarray(a)), np.unique(a))
    same(qn.histogram(qn.asarray(a), 5)[0], np.histogram(a, 5)[0])
    assert qn.stats().compilations == 0


@pytest.mark.parametrize(
    "check",
    [
        check_moved_elements,
        check_products,
        check_reductions,
        check_order,
        check_sums_along_an_axis,
        check_sets_and_counts,
        check_errors,
    ],
)
def test_arrays_work_where_there_is_no_compiler(check, tmp_path):
    run_alone(check, tmp_path)


BROKEN_COMPILERS = {
    "fails": ("exit 3", "exit code 3"),
    "crashes": ("kill -SEGV $$", "crashed"),
    "hangs": ("sleep 1000", "stopped after 1 s"),
    "leaves nothing": ("exit 0", "left no program"),
    "leaves garbage": ('while [ "$1" != -o ]; do shift; done; echo garbage > "$2"', "not an ELF file"),
    "leaves a library without kernels": (
        'while [ "$1" != -o ]; do shift; done; echo | gcc -shared -x c - -o "$2"',
        "has no kernels",
    ),
    "floods its output": ("yes error | head -c 3000000; exit 3", "bytes left out"),
}


def compiler_warnings(stderr):
    return [line for line in stderr.splitlines() if "C compiler does not work" in line]


@pytest.mark.parametrize("kind", BROKEN_COMPILERS)
def test_arrays_work_where_the_compiler_is_broken(kind, tmp_path):
    script, reason = BROKEN_COMPILERS[kind]
    compiler = tmp_path / "cc"
    compiler.write_text(f"#!/bin/sh\n{script}\n")
    compiler.chmod(0o755)
    settings = {"QUERN_CC": str(compiler), "QUERN_TEST_REASON": reason, "QUERN_COMPILE_TIMEOUT": "1"}
    stderr = run_alone(check_everything, tmp_path, **settings)
    assert len(compiler_warnings(stderr)) == len(stderr.splitlines()) == 1, stderr
    assert len(stderr) < 2000


def test_a_compiler_that_worked_says_nothing_of_one_that_took_its_place(tmp_path):
    compiler = tmp_path / "cc"
    compiler.write_text('#!/bin/sh\nexec gcc "$@"\n')
    compiler.chmod(0o755)
    assert run_alone(check_sums_along_an_axis, tmp_path, QUERN_CC=str(compiler)) == ""
    compiler.write_text("#!/bin/sh\nexit 3\n")
    settings = {"QUERN_CC": str(compiler), "QUERN_TEST_REASON": "exit code 3"}
    assert len(compiler_warnings(run_alone(check_everything, tmp_path, **settings))) == 1


def full_disk(folder):
    """A prefix for a command that sees a full disk in place of the folder, where this user may mount one."""
    folder.mkdir()
    script = f'mount -t tmpfs -o size=16k none {folder} && head -c 100000 /dev/zero > {folder}/full 2> /dev/null; [ -s {folder}/full ] && exec "$@"'
    prefix = ["unshare", "-m", "sh", "-c", script, "sh"]
    if subprocess.run([*prefix, "true"], capture_output=True).returncode != 0:
        pytest.skip("needs the right to mount a small disk")
    return prefix


def test_arrays_work_where_temporary_files_have_no_room(tmp_path):
    settings = {
        "QUERN_CC": "gcc",
        "TMPDIR": str(tmp_path / "tmp"),
        "QUERN_TEST_REASON": "No space left on device",
    }
    stderr = run_alone(check_everything, tmp_path, full_disk(tmp_path / "tmp"), **settings)
    assert len(compiler_warnings(stderr)) == len(stderr.splitlines()) == 1, stderr


def test_arrays_work_where_temporary_files_have_no_room_but_the_compiler_is_known(tmp_path):
    settings = {
        "QUERN_CC": "gcc",
        "TMPDIR": str(tmp_path / "tmp"),
        "QUERN_TEST_REASON": "No space left on device",
    }
    (tmp_path / "tmp").mkdir()
    assert run_alone(check_sums_along_an_axis, tmp_path, **settings) == ""
    (tmp_path / "tmp").rmdir()
    stderr = run_alone(check_everything, tmp_path, full_disk(tmp_path / "tmp"), **settings)
    assert len(compiler_warnings(stderr)) == len(stderr.splitlines()) == 1, stderr


def test_arrays_work_where_there_is_no_place_for_temporary_files(tmp_path):
    settings = {"QUERN_CC": "gcc", "TMPDIR": str(tmp_path / "none"), "QUERN_TEST_REASON": "TMPDIR"}
    stderr = run_alone(check_everything, tmp_path, **settings)
    assert len(compiler_warnings(stderr)) == len(stderr.splitlines()) == 1, stderr


def test_a_full_disk_under_the_cache_does_no_harm(tmp_path):
    folder = tmp_path / "cache"
    prefix = full_disk(folder)
    stderr = run_alone(
        check_sums_along_an_axis, tmp_path, prefix, QUERN_CC="gcc", QUERN_CACHE_DIR=str(folder / "in")
    )
    assert not compiler_warnings(stderr)
    assert len(stderr.splitlines()) == 1 and "not cached on disk" in stderr


def test_random_numbers_are_those_of_compiled_kernels(tmp_path):
    file = str(tmp_path / "draws.npz")
    run_alone(save_draws, tmp_path, QUERN_CC="gcc", QUERN_HOST_LOOPS="never", QUERN_TEST_DRAWS=file)
    run_alone(check_random_numbers, tmp_path, QUERN_TEST_DRAWS=file)


def test_small_arrays_do_not_wait_for_a_compiler(tmp_path):
    run_alone(check_that_nothing_is_compiled, tmp_path, QUERN_CC="gcc")
