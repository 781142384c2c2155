# SPDX-License-Identifier: MIT
"""The precompiled loops that run new expressions on the host: every operation, dtype and layout, and the change to the compiled kernel."""

import os
import pathlib
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import quern as qn

REAL = [np.dtype(c) for c in "?bhilBHILefd"]
COMPLEX = [np.dtype(c) for c in "FD"]
COUNT = 4200  # more than the longest block, and no multiple of a vector


@pytest.fixture
def loops_only(use_host_loops):
    use_host_loops("only")


def sample(dtype, seed=0):
    rng = np.random.default_rng(seed)
    if dtype.kind == "b":
        return rng.random(COUNT) < 0.5
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        values = rng.integers(info.min, info.max, COUNT, dtype, endpoint=True)
        values[:400] = rng.integers(max(info.min, -10), 10, 400)
        values[:4] = [0, 1, info.min, info.max]
        return values
    values = rng.normal(size=COUNT) * 10 ** rng.uniform(-3, 3 if dtype.itemsize > 2 else 1, COUNT)
    values[:7] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1]
    if dtype.kind == "c":
        values = values + 1j * rng.permutation(rng.normal(size=COUNT))
    return values.astype(dtype)


def on_host(values):
    return qn.asarray(values, device="host")


def of(function, *arguments):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*arguments)
        except (TypeError, ValueError, OverflowError):
            return None


def assert_close(name, got, expected):
    assert got.dtype == expected.dtype, name
    values = got.get()
    if expected.dtype.kind in "fc":
        bounds = {"rtol": np.finfo(expected.dtype).eps * 8, "atol": np.finfo(expected.dtype).tiny}
        if expected.dtype.kind == "c":
            # Beside an infinite part NumPy would have the finite one equal to the last bit.
            open_ended = ~np.isfinite(expected)
            for part in (np.real, np.imag):
                np.testing.assert_allclose(
                    part(values[open_ended]), part(expected[open_ended]), err_msg=name, **bounds
                )
            values, expected = values[~open_ended], expected[~open_ended]
        np.testing.assert_allclose(values, expected, err_msg=name, **bounds)
    else:
        np.testing.assert_array_equal(values, expected, err_msg=name)


# NumPy raises, warns or leaves these to the processor; complex results of huge quotients differ in the last place.
UNDEFINED = {"reciprocal": "iu", "power": "iuc", "pow": "iuc", "spacing": "biuf", "log1p": "c", "expm1": "c"}
# Not single operations of arrays of one type; test_elementwise_functions.py has them.
OTHERS = {"divmod", "matmul", "matvec", "vecdot", "vecmat", "float_power", "frexp", "ldexp", "modf"}
FUNCTIONS = [
    name
    for name in qn._functions.__all__
    if isinstance(getattr(np, name, None), np.ufunc) and name not in OTHERS
]


@pytest.mark.parametrize("dtype", REAL + COMPLEX, ids=str)
def test_functions_are_numpys_on_every_dtype(loops_only, dtype):
    before = qn.stats().compilations
    for name in FUNCTIONS:
        oracle = getattr(np, name)
        if dtype.kind in UNDEFINED.get(name, ""):
            continue
        values = [sample(dtype, k) for k in range(oracle.nin)]
        if "shift" in name and dtype.kind in "iu":
            values[1] = (np.abs(values[1].astype(float)) % (8 * dtype.itemsize)).astype(dtype)
        if dtype.kind == "c":  # C leaves infinities of complex numbers open
            values = [(np.clip(v.real, -2, 2) + 1j * v.imag).astype(dtype)[7:] for v in values]
        expected = of(oracle, *values)
        if expected is None:
            continue
        try:
            got = getattr(qn, name)(*map(on_host, values))
        except qn.ArgumentTypeError:
            continue  # not every function is there for every kind
        assert_close(name, got, expected)
    assert qn.stats().compilations == before


@pytest.mark.parametrize("dtype", REAL + COMPLEX, ids=str)
def test_conversions_are_numpys(loops_only, dtype):
    values = sample(dtype)
    if dtype.kind in "fc":  # what fits every integer
        values = (np.nan_to_num(values.real.astype(float)) % 100).astype(dtype)
    for other in REAL + COMPLEX:
        np.testing.assert_array_equal(
            on_host(values).astype(other).get(), of(values.astype, other), err_msg=str(other)
        )


