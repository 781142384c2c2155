# SPDX-License-Identifier: MIT
"""What numpy.ndarray has beside its functions: base, flat, view, fields, flags, interfaces; NumPy says what is right."""

import collections
import ctypes
import json
import math
import operator
import pickle
import re
import sys

import numpy as np
import pytest
from kernels import kernel_in_flight

import quern as qn

# Names of numpy.ndarray that arrays do without, and why.
ABSENT = {
    "__array_finalize__": "a hook of subclasses, which quern.Array has none of",
    "__array_wrap__": "a hook of subclasses",
    "__array_struct__": "the same as __array_interface__, for C",
    "__class_getitem__": "types of shapes and dtypes are NumPy's own",
    "__delitem__": "NumPy has it to say that elements cannot be deleted; `del x[0]` is a TypeError here",
    "__setstate__": "pickles are read by a function",
}


def pair(device, shape=(3, 4), dtype=np.int64):
    a = np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape)
    return qn.asarray(a, device=device), a


def test_every_name_of_ndarray_is_there_or_has_a_reason():
    # Older versions of NumPy list names that they have given up; newer ones have private ones.
    names = [name for name in dir(np.ndarray) if hasattr(np.zeros((1, 1)), name)]
    is_public = re.compile(r"(?!_)|__").match
    missing = {name for name in names if is_public(name) and not hasattr(qn.Array, name)}
    assert missing == set(ABSENT)


def test_the_base_of_a_view_is_the_array_that_owns_the_memory(device):
    x, _ = pair(device)
    assert x.base is None
    views = [
        x[1],
        x[1:][:, 2],
        x.T,
        x.mT,
        x.reshape(-1),
        x.view(np.uint64),
        x[...],
        qn.swapaxes(x, 0, 1),
        x.ravel(),
        x.squeeze(),
        qn.flip(x),
        qn.split(x, 3)[1],
        x[1:].view(),
    ]
    for number, view in enumerate(views):
        assert view.base is x, number
    copies = [
        x + 1,
        x.copy(),
        x[[0, 1]],
        x[1, 2],
        x.flatten(),
        x.T.reshape(-1),
        qn.zeros((2, 2), device=device, order="F"),
    ]
    for number, copy in enumerate(copies):
        assert copy.base is None, number
    buffer = qn.Buffer(64, device=device)
    whole = qn.Array(buffer, np.int32, 16)
    assert whole.base is buffer and whole[1:].base is whole


def test_a_view_of_an_expression_has_a_base_too(device):
    x, a = pair(device)
    total = x + x
    rows = total[1:]
    np.testing.assert_array_equal(total.get(), a + a)
    rows[...] = -1
    np.testing.assert_array_equal(total.get()[1:], np.full((2, 4), -1))
    assert rows.base is rows.base and rows.base.size == 12


LAYOUTS = [np.s_[...], np.s_[:, 1:3], np.s_[::-1], np.s_[:, ::2], np.s_[1]]


@pytest.mark.parametrize("index", LAYOUTS, ids=str)
@pytest.mark.parametrize(
    "key", [0, -1, np.s_[::2], np.s_[3:0:-1], [0, 2, 1], np.array([1, 3]), np.s_[...], np.s_[5:2]], ids=str
)
def test_flat_is_numpys(device, index, key):
    x, a = pair(device)
    x, a = x[index], a[index]
    np.testing.assert_array_equal(x.flat[key].get(), a.flat[key])
    whole = x.base
    x.flat[key] = 70
    a.flat[key] = 70
    np.testing.assert_array_equal(x.get(), a)
    np.testing.assert_array_equal(whole.get(), a.base if a.base.ndim == 2 else a.base.reshape(3, 4))
    if isinstance(key, int):
        with pytest.raises(ValueError):
            x.flat[key] = [8, 9]
        return
    x.flat[key] = [8, 9]  # values are repeated
    a.flat[key] = [8, 9]
    np.testing.assert_array_equal(x.get(), a)


