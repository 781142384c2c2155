# SPDX-License-Identifier: MIT
"""Arrays passed to other libraries as their users would, and which of these uses share memory.

A library that is not installed is skipped by its name; `pip install quern[test-libraries]` installs most of them. docs/interoperability.md
says which versions were tried. NumPy's arrays given to the same functions are the oracle.
"""

import io
import os
import sys

import numpy as np
import pytest

import quern as qn

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

DATA = np.random.default_rng(3).normal(size=(40, 5)).astype("f4")
LABELS = (DATA[:, 0] > 0).astype("i4")


@pytest.fixture(autouse=True)
def scipy_array_api():
    """SciPy asks for it when it is imported, which other libraries do, too."""
    if "scipy" not in sys.modules:
        os.environ["SCIPY_ARRAY_API"] = "1"


@pytest.fixture
def x(device):
    return qn.asarray(DATA, device=device)


@pytest.fixture
def labels(device):
    return qn.asarray(LABELS, device=device)


@pytest.fixture
def host():
    return qn.device("host")


def assert_ours(found, expected, device, rtol=1e-4):
    """An array of ours on the device, with the elements that NumPy's has."""
    assert isinstance(found, qn.Array) and found.device == device
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(found.get(), expected, rtol=rtol, atol=1e-5)


def address(array):
    """Where the first element is, of memory that the host sees."""
    return np.asarray(array, copy=False).__array_interface__["data"][0]


# The array API: the libraries compute with our functions, on the device.
@pytest.fixture
def scipy():
    if os.environ.get("SCIPY_ARRAY_API") != "1":
        pytest.skip("SciPy was imported before SCIPY_ARRAY_API was set")
    return pytest.importorskip("scipy", "1.15")


SCIPY_CALLS = {
    "special.logsumexp": lambda s, a: s.special.logsumexp(a, axis=1),
    "special.softmax": lambda s, a: s.special.softmax(a, axis=1),
    "special.expit": lambda s, a: s.special.expit(a),
    "stats.zscore": lambda s, a: s.stats.zscore(a),
    "stats.gmean": lambda s, a: s.stats.gmean(abs(a) + 1),
    "stats.skew": lambda s, a: s.stats.skew(a),
    "stats.kurtosis": lambda s, a: s.stats.kurtosis(a, axis=1),
    "stats.ttest_1samp": lambda s, a: s.stats.ttest_1samp(a, 0.1).statistic,
    "stats.pearsonr": lambda s, a: s.stats.pearsonr(a[:, 0], a[:, 1]).statistic,
    "stats.entropy": lambda s, a: s.stats.entropy(abs(a) + 1),
    "integrate.trapezoid": lambda s, a: s.integrate.trapezoid(a, axis=0),
    "integrate.cumulative_trapezoid": lambda s, a: s.integrate.cumulative_trapezoid(a, axis=0),
    "ndimage.gaussian_filter": lambda s, a: s.ndimage.gaussian_filter(a, 1.0),
    "signal.detrend": lambda s, a: s.signal.detrend(a, axis=0, type="constant"),
    "optimize.rosen": lambda s, a: s.optimize.rosen(a[0]),
    "cluster.vq.whiten": lambda s, a: s.cluster.vq.whiten(a),
}


@pytest.mark.parametrize("name", sorted(SCIPY_CALLS))
def test_scipy_computes_with_our_arrays(scipy, x, device, name):
    __import__(f"scipy.{name.rpartition('.')[0]}")
    # SciPy makes arrays of its own on the current device.
    with device:
        found = SCIPY_CALLS[name](scipy, x)
    assert_ours(found, SCIPY_CALLS[name](scipy, DATA), device)


@pytest.fixture
def sklearn(scipy):
    found = pytest.importorskip("sklearn", "1.6")
    with found.config_context(array_api_dispatch=True):
        yield found


@pytest.mark.parametrize(
    "name",
    ["Binarizer", "MaxAbsScaler", "MinMaxScaler", "Normalizer", "PolynomialFeatures", "StandardScaler"],
)
def test_scikit_learn_prepares_our_arrays(sklearn, x, device, name):
    from sklearn import preprocessing

    made = getattr(preprocessing, name)().fit_transform(x)
    assert_ours(made, getattr(preprocessing, name)().fit_transform(DATA), device)


