# SPDX-License-Identifier: MIT
"""The package as a namespace of the array API standard, and the methods of arrays that NumPy's have."""

import inspect
import math
import re

import numpy as np
import pytest

import quern as qn
from quern import _other_names

DTYPES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
]


def assert_same(x, expected, rtol=0.0):
    expected = np.asarray(expected)
    assert x.shape == expected.shape
    assert x.dtype == expected.dtype
    np.testing.assert_allclose(x.get(), expected, rtol=rtol)


def test_an_array_knows_its_namespace(device):
    x = qn.zeros(3, device=device)
    assert x.__array_namespace__() is qn
    assert x.__array_namespace__(api_version=qn.__array_api_version__) is qn
    with pytest.raises(ValueError, match=r"1999\.12"):
        x.__array_namespace__(api_version="1999.12")


def test_the_namespace_says_what_it_has(device):
    info = qn.__array_namespace_info__()
    assert info.default_device() in info.devices()
    assert device in info.devices()
    assert set(info.capabilities()) == {"boolean indexing", "data-dependent shapes", "max dimensions"}
    assert set(info.dtypes(device=device, kind="real floating")) >= {"float32"}
    assert set(info.dtypes(kind=("bool", "signed integer"))) == {"bool", "int8", "int16", "int32", "int64"}
    assert ("float64" in info.dtypes(device=device)) == device.has_fp64
    assert qn.zeros(1, device=device).dtype == info.default_dtypes(device=device)["real floating"]
    assert qn.asarray([1], device=device).dtype == info.default_dtypes(device=device)["integral"]
    with pytest.raises(ValueError, match="'whole'"):
        info.dtypes(kind="whole")


@pytest.mark.parametrize("name", DTYPES)
def test_element_types_are_numpys(name):
    x = qn.empty(1, name, "host")
    assert x.dtype == getattr(qn, name)
    assert getattr(qn, name) == x.dtype


@pytest.mark.parametrize("name", DTYPES)
def test_kinds_of_element_types(name):
    kinds = {
        "b": {"bool"},
        "i": {"signed integer", "integral", "numeric"},
        "u": {"unsigned integer", "integral", "numeric"},
        "f": {"real floating", "numeric"},
        "c": {"complex floating", "numeric"},
    }
    found = {k for k in set().union(*kinds.values()) if qn.isdtype(np.dtype(name), k)}
    assert found == kinds[np.dtype(name).kind]
    assert qn.isdtype(getattr(qn, name), ("bool", np.dtype(name)))
    assert not qn.isdtype(getattr(qn, name), qn.int32) or name == "int32"


def test_a_kind_that_is_none_is_refused():
    with pytest.raises(ValueError, match="'float'"):
        qn.isdtype(qn.float32, "float")


def test_types_together_are_numpys():
    x = qn.empty(2, "int16", "host")
    assert qn.result_type(x, "float32") == np.float32
    assert qn.result_type(x, 2.5) == np.float64
    assert qn.result_type("float32", 2.5) == np.float32
    assert qn.result_type("uint8", "int8", x) == np.int16
    assert qn.can_cast(x, "int32")
    assert not qn.can_cast(x, "int8")
    assert qn.can_cast(x, "int8", casting="same_kind")
    with pytest.raises(ValueError, match="result_type"):
        qn.result_type()


@pytest.mark.parametrize("name", ["float16", "float32", "float64", "complex64", "complex128"])
def test_limits_of_floating_point_types(name):
    expected = np.finfo(name)
    for asked in (name, getattr(qn, name), qn.empty(1, name, "host")):
        info = qn.finfo(asked)
        assert (info.bits, info.dtype) == (expected.bits, expected.dtype)
        for attribute in ("eps", "max", "min", "smallest_normal", "tiny"):
            assert type(getattr(info, attribute)) is float
            assert getattr(info, attribute) == getattr(expected, attribute)
    with pytest.raises(TypeError, match="int32"):
        qn.finfo("int32")


