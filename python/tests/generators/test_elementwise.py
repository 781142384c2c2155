# SPDX-License-Identifier: MIT
"""ElementwiseKernel on every device, in both loop structures, against NumPy."""

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import quern as qn

LIN_COMB = qn.ElementwiseKernel(
    "float a, const float *x, float b, const float *y, float *z",
    "z[i] = a * x[i] + b * y[i]",
    name="lin_comb",
)
ADD = qn.ElementwiseKernel("const int *x, const int *y, int *z", "z[i] = x[i] + 10 * y[i]", name="add")
NAMED = qn.ElementwiseKernel("T x, T y", "T z", "z = x + 10 * y", name="named_add")


def view(array, strides, offset=0, shape=None):
    """A strided view, as NumPy's as_strided makes it: strides and offset in elements."""
    size = array.itemsize
    return qn.Array(
        array.buffer,
        array.dtype,
        array.shape if shape is None else shape,
        strides=[s * size for s in strides],
        offset=offset * size,
    )


@pytest.mark.parametrize("size", [0, 1, 3, 255, 256, 257, 1025, 100003])
def test_every_element_is_computed_and_nothing_beyond(device, size):
    rng = np.random.default_rng(size)
    x, y = rng.random(size, np.float32), rng.random(size, np.float32)
    z = qn.asarray(np.full(size + 5, -1, np.float32), device=device)
    target = view(z, [1], shape=(size,))
    LIN_COMB(5, qn.asarray(x, device=device), 6, qn.asarray(y, device=device), target)
    np.testing.assert_array_equal(z.get()[:size], np.float32(5) * x + np.float32(6) * y)
    np.testing.assert_array_equal(z.get()[size:], -1)


def test_a_missing_output_is_allocated_in_the_shape_of_the_operands(device):
    x = qn.asarray(np.arange(4, dtype=np.int32), device=device)
    y = qn.asarray(np.arange(3, dtype=np.int32).reshape(3, 1), device=device)
    z = ADD(x, y)
    assert z.shape == (3, 4) and z.dtype == np.int32 and z.device == device
    np.testing.assert_array_equal(z.get(), x.get() + 10 * y.get())


def test_operands_are_taken_by_name_too(device):
    x = qn.asarray(np.arange(4, dtype=np.int32), device=device)
    np.testing.assert_array_equal(ADD(y=x, x=x).get(), 11 * x.get())
    np.testing.assert_array_equal(ADD(x, y=x, z=None).get(), 11 * x.get())


SHAPES = [
    ((6,), ()),
    ((5, 1), (1, 7)),
    ((2, 3, 4), (4,)),
    ((2, 1, 4), (3, 1)),
    ((2, 3, 1, 5, 2), (3, 4, 1, 2)),
    ((8, 16), (8, 1)),
]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_operands_broadcast_as_numpy_has_it(device, shapes):
    rng = np.random.default_rng(1)
    x, y = (rng.integers(-100, 100, shape, np.int32) for shape in shapes)
    z = ADD(qn.asarray(x, device=device), qn.asarray(y, device=device))
    np.testing.assert_array_equal(z.get(), x + 10 * y)