@pytest.mark.parametrize("name", ["cosine_similarity", "euclidean_distances", "linear_kernel", "rbf_kernel"])
def test_scikit_learn_computes_distances_of_our_arrays(sklearn, x, device, name):
    from sklearn.metrics import pairwise

    function = getattr(pairwise, name)
    np.testing.assert_allclose(function(x, x).get(), function(DATA, DATA), rtol=1e-3, atol=2e-3)
    assert function(x, x).device == device


def test_scikit_learn_classifies_and_scores_our_arrays(sklearn, x, labels, device):
    from sklearn import metrics
    from sklearn.model_selection import train_test_split
    from sklearn.naive_bayes import GaussianNB

    found = GaussianNB().fit(x, labels).predict(x)
    expected = GaussianNB().fit(DATA, LABELS).predict(DATA)
    assert_ours(found, expected, device)
    assert metrics.accuracy_score(labels, found) == metrics.accuracy_score(LABELS, expected)
    assert metrics.r2_score(x, x * 2) == pytest.approx(metrics.r2_score(DATA, DATA * 2), rel=1e-3)
    for one, other in zip(
        train_test_split(x, labels, random_state=0),
        train_test_split(DATA, LABELS, random_state=0),
        strict=True,
    ):
        assert_ours(one, other, device)


@pytest.mark.parametrize("solver", ["full", "covariance_eigh"])
def test_scikit_learn_finds_principal_components_of_our_arrays(sklearn, x, device, solver):
    from sklearn.decomposition import PCA

    found, expected = PCA(2, svd_solver=solver).fit(x), PCA(2, svd_solver=solver).fit(DATA)
    assert_ours(found.explained_variance_, expected.explained_variance_, device, rtol=1e-3)
    assert_ours(qn.abs(found.transform(x)), np.abs(expected.transform(DATA)), device, rtol=1e-2)


def test_scikit_learn_fits_ridges_and_discriminants_to_our_arrays(sklearn, x, labels, device):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import Ridge

    found = Ridge(solver="svd").fit(x, x[:, 0]).coef_
    assert_ours(found, Ridge(solver="svd").fit(DATA, DATA[:, 0]).coef_, device, rtol=1e-3)
    found = LinearDiscriminantAnalysis().fit(x, labels).predict(x)
    assert_ours(found, LinearDiscriminantAnalysis().fit(DATA, LABELS).predict(DATA), device)


def test_array_api_compat_and_extra_take_our_arrays(x, device):
    compat = pytest.importorskip("array_api_compat")
    assert compat.array_namespace(x) is qn and compat.device(x) == device
    extra = pytest.importorskip("array_api_extra")
    assert_ours(
        extra.at(x)[1:3].add(7, copy=True), np.concatenate([DATA[:1], DATA[1:3] + 7, DATA[3:]]), device
    )
    assert_ours(extra.cov(x.T), np.cov(DATA.T), device, rtol=1e-3)
    assert_ours(extra.kron(x[:2], x[:2]), np.kron(DATA[:2], DATA[:2]), device)
    assert_ours(extra.pad(x, 1), np.pad(DATA, 1), device)
    assert_ours(extra.sinc(x), np.sinc(DATA), device, rtol=1e-3)
    assert_ours(
        extra.apply_where(x > 0, x, qn.sqrt, qn.negative),
        np.where(DATA > 0, np.sqrt(np.abs(DATA)), -DATA),
        device,
    )
    own = x.copy()
    extra.at(own)[0].set(9)
    assert own.get()[0].tolist() == [9] * 5
    assert extra.nunique(qn.asarray([1, 2, 2], device=device)).item() == 2


def test_einops_rearranges_our_arrays(x, device):
    """einops.rearrange itself knows the libraries that it lists only; einops.array_api takes any of the standard."""
    pytest.importorskip("einops")
    import einops
    from einops import array_api

    assert_ours(
        array_api.rearrange(x, "(a b) c -> b a c", b=4), DATA.reshape(10, 4, 5).swapaxes(0, 1), device
    )
    assert_ours(array_api.reduce(x, "a b -> b", "mean"), DATA.mean(0), device)
    assert_ours(array_api.repeat(x, "a b -> a b c", c=2), np.repeat(DATA[..., None], 2, -1), device)
    assert qn.shares_memory(array_api.rearrange(x, "a b -> b a"), x)
    with pytest.raises(RuntimeError, match="unknown to einops"):
        einops.rearrange(x, "a b -> b a")


def test_opt_einsum_contracts_our_arrays(x, device):
    opt_einsum = pytest.importorskip("opt_einsum")
    found = opt_einsum.contract("ij,kj,kl->il", x, x, x)
    assert_ours(found, np.einsum("ij,kj,kl->il", DATA, DATA, DATA), device, rtol=1e-3)