def test_flat_is_iterated_assigned_and_counted(device):
    x, a = pair(device)
    assert len(x.flat) == 12 and [int(v) for v in x.T.flat] == list(a.T.flat)
    ours, theirs = x.flat, a.flat
    for _ in range(6):
        assert int(next(ours)) == next(theirs)
    assert (ours.index, ours.coords) == (theirs.index, theirs.coords) and ours.base is x
    x.T.flat, a.T.flat = range(12, 0, -1), range(12, 0, -1)
    np.testing.assert_array_equal(x.get(), a)
    x.flat = 3
    assert (x.get() == 3).all()
    np.testing.assert_array_equal(np.asarray(x.flat), np.full(12, 3))
    np.testing.assert_array_equal((x.flat == 3).get(), np.ones(12, bool))
    square, b = pair(device, (4, 4))
    part, c = square[:3, :3], b[:3, :3]
    part.flat[:: 3 + 1] = c.flat[:: 3 + 1] = 1  # the diagonal, of memory without one stride
    np.testing.assert_array_equal(square.get(), b)
    mask = np.arange(12) % 3 == 0
    np.testing.assert_array_equal(x.flat[qn.asarray(mask, device=device)].get(), np.full(4, 3))


def test_flat_refuses_what_numpy_refuses(device):
    x, _ = pair(device)
    for key in (12, -13, (1, 2), None, "a"):
        with pytest.raises(IndexError):
            x.flat[key]
    with pytest.raises(ValueError):
        x.flat[:] = []


VIEWS = [
    ((3, 4), np.int64, np.s_[...], np.float64),
    ((3, 4), np.int64, np.s_[:, ::2], np.uint64),
    ((3, 4), np.int64, np.s_[::-1], np.int32),
    ((3, 4), np.int32, np.s_[...], np.int64),
    ((3, 4), np.int32, np.s_[...], np.uint8),
    ((3, 4), np.int32, np.s_[1:, 2:], np.int64),
    ((3, 8), np.float32, np.s_[:, 4:], np.complex64),
    ((5,), np.complex64, np.s_[1:], np.float32),
    ((4, 1), np.int16, np.s_[::2], np.uint8),
    ((0, 4), np.int32, np.s_[...], np.int64),
    ((), np.int32, np.s_[...], np.float32),
]


@pytest.mark.parametrize(("shape", "dtype", "index", "wanted"), VIEWS)
def test_a_view_of_another_dtype_shares_the_memory(device, shape, dtype, index, wanted):
    x, a = pair(device, shape, dtype)
    ours, theirs = x[index].view(wanted), a[index].view(wanted)
    assert (ours.dtype, ours.shape, ours.strides if a.size else ()) == (
        theirs.dtype,
        theirs.shape,
        theirs.strides if a.size else (),
    )
    assert ours.get().tobytes() == theirs.tobytes()
    ours[...] = 1
    theirs[...] = 1
    assert x.get().tobytes() == a.tobytes()


def test_a_view_waits_for_what_is_enqueued_on_the_memory(queue):
    x = qn.zeros(1000, np.int32, queue.device)
    added = kernel_in_flight(x)
    halves = x.view(np.int16)
    assert (halves.get()[::2] == added).all()
    kernel_in_flight(x)
    halves[1::2] = 1  # the upper halves, after the kernel
    assert (x.get() == 2 * added + (1 << 16)).all()


@pytest.mark.parametrize(
    ("shape", "dtype", "index", "wanted"),
    [
        ((3, 4), np.int32, np.s_[:, ::2], np.int64),
        ((3, 4), np.int32, np.s_[:, ::2], np.int16),
        ((3, 3), np.int32, np.s_[...], np.int64),
        ((), np.int32, np.s_[...], np.int16),
        ((3, 4), np.int64, np.s_[...], [("a", "u1"), ("b", "i4")]),
    ],
)
def test_views_that_numpy_refuses_are_value_errors(device, shape, dtype, index, wanted):
    x, a = pair(device, shape, dtype)
    with pytest.raises(ValueError):
        a[index].view(wanted)
    with pytest.raises(qn.ArgumentValueError, match="view: "):
        x[index].view(wanted)