@pytest.mark.parametrize("dtype", REAL + COMPLEX, ids=str)
def test_where_takes_elements_by_their_bits(loops_only, dtype):
    a, b, condition = sample(dtype), sample(dtype, 1), sample(np.dtype(bool))
    got = qn.where(on_host(condition), on_host(a), on_host(b)).get()
    assert got.tobytes() == np.where(condition, a, b).tobytes()


VIEWS = {
    "contiguous": ((9000,), np.s_[:]),
    "one element": ((1,), np.s_[:]),
    "a scalar": ((), np.s_[...]),
    "nothing": ((0, 3), np.s_[:]),
    "a step": ((20000,), np.s_[3::2]),
    "backwards": ((9000,), np.s_[::-1]),
    "long rows": ((7, 1300), np.s_[:, 1:-1]),
    "short rows": ((300, 50), np.s_[1:-1, 1:-1]),
    "very short rows": ((4000, 5), np.s_[:, 1:4]),
    "columns": ((60, 70), np.s_[:, ::-3]),
    "rows backwards": ((60, 700), np.s_[::-2, ::2]),
    "three dimensions": ((9, 10, 11), np.s_[::2, 1:, ::-1]),
    "four dimensions": ((4, 5, 6, 7), np.s_[1:, ::2, 1:-1, ::-2]),
}


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("layout", VIEWS)
def test_views_are_read_and_written_in_any_layout(loops_only, layout):
    shape, view = VIEWS[layout]
    for dtype in (np.int8, np.float16, np.float32, np.float64, np.complex128):
        a = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
        x = on_host(a)
        other = np.asarray(np.ones(1) * 2, dtype)
        np.testing.assert_array_equal((x[view] + on_host(other)).get(), a[view] + other)
        np.testing.assert_array_equal((x.T * x.T).get(), a.T * a.T)
        if shape != ():
            x[view] += x[view] * 2
            a[view] += a[view] * 2
            np.testing.assert_array_equal(x.get(), a)
            x[view] = 3
            a[view] = 3
            np.testing.assert_array_equal(x.get(), a)


@pytest.mark.parametrize(
    ("a", "b"),
    [((40, 1), (900,)), ((2, 3, 400), (3, 1)), ((), (5000,)), ((700, 1), (1, 8)), ((6, 1, 2), (1, 3, 1))],
)
def test_shapes_are_broadcast(loops_only, a, b):
    p = np.arange(np.prod(a, dtype=int), dtype=np.float32).reshape(a)
    q = np.arange(np.prod(b, dtype=int), dtype=np.float32).reshape(b) + 0.5
    np.testing.assert_array_equal((on_host(p) * 2 - on_host(q)).get(), p * np.float32(2) - q)


def test_several_results_are_one_launch(loops_only):
    a, b = sample(np.dtype("f"), 1)[7:], sample(np.dtype("f"), 2)[7:]
    x, y = on_host(a), on_host(b)
    s, p, t, c = x + y, x * y, (x + y) * y, x.astype("d")
    before = qn.stats().launches
    qn.eval(s, p, t, c)
    assert qn.stats().launches == before + 1
    np.testing.assert_array_equal(s.get(), a + b)
    np.testing.assert_array_equal(p.get(), a * b)
    np.testing.assert_array_equal(t.get(), (a + b) * b)
    np.testing.assert_array_equal(c.get(), a.astype("d"))


def test_a_long_expression_uses_blocks_again(loops_only):
    a = sample(np.dtype("d"), 3)[7:]
    x, got, expected = on_host(a), on_host(a), a
    for k in range(12):
        got = (got * 0.5 + x) * k - got / 3
        expected = (expected * 0.5 + a) * k - expected / 3
    np.testing.assert_array_equal(got.get(), expected)


def test_elements_are_counted_in_order(loops_only):
    with qn.device("host"):
        np.testing.assert_array_equal(qn.arange(3, 18005, 2).get(), np.arange(3, 18005, 2))


