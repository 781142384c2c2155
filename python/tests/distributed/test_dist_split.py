# SPDX-License-Identifier: MIT
"""Functions of arrays of some ranks, called by these ranks only: nothing concerns the ranks of init()."""

import numpy as np
import pytest

import quern
import quern.dist as qn

RNG = np.random.default_rng(5)
X = RNG.integers(-9, 9, (6, 5)).astype(float)
V = RNG.integers(0, 7, 11)
B = X > 0
FLOATS = RNG.random(8)
Z = FLOATS + 1j * FLOATS[::-1]


@pytest.fixture(autouse=True)
def on_host():
    with quern.device("host"):
        yield


def on_some_ranks(function, *values):
    """Results of a function of distributed arrays on the last three of four ranks, as NumPy's arrays."""

    def program():
        comm = qn._ranks.current()
        part = comm.split(int(comm.rank > 0))
        if comm.rank == 0:
            return None
        with qn.using(part):
            arrays = [qn.asarray(one) for one in values]
        return gathered(function(*arrays))

    def gathered(found):
        if isinstance(found, (tuple, list)):
            return [gathered(one) for one in found]
        if not isinstance(found, qn.Array):
            return found
        assert found.comm.size == 3
        return found.get()

    return qn.on_threads(4, program, timeout=20)[1:]


def put(x, places, values):
    result = x.copy()
    (qn if isinstance(x, qn.Array) else np).put(result, places, values)
    return result


def assigned(x, index, value):
    result = x.copy()
    result[index] = value
    return result