def test_views_that_no_kernel_could_address_are_refused(device):
    x, _ = pair(device, (9,), np.uint8)
    with pytest.raises(qn.ArgumentValueError, match=r"must be aligned to 4 bytes.*copy"):
        x[1:].view(np.int32)
    assert x[1:].copy().view(np.int32).shape == (2,)
    for wrong in ({"dtype": np.ndarray}, {"type": np.matrix}):
        with pytest.raises(qn.ArgumentTypeError, match=r"numpy\.asarray"):
            x.view(**wrong)
    assert x.view(qn.Array).base is x and x.view(type=qn.Array).shape == (9,)


def test_vectors_and_numbers_are_views_of_each_other(device):
    x, a = pair(device, (2, 8), np.float32)
    vectors = x.view(qn.vec.float4)
    assert vectors.shape == (2, 2)
    np.testing.assert_array_equal(vectors["y"].get(), a[:, 1::4])
    vectors["w"] = -1
    a[:, 3::4] = -1
    np.testing.assert_array_equal(x.get(), a)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("index", [np.s_[...], np.s_[:, ::-2]], ids=str)
def test_real_and_imaginary_parts_are_views(device, dtype, index):
    x, a = pair(device, (3, 4), dtype)
    x, a = x * (1 + 2j), a * dtype(1 + 2j)
    x.real[index] = 7
    a.real[index] = 7
    x[index].imag += 1
    a[index].imag += 1
    np.testing.assert_array_equal(x.get(), a)
    x.real, a.real = a.imag.copy(), a.imag.copy()
    x.imag = a.imag = 3
    np.testing.assert_array_equal(x.get(), a)
    np.testing.assert_array_equal((x * x).real.get(), (a * a).real)


def test_a_part_of_a_temporary_is_computed_with_it(device):
    x, a = pair(device, (100,), np.complex64)
    before = qn.stats().launches
    np.testing.assert_array_equal((x * x + 1).real.get(), (a * a + 1).real)
    if sys.version_info < (3, 14):
        assert qn.stats().launches == before + 1
    product = x * x
    product.real[:] = 5  # a name sees it
    np.testing.assert_array_equal(product.get(), (a * a).imag * 1j + 5)


def test_parts_of_real_numbers_are_numpys(device):
    x, a = pair(device)
    x.real = a.real = 5
    np.testing.assert_array_equal(x.get(), a)
    np.testing.assert_array_equal(x.imag.get(), a.imag)
    with pytest.raises(TypeError, match="imaginary"):
        x.imag = 1


def test_a_shape_is_set_where_no_copy_is_needed(device):
    x, a = pair(device)
    flat = x.reshape(-1)
    for shape in ((2, 6), -1, (3, -1, 2), [12], (3, 4)):
        x.shape, a = shape, a.reshape(shape)
        assert x.shape == a.shape
        np.testing.assert_array_equal(x.get(), a)
    flat[0] = 99
    assert int(x[0, 0]) == 99
    turned = x.T
    with pytest.raises(AttributeError, match="reshape"):
        turned.shape = (12,)
    assert turned.shape == (4, 3)
    with pytest.raises(ValueError, match="reshape"):
        x.shape = (5,)
    pending = x + 1
    pending.shape = (12,)
    np.testing.assert_array_equal(pending.get(), (x.get() + 1).reshape(-1))


def test_what_cannot_be_set_says_what_to_do(device):
    x, _ = pair(device)
    with pytest.raises(AttributeError, match=r"view\(dtype\).*astype"):
        x.dtype = np.float64
    with pytest.raises(AttributeError, match=r"quern\.Array\(x\.buffer"):
        x.strides = (8, 8)
    for name in ("size", "ndim", "base", "flags", "T", "nbytes"):
        with pytest.raises(AttributeError):
            setattr(x, name, 1)