# NumPy's protocols: the libraries call NumPy's functions, which are ours.
def test_dask_computes_blocks_that_are_our_arrays(x, device):
    da = pytest.importorskip("dask.array")
    blocks = da.from_array(x, chunks=16, asarray=False)
    assert_ours((da.sin(blocks) + 1).compute(), np.sin(DATA) + 1, device)
    assert_ours(blocks.mean(axis=0).compute(), DATA.mean(0), device)
    assert_ours(blocks.std(axis=1).compute(), DATA.std(1), device)
    assert_ours((blocks @ blocks.T).compute(), DATA @ DATA.T, device, rtol=1e-3)
    assert_ours(blocks.T[1:, ::2].compute(), DATA.T[1:, ::2], device)
    assert blocks.sum().compute().item() == pytest.approx(float(DATA.sum()), rel=1e-4)


def test_xarray_labels_our_arrays_without_a_copy(x, device):
    xarray = pytest.importorskip("xarray")
    made = xarray.DataArray(x, dims=("a", "b"), coords={"b": [1, 2, 3, 4, 5]})
    assert made.data is x
    assert_ours(made.mean("b").data, DATA.mean(1), device)
    assert_ours((made * 2 + made.b).data, DATA * 2 + np.arange(1, 6), device)
    assert_ours(made.sel(b=3).data, DATA[:, 2], device)
    assert_ours(made.isel(a=slice(2, 5)).data, DATA[2:5], device)
    assert_ours(made.where(made > 0).data, np.where(DATA > 0, DATA, np.nan), device)
    assert_ours(np.sin(made).data, np.sin(DATA), device)
    assert_ours(xarray.concat([made, made], "a").data, np.concatenate([DATA, DATA]), device)
    rolled = np.lib.stride_tricks.sliding_window_view(DATA, 2, axis=1).mean(-1)
    with device:  # where xarray makes arrays of its own
        assert_ours(made.rolling(b=2).mean().data[:, 1:], rolled, device)
    assert_ours(xarray.Dataset({"v": made}).max("a").v.data, DATA.max(0), device)


def test_pint_gives_our_arrays_units_without_a_copy(x, device):
    pint = pytest.importorskip("pint")
    registry = pint.UnitRegistry()
    metre = registry.metre
    length = registry.Quantity(x, metre)
    assert length.magnitude is x
    assert_ours((length * 2).to("km").magnitude, DATA * 0.002, device)
    assert_ours(np.sqrt(length * length).magnitude, np.abs(DATA), device)
    assert np.sqrt(length * length).units == metre
    assert np.sum(length).magnitude.item() == pytest.approx(float(DATA.sum()), rel=1e-4)
    with pytest.raises(pint.DimensionalityError):
        length.to("second")


# Host memory: np.asarray of an array on the host is its memory, and what takes that takes our arrays.
@pytest.fixture
def axes():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, made = pyplot.subplots()
    yield made
    figure.savefig(io.BytesIO())
    pyplot.close(figure)


def test_matplotlib_draws_our_arrays(axes, x):
    a, b = x[:, 0], x[:, 1]
    np.testing.assert_array_equal(axes.plot(a, b)[0].get_xydata(), DATA[:, :2])
    assert [bar.get_height() for bar in axes.bar(a, b)] == pytest.approx(DATA[:, 1].tolist())
    assert [bar.get_width() for bar in axes.barh(a, b)] == pytest.approx(DATA[:, 1].tolist())
    assert np.asarray(axes.hist(x.ravel(), bins=4)[0]).tolist() == np.histogram(DATA, 4)[0].tolist()
    expected = np.histogram2d(DATA[:, 0], DATA[:, 1], 3)[0]
    np.testing.assert_array_equal(np.asarray(axes.hist2d(a, b, bins=3)[0]), expected)
    np.testing.assert_array_equal(axes.imshow(x).get_array(), DATA)
    assert len(axes.scatter(a, b, c=a).get_offsets()) == len(DATA)
    axes.errorbar(a, b, yerr=abs(a))
    axes.fill_between(a, b)
    axes.boxplot(x)
    axes.contour(x)