def test_limits_of_integer_types():
    for name in [name for name in DTYPES if np.dtype(name).kind in "iu"]:
        info, expected = qn.iinfo(name), np.iinfo(name)
        assert (info.bits, info.min, info.max, info.dtype) == (
            *(expected.bits, expected.min, expected.max),
            expected.dtype,
        )
    with pytest.raises(TypeError, match="float32"):
        qn.iinfo(qn.float32)


@pytest.mark.parametrize(
    "shapes", [(), ((),), ((3,), ()), ((2, 1), (1, 3)), ((4, 1, 2), (3, 1), (1,)), ((0,), (1,)), (3, (2, 1))]
)
def test_shapes_broadcast_as_numpys(shapes):
    assert qn.broadcast_shapes(*shapes) == np.broadcast_shapes(*shapes)


def test_shapes_that_do_not_broadcast_are_named():
    with pytest.raises(ValueError, match=r"\(2, 3\), \(4,\).*axis -1"):
        qn.broadcast_shapes((2, 3), (4,))


def test_constants_are_numpys():
    assert (qn.pi, qn.e, qn.inf, qn.newaxis) == (np.pi, np.e, np.inf, None)
    assert qn.nan != qn.nan


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "mean", "std", "var", "any", "all", "argmin"])
def test_reductions_are_methods_and_take_the_axis_by_position(device, name):
    a = np.array([[3, 1, 2], [6, 5, 4]], np.float32)
    x = qn.asarray(a, device=device)
    for arguments in [(), (1,)]:
        expected = getattr(a, name)(*arguments)
        assert_same(getattr(x, name)(*arguments), expected, rtol=1e-6)
        assert_same(getattr(qn, name)(x, *arguments), expected, rtol=1e-6)


def test_spread_by_numpys_name_and_the_standards(device):
    a = np.array([1.0, 2.0, 4.0])
    x = qn.asarray(a, device=device)
    assert_same(x.std(ddof=1), a.std(ddof=1), rtol=1e-15)
    assert_same(qn.var(x, correction=1), a.var(ddof=1), rtol=1e-15)
    assert_same(qn.ptp(x), 3.0)
    with pytest.raises(ValueError, match="ddof"):
        qn.var(x, correction=1, ddof=1)


def test_reductions_take_what_becomes_an_array():
    assert qn.sum([1, 2, 3]).item() == 6
    assert qn.max(np.array([1.5, 2.5])).item() == 2.5


@pytest.mark.parametrize("options", [{}, {"n": 2}, {"axis": 0}, {"n": 0}, {"n": 5}])
def test_differences_are_numpys(device, options):
    a = np.array([[1, 4, 9, 16], [2, 3, 5, 7]], np.int32)
    assert_same(qn.diff(qn.asarray(a, device=device), **options), np.diff(a, **options))


def test_differences_with_values_before_and_after(device):
    a = np.array([[1, 4, 9], [2, 3, 5]], np.int32)
    x = qn.asarray(a, device=device)
    assert_same(qn.diff(x, prepend=0), np.diff(a, prepend=0))
    more = np.ones((1, 3))
    got = qn.diff(x, axis=0, prepend=0, append=qn.asarray(more, device=device))
    assert_same(got, np.diff(a, axis=0, prepend=np.zeros((1, 3), int), append=more))
    assert_same(qn.diff(x > 3), np.diff(a > 3))
    for bad in [{"n": -1}, {"axis": 2}]:
        with pytest.raises(ValueError, match="diff"):
            qn.diff(x, **bad)


def test_elements_as_python_numbers(device):
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    x = qn.asarray(a, device=device)
    assert x.tolist() == a.tolist()
    assert x.T.tolist() == a.T.tolist()
    assert (x.item(4), x.item(1, 2), x.item((0, 1)), x.item(-1)) == (4, 5, 1, 5)
    assert [row.tolist() for row in x] == a.tolist()
    assert len(x) == 2
    with pytest.raises(ValueError, match="6"):
        x.item()


def test_an_element_is_found(device):
    x = qn.asarray([1, 2, 3], device=device)
    assert 2 in x
    assert 7 not in x
    assert "two" not in x


