# SPDX-License-Identifier: MIT
"""Fields of structured arrays by name: views of their memory, read and written; NumPy is the oracle."""

import numpy as np
import pytest
from kernels import kernel_in_flight

import quern as qn


def pair(device, shape=(3, 4), dtype=np.int64):
    a = np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape)
    return qn.asarray(a, device=device), a


PARTICLE = np.dtype([("id", "i4"), ("mass", "f4"), ("position", "f4", (3,)), ("alive", "?")], align=True)
NESTED = np.dtype([("head", [("x", "i2"), ("y", "i2"), ("z", "i2")]), ("tail", "f4")], align=True)


def structures(device, dtype=PARTICLE, shape=(4,)):
    a = np.zeros(shape, dtype)
    for number, name in enumerate(dtype.names):
        if dtype[name].names is None:
            a[name] = np.arange(a[name].size).reshape(a[name].shape) + number
    return qn.asarray(a, device=device), a


@pytest.mark.parametrize("name", PARTICLE.names)
@pytest.mark.parametrize("index", [np.s_[...], np.s_[::-2], np.s_[2]], ids=str)
def test_a_field_is_a_view_of_its_memory(device, name, index):
    x, a = structures(device)
    ours, theirs = x[index][name], a[index][name]
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    np.testing.assert_array_equal(ours.get(), theirs)
    if theirs.dtype != bool:
        np.testing.assert_array_equal((ours + 1).get(), theirs + 1)
    x[index][name] = 1
    a[index][name] = 1
    assert x.get().tobytes() == a.tobytes()
    x[name][...] = 0
    a[name][...] = 0
    assert x.get().tobytes() == a.tobytes()


def test_fields_are_written_while_work_is_in_flight(queue):
    dtype = np.dtype([("a", "i4"), ("b", "i4")])
    x = qn.zeros(500, dtype, queue.device)
    added = kernel_in_flight(x.view(np.int32))
    x["b"] = 7
    assert (x.get()["a"] == added).all() and (x.get()["b"] == 7).all()
    x["a"] += x["b"]
    assert (x["a"].get() == added + 7).all()


def test_nested_fields_are_views(device):
    x, a = structures(device, NESTED)
    x["head"]["y"] = a["head"]["y"] = [1, 2, 3, 4]
    assert x.get().tobytes() == a.tobytes()
    assert x["head"].get().tolist() == a["head"].tolist()
    x["head"] = a["head"] = (7, 8, 9)
    x[1]["head"]["z"] = 5
    a[1]["head"]["z"] = 5
    assert x.get().tobytes() == a.tobytes()
    odd = np.dtype([("flag", "i4"), ("inner", [("p", "i4"), ("q", "i4"), ("r", "i4")])])
    y, b = structures(device, odd)
    y["inner"]["q"] = b["inner"]["q"] = 3
    # The stride of 16 bytes is not a multiple of the 12 bytes of an element: the kernel copies them word by word.
    assert y["inner"].copy().get().tobytes() == b["inner"].tobytes()
    y["inner"] = qn.asarray(b["inner"][::-1], device=device)
    b["inner"] = b["inner"][::-1].copy()
    assert y.get().tobytes() == b.tobytes()


def test_several_fields_are_read_together_and_written_one_by_one(device):
    x, a = structures(device)
    both = x[["id", "alive"]]
    assert both.dtype == a[["id", "alive"]].dtype and not both.flags.writeable
    assert both.get().tolist() == a[["id", "alive"]].tolist()
    with pytest.raises(qn.ArgumentError):
        both[...] = np.zeros((), both.dtype)  # would write what is between them
    with pytest.raises(ValueError):
        both.flags.writeable = True
    for value in ((5, True), 0, a[["mass", "alive"]]):
        x[["id", "alive"]] = value
        a[["id", "alive"]] = value
        assert x.get().tobytes() == a.tobytes()
    x[["mass", "id"]] = x[["id", "mass"]]
    a[["mass", "id"]] = a[["id", "mass"]].copy()
    assert x.get().tobytes() == a.tobytes()


def test_fields_that_are_not_there_are_errors(device):
    x, _ = structures(device)
    for names in ("weight", ["id", "weight"]):
        with pytest.raises(ValueError, match="weight"):
            x[names]
        with pytest.raises(ValueError, match="weight"):
            x[names] = 1
    with pytest.raises(IndexError, match="no fields"):
        pair(device)[0]["id"]


PACKED = np.dtype(
    [("a", "u1"), ("b", "i4"), ("c", "c8", (2,)), ("d", [("e", "i2"), ("f", "f8")]), ("g", "?")]
)


@pytest.mark.parametrize("shape", [(), (4,), (2, 3), (0,)])
def test_fields_of_packed_structures_are_read_and_written(device, shape):
    if not device.has_fp64:
        pytest.skip("the structure has a float64")
    a = np.zeros(shape, PACKED)
    a["b"] = np.arange(a.size).reshape(shape) - 2
    a["c"] = np.arange(2 * a.size).reshape((*shape, 2)) * (1 + 2j)
    a["d"]["f"] = 1.5
    x = qn.asarray(a, device=device)
    for name in PACKED.names:
        np.testing.assert_array_equal(x[name].get(), a[name])
    np.testing.assert_array_equal(x["d"]["f"].get(), a["d"]["f"])
    x["b"] = x["b"] * 3 + 1
    a["b"] = a["b"] * 3 + 1
    x["c"] = [1j, 2]
    a["c"] = [1j, 2]
    x["g"] = True
    a["g"] = True
    x.setfield(7, np.int32, 1)
    a.setfield(7, np.int32, 1)
    x[["a", "b"]] = x[["a", "b"]]
    assert x.get().tobytes() == a.tobytes()
    with pytest.raises(ValueError, match=r"broadcast|shape"):
        x["b"] = np.zeros(7)


def test_a_field_of_a_packed_structure_is_a_read_only_copy(device):
    x, a = structures(device, np.dtype([("a", "u1"), ("b", "i4")]))
    assert x["a"].base is x and not x["a"].flags.owndata
    part = x["b"]
    with pytest.raises(ValueError, match="read-only"):
        part[0] = 5
    x["b"] = 9
    np.testing.assert_array_equal(part.get(), a["b"])


def test_parts_of_elements_are_read_and_written(device):
    x, a = pair(device, (3, 4), np.int64)
    np.testing.assert_array_equal(x.getfield(np.int32, 4).get(), a.getfield(np.int32, 4))
    x.setfield(7, np.int16, 2)
    a.setfield(7, np.int16, 2)
    np.testing.assert_array_equal(x.get(), a)
    with pytest.raises(ValueError):
        x.getfield(np.int32, 6)
