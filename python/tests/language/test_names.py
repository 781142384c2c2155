# SPDX-License-Identifier: MIT
"""Names that C, C++, CUDA or a library reserve are ordinary names in a kernel."""

import numpy as np
from table import Table

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


def test_kernels_and_parameters_may_have_such_names(queue):
    import quern as qn

    program = qn.Program("""
    kernel void template(global int *new, int class) { new[get_global_id(0)] = class; }
    kernel void main_(global int *operator) { operator[0] = 5; }""")
    a = qn.zeros(4, np.int32, queue=queue)
    program["template"](queue, 4, None, a, 9)
    assert list(a.get()) == [9] * 4
    program.main_(queue, 1, None, a)
    assert a.get()[0] == 5
