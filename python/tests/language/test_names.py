# SPDX-License-Identifier: MIT
"""Names that C, C++, CUDA or a library reserve are ordinary names in a kernel."""

import numpy as np
from table import Table

import quern as qn

WORDS = [
    "class",
    "new",
    "delete",
    "template",
    "typename",
    "this",
    "namespace",
    "using",
    "public",
    "private_",
    "virtual",
    "operator_",
    "friend",
    "catch",
    "throw",
    "try",
    "nullptr",
    "constexpr",
    "mutable",
    "explicit",
    "export",
    "and_",
    "or_",
    "not_",
    "xor_",
    "bool_",
    "wchar_t_",
    "index",
    "y0",
    "y1",
    "j0",
    "jn",
    "signal",
    "time",
    "exp_",
    "clock",
    "errno",
    "abort",
    "exit",
    "main",
    "malloc",
    "free",
    "memcpy",
    "strlen",
    "log1",
    "gamma",
    "div",
    "remove",
    "rename",
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "__global__x",
    "asm_",
    "auto_",
    "concept",
    "requires",
    "co_await",
    "co_return",
    "decltype",
    "noexcept",
    "static_assert_",
    "thread_local",
    "typeid",
    "dynamic_cast",
    "reinterpret_cast",
    "alignas_",
    "char8_t",
    "char16_t",
    "int128",
    "uint64_t_",
    "float_t",
    "stdin",
    "stdout",
    "stderr",
    "environ",
    "basename",
]


def test_reserved_words_name_variables_members_and_functions(queue):
    table = Table(x=np.int32([1, 2, 3]))
    words = [w for w in WORDS if not w.startswith("_")]
    declarations = " ".join(f"int {w} = x + {k};" for k, w in enumerate(words))
    total = " + ".join(words)
    n = len(words)
    table.add(total, np.int32([1, 2, 3]) * n + n * (n - 1) // 2, "int", before=declarations)
    table.add("class(x) + template(x)", [13, 16, 19], "int")
    table.add(
        "s.new + s.delete.this",
        [11, 12, 13],
        "int",
        before="struct virtual s; s.new = 10; s.delete.this = x;",
    )
    table.add("t", [2, 4, 6], "int", before="int t = 0; goto try; try: t = 2 * x;")
    table.add("nullptr[1]", [7, 7, 7], "int", before="int nullptr[2] = {1, 7};")
    table.run(
        queue,
        prelude="""
        int class(int typename) { return typename + 10; }
        int template(int operator) { return operator * 2; }
        struct using { int this; };
        struct virtual { int new; struct using delete; };
        enum namespace { catch, throw = 4 };""",
    )


BUILT_IN = [
    "abs",
    "all",
    "any",
    "atan",
    "atomic_add",
    "barrier",
    "clamp",
    "convert_int",
    "cross",
    "degrees",
    "distance",
    "dot",
    "exp",
    "floor",
    "fma",
    "fmax",
    "fract",
    "hypot",
    "isnan",
    "length",
    "log",
    "mad",
    "max",
    "min",
    "mix",
    "mul24",
    "normalize",
    "pow",
    "printf",
    "radians",
    "remainder",
    "rint",
    "rotate",
    "round",
    "select",
    "shuffle",
    "sign",
    "sin",
    "smoothstep",
    "sqrt",
    "step",
    "sub_sat",
    "trunc",
    "upsample",
    "vload4",
    "work_group_barrier",
    "atomic_fetch_add",
    "main",
]


def test_kernels_may_have_the_names_of_built_in_functions(queue):
    source = "\n".join(
        f"kernel void {name}(global int *out, int step_) {{ out[get_global_id(0)] = step_ + {k}; }}"
        for k, name in enumerate(BUILT_IN)
    )
    program = qn.Program(source)
    assert set(program.kernel_names) == set(BUILT_IN)
    out = qn.zeros(2, np.int32, queue=queue)
    for k, name in enumerate(BUILT_IN):
        program[name](queue, 2, None, out, 100)
        assert list(out.get()) == [100 + k] * 2, name
        assert program[name].name == name and [p.name for p in program[name].signature.parameters] == [
            "out",
            "step_",
        ]


def test_functions_data_types_and_numbers_may_have_the_names_of_built_in_functions(queue):
    source = """
    constant float step = 0.25f;
    enum { min = 3, max };
    typedef struct { float length; int sign; } distance;
    float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y + 1000; }
    float clamp(float x) { return x < 0 ? 0 : x; }
    kernel void mix(global float *out) {
      float mad = 2, round = clamp(-1.0f) + clamp(7);
      distance d = {step, min + max};
      out[0] = dot((float2)(1, 2), (float2)(3, 4));
      out[1] = d.length + d.sign;
      out[2] = mad + round + fabs(-1.0f) + sqrt(16.0f);
    }"""
    out = qn.zeros(3, np.float32, queue=queue)
    program = qn.Program(source)
    program.mix(queue, 1, None, out)
    np.testing.assert_array_equal(out.get(), [1011, 7.25, 14])


def test_a_binary_finds_a_kernel_of_a_built_in_name(queue, device):
    built = qn.Program("kernel void step(global int *a) { a[0] = 3; }").build(device)
    again = qn.Program.from_binary(built.binary(device), device)
    a = qn.zeros(1, np.int32, queue=queue)
    again["step"](queue, 1, None, a)
    assert a.get()[0] == 3


def test_kernels_and_parameters_may_have_such_names(queue):
    program = qn.Program("""
    kernel void template(global int *new, int class) { new[get_global_id(0)] = class; }
    kernel void main_(global int *operator) { operator[0] = 5; }""")
    a = qn.zeros(4, np.int32, queue=queue)
    program["template"](queue, 4, None, a, 9)
    assert list(a.get()) == [9] * 4
    program.main_(queue, 1, None, a)
    assert a.get()[0] == 5