# Functions of quern.dist and of NumPy, and arrays.
CASES = {
    "all": (lambda b: qn.all(b, axis=0), lambda b: b.all(0), B),
    "any": (lambda b: qn.any(b, axis=1), lambda b: b.any(1), B),
    "argmax": (qn.argmax, np.argmax, X),
    "argmin": (lambda x: qn.argmin(x, 1), lambda x: x.argmin(1), X),
    "argsort": (qn.argsort, lambda x: np.argsort(x, axis=-1, stable=True), X),
    "argsort of complex numbers": (qn.argsort, np.argsort, Z),
    "array": (qn.array, np.array, X),
    "asarray": (lambda x: qn.asarray(x, "float32", layout="replicated"), lambda x: x.astype("float32"), X),
    "asnumpy": (qn.asnumpy, np.array, X),
    "astype": (lambda x: qn.astype(x, qn.int64), lambda x: x.astype("int64"), X),
    "broadcast_arrays": (lambda x: list(qn.broadcast_arrays(x, x[:1])), lambda x: [x, x[:1] + 0 * x], X),
    "broadcast_to": (lambda x: qn.broadcast_to(x, (2, 6, 5)), lambda x: np.stack([x, x]), X),
    "concat": (lambda x, v: qn.concat([x, x[:2]], 0), lambda x, v: np.concat([x, x[:2]], 0), X, V),
    "count_nonzero": (qn.count_nonzero, np.count_nonzero, X),
    "cumulative_prod": (
        lambda f: qn.cumulative_prod(f, include_initial=True),
        lambda f: np.append(1, np.cumprod(f)),
        FLOATS,
    ),
    "cumulative_sum": (lambda x: qn.cumulative_sum(x, axis=0), lambda x: np.cumsum(x, 0), X),
    "diff": (lambda x: qn.diff(x, axis=0, prepend=x[:1]), lambda x: np.diff(x, axis=0, prepend=x[:1]), X),
    "dot": (lambda x: qn.dot(x[:5], x[1:]), lambda x: x[:5] @ x[1:], X),
    "empty_like": (lambda x: 0 * qn.empty_like(x, "int64"), lambda x: 0 * x.astype("int64"), X),
    "expand_dims": (qn.expand_dims, lambda x: x[None], X),
    "flip": (lambda x: qn.flip(x, axis=0), lambda x: x[::-1], X),
    "full_like": (lambda x: qn.full_like(x, 3), lambda x: np.full_like(x, 3), X),
    "gather": (lambda x: qn.gather(x).get(), np.array, X),
    "histogram": (lambda x: list(qn.histogram(x, 4)), lambda x: list(np.histogram(x, 4)), X),
    "isin": (lambda v: qn.isin(v, [1, 3]), lambda v: np.isin(v, [1, 3]), V),
    "isin of two arrays": (lambda v: qn.isin(v, v[2:5]), lambda v: np.isin(v, v[2:5]), V),
    "matmul": (lambda x: qn.matmul(x, X.T), lambda x: x @ X.T, X),
    "matrix_transpose": (qn.matrix_transpose, np.transpose, X),
    "max": (qn.max, np.max, X),
    "mean": (lambda x: qn.mean(x, axis=0), lambda x: x.mean(0), X),
    "meshgrid": (lambda v: list(qn.meshgrid(v, v)), lambda v: list(np.meshgrid(v, v)), V),
    "min": (qn.min, np.min, X),
    "moveaxis": (lambda x: qn.moveaxis(x, 0, 1), np.transpose, X),
    "nonzero": (lambda b: list(qn.nonzero(b)), lambda b: list(np.nonzero(b)), B),
    "ones_like": (qn.ones_like, np.ones_like, X),
    "outer": (lambda v: qn.outer(v, [1, 2]), lambda v: np.outer(v, [1, 2]), V),
    "permute_dims": (lambda x: qn.permute_dims(x, (1, 0)), np.transpose, X),
    "prod": (qn.prod, np.prod, FLOATS),
    "ptp": (qn.ptp, np.ptp, X),
    "put": (lambda x: put(x, [1, 7], [2.0, 3.0]), lambda x: put(x, [1, 7], [2, 3]), X),
    "redistribute": (lambda x: qn.redistribute(x, qn.cyclic(1)), np.array, X),
    "repeat": (lambda x: qn.repeat(x, 2, axis=0), lambda x: np.repeat(x, 2, axis=0), X),
    "repeat by counts": (lambda v, w: qn.repeat(v, w), np.repeat, V, V),
    "reshape": (lambda x: qn.reshape(x, (3, 10)), lambda x: x.reshape(3, 10), X),
    "roll": (lambda x: qn.roll(x, 2), lambda x: np.roll(x, 2), X),
    "searchsorted": (
        lambda f: qn.searchsorted(qn.sort(f), [0.5, 0.1]),
        lambda f: np.searchsorted(np.sort(f), [0.5, 0.1]),
        FLOATS,
    ),
    "searchsorted from the right": (
        lambda v: qn.searchsorted(v, v, side="right", sorter=qn.argsort(v)),
        lambda v: np.searchsorted(v, v, side="right", sorter=np.argsort(v)),
        V,
    ),
    "sort": (qn.sort, np.sort, X),
    "squeeze": (lambda x: qn.squeeze(x[:1], 0), lambda x: x[0], X),
    "stack": (lambda x: qn.stack([x, x]), lambda x: np.stack([x, x]), X),
    "std": (qn.std, np.std, X),
    "sum": (lambda x: qn.sum(x, axis=0, reproducible=True), lambda x: x.sum(0), X),
    "take": (lambda x: qn.take(x, [3, 0], 0), lambda x: x.take([3, 0], 0), X),
    "take at distributed indices": (lambda x, v: qn.take(x, v, None), lambda x, v: x.take(v), X, V),
    "take_along_axis": (
        lambda x: qn.take_along_axis(x, qn.argsort(x)),
        lambda x: np.sort(x, axis=-1),
        X,
    ),
    "tensordot": (lambda x: qn.tensordot(x, x, axes=2), lambda x: np.tensordot(x, x, axes=2), X),
    "tile": (lambda x: qn.tile(x, (2, 3)), lambda x: np.tile(x, (2, 3)), X),
    "transpose": (qn.transpose, np.transpose, X),
    "tril": (qn.tril, np.tril, X),
    "triu": (qn.triu, np.triu, X),
    "unique_all": (
        lambda v: list(qn.unique_all(v)),
        lambda v: [
            *np.unique(v, return_index=True),
            np.unique(v, return_inverse=True)[1],
            np.unique(v, return_counts=True)[1],
        ],
        V,
    ),
    "unique_counts": (
        lambda x: list(qn.unique_counts(x)),
        lambda x: list(np.unique(x, return_counts=True)),
        X,
    ),
    "unique_inverse": (
        lambda x: list(qn.unique_inverse(x)),
        lambda x: list(np.unique_inverse(x)),
        X,
    ),
    "unique_values": (qn.unique_values, np.unique, V),
    "unstack": (lambda x: list(qn.unstack(x)), list, X),
    "var": (lambda x: qn.var(x, axis=1), lambda x: x.var(1), X),
    "vecdot": (qn.vecdot, np.vecdot, X, X),
    "zeros_like": (qn.zeros_like, np.zeros_like, X),
    "fft.fft": (qn.fft.fft, np.fft.fft, Z),
    "fft.fft2": (qn.fft.fft2, np.fft.fft2, X),
    "fft.fftn": (lambda x: qn.fft.fftn(x, (8, 4)), lambda x: np.fft.fftn(x, (8, 4), (0, 1)), X),
    "fft.fftshift": (qn.fft.fftshift, np.fft.fftshift, X),
    "fft.hfft": (qn.fft.hfft, np.fft.hfft, Z),
    "fft.ifft": (qn.fft.ifft, np.fft.ifft, Z),
    "fft.ifft2": (qn.fft.ifft2, np.fft.ifft2, X),
    "fft.ifftn": (qn.fft.ifftn, np.fft.ifftn, X),
    "fft.ifftshift": (qn.fft.ifftshift, np.fft.ifftshift, X),
    "fft.ihfft": (qn.fft.ihfft, np.fft.ihfft, FLOATS),
    "fft.irfft": (qn.fft.irfft, np.fft.irfft, Z),
    "fft.irfft2": (qn.fft.irfft2, np.fft.irfft2, X),
    "fft.irfftn": (qn.fft.irfftn, np.fft.irfftn, X),
    "fft.rfft": (qn.fft.rfft, np.fft.rfft, FLOATS),
    "fft.rfft2": (qn.fft.rfft2, np.fft.rfft2, X),
    "fft.rfftn": (qn.fft.rfftn, np.fft.rfftn, X),
    "linalg.diagonal": (qn.linalg.diagonal, np.diagonal, X),
    "linalg.matrix_norm": (qn.linalg.matrix_norm, np.linalg.norm, X),
    "linalg.trace": (qn.linalg.trace, np.trace, X),
    "linalg.vector_norm": (qn.linalg.vector_norm, np.linalg.norm, X),
    "slices": (lambda x: x[1:5:2, ::-1], lambda x: x[1:5:2, ::-1], X),
    "masks": (lambda x, b: x[b], lambda x, b: x[b], X, B),
    "masks of all ranks": (lambda x: x[B], lambda x: x[B], X),
    "indices": (lambda x: x[[1, 4], :, None], lambda x: x[[1, 4], :, None], X),
    "values of slices": (lambda x: assigned(x, slice(2), X[2:4]), lambda x: assigned(x, slice(2), X[2:4]), X),
    "values of masks": (lambda x: assigned(x, B, X[B]), lambda x: assigned(x, B, X[B]), X),
    "values of indices": (lambda x: assigned(x, [5, 1], X[:2]), lambda x: assigned(x, [5, 1], X[:2]), X),
    "a local operand": (lambda x: [x + X, X - x, x @ X.T, x**2], lambda x: [x + X, X - x, x @ X.T, x**2], X),
    "ufuncs of NumPy": (
        lambda v: [np.add(v, V), np.add.reduce(v), np.add.accumulate(v), np.add.outer(V, v)],
        lambda v: [np.add(v, V), np.add.reduce(v), np.add.accumulate(v), np.add.outer(V, v)],
        V,
    ),
    "functions of NumPy": (
        lambda x: [np.sum(x, axis=0), np.concatenate([x, x]), np.ravel(x), np.allclose(x, X)],
        lambda x: [np.sum(x, axis=0), np.concatenate([x, x]), np.ravel(x), True],
        X,
    ),
}
# These make arrays of the ranks of init() or using(), have arrays of one rank, or no arrays.
WITHOUT_ARRAYS = """
    allgather allreduce alltoall arange barrier bcast broadcast_shapes can_cast default_rng empty exchange exchange_begin eye
    finfo from_local full iinfo init irecv isdtype isend linspace load on_threads ones recv reduce result_type scatter send
    rank size using zeros fft.fftfreq fft.rfftfreq
    Array Communicator Counter DistributedError DistributedOSError GlobalArray HaloArray HaloExchange Handle Layout Locks
    Status cyclic owned
"""
OF_THEIR_OWN = ["save", "save_checkpoint", "load_checkpoint"]