FLAGS = (
    "C_CONTIGUOUS",
    "F_CONTIGUOUS",
    "WRITEABLE",
    "ALIGNED",
    "OWNDATA",
    "WRITEBACKIFCOPY",
    "FNC",
    "FORC",
    "CARRAY",
    "BEHAVED",
)


@pytest.mark.parametrize(
    "index", [np.s_[...], np.s_[1], np.s_[:, 1], np.s_[::-1], np.s_[:0], np.s_[:1], np.s_[:, :1]], ids=str
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_flags_are_numpys(device, index, order):
    a = np.zeros((3, 4), np.float32, order)
    x = qn.zeros((3, 4), np.float32, order=order, device=device)
    assert x.flags.owndata and x.flags["F_CONTIGUOUS"] == (order == "F")
    ours, theirs = x[index].flags, a[index].flags
    for name in FLAGS:
        assert (name, ours[name]) == (name, theirs[name])
        assert getattr(ours, name.lower()) == theirs[name]
    assert ours["C"] == theirs["C"] and ours["W"] and "C_CONTIGUOUS" in repr(ours)
    with pytest.raises(KeyError, match="Unknown flag"):
        ours["SHINY"]


def test_arrays_can_be_closed_for_writing(device):
    x, a = pair(device)
    view = x[1:]
    x.flags.writeable = False
    late = x[1:]
    for target in (x, late):
        for write in (
            lambda t: t.__setitem__(0, 1),
            lambda t: t.fill(1),
            lambda t: t.set(np.zeros(t.shape, t.dtype)),
            lambda t: operator.iadd(t, 1),
            lambda t: qn.add(t, 1, out=t),
            lambda t: t.sort(),
        ):
            with pytest.raises(qn.ArgumentError):
                write(target)
    np.testing.assert_array_equal(x.get(), a)
    view[...] = 5  # made before, as in NumPy
    with pytest.raises(ValueError):
        late.setflags(write=True)
    x.setflags(write=True)
    late.setflags(write=True)
    late[0] = 6
    assert x[1].get().tolist() == [6] * 4
    with pytest.raises(ValueError, match="align"):
        x.setflags(align=False)
    x.setflags()
    with pytest.raises(ValueError, match="WRITEABLE"):
        x.flags["C"] = False


def test_read_only_memory_of_others_stays_closed():
    a = np.arange(4)
    a.flags.writeable = False
    x = qn.asarray(a, device="host", copy=False)
    assert not x.flags.writeable and not x.flags.owndata
    with pytest.raises(ValueError):
        x.flags.writeable = True


def test_an_array_is_resized_in_place(device):
    for shape in ((2, 3), (5, 5), (7,), (0,), ((2, 2),)):
        for order in "CF":
            a = np.arange(12).reshape((3, 4), order=order)
            x = qn.asarray(a, device=device, order=order)
            a = a.copy(order=order)
            x.resize(*shape)
            a.resize(*shape)
            assert x.shape == a.shape and x.base is None
            np.testing.assert_array_equal(x.get(), a)
    x, a = pair(device)
    view = x[1]
    x.resize((2, 2), refcheck=False)
    np.testing.assert_array_equal(view.get(), a[1])
    with pytest.raises(ValueError, match="own"):
        view.resize(3)


def test_arrays_go_to_files_and_pickles(device, tmp_path):
    x, a = pair(device)
    x.tofile(tmp_path / "bytes")
    assert (tmp_path / "bytes").read_bytes() == a.tobytes()
    x.tofile(tmp_path / "text", sep=",", format="%d")
    assert (tmp_path / "text").read_text() == ",".join(map(str, range(12)))
    x.dump(tmp_path / "pickle")
    with open(tmp_path / "pickle", "rb") as file:
        found = [pickle.load(file), pickle.loads(x.dumps())]
    for one in found:
        assert one.device == device
        np.testing.assert_array_equal(one.get(), a)
    for order in ("C", "F", "A", "K", None):
        assert x.tobytes(order) == a.tobytes(order)
        assert x.T.tobytes(order) == a.T.tobytes(order)


def test_pillows_interface_is_the_memory_of_the_host(device):
    x = qn.asarray(np.arange(12, dtype=np.uint8).reshape(3, 4), device=device)
    if not device.shares_host_memory:
        for name in ("__array_interface__", "data", "ctypes"):
            assert not hasattr(x, name)
        np.testing.assert_array_equal(np.asarray(x), x.get())
        return
    x += 1  # which the interface waits for
    for ours, theirs in ((x, x.get()), (x.T, x.get().T), (x[:, ::2], x.get()[:, ::2])):
        found, expected = ours.__array_interface__, theirs.__array_interface__
        assert {key: found[key] for key in ("shape", "typestr", "version")} == {
            key: expected[key] for key in ("shape", "typestr", "version")
        }
        pointer, is_read_only = found["data"]
        first = ctypes.c_uint8.from_address(pointer).value
        assert first == theirs.flat[0] and is_read_only is False

        class Holder:
            __array_interface__ = found

        np.testing.assert_array_equal(np.asarray(Holder()), theirs)
    assert x.__array_interface__["strides"] is None
    seen = np.asarray(Holder())
    x[...] = 9  # others see it when it returns
    assert (seen == 9).all()
    x.flags.writeable = False
    assert x.__array_interface__["data"][1] is True
    assert x.data.tobytes() == x.tobytes() and x.ctypes.data == x.__array_interface__["data"][0]


def test_numpy_still_converts_and_shares_as_before(device):
    x, a = pair(device)
    assert np.asarray(x, dtype=np.float32).dtype == np.float32
    np.testing.assert_array_equal(np.array(x), a)
    vectors = qn.zeros(3, qn.vec.float4, device)
    assert not hasattr(vectors, "__array_interface__")
    assert np.asarray(vectors).dtype == vectors.dtype


def test_images_are_made_of_arrays():
    image = pytest.importorskip("PIL.Image")
    a = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    x = qn.asarray(a, device="host")
    np.testing.assert_array_equal(np.asarray(image.fromarray(x)), a)
    np.testing.assert_array_equal(np.asarray(image.fromarray(x[:, ::2])), a[:, ::2])


def test_elements_are_hashed_as_their_numbers(device):
    i, _ = pair(device, (5,))
    f = qn.asarray(np.float32([0.5, 0.5, 2]), device=device)
    c = qn.asarray(np.complex64([1 + 2j]), device=device)
    assert hash(i[3]) == hash(3) and hash(f[0]) == hash(0.5) and hash(c[0]) == hash(1 + 2j)
    assert hash(i.sum()) == hash(10)
    assert len(set(f)) == 2 and {2: "two"}[i[2]] == "two" and i[2] in {2}
    assert collections.Counter(f) == {0.5: 2, 2.0: 1}
    for x in (i, i[:1], i.reshape(5, 1)):
        with pytest.raises(TypeError, match="unhashable type"):
            hash(x)
    with pytest.raises(TypeError, match="unhashable type"):
        hash(qn.zeros(2, [("a", "i4"), ("b", "f4")], device)[0])


def test_elements_are_used_as_numbers(device):
    i, _ = pair(device, (5,))
    f = qn.asarray(np.float32([3.75, -2.5, 4]), device=device)
    three, x = i[3], f[0]
    assert f"{x:.3f}" == "3.750" and "%d" % three == "3" and f"{three:03d}" == "003" and str(x) == "3.75"  # noqa: UP031
    assert (round(x), math.floor(x), math.ceil(x), math.trunc(f[1]), int(x)) == (4, 3, 4, -2, 3)
    assert float(round(x, 1)) == np.round(np.float32(3.75), 1)
    assert list(range(three)) == [0, 1, 2] and "abcd"[three] == "d" and [1, 2, 3][: i[1]] == [1]
    assert tuple(map(float, divmod(x, 2))) == divmod(3.75, 2)
    assert json.dumps({"a": x}, default=float) == '{"a": 3.75}'
    assert (float(x), complex(x), bool(i[0]), x.item()) == (3.75, 3.75 + 0j, False, 3.75)
    assert (f[2].is_integer(), x.is_integer(), three.is_integer()) == (True, False, True)
    assert x.as_integer_ratio() == (15, 4) and three.as_integer_ratio() == (3, 1)
    assert math.sqrt(f[2]) == 2 and hex(three) == "0x3" and max(f) == 4 and sorted(f)[0] == -2.5
    before = i[0]
    i[0] = 7
    assert before == 0 and hash(before) == 0  # it does not follow the array
    for name in ("is_integer", "as_integer_ratio"):
        with pytest.raises(TypeError):
            getattr(f, name)()


def test_fortran_order_is_strides(device):
    a = np.arange(6.0).reshape(2, 3)
    x = qn.asarray(a, device=device)
    made = [
        qn.zeros((2, 3), order="F", device=device),
        qn.ones((2, 3), order="F", device=device),
        qn.empty((2, 3), order="F", device=device),
        qn.full((2, 3), 2.0, order="F", device=device),
        qn.zeros_like(x, order="F"),
        qn.full_like(x, 2.0, order="F"),
        qn.asarray(a, order="F", device=device),
        qn.array(a, order="F", device=device),
        qn.asfortranarray(x),
        qn.Array((2, 3), np.float64, "F", device=device),
        x.copy(order="F"),
        x.astype(np.float64, order="F"),
        (x + 0).copy(order="F"),
    ]
    for number, one in enumerate(made):
        assert (number, one.strides) == (number, (8, 16))
        assert one.flags.f_contiguous and not one.flags.c_contiguous and one.flags.owndata
    turned = x.reshape((3, 2), order="F")
    np.testing.assert_array_equal(turned.get(), a.reshape((3, 2), order="F"))
    for function in ("ravel", "flatten"):
        for order in "CFAK":
            ours, theirs = getattr(made[6], function)(order), getattr(np.asfortranarray(a), function)(order)
            np.testing.assert_array_equal(ours.get(), theirs)
    assert np.shares_memory(a, a.ravel()) and made[6].ravel("F").base is made[6]
    made[6][0] += 1
    expected = np.asfortranarray(a)
    expected[0] += 1
    np.testing.assert_array_equal(made[6].get(), expected)
    assert made[6].tobytes("A") == expected.tobytes("A")


@pytest.mark.parametrize("dtype", ["bool", "int32", "float32", "complex64"])
def test_parts_are_computed_without_python(device, dtype, monkeypatch):
    values = np.arange(4).astype(dtype) + (np.complex64(2j) if dtype == "complex64" else np.zeros((), dtype))
    x = qn.asarray(values, device=device)
    for name in ("real", "imag", "conj", "empty"):
        monkeypatch.setattr(qn, name, None)
        monkeypatch.setattr(qn._functions, name, None, raising=False)
    for got, expected in (
        (x.real, values.real),
        (x.imag, values.imag),
        ((x + x).real, (values + values).real),
        ((x + x).imag, (values + values).imag),
        (x.conj(), values.conj()),
        ((x * 1).conjugate(), (values * 1).conjugate()),
    ):
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got.get(), expected)
    assert (x.conj() is x) == (dtype != "complex64")


def test_new_arrays_by_the_class(device):
    with qn.device(device):
        default = "float64" if device.has_fp64 else "float32"
        assert qn.Array((2, 3)).dtype == default and qn.Array(4, "int8").shape == (4,)
        assert qn.Array((2, 3), "float32", "F").strides == (4, 8)
    for made in (
        qn.Array(3, "float32", device=device),
        qn.Array(3, "float32", device.spec),
        qn.Array(3, queue=qn.Queue(device)),
    ):
        assert made.device == device
    record = np.dtype([("a", "f4"), ("b", "i4")])
    assert qn.Array(2, record, device=device).dtype == record
    with pytest.raises(qn.ArgumentError, match="order"):
        qn.Array(3, "float32", device.spec, device=device)
    with pytest.raises(ValueError, match="Array"):
        qn.Array(3, "float32", "X")
    with pytest.raises(ValueError):
        qn.Array(-1)