@given(data=st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_strided_views_of_any_shape_are_read_and_written(device, data):
    rank = data.draw(st.integers(1, 4))
    shape = tuple(data.draw(st.lists(st.integers(1, 6), min_size=rank, max_size=rank)))
    steps = data.draw(st.lists(st.sampled_from([1, 2, 3, -1, -2]), min_size=rank, max_size=rank))
    axes = data.draw(st.permutations(range(rank)))
    backing = np.arange(7**rank * 4**rank, dtype=np.int32)
    whole = backing.reshape([28] * rank)
    chosen = tuple(slice(0 if step > 0 else 20, None, step) for step in steps)
    source = whole[chosen].transpose(axes)[tuple(slice(0, n) for n in shape)]
    shape = source.shape
    offset = (source.__array_interface__["data"][0] - backing.__array_interface__["data"][0]) // 4
    strides = [s // 4 for s in source.strides]
    x = view(qn.asarray(backing, device=device), strides, offset, shape)
    target = qn.asarray(np.full_like(backing, -7), device=device)
    z = view(target, strides, offset, shape)
    y = qn.asarray(np.arange(shape[-1], dtype=np.int32), device=device)
    ADD(x, y, z)
    expected = np.full_like(backing, -7)
    flat = [
        offset + sum(i * s for i, s in zip(index, strides, strict=True))
        for index in itertools.product(*map(range, shape))
    ]
    expected[flat] = (source + 10 * np.arange(shape[-1], dtype=np.int32)).ravel()
    np.testing.assert_array_equal(target.get(), expected)


def test_continue_leaves_an_element_alone(device):
    kernel = qn.ElementwiseKernel("const int *x, int *y", "if (x[i] % 3 == 0) continue; y[i] = x[i]")
    x = np.arange(1000, dtype=np.int32)
    y = qn.asarray(np.full(1000, -1, np.int32), device=device)
    kernel(qn.asarray(x, device=device), y)
    np.testing.assert_array_equal(y.get(), np.where(x % 3 == 0, -1, x))


def test_an_output_written_on_some_paths_keeps_its_other_elements(device):
    kernel = qn.ElementwiseKernel(
        "const int *x, int *y", "if (x[i] & 1) y[i] = x[i]; else if (x[i] & 2) y[i] += 1"
    )
    x = np.arange(1003, dtype=np.int32)
    y = qn.asarray(np.full(1003, 5, np.int32), device=device)
    kernel(qn.asarray(x, device=device), y)
    np.testing.assert_array_equal(y.get(), np.where(x & 1, x, np.where(x & 2, 6, 5)))


def test_a_pointer_that_is_used_otherwise_sees_all_elements(device):
    kernel = qn.ElementwiseKernel("const float *x, float *y", "y[i] = i > 0 ? x[i] - x[i - 1] : x[i]")
    x = np.random.default_rng(2).random(1001, np.float32)
    y = qn.empty(1001, np.float32, device)
    kernel(qn.asarray(x, device=device), y)
    np.testing.assert_array_equal(y.get(), np.diff(x, prepend=np.float32(0)))


def test_a_name_for_the_index_inside_the_operation_is_not_the_index(device):
    kernel = qn.ElementwiseKernel(
        "const int *x, int *y, int n", "int sum = 0; for (int i = 0; i < n; i++) sum += x[i]; y[i] = sum"
    )
    x = qn.asarray(np.arange(10, dtype=np.int32), device=device)
    y = qn.zeros(10, np.int32, device)
    kernel(x, y, 4)
    np.testing.assert_array_equal(y.get(), 6)


def test_macros_of_the_preamble_may_use_the_arguments(device):
    kernel = qn.ElementwiseKernel(
        "const int *x, int *y", "y[i] = AT(i)", preamble="#define AT(k) (x[(k)] * 2)"
    )
    x = qn.asarray(np.arange(10, dtype=np.int32), device=device)
    y = qn.zeros(10, np.int32, device)
    kernel(x, y)
    np.testing.assert_array_equal(y.get(), 2 * x.get())


@pytest.mark.parametrize(
    "chosen", [slice(None), slice(3, None, 4), slice(None, 10), slice(50, 2, -3), slice(7, 7)], ids=str
)
def test_ranges_and_slices_choose_the_elements(device, chosen):
    kernel = qn.ElementwiseKernel("int *x", "x[i] = -x[i]")
    values = np.arange(100, dtype=np.int32)
    expected = values.copy()
    expected[chosen] *= -1
    x = qn.asarray(values, device=device)
    kernel(x, slice=chosen)
    np.testing.assert_array_equal(x.get(), expected)
    x = qn.asarray(values, device=device)
    kernel(x, range=range(*chosen.indices(100)))
    np.testing.assert_array_equal(x.get(), expected)


DTYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float32",
    "float64",
    "complex64",
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_open_types_are_those_of_the_arrays(device, dtype):
    if dtype == "float64" and not device.has_fp64:
        pytest.skip("needs fp64")
    copy = qn.ElementwiseKernel("T x", "T y", "T t = x; y = t", name=f"copy_{dtype}")
    x = (np.arange(1001) % 100).astype(dtype)
    y = copy(qn.asarray(x, device=device))
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(y.get(), x)


def test_numbers_are_inputs_of_cupys_form(device):
    x = qn.asarray(np.arange(9, dtype=np.float32), device=device)
    np.testing.assert_array_equal(NAMED(x, 2).get(), x.get() + 20)
    np.testing.assert_array_equal(NAMED(np.float32(3), x).get(), 3 + 10 * x.get())


def test_cupys_form_has_raw_arrays_an_index_and_a_count(device):
    reverse = qn.ElementwiseKernel("raw T x", "T y", "y = x[n - 1 - i]", "reverse")
    x = qn.asarray(np.arange(77, dtype=np.int32), device=device)
    y = qn.empty(77, np.int32, device)
    reverse(x, y)
    np.testing.assert_array_equal(y.get(), x.get()[::-1])


def test_structures_are_elements_too(device):
    point = np.dtype([("x", np.float32), ("y", np.float32), ("id", np.int32)], align=True)
    kernel = qn.ElementwiseKernel(
        "struct point *p, float scale, const int *ids",
        "p[i].x *= scale; p[i].y += p[i].x; p[i].id = ids[i]",
        preamble=qn.struct_definition(point, "point"),
    )
    values = np.zeros(101, point)
    values["x"], values["y"] = np.arange(101), 1
    p = qn.asarray(values, device=device)
    ids = np.arange(101, dtype=np.int32)[::-1].copy()
    kernel(p, 3, qn.asarray(ids, device=device))
    np.testing.assert_array_equal(p.get()["x"], 3 * values["x"])
    np.testing.assert_array_equal(p.get()["y"], 1 + 3 * values["x"])
    np.testing.assert_array_equal(p.get()["id"], ids)


def test_vector_types_take_arrays_of_their_elements(device):
    kernel = qn.ElementwiseKernel("float4 *x", "x[i] = x[i].wzyx")
    values = np.arange(40, dtype=np.float32)
    x = qn.asarray(values, device=device)
    kernel(x)
    np.testing.assert_array_equal(x.get(), values.reshape(-1, 4)[:, ::-1].ravel())


def test_host_arrays_are_copied_in_and_out(device):
    x = np.arange(10, dtype=np.int32)
    z = np.zeros(10, np.int32)
    ADD(qn.In(x), qn.In(x), qn.Out(z), queue=qn.Queue(device))
    np.testing.assert_array_equal(z, 11 * x)


@pytest.mark.parametrize("kind", ["elementwise", "scan"])
def test_calls_wait_for_their_copies_to_the_host_unless_wait_is_false(device, spin, kind):
    x = np.arange(10, dtype=np.int32)
    kernel = ADD
    expected = 11 * x
    if kind == "scan":
        expected = np.cumsum(x)
        kernel = qn.ScanKernel(
            np.int32, "const int *x, int *z", "x[i]", "a + b", neutral="0", output_statement="z[i] = item"
        )
    operands = [qn.In(x)] * (2 if kind == "elementwise" else 1)
    queue = qn.Queue(device)
    for wait in (None, True, False):
        z = np.zeros(10, np.int32)
        spin(queue, 0.05)
        event = kernel(*operands, qn.Out(z), queue=queue, wait=wait)
        if wait is False:
            event.wait()
        assert event.done
        np.testing.assert_array_equal(z, expected)


class TestErrors:
    def test_shapes_that_do_not_broadcast(self, device):
        x, y = qn.zeros(3, np.int32, device), qn.zeros(4, np.int32, device)
        with pytest.raises(qn.ArgumentError, match=r"\(3,\), \(4,\).*do not broadcast"):
            ADD(x, y)

    def test_an_output_of_another_shape(self, device):
        x = qn.zeros((3, 4), np.int32, device)
        with pytest.raises(qn.ArgumentError, match="argument 2 is written"):
            ADD(x, x, qn.zeros(4, np.int32, device))

    def test_a_wrong_dtype_names_the_argument(self, device):
        x = qn.zeros(3, np.int32, device)
        with pytest.raises(qn.ArgumentTypeError, match=r"argument 1 .'y'.*int32.*float32"):
            ADD(x, qn.zeros(3, np.float32, device))

    def test_a_number_where_an_array_is_wanted(self, device):
        with pytest.raises(qn.ArgumentTypeError, match=r"'x'.*expected an array"):
            ADD(3, qn.zeros(3, np.int32, device))

    def test_another_device(self, device, other_device):
        with pytest.raises(qn.ArgumentError, match="copy it there first"):
            ADD(qn.zeros(3, np.int32, device), qn.zeros(3, np.int32, other_device))

    def test_too_many_arguments_and_unknown_names(self, device):
        x = qn.zeros(3, np.int32, device)
        with pytest.raises(qn.ArgumentTypeError, match="takes 3 arguments"):
            ADD(x, x, x, x)
        with pytest.raises(qn.ArgumentTypeError, match="no parameter 'w'"):
            ADD(x, x, w=x)
        with pytest.raises(qn.ArgumentTypeError, match="missing 'y'"):
            ADD(x)

    def test_a_range_beyond_the_end(self, device):
        kernel = qn.ElementwiseKernel("int *x", "x[i] = 1")
        with pytest.raises(qn.ArgumentError, match="leaves the 10 elements"):
            kernel(qn.zeros(10, np.int32, device), range=range(5, 11))

    def test_open_types_that_disagree(self, device):
        with pytest.raises(qn.ArgumentTypeError, match="'T' is int32 because of another argument"):
            NAMED(qn.zeros(3, np.int32, device), qn.zeros(3, np.float32, device))

    def test_a_mistake_in_the_operation_is_told_with_its_line(self, device):
        kernel = qn.ElementwiseKernel("int *x", "int y = 1;\nx[i] = y + z;")
        with pytest.raises(qn.BuildError, match=r"operation:2:\d+: error: (.|\n)*2 \| .* = y \+ z;\n *\^"):
            kernel(qn.zeros(3, np.int32, device))

    @pytest.mark.parametrize("name", ['a "quoted" name', "two\nlines", "back\\slash"])
    def test_a_kernel_may_be_called_anything(self, device, name):
        x = qn.zeros(3, np.int32, device)
        qn.ElementwiseKernel("int *x", "x[i] = i + 1", name=name)(x)
        total = qn.ReductionKernel("int32", neutral="0", reduce_expr="a + b", name=name)(x)
        qn.ScanKernel(
            "int32",
            arguments="int *x",
            input_expr="x[i]",
            scan_expr="a + b",
            output_statement="x[i] = item;",
            name=name,
        )(x)
        assert total.get() == 6
        assert x.get().tolist() == [1, 3, 6]


@pytest.mark.parametrize(
    ("arguments", "operation", "message"),
    [
        ("float *x", "return;", "use continue"),
        ("float *x", "x[i] = (1;", "'\\(' is not closed|has no opening bracket"),
        ("float *x,", "x[i] = 1", "empty declaration"),
        ("foo *x", "x[i] = 1", "foo"),
        ("const float *x", "x[i] = 1", "is const"),
        ("local float *x", "x[i] = 1", "local"),
        ("float *i", "i[0] = 1", "name 'i': it is reserved in generated kernels"),
        ("float *quern_x", "quern_x[i] = 1", "'quern_x': names that begin with quern_"),
        ("float *x, int global", "x[i] = 1", "'global': OpenCL C reserves it"),
        ("float *x, int float4", "x[i] = 1", "'float4': OpenCL C reserves it"),
        ("float *x, int min", "x[i] = 1", "'min': OpenCL C reserves it"),
        ("float *x, int x", "x[i] = 1", "'x' is declared twice"),
        ("float *x, int", "x[i] = 1", "'int' is not a type and a name"),
    ],
)
def test_mistakes_are_errors_before_anything_runs(arguments, operation, message):
    with pytest.raises(qn.Error, match=message):
        qn.ElementwiseKernel(arguments, operation)


@pytest.mark.parametrize("name", ["i", "n", "quern_x", "kernel", "x"])
def test_names_of_elements_are_checked_as_well(name):
    with pytest.raises(qn.ArgumentValueError, match=f"'{name}'"):
        qn.ElementwiseKernel(f"T x, T {name}", "T y", "y = x")
    with pytest.raises(qn.ArgumentValueError, match=f"'{name}'"):
        qn.ElementwiseKernel("T x", f"T {name}", "x + 1")


def test_an_unknown_loop_structure_is_refused_each_time(run_python):
    code = """
    import quern as qn
    fill = qn.ElementwiseKernel("int *x", "x[i] = 1")
    for _ in range(2):
        try:
            fill(qn.zeros(3, "int32", "host"))
        except qn.ArgumentValueError as error:
            print(error)
    """
    done = run_python(code, env={"QUERN_LOOPS": "spiral"})
    assert done.stdout.count("QUERN_LOOPS is 'spiral', expected 'grid' or 'chunks'") == 2


@pytest.mark.parametrize("structure", ["grid", "chunks"])
def test_the_variable_sets_the_loop_structure_for_the_process(run_python, structure):
    code = "from quern import _core; print(_core.loop_structure().name)"
    assert run_python(code, env={"QUERN_LOOPS": structure}).stdout.split() == [structure]


def test_the_loop_structure_that_a_launch_uses_can_be_set(device, set_loops):
    kernel = qn.ElementwiseKernel("int *x", "x[i] = 1")
    texts = {}
    for structure in ("grid", "chunks"):
        set_loops(structure)
        texts[structure] = kernel.source(qn.zeros(3, np.int32, device))
    assert texts["grid"] != texts["chunks"]


FILL = qn.ElementwiseKernel("int *x", "x[i] = 2 * i")


def test_a_slice_is_one_of_arrays_of_the_host_too(device):
    x = np.full(7, -1, np.int32)
    FILL(qn.InOut(x), slice=slice(1, None, 2), queue=qn.Queue(device)).wait()
    assert x.tolist() == [-1, 2, -1, 6, -1, 10, -1]


def test_the_source_is_that_of_the_range(device):
    x = qn.zeros(7, np.int32, device)
    assert "quern_step" not in FILL.source(x)
    assert "quern_step" in FILL.source(x, range=range(1, 7, 2))
    assert "quern_step" in FILL.source(x, slice=slice(1, None, 2))


def test_lines_may_be_joined_by_backslashes(device):
    x = qn.zeros(5, np.int32, device)
    operation = "#define PLUS(a) \\\n  ((a) + \\\n   3)\nx[i] = \\\n  PLUS(i);\n#undef PLUS"
    qn.ElementwiseKernel("int *x", operation)(x)
    assert x.get().tolist() == [3, 4, 5, 6, 7]


def test_what_a_preamble_includes_is_read(device, tmp_path):
    (tmp_path / "pair.h").write_text(
        "typedef struct { int a, b; } pair;\n#define SET(x) x[i].a = BY * x[i].b\n"
    )
    pairs = np.array([(0, 1), (0, 2), (0, 3)], [("a", "i4"), ("b", "i4")])
    x = qn.asarray(pairs, device=device)
    kernel = qn.ElementwiseKernel(
        "pair *x", "SET(x);", preamble='#include "pair.h"', options=[f"-I{tmp_path}", "-DBY=5"]
    )
    kernel(x)
    assert x.get()["a"].tolist() == [5, 10, 15]


# Ways to write an element that tokens alone do not show.
UNUSUAL = [
    ("", "(z[i]) = x[i] + 1", lambda x, z: x + 1),
    ("#define SET(a, b) a = b", "SET(z[i], x[i] + 1)", lambda x, z: x + 1),
    ("", "#define Z z[i]\nZ = x[i] + 1;\n", lambda x, z: x + 1),
    ("", "atomic_add((volatile global int *)&z[i], x[i])", lambda x, z: x + z),
    (
        "#define SKIP if (i % 2) continue",
        "SKIP; z[i] = x[i]",
        lambda x, z: np.where(np.arange(x.size) % 2, z, x),
    ),
    (
        "",
        "#ifdef NO_SUCH_NAME\nz[i] = 1;\n#endif\nif (x[i] > 5) z[i] = 9",
        lambda x, z: np.where(x > 5, 9, z),
    ),
    ("", "z[i] = x[i] & (int)i", lambda x, z: x & np.arange(x.size)),
    ("", "long w = i * i; z[i] = (int)(w >> 20)", lambda x, z: (np.arange(x.size) ** 2) >> 20),
]


@pytest.mark.parametrize(("preamble", "operation", "expected"), UNUSUAL, ids=[row[1] for row in UNUSUAL])
def test_elements_are_stored_however_the_operation_writes_them(device, preamble, operation, expected):
    kernel = qn.ElementwiseKernel("const int *x, int *z", operation, preamble=preamble)
    x, z = np.arange(70001, dtype=np.int32) % 11, np.full(70001, 5, np.int32)
    target = qn.asarray(z, device=device)
    kernel(qn.asarray(x, device=device), target)
    np.testing.assert_array_equal(target.get(), expected(x, z))


def test_an_operand_that_is_given_twice_is_read_when_the_operation_says(device):
    kernel = qn.ElementwiseKernel("const int *x, int *y, int *z", "z[i] = 1; y[i] = x[i]")
    both = qn.zeros(100, np.int32, device)
    y = qn.zeros(100, np.int32, device)
    kernel(both, y, both)
    np.testing.assert_array_equal(y.get(), 1)


def test_outputs_of_cupys_form_are_written_through_pointers_and_branches(device):
    both = qn.ElementwiseKernel("float32 x", "float32 s, float32 c", "s = sincos(x, &c)", "both")
    x = np.linspace(-3, 3, 1001, dtype=np.float32)
    s, c = both(qn.asarray(x, device=device))
    np.testing.assert_allclose(s.get(), np.sin(x), atol=1e-6)
    np.testing.assert_allclose(c.get(), np.cos(x), atol=1e-6)
    some = qn.ElementwiseKernel("float32 x", "bool z", "if (x > 0) z = 2", "some")
    result = some(qn.asarray(x, device=device)).get()
    np.testing.assert_array_equal(result.view(np.uint8), x > 0)


def test_a_raw_output_cannot_be_left_out(device):
    kernel = qn.ElementwiseKernel("T x", "raw T z", "z[i] = x", "raw_out")
    with pytest.raises(qn.ArgumentTypeError, match="missing 'z'"):
        kernel(qn.zeros(3, np.int32, device))


def test_vectors_are_not_read_from_between_their_places(device):
    kernel = qn.ElementwiseKernel("float4 *v", "v[i] = -v[i]")
    memory = qn.zeros(12, np.float32, device)
    with pytest.raises(qn.ArgumentError, match="not aligned"):
        kernel(qn.Array(memory.buffer, np.float32, 8, offset=4))


def test_options_define_what_declarations_use(device):
    kernel = qn.ElementwiseKernel("const T *x, T *y", "y[i] = x[i] * N", options=["-DT=int", "-DN=3"])
    x = qn.asarray(np.arange(10, dtype=np.int32), device=device)
    np.testing.assert_array_equal(kernel(x).get(), 3 * x.get())