@pytest.mark.parametrize("name", CASES)
def test_functions_concern_the_ranks_of_their_arrays_only(name):
    function, expected, *values = CASES[name]
    wanted = expected(*values)
    for found in on_some_ranks(function, *values):
        pairs = zip(found, wanted, strict=True) if isinstance(wanted, list) else [(found, wanted)]
        for one, other in pairs:
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", sorted(qn._elementwise.elementwise))
def test_functions_of_elements_concern_the_ranks_of_their_arrays_only(name):
    function, expected = getattr(qn, name), getattr(quern, name)

    def applied(f, *arrays):
        """The function of as many arrays as it takes, of a dtype that it takes."""
        for kind in ("float64", "int64", "bool"):
            for count in (1, 2, 3):
                try:
                    found = f(*(one.astype(kind) for one in arrays[:count]))
                except TypeError:
                    continue
                return list(found) if isinstance(found, tuple) else [found]
        raise AssertionError(f"{name} took no arrays")

    wanted = [one.get() for one in applied(expected, *map(quern.asarray, (FLOATS,) * 3))]
    for found in on_some_ranks(lambda *arrays: applied(function, *arrays), FLOATS, FLOATS, FLOATS):
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13)


def test_every_public_function_is_called_on_some_ranks():
    spaces = {"": qn, "fft.": qn.fft, "linalg.": qn.linalg}
    public = {
        prefix + name
        for prefix, space in spaces.items()
        for name in space.__all__
        if callable(getattr(space, name))
        and (not prefix or getattr(qn, name, None) is not getattr(space, name))
    }
    known = {*CASES, *WITHOUT_ARRAYS.split(), *OF_THEIR_OWN, *qn._elementwise.elementwise}
    assert sorted(public - known) == []


