# SPDX-License-Identifier: MIT
"""dask.array with our arrays as chunks: its functions give what NumPy gives, and the results are ours."""

import numpy as np
import pytest

import quern as qn

da = pytest.importorskip("dask.array")
base = pytest.importorskip("dask.base")

DATA = np.random.default_rng(1).random((40, 30)).astype("float32")


def assigned(d):
    d = d.copy()
    d[d > 0.5] = 0
    return d


# The same text for dask.array and NumPy.
FUNCTIONS = {
    "all elements": lambda xp, d: d,
    "operators": lambda xp, d: 2 * d + d**2 - (1 - d) / 3,
    "functions": lambda xp, d: xp.log(xp.exp(xp.sin(d))),
    "where": lambda xp, d: xp.where(d > 0.5, d, 0),
    "clip": lambda xp, d: xp.clip(d, 0.2, 0.8),
    "sum": lambda xp, d: d.sum(),
    "sum of rows": lambda xp, d: d.sum(axis=0),
    "mean": lambda xp, d: d.mean(axis=1),
    "variance": lambda xp, d: d.var(axis=0),
    "deviation": lambda xp, d: d.std(),
    "minimum": lambda xp, d: d.min(axis=0),
    "argmax": lambda xp, d: d.argmax(axis=0),
    "any": lambda xp, d: (d > 0.5).any(axis=0),
    "nansum": lambda xp, d: xp.nansum(d),
    "cumsum": lambda xp, d: d.cumsum(axis=0),
    "transpose": lambda xp, d: d.T,
    "reshape": lambda xp, d: d.reshape(-1),
    "slices": lambda xp, d: d[3:20, ::2],
    "list of rows": lambda xp, d: d[[1, 30, 4]],
    "mask": lambda xp, d: d[d > 0.5],
    "assignment": lambda xp, d: assigned(d),
    "take": lambda xp, d: xp.take(d, [1, 2], axis=1),
    "concatenate": lambda xp, d: xp.concatenate([d, d[:7]]),
    "stack": lambda xp, d: xp.stack([d, d]),
    "block": lambda xp, d: xp.block([[d, d], [d, d]]),
    "roll": lambda xp, d: xp.roll(d, 3, axis=0),
    "flip": lambda xp, d: xp.flip(d, 0),
    "pad": lambda xp, d: xp.pad(d, 1),
    "matmul": lambda xp, d: d @ d.T,
    "tensordot": lambda xp, d: xp.tensordot(d, d, axes=((0,), (0,))),
    "einsum": lambda xp, d: xp.einsum("ij,kj->ik", d, d),
    "norm": lambda xp, d: xp.linalg.norm(d),
    "bincount": lambda xp, d: xp.bincount((d * 4).astype("int32").reshape(-1), minlength=5),
    "histogram": lambda xp, d: xp.histogram(d, bins=5, range=(0, 1))[0],
    "ones_like": lambda xp, d: xp.ones_like(d),
}


@pytest.fixture
def blocks(device):
    return da.from_array(qn.asarray(DATA, device=device), chunks=(15, 12), asarray=False)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_dask_give_our_arrays(blocks, device, name):
    function = FUNCTIONS[name]
    found, expected = function(da, blocks).compute(scheduler="synchronous"), function(np, DATA)
    assert isinstance(found, qn.Array)
    assert found.device == device
    assert found.dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(found.get(), expected, rtol=1e-3, atol=1e-5)


def test_functions_that_take_other_chunks(blocks):
    singular = da.linalg.svd(blocks.rechunk((10, 30)))[1].compute(scheduler="synchronous")
    np.testing.assert_allclose(singular.get(), np.linalg.svd(DATA)[1], rtol=1e-3, atol=1e-4)
    found = blocks.map_overlap(lambda b: b + qn.roll(b, 1, 0), depth=1, boundary="periodic")
    np.testing.assert_allclose(
        found.compute(scheduler="synchronous").get(), DATA + np.roll(DATA, 1, 0), rtol=1e-5
    )


def test_percentiles(blocks):
    whole = blocks.reshape(-1).rechunk(-1)  # of several chunks dask gives an approximation
    found = da.percentile(whole, [25, 50, 90]).compute(scheduler="synchronous")
    np.testing.assert_allclose(found, np.percentile(DATA, [25, 50, 90]), rtol=1e-5)


def test_threads_of_dask_share_the_device(blocks):
    found = (da.sin(blocks) * 2).sum(axis=1).compute(scheduler="threads", num_workers=4)
    np.testing.assert_allclose(found.get(), (np.sin(DATA) * 2).sum(1), rtol=1e-4)


def test_chunks_made_by_a_function(device):
    made = da.map_blocks(
        lambda block_info: qn.full((5,), block_info[None]["chunk-location"][0], "float32", device=device),
        chunks=((5, 5, 5),),
        dtype="float32",
        meta=qn.ones(0, "float32", device=device),
    )
    found = (made + 1).compute(scheduler="synchronous")
    assert isinstance(found, qn.Array)
    assert found.get().tolist() == [1] * 5 + [2] * 5 + [3] * 5


def test_equal_elements_have_equal_names(device):
    x = qn.asarray(DATA, device=device)
    assert base.tokenize(x) == base.tokenize(qn.asarray(DATA, device=device))
    assert base.tokenize(x[:, 1:]) == base.tokenize(qn.asarray(DATA[:, 1:].copy(), device=device))
    assert base.tokenize(x) != base.tokenize(x + 1)
    assert base.tokenize(x) != base.tokenize(x.astype("float16").astype("float32"))
    assert base.tokenize(x) != base.tokenize(x.reshape(-1))
    name = base.tokenize(x)
    x[0, 0] = 7
    assert base.tokenize(x) != name


def test_arrays_made_like_ours_are_on_its_device(device):
    x = qn.asarray(DATA, device=device)
    for made in (
        np.asarray(0, like=x),
        np.zeros(3, like=x),
        np.arange(4, like=x),
        np.full((2,), 1.5, like=x),
    ):
        assert isinstance(made, qn.Array)
        assert made.device == device