REDUCTIONS = ["sum", "prod", "min", "max", "any", "all", "count_nonzero", "argmin", "argmax"]


@pytest.mark.parametrize("dtype", REAL + COMPLEX, ids=str)
def test_reductions_are_numpys_on_every_dtype(loops_only, dtype):
    values = sample(dtype).reshape(60, 70)
    if dtype.kind in "fc":
        values = np.clip(np.nan_to_num(values.real), -2, 2).astype(dtype)
    before = qn.stats().compilations
    for name in REDUCTIONS:
        if dtype.kind == "c" and "m" in name[:4] and name not in ("sum", "prod"):
            continue  # complex numbers have no order
        for axis in (None, 0, 1):
            part = values[:3, :20] if name == "prod" else values
            expected = np.asarray(getattr(np, name)(part, axis=axis))
            got = getattr(qn, name)(on_host(part), axis=axis)
            assert got.dtype == expected.dtype, (name, axis)
            eps = np.finfo(expected.dtype).eps if expected.dtype.kind in "fc" else 0
            np.testing.assert_allclose(
                got.get(), expected, rtol=64 * eps, atol=64 * eps, err_msg=f"{name} {axis}"
            )
    assert qn.stats().compilations == before


@pytest.mark.parametrize(
    "shape",
    [(1,), (127,), (100_003,), (3, 5), (5, 3000), (3000, 5), (2, 40_000), (40_000, 2), (7, 11, 13), (0, 4)],
    ids=str,
)
def test_reductions_of_any_shape_and_layout_are_numpys(loops_only, shape):
    a = (np.arange(np.prod(shape)) * 7 % 101 - 50).reshape(shape)
    for view in (np.s_[...], np.s_[..., ::-1], np.s_[::2]):
        for turned in (False, True):
            p, x = a[view], on_host(a)[view]
            p, x = (p.T, x.T) if turned else (p, x)
            for axis in (None, *range(p.ndim), *([(0, p.ndim - 1)] if p.ndim > 1 else [])):
                np.testing.assert_array_equal(
                    qn.sum(x * 2 + 1, axis=axis).get(), np.sum(p * 2 + 1, axis=axis)
                )
                if np.size(p) and not isinstance(axis, tuple):
                    np.testing.assert_array_equal(qn.max(x, axis=axis).get(), np.max(p, axis=axis))
                    np.testing.assert_array_equal(qn.argmin(x, axis=axis).get(), np.argmin(p, axis=axis))


def test_what_is_no_number_is_the_extreme_of_all(loops_only):
    a = np.arange(10_000.0).reshape(20, 500)
    a[3, 7] = a[3, 9] = a[11, 0] = np.nan
    x = on_host(a)
    for axis in (None, 0, 1):
        for name in ("min", "max", "argmin", "argmax"):
            np.testing.assert_array_equal(
                getattr(qn, name)(x, axis=axis).get(), getattr(np, name)(a, axis=axis)
            )


def test_a_reduction_computes_its_operand_on_the_way(loops_only):
    a = np.arange(1000.0)
    before = qn.stats().launches
    got = qn.sum(qn.sqrt(on_host(a)) * 2)
    assert qn.stats().launches == before + 1
    np.testing.assert_allclose(got.get(), np.sum(np.sqrt(a) * 2), rtol=1e-15)


