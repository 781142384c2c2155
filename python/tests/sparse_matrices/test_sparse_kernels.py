# SPDX-License-Identifier: MIT
"""The kernels of products: tiles of rows on GPUs, also forced on CPUs; chunks of rows; no compiler; queues; threads."""

import threading

import numpy as np
import pytest
from matrices import skip_most_on_pocl

import quern as qn

sp = pytest.importorskip("scipy.sparse")


def with_lengths(lengths, columns, dtype="float64", index="int32", seed=0):
    """A matrix whose rows have these numbers of entries, at random columns."""
    rng = np.random.default_rng(seed)
    count = int(np.sum(lengths))
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(index)
    data = rng.integers(-4, 5, count).astype(dtype)
    if np.dtype(dtype).kind == "c":
        data = data + (1j * rng.integers(-4, 5, count)).astype(dtype)
    return sp.csr_array(
        (data, rng.integers(0, columns, count).astype(index), starts), shape=(len(lengths), columns)
    )


def lengths_of(kind):
    rng = np.random.default_rng(1)
    return {
        "short": rng.integers(0, 6, 3000),
        "medium": rng.integers(20, 90, 300),
        "wide": rng.integers(0, 500, 60),
        "limit": np.array([0, 1023, 1, 1024, 0, 1025, 1026, 2, 1024, 1024, 3]),
        "power law": np.minimum((3 / rng.random(1500)).astype(int), 5000),
        "one": np.array([7000]),
        "empty": np.array([0] * 5000 + [3] + [0] * 4000),
    }[kind]


KINDS = ["short", "medium", "wide", "limit", "power law", "one", "empty"]


@pytest.mark.parametrize("loops", ["grid", "chunks"])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_all_lengths(device, set_loops, loops, kind):
    set_loops(loops)
    theirs = with_lengths(lengths_of(kind), 900)
    x = np.random.default_rng(2).integers(-4, 5, 900).astype(float)
    mine = qn.sparse.csr_array(theirs, device=device)
    for _ in range(2):  # the second product uses what the first has kept
        np.testing.assert_array_equal((mine @ x).get(), theirs @ x)


@pytest.mark.parametrize("loops", ["grid", "chunks"])
@pytest.mark.parametrize("dtype", ["float32", "complex64", "complex128", "int32", "uint8", "bool"])
def test_entries_of_all_kinds(device, set_loops, loops, dtype):
    skip_most_on_pocl(device, dtype, ("float32", "complex64"))
    set_loops(loops)
    theirs = with_lengths(lengths_of("limit"), 700, dtype, "int64")
    x = np.random.default_rng(2).integers(0, 5, 700).astype(dtype)
    mine = qn.sparse.csr_array(theirs, device=device)
    assert mine.indices.dtype == theirs.indices.dtype
    np.testing.assert_array_equal((mine @ x).get(), theirs @ x)


@pytest.mark.parametrize("loops", ["grid", "chunks"])
@pytest.mark.parametrize("n", [1500, 9000])  # in the second case some work-groups see no end of a row
def test_solvers_with_long_rows(device, set_loops, loops, n):
    set_loops(loops)
    arrow = sp.lil_array((n, n))
    arrow[0, :] = 0.01
    arrow[:, 0] = 0.01
    theirs = (arrow.tocsr() + 2 * sp.eye_array(n)).tocsr()
    b = np.random.default_rng(2).random(n)
    x, info = qn.sparse.linalg.cg(qn.sparse.csr_array(theirs, device=device), b, rtol=1e-8)
    assert info == 0
    assert np.linalg.norm(b - theirs @ x.get()) <= 1e-8 * np.linalg.norm(b)


@pytest.mark.parametrize("loops", ["grid", "chunks"])
def test_solvers_in_both_loop_structures(device, set_loops, loops):
    set_loops(loops)
    theirs = sp.diags_array([-1.0, 2.5, -1.0], offsets=[-1, 0, 1], shape=(700, 700), format="csr")
    mine = qn.sparse.csr_array(theirs, device=device)
    b = np.random.default_rng(2).random(700)
    for M in (None, qn.sparse.linalg.ic0(mine)):
        x, info = qn.sparse.linalg.cg(mine, b, rtol=1e-8, M=M)
        assert info == 0
        assert np.linalg.norm(b - theirs @ x.get()) <= 1e-8 * np.linalg.norm(b)


def test_strided_and_lazy_vectors(device):
    theirs = with_lengths(lengths_of("short"), 500)
    mine = qn.sparse.csr_array(theirs, device=device)
    x = np.arange(1000.0)
    theirs_result = theirs @ x[::2]
    np.testing.assert_array_equal((mine @ qn.asarray(x, device=device)[::2]).get(), theirs_result)
    lazy = qn.asarray(x, device=device)[::2] + 1
    np.testing.assert_array_equal((mine @ lazy + 1).get(), theirs @ (x[::2] + 1) + 1)
    matrix = np.arange(1500.0).reshape(3, 500)
    np.testing.assert_array_equal((mine @ qn.asarray(matrix, device=device).T).get(), theirs @ matrix.T)


def test_work_goes_to_the_current_queue(device):
    theirs = with_lengths(lengths_of("short"), 500)
    mine = qn.sparse.csr_array(theirs, device=device)
    queue = qn.Queue(device)
    x = np.ones(500)
    with queue:
        y = mine @ qn.asarray(x)
        z = (mine + mine) @ x
    np.testing.assert_array_equal(y.get(), theirs @ x)
    np.testing.assert_array_equal(z.get(), 2 * (theirs @ x))


def test_threads_share_a_matrix(device):
    theirs = with_lengths(lengths_of("power law"), 900)
    mine = qn.sparse.csr_array(theirs, device=device)
    x = np.random.default_rng(2).integers(-4, 5, 900).astype(float)
    y = np.random.default_rng(3).integers(-4, 5, theirs.shape[0]).astype(float)
    wrong = []

    def work():
        for _ in range(5):
            if not np.array_equal((mine @ x).get(), theirs @ x) or not np.array_equal(
                (y @ mine).get(), y @ theirs
            ):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_host_needs_no_compiler(run_python):
    code = """
        import numpy as np, quern as qn
        A = qn.sparse.diags_array([-1.0, 3.0, -1.0], offsets=[-1, 0, 1], shape=(300, 300), format="csr")
        B = (A @ A + A.T - A * 2).tocsc()
        x, info = qn.sparse.linalg.cg(A, np.ones(300))
        assert info == 0
        assert abs((A @ x).get() - 1).max() < 1e-4
        for kind in (np.complex64, np.int16, np.bool_):
            assert (A.astype(kind) @ np.ones(300, kind)).get().any()
        assert B.nnz and qn.sparse.linalg.ic0(A) @ qn.ones(300) is not None
        assert qn.stats().compilations == 0
    """
    run_python(code, env={"QUERN_DEVICE": "host", "QUERN_HOST_LOOPS": "only", "PATH": "/nonexistent"})


def test_the_same_results_without_libraries(run_python):
    code = """
        import numpy as np, quern as qn
        A = qn.sparse.csr_array(np.array([[4.0, 1], [1, 3]]))
        x, info = qn.sparse.linalg.gmres(A, np.array([1.0, 2]), rtol=1e-10)
        assert info == 0
        assert abs((A @ x).get() - [1, 2]).max() < 1e-9
    """
    run_python(code, env={"QUERN_DEVICE": "host", "QUERN_LIBRARIES": "never"})


def test_scipy_is_not_imported(run_python):
    run_python(
        "import sys, quern.sparse.linalg; assert 'scipy' not in sys.modules", env={"QUERN_DEVICE": "host"}
    )