def test_pandas_copies_our_arrays_and_shares_its_own(host, x):
    pandas = pytest.importorskip("pandas")
    np.testing.assert_array_equal(pandas.DataFrame(x, columns=list("abcde")).to_numpy(), DATA)
    np.testing.assert_array_equal(pandas.Series(x[:, 0]).to_numpy(), DATA[:, 0])
    frame = pandas.DataFrame(DATA)
    assert_ours(qn.asarray(frame, device=x.device), DATA, x.device)
    np.testing.assert_allclose((frame[0] + x[:, 0]).to_numpy(), DATA[:, 0] * 2, rtol=1e-6)
    values = frame.to_numpy()
    shared = qn.asarray(values, device=host, copy=False)
    assert address(shared) == values.__array_interface__["data"][0]


def test_pillow_shows_bytes_of_our_arrays(host):
    pillow = pytest.importorskip("PIL.Image")
    pixels = np.arange(48, dtype="u1").reshape(4, 12)
    image = qn.asarray(pixels, device=host)
    made = pillow.fromarray(image)
    assert made.size == (12, 4) and made.getpixel((1, 2)) == pixels[2, 1]
    np.testing.assert_array_equal(qn.asarray(made, device=host).get(), pixels)
    image[2, 1] = 200  # One memory, which Pillow does not write to.
    qn.synchronize(host)
    assert made.getpixel((1, 2)) == 200


def test_h5py_stores_our_arrays_and_reads_into_their_memory(host, x, device):
    h5py = pytest.importorskip("h5py")
    with h5py.File(io.BytesIO(), "w") as file:
        file.create_dataset("x", data=x)
        np.testing.assert_array_equal(file["x"][...], DATA)
        file["x"][0] = x[1]
        assert_ours(qn.asarray(file["x"], device=device), np.concatenate([DATA[1:2], DATA[1:]]), device)
        target = qn.zeros(DATA.shape, "f4", host)
        file["x"].read_direct(np.asarray(target, copy=False))  # without a copy on the way
        np.testing.assert_array_equal(target.get()[1:], DATA[1:])


def test_zarr_stores_our_arrays(host, x, device):
    zarr = pytest.importorskip("zarr", "3.0")
    # It compares elements as raw bytes, which no device has.
    with pytest.raises(qn.ArgumentTypeError, match="V4"):
        zarr.create_array(store={}, data=x)
    made = zarr.create_array(store={}, data=np.asarray(x), chunks=(8, 5))
    assert_ours(qn.asarray(made[...], device=device), DATA, device)
    assert_ours(qn.asarray(made[4:9], device=device), DATA[4:9], device)
    made[0] = np.asarray(x[1])
    np.testing.assert_array_equal(made[0], DATA[1])


# DLPack: one memory.
def test_torch_shares_memory_with_our_arrays(host):
    torch = pytest.importorskip("torch")
    ours = qn.asarray(DATA, device=host)
    theirs = torch.from_dlpack(ours)
    assert theirs.data_ptr() == address(ours)
    theirs[0, 0] = 42
    assert ours.get()[0, 0] == 42
    back = torch.arange(4.0)
    assert address(qn.from_dlpack(back)) == back.data_ptr()
    np.testing.assert_allclose(torch.tanh(theirs).numpy(), np.tanh(ours.get()), rtol=1e-5)


def test_jax_shares_memory_with_our_arrays(host):
    jax = pytest.importorskip("jax")
    ours = qn.asarray(DATA, device=host)
    theirs = jax.dlpack.from_dlpack(ours)
    assert theirs.unsafe_buffer_pointer() == address(ours)
    np.testing.assert_array_equal(np.asarray(jax.numpy.asarray(ours)), DATA)
    np.testing.assert_allclose(np.asarray(jax.jit(jax.numpy.tanh)(theirs)), np.tanh(DATA), rtol=1e-5)
    with jax.default_device(jax.devices("cpu")[0]):
        back = jax.numpy.arange(16.0)
    shared = qn.from_dlpack(back)
    assert address(shared) == back.unsafe_buffer_pointer()
    assert_ours(shared * 2, np.arange(16.0) * 2, host)


def test_vectors_keep_their_names_beside_ml_dtypes(device):
    """It gives NumPy `uint2` and `int4`, of two and four bits."""
    pytest.importorskip("ml_dtypes")
    assert np.dtype("uint2").itemsize == 1
    total = qn.ReductionKernel("uint2", "0", "a + b", map_expr="x[i]", arguments="const uint2 *x")
    a = np.arange(10, dtype=np.uint32).reshape(5, 2)
    pairs = qn.asarray(a.view(qn.vec.uint2).ravel(), device=device)
    np.testing.assert_array_equal(total(pairs).get().tolist(), tuple(a.sum(0)))