def test_threads_share_a_new_expression(loops_only):
    a = sample(np.dtype("f"), 4)[7:]
    x, results = on_host(a), [None] * 6

    def evaluate(k):
        results[k] = ((x * 1.25 + k) / 3).get()

    threads = [threading.Thread(target=evaluate, args=(k,)) for k in range(len(results))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, got in enumerate(results):
        np.testing.assert_array_equal(got, (a * np.float32(1.25) + np.float32(k)) / np.float32(3))


def test_kernels_and_loops_give_the_same_bits(use_host_loops):
    a, b = sample(np.dtype("f"), 5), sample(np.dtype("f"), 6)
    c = np.random.default_rng(7).normal(size=30_000)
    texts = []
    for use in ("only", "never"):
        use_host_loops(use)
        x, y = on_host(a), on_host(b)
        results = [x * y + x / y - 3, (x // y) % 3, x.astype("i2") << 3, qn.where(x > y, x, y * 0.1)]
        qn.eval(*results)
        table = qn.asarray(c, device="host").reshape(300, 100)
        results += [
            qn.sum(table * 3),
            qn.sum(table, axis=0),
            qn.prod(table, axis=1),
            qn.argmax(table, axis=0),
        ]
        texts.append([result.get().tobytes() for result in results])
    assert texts[0] == texts[1]


def test_few_elements_start_no_compiler_and_many_do(use_host_loops):
    use_host_loops("until_compiled")
    before = qn.stats()
    x = on_host(np.arange(100, dtype=np.float32))
    for k in range(3, 20):
        qn.eval(x * 0.25 + x**k)
    assert qn.stats().compilations == before.compilations
    large = on_host(np.arange(1 << 19, dtype=np.float32))
    for _ in range(3):
        result = large * 0.375 - large / 1024
        qn.eval(result)
        qn.finish_compilation()
        np.testing.assert_array_equal(
            result.get(),
            np.arange(1 << 19, dtype="f") * np.float32(0.375) - np.arange(1 << 19, dtype="f") / 1024,
        )
    after = qn.stats()
    # The cache may know it from before.
    known = after.compilations + after.cache_hits_disk + after.cache_hits_memory
    assert known == before.compilations + before.cache_hits_disk + before.cache_hits_memory + 1


def run(code, **variables):
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "QUERN_DEVICE": "host", "QUERN_HOST_LOOPS": "", **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_arrays_need_no_compiler(tmp_path):
    code = """
import numpy as np, quern as qn
a = np.arange(300000, dtype="f")
x = qn.asarray(a)
for _ in range(3):
    np.testing.assert_array_equal((x * 3 + 1).get(), a * 3 + 1)
    qn.finish_compilation()
x[::2] += 1
a[::2] += 1
np.testing.assert_array_equal(x.get(), a)
np.testing.assert_array_equal((x.reshape(300, 1000).T > 7).get(), a.reshape(300, 1000).T > 7)
assert float(qn.sum(x)) == np.sum(a, dtype="d").astype("f")
assert int(qn.argmax(x)) == np.argmax(a)
np.testing.assert_allclose(qn.std(x.reshape(300, 1000), axis=0).get(), a.reshape(300, 1000).std(axis=0), rtol=1e-5)
"""
    done = run(code, QUERN_CC="/nonexistent", QUERN_CACHE_DIR=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_process_may_end_while_it_compiles(tmp_path):
    code = """
import numpy as np, quern as qn
x = qn.asarray(np.arange(1 << 19, dtype="f"))
for k in range(8):
    y = x + 1
    for _ in range(k):
        y = y * x
    qn.eval(y)
"""
    done = run(code, QUERN_CACHE_DIR=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


STUCK = """
import os, pathlib, signal, time
import numpy as np, quern as qn
x = qn.asarray(np.arange(1 << 19, dtype="f"), device="host")
qn.eval(x + 1, x * 2)
while len(pathlib.Path("pids").read_text().split()) < 2 if os.path.exists("pids") else True:
    time.sleep(0.01)
"""


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def stuck(tmp_path, last):
    """A process that ends while its compiler, which never does, and a program that this has started are at work."""
    compiler = tmp_path / "cc"
    compiler.write_text(f"#!/bin/sh\ncd {tmp_path}\nsleep 1000 &\necho $$ $! > pids\nwait\n")
    compiler.chmod(0o755)
    (tmp_path / "tmp").mkdir()
    done = run(
        f"import os; os.chdir({str(tmp_path)!r})\n{STUCK}{last}\n",
        QUERN_CC=str(compiler),
        QUERN_CACHE_DIR=str(tmp_path / "cache"),
        TMPDIR=str(tmp_path / "tmp"),
    )
    return done, [int(pid) for pid in (tmp_path / "pids").read_text().split()]


def test_a_process_that_ends_takes_its_compiler_and_its_folders_with_it(tmp_path):
    done, pids = stuck(tmp_path, "")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    deadline = time.monotonic() + 30
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(is_running, pids))
    assert not list((tmp_path / "tmp").iterdir())
