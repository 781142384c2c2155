# SPDX-License-Identifier: MIT
"""Keywords of NumPy that say nothing new to Quern: accepted where they can be honoured, refused with a reason otherwise."""

import io

import numpy as np
import pytest

import quern as qn


def test_like_selects_the_device_of_new_arrays(device):
    like = qn.ones(3, device=device)
    for made in (
        qn.zeros(2, like=like),
        qn.ones(2, like=like),
        qn.empty(2, like=like),
        qn.full(2, 3, like=like),
        qn.arange(4, like=like),
        qn.eye(2, like=like),
        qn.identity(2, like=like),
        qn.tri(2, like=like),
        qn.asarray([1, 2], like=like),
        qn.array([1, 2], like=like),
        qn.asanyarray([1, 2], like=like),
        qn.ascontiguousarray([1, 2], like=like),
        qn.asfortranarray([1, 2], like=like),
        qn.frombuffer(b"12345678", "u1", like=like),
        qn.fromiter([1, 2], "i4", like=like),
    ):
        assert made.device == device
    assert qn.zeros(2, like=like, device="host").device.backend == "host"
    with pytest.raises(TypeError, match="like"):
        qn.asarray([1], like=np.ones(1))


def test_numpys_creation_functions_dispatch_by_like(device):
    like = qn.ones(3, device=device)
    for made in (np.zeros(2, like=like), np.asarray([1, 2], like=like), np.arange(3, like=like)):
        assert isinstance(made, qn.Array)


def test_a_signature_of_one_type_is_that_dtype(device):
    x, y = np.arange(3, dtype="f4"), np.ones(3, "f4")
    a, b = qn.asarray(x, device=device), qn.asarray(y, device=device)
    for signature in ("ff->f", ("f4", "f4", "f4"), (None, None, np.float32)):
        result = qn.add(a, b, signature=signature)
        assert result.dtype == np.add(x, y, signature=signature).dtype
        np.testing.assert_array_equal(result.get(), x + y)
    if device.has_fp64:
        assert qn.sqrt(a, signature="d->d").dtype == np.sqrt(x, signature="d->d").dtype
        assert qn.matmul(a, b, signature="dd->d").dtype == np.float64
        assert qn.add.outer(a, b, signature="dd->d").dtype == np.float64
    assert qn.add(a, b, signature=None).dtype == np.float32


def test_other_signatures_are_refused(device):
    a = qn.ones(3, "float32", device=device)
    with pytest.raises(TypeError, match="one type"):
        qn.add(a, a, signature="fd->d")
    with pytest.raises(TypeError, match="signature"):
        qn.add(a, a, signature=("nothing",))
    with pytest.raises(TypeError, match="dtype"):
        qn.add(a, a, signature="ff->f", dtype="f4")


def test_array_takes_numpys_keywords(device):
    x = np.arange(6.0, dtype="f4").reshape(2, 3)
    ours = qn.array(x, subok=True, ndmin=3, order="F", device=device)
    theirs = np.array(x, subok=True, ndmin=3, order="F")
    assert ours.shape == theirs.shape
    np.testing.assert_array_equal(ours.get(), theirs)
    assert qn.array([[1, 2]], ndmax=2, device=device).shape == (1, 2)
    with pytest.raises(TypeError, match="ndmax"):
        qn.array([[1, 2]], ndmax=1, device=device)
    assert qn.asarray(x, "f4", "F", device=device).flags.f_contiguous


def test_load_and_save_take_numpys_keywords(device, tmp_path):
    x = qn.arange(5, dtype="int32", device=device)
    qn.save(tmp_path / "x.npy", x, allow_pickle=False)
    for options in ({"mmap_mode": "r"}, {"allow_pickle": True}, {"encoding": "bytes", "fix_imports": False}):
        np.testing.assert_array_equal(qn.load(tmp_path / "x.npy", **options, device=device).get(), x.get())
    with pytest.raises(ValueError):
        qn.load(tmp_path / "x.npy", max_header_size=10)
    objects = io.BytesIO()
    np.save(objects, np.array([{}], object), allow_pickle=True)
    with pytest.raises((TypeError, ValueError)):
        qn.load(io.BytesIO(objects.getvalue()), allow_pickle=True, device=device)


def test_multi_dot_writes_out(device):
    x = np.arange(6.0, dtype="f4").reshape(2, 3)
    a = qn.asarray(x, device=device)
    out = qn.empty((2, 3), "float32", device=device)
    assert qn.linalg.multi_dot([a, a.T, a], out=out) is out
    np.testing.assert_allclose(out.get(), np.linalg.multi_dot([x, x.T, x]), rtol=1e-5)


def test_polyval_of_a_polynomial_is_the_composition():
    inner = qn.poly1d([1, 2])
    for p in ([1, 0, 3], np.poly1d([2, 1]), qn.asarray([1.0, 2.0])):
        ours = qn.polyval(p, inner)
        theirs = np.polyval(p.get() if isinstance(p, qn.Array) else p, np.poly1d([1, 2]))
        assert isinstance(ours, qn.poly1d)
        np.testing.assert_array_equal(ours.coeffs, theirs.coeffs)
    with pytest.raises(TypeError, match="poly1d"):
        qn.polyval([1, 2], len)