def test_arrays_have_no_hash(device):
    with pytest.raises(TypeError, match="unhashable"):
        hash(qn.zeros(2, device=device))


def test_parts_and_shapes_as_attributes(device):
    a = np.array([[1 + 2j, 3], [4j, 5]], np.complex64)
    x = qn.asarray(a, device=device)
    assert_same(x.real, a.real)
    assert_same(x.imag, a.imag)
    assert_same(x.conj(), a.conj())
    assert_same(x.mT, a.T)
    assert_same(x.flatten(), a.flatten())
    with pytest.raises(ValueError, match="mT"):
        qn.zeros(3, device=device).mT  # noqa: B018


def test_numbers_of_no_dimensions_are_pythons(device):
    assert complex(qn.asarray(1 + 2j, device=device)) == 1 + 2j
    assert float(qn.asarray(2.5, device=device)) == 2.5
    assert [10, 20, 30][qn.asarray(1, device=device)] == 20
    with pytest.raises(TypeError, match="index"):
        [1][qn.asarray(0.0, device=device)]


def test_pythons_functions_of_numbers_take_arrays(device):
    a = np.array([[7.46, -3.21], [0.55, 12.0]])
    if not device.has_fp64:
        a = a.astype(np.float32)
    x = qn.asarray(a, device=device)
    np.testing.assert_array_equal(round(x, 1).get(), np.round(a, 1), strict=True)
    np.testing.assert_array_equal(round(x).get(), np.round(a), strict=True)
    for value in a.reshape(-1):
        one = qn.asarray(value, device=device)
        assert type(round(one)) is int and round(one) == round(value)
        assert round(one, 1).get() == np.round(value, 1)
        assert type(math.trunc(one)) is int and math.trunc(one) == math.trunc(value)
    with pytest.raises(qn.ArgumentValueError, match="one element"):
        math.trunc(x)
    n = np.array([7, -7, 5])
    m = qn.asarray(n, device=device)
    for ours, theirs in (
        (divmod(m, 3), divmod(n, 3)),
        (divmod(20, m), divmod(20, n)),
        (divmod(n, m + 1), divmod(n, n + 1)),
        (divmod(m, n), divmod(n, n)),
    ):
        for got, expected in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(got.get(), expected, strict=True)
    with pytest.raises(TypeError, match="divmod"):
        divmod(m, "a")
    with pytest.raises(TypeError, match="divmod"):
        divmod(object(), m)


def test_names_that_only_numpy_has_raise_with_an_alternative():
    for module, name in ((qn, "ma"), (qn, "genfromtxt"), (qn, "busday_count")):
        with pytest.raises(AttributeError, match=rf"attribute '{name}'; numpy\.{name} exists: .* x\.get\(\)"):
            getattr(module, name)
    for module, name in ((qn, "summ"), (qn, "float128"), (qn.linalg, "invers")):
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'$"):
            getattr(module, name)


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("to_device", "qn.asarray"),
        ("cuda", "qn.device"),
        ("RawKernel", "qn.Program"),
        ("create_some_context", "qn.device()"),
        ("SourceModule", "qn.Program"),
        ("njit", "qn.graph"),
        ("block_until_ready", "qn.synchronize()"),
        ("Stream", "qn.Queue"),
    ],
)
def test_names_of_other_libraries_raise_with_ours(name, ours):
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}'; .*use .*{re.escape(ours)}"):
        getattr(qn, name)


def test_advice_names_what_exists():
    for name, (_, ours) in _other_names._NAMES.items():
        assert not hasattr(qn, name)
        for ours_name in re.findall(r"\bqn\.(\w+)", ours):
            assert hasattr(qn, ours_name)


@pytest.mark.parametrize(
    "name", ["asarray", "arange", "zeros", "full_like", "eye", "linspace", "meshgrid", "sum"]
)
def test_functions_show_their_signature(name):
    assert inspect.signature(getattr(qn, name)).parameters


def test_what_the_package_exports_is_there():
    for name in qn.__all__:
        assert hasattr(qn, name), name