def test_sparse_matrices_concern_their_ranks_only():
    dense = np.diag(np.full(7, 4.0)) + np.diag(np.ones(6), 1) + np.diag(np.ones(6), -1)

    def program():
        comm = qn._ranks.current()
        part = comm.split(int(comm.rank > 0))
        if comm.rank == 0:
            return
        with qn.using(part):
            matrix = qn.sparse.csr_array(dense)
            b = qn.arange(7.0)
        for product in (matrix @ b, matrix @ np.arange(7.0), matrix.T @ b, matrix.rmatvec(b)):
            np.testing.assert_allclose(product.get(), dense @ np.arange(7.0))
        np.testing.assert_array_equal(matrix.diagonal().get(), np.full(7, 4.0))
        solution = np.linalg.solve(dense, np.arange(7.0))
        for right in (b, np.arange(7.0)):
            for guess in (None, qn.zeros_like(b), np.zeros(7)):
                x, info = qn.sparse.linalg.cg(matrix, right, guess, rtol=1e-12)
                assert info == 0
                np.testing.assert_allclose(x.get(), solution, rtol=1e-9)
        operator = qn.sparse.linalg.aslinearoperator(matrix)
        x, info = qn.sparse.linalg.cg(operator, b, np.zeros(7), rtol=1e-12)
        np.testing.assert_allclose(x.get(), solution, rtol=1e-9)

    qn.on_threads(4, program, timeout=20)


def test_functions_use_the_device_of_their_arrays(device):
    with device:
        v, matrix = qn.asarray(V), qn.sparse.csr_array(np.eye(3, dtype="float32"))
        b = qn.asarray(np.arange(3, dtype="float32"))
    unique = qn.unique_all(v)
    places = qn.searchsorted(qn.sort(v), [2, 5])
    solution, _ = qn.sparse.linalg.cg(matrix, b, np.ones(3, "float32"))
    for found, expected in [
        (unique.inverse_indices, np.unique(V, return_inverse=True)[1]),
        (unique.counts, np.unique(V, return_counts=True)[1]),
        (places, np.searchsorted(np.sort(V), [2, 5])),
        (np.add.outer(V, v), np.add.outer(V, V)),
        (solution, np.arange(3)),
    ]:
        assert found.device == device
        np.testing.assert_array_equal(found.get(), expected)


def test_arrays_with_ghost_cells_and_global_arrays_concern_their_ranks_only():
    def program():
        comm = qn._ranks.current()
        part = comm.split(int(comm.rank > 0))
        if comm.rank == 0:
            return
        with qn.using(part):
            u, a = qn.HaloArray(6, 1, periodic=True), qn.GlobalArray(6, "int64", ghosts=1, periodic=True)
            counter, locks = qn.Counter(), qn.Locks(1)
            first = qn.arange(6.0)
        mine = slice(2 * part.rank, 2 * part.rank + 2)
        u.interior[...] = first.local
        qn.exchange(u)
        ring = np.arange(-1, 7.0) % 6
        np.testing.assert_array_equal(u.local.get(), ring[mine.start : mine.stop + 2])
        np.testing.assert_array_equal(u.array.get(), np.arange(6.0))
        np.testing.assert_array_equal((2 * u.array).sum().get(), 30)
        a[mine] = [2 * part.rank, 2 * part.rank + 1]
        a.sync()
        a.accumulate(..., np.ones(6, int))
        a.update_ghosts()
        np.testing.assert_array_equal(a.get(), np.arange(6) + 3)
        np.testing.assert_array_equal(a.local_with_ghosts.get(), ring[mine.start : mine.stop + 2] + 3)
        assert a.distribution() == (mine,)
        with locks.holding():
            assert 0 <= counter.next() < 3

    qn.on_threads(4, program, timeout=20)
