# SPDX-License-Identifier: MIT
"""Structures: their C definition, their layout on the device, and as kernel arguments."""

import numpy as np
import pytest
from test_kernel import build_or_skip

import quern as qn

PARTICLE = np.dtype([("id", "i4"), ("mass", "f8"), ("position", "f4", (3,)), ("alive", "?")], align=True)
PACKED = np.dtype([("a", "u1"), ("b", "i4"), ("c", "i2")])
GAPS = np.dtype({"names": ["a", "b"], "formats": ["i4", "i4"], "offsets": [4, 12], "itemsize": 24})
NESTED = np.dtype([("head", [("x", "i2"), ("y", "i4")]), ("tail", "f4", (2, 2))], align=True)
VECTORS = np.dtype([("a", "f4"), ("v", qn.vec.float4)])


def test_the_definition_reads_like_c():
    text = qn.struct_definition(PARTICLE, name="particle")
    assert text.startswith("struct particle {")
    for line in ("int id;", "double mass;", "float position[3];", "uchar alive;"):
        assert line in text
    assert "packed" not in text


def test_a_packed_dtype_is_a_packed_struct():
    assert "packed" in qn.struct_definition(PACKED)


def test_gaps_become_padding():
    text = qn.struct_definition(GAPS)
    assert text.count("padding") == 3


def test_nested_structures_come_first():
    text = qn.struct_definition(NESTED, "outer")
    assert text.index("struct outer_head {") < text.index("struct outer {")
    assert "float tail[2][2];" in text


def test_members_of_several_dimensions_stay_what_they_are(device):
    matrix = np.dtype([("m", "f4", (2, 3)), ("n", "i4", (1,))])
    values = np.zeros(5, matrix)
    values["m"] = np.arange(30).reshape(5, 2, 3)
    add = qn.ReductionKernel(
        matrix,
        "zero()",
        "added(a, b)",
        preamble="""
item_t zero(void) { item_t r; for (int k = 0; k < 6; ++k) r.m[k / 3][k % 3] = 0; r.n[0] = 0; return r; }
item_t added(item_t a, item_t b) { for (int k = 0; k < 6; ++k) a.m[k / 3][k % 3] += b.m[k / 3][k % 3]; return a; }
""",
    )
    got = add(qn.asarray(values, device=device)).get()
    assert got.dtype == matrix
    np.testing.assert_array_equal(got["m"], values["m"].sum(axis=0))


def test_a_structure_has_no_c_type_name():
    assert [qn.c_type_name(t) for t in ("f4", "?", "c8", qn.vec.float4)] == [
        "float",
        "uchar",
        "float2",
        "float4",
    ]
    with pytest.raises(qn.ArgumentTypeError, match="is a structure"):
        qn.c_type_name(PARTICLE)
    with pytest.raises(qn.ArgumentTypeError):
        qn.c_type_name("U3")


@pytest.mark.parametrize("dtype", ["f4", np.dtype([("a", "U3")])])
def test_a_definition_of_another_dtype_is_an_error(dtype):
    with pytest.raises(qn.ArgumentTypeError):
        qn.struct_definition(dtype)


def test_overlapping_members_are_an_error():
    dtype = np.dtype({"names": ["a", "b"], "formats": ["i4", "i4"], "offsets": [0, 2]})
    with pytest.raises(qn.ArgumentValueError, match="overlaps"):
        qn.struct_definition(dtype)


@pytest.mark.parametrize(
    "dtype", [PARTICLE, PACKED, GAPS, NESTED], ids=["aligned", "packed", "gaps", "nested"]
)
def test_the_device_agrees_with_numpy(device, dtype):
    build_or_skip("struct s { int a; }; kernel void f(global struct s *p) { p->a = 1; }", device)
    try:
        definition = qn.check_struct_layout(dtype, device)
    except qn.BuildError as error:
        if device.backend != "opencl" and "support" in str(error):
            pytest.skip(str(error).splitlines()[0])
        raise
    assert definition == qn.struct_definition(dtype)


def test_structures_are_arguments(queue):
    program = build_or_skip(
        qn.struct_definition(PARTICLE, "particle")
        + """
        kernel void copy(global struct particle *out, struct particle one) {
          out[get_global_id(0)] = one;
        }
        """,
        queue.device,
    )
    one = np.zeros((), PARTICLE)
    one["id"], one["mass"], one["position"], one["alive"] = 7, 2.5, (1, 2, 3), True
    for value in (one[()], one):
        out = qn.zeros(3, PARTICLE, queue.device)
        program.copy(queue, 3, None, out, value)
        assert (out.get() == one).all()
    out = qn.zeros(3, PARTICLE, queue.device)
    for wrong in (np.zeros((), PACKED)[()], 1, (7, 2.5)):
        with pytest.raises(qn.ArgumentTypeError):
            program.copy(queue, 3, None, out, wrong)


@pytest.mark.parametrize("dtype", [PACKED, GAPS, NESTED], ids=["packed", "gaps", "nested"])
def test_structures_of_every_layout_are_arguments(queue, dtype):
    program = build_or_skip(
        qn.struct_definition(dtype)
        + "kernel void copy(global struct record *out, struct record one) { out[0] = one; }",
        queue.device,
    )
    one = np.frombuffer(np.arange(1, dtype.itemsize + 1, dtype=np.uint8), dtype)[0]
    out = qn.zeros(1, dtype, queue.device)
    program.copy(queue, 1, None, out, one)
    assert out.get()[0] == one


def test_vector_types_are_dtypes():
    assert qn.vec.float4.itemsize == 16
    assert qn.vec.float3.itemsize == 16
    assert qn.vec.int2.names == ("x", "y")
    assert qn.vec.uchar16.names[-1] == "sf"
    assert "float4" in dir(qn.vec)
    with pytest.raises(AttributeError):
        _ = qn.vec.float5
    assert "float4 v;" in qn.struct_definition(np.dtype([("v", qn.vec.float4)]))


def test_a_structure_with_another_layout_is_an_error_that_names_the_member(queue):
    program = build_or_skip(
        "struct pair { int a; float b; }; kernel void f(global struct pair *o, struct pair x) { o[0] = x; }",
        queue.device,
    )
    right = np.dtype([("a", "i4"), ("b", "f4")])
    wrong = np.dtype([("a", "i4"), ("b", "i4")])
    with pytest.raises(qn.ArgumentTypeError, match=r"'b', int32 at byte 4.*'b', float32 at byte 4"):
        program.f(queue, 1, None, qn.zeros(1, right, queue.device), np.zeros((), wrong)[()])
    with pytest.raises(qn.ArgumentTypeError, match=r"'b', int32 at byte 4.*'b', float32 at byte 4"):
        program.f(queue, 1, None, qn.zeros(1, wrong, queue.device), np.zeros((), right)[()])
