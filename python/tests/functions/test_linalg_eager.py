# SPDX-License-Identifier: MIT
"""Errors of launches in eager blocks, and small factorisations that run on the calling thread of the host."""

import threading

import numpy as np
import pytest

import quern as qn


@pytest.fixture(autouse=True)
def current(device):
    """Functions without `device=` use the device of the test."""
    with device:
        yield


def raised_in_the_call(call):
    """Whether the call itself raises LinAlgError."""
    try:
        call()
    except np.linalg.LinAlgError:
        return True
    return False


@pytest.mark.parametrize("n", [3, 40])
def test_in_an_eager_block_the_call_raises_its_own_error(device, n):
    singular, negative = qn.zeros((n, n)), -qn.eye(n)
    right = qn.ones((n,))
    calls = {
        "inv": lambda: qn.linalg.inv(singular),
        "solve": lambda: qn.linalg.solve(singular, right),
        "cholesky": lambda: qn.linalg.cholesky(negative),
        "svd": lambda: qn.linalg.svd(qn.full((n, n), qn.nan)),
    }
    with qn.eager():
        for name, call in calls.items():
            assert raised_in_the_call(call), name
        good = qn.linalg.cholesky(qn.eye(n))
    np.testing.assert_array_equal(good.get(), np.eye(n))
    qn.synchronize()  # the errors were raised, so this raises none


def test_cholesky_with_jitter_finds_the_first_that_is_definite(device):
    values = np.diag([1.0, 2.0, -3.0])
    a, jitter = qn.asarray(values), 0.0
    with qn.eager():
        while True:
            try:
                factor = qn.linalg.cholesky(a + jitter * qn.eye(3))
                break
            except np.linalg.LinAlgError:
                jitter = 2 * jitter or 1.0
    assert jitter == 4
    np.testing.assert_allclose(factor.get(), np.linalg.cholesky(values + 4 * np.eye(3)), rtol=1e-15)


def test_eval_raises_nothing_and_every_read_raises():
    with qn.device("host"):
        inverse = qn.linalg.inv(qn.asarray(np.stack([np.eye(3), np.zeros((3, 3))])))
        qn.eval(inverse)
        for _ in range(2):
            with pytest.raises(qn.linalg.LinAlgError, match=r"matrix 1 of 2; in inv at .*test_linalg_eager"):
                inverse.get()
        with pytest.raises(qn.linalg.LinAlgError):
            (inverse + 1).get()


FACTORISATIONS = {
    "inv": lambda m, a: m.inv(a),
    "solve": lambda m, a: m.solve(a, a[..., 0, :]) if a.ndim == 2 else m.solve(a, a),
    "det": lambda m, a: m.det(a),
    "slogdet": lambda m, a: m.slogdet(a)[1],
    "cholesky": lambda m, a: m.cholesky(a @ a.mT),
    "qr": lambda m, a: abs(m.qr(a)[1]),
    "eigvalsh": lambda m, a: m.eigvalsh(a),
    "eigh": lambda m, a: m.eigh(a)[0],
    "svdvals": lambda m, a: m.svd(a, compute_uv=False),
    "pinv": lambda m, a: m.pinv(a),
}


@pytest.mark.parametrize("name", FACTORISATIONS)
@pytest.mark.parametrize("n", [1, 4, 20, 33])
def test_results_do_not_depend_on_who_computes(device, name, n):
    """Idle operands are factorised by the calling thread of the host, operands that are written by a worker."""
    a = np.random.default_rng(n).standard_normal((n, n)) + 2 * n * np.eye(n)
    expected = FACTORISATIONS[name](np.linalg, a)
    x = qn.asarray(a)
    qn.synchronize(device)
    idle = FACTORISATIONS[name](qn.linalg, x)
    busy = x + 0
    for _ in range(3):
        busy = busy @ qn.eye(n)  # pending when the factorisation is called
    pending = FACTORISATIONS[name](qn.linalg, busy)
    for got in (idle, pending):
        np.testing.assert_allclose(got.get(), expected, rtol=1e-11, atol=1e-12)


def test_a_kalman_filter_of_small_matrices_is_numpys(device):
    rng = np.random.default_rng(5)
    measured = rng.standard_normal((50, 2)).cumsum(axis=0)

    def filtered(m, array):
        eye = array(np.eye(4))
        f = array(np.eye(4) + np.diag([0.1, 0.1], 2))
        h, q, r = array(np.eye(2, 4)), array(1e-3 * np.eye(4)), array(0.1 * np.eye(2))
        x, p = array(np.zeros(4)), eye
        for z in measured:
            x, p = f @ x, f @ p @ f.T + q
            gain = p @ h.T @ m.inv(h @ p @ h.T + r)
            x, p = x + gain @ (array(z) - h @ x), (eye - gain @ h) @ p
        return x

    expected = filtered(np.linalg, np.asarray)
    np.testing.assert_allclose(filtered(qn.linalg, qn.asarray).get(), expected, rtol=1e-10)


def test_threads_factorise_small_matrices_at_the_same_time(device):
    wrong = []

    def work(seed):
        rng = np.random.default_rng(seed)
        with device:
            for _ in range(20):
                a = rng.standard_normal((5, 5)) + 10 * np.eye(5)
                if not np.allclose(
                    qn.linalg.inv(qn.asarray(a)).get(), np.linalg.inv(a), rtol=1e-12, atol=1e-14
                ):
                    wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("place", [None, (0, 0), (3, 0), (3, 4), (0, 4)])
@pytest.mark.parametrize("n", [5, 20])
def test_qr_of_nan_is_nan_where_numpys_is(device, dtype, place, n):
    """Columns in front of the NaN are numbers or NaN: that depends on how a library blocks the columns."""
    a = np.random.default_rng(2).standard_normal((n, n)).astype(dtype)
    a[place or ...] = np.nan
    q, r = qn.linalg.qr(qn.asarray(a))
    expected_q, expected_r = np.linalg.qr(a)
    for found, expected in ((q.get(), expected_q), (r.get(), expected_r)):
        assert np.isnan(found)[np.isnan(expected)].all()
        if device.backend == "host":
            np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))


@pytest.mark.parametrize("p", [None, 1, 2, -2, np.inf, "fro"])
def test_cond_of_an_empty_stack_is_empty(device, p):
    a = np.zeros((0, 3, 3))
    got = qn.linalg.cond(qn.asarray(a), p)
    assert got.shape == np.linalg.cond(a, p).shape == (0,)
    for shape in ((3, 0), (2, 0, 0)):
        with pytest.raises(qn.linalg.LinAlgError):
            qn.linalg.cond(qn.zeros(shape), p)
