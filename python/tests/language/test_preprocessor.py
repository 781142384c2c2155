# SPDX-License-Identifier: MIT
"""The preprocessor, on every device: macros, conditionals, includes, line numbers, predefined names."""

import numpy as np
import pytest
from table import Table

PRELUDE = r"""
#define ONE 1
#define ADD(a, b) ((a) + (b))
#define TEXT(x) #x
#define EXPANDED(x) TEXT(x)
#define JOIN(a, b) a##b
#define JOINED(a, b) JOIN(a, b)
#define VALUE(name) value_##name
#define COUNT(...) COUNT_(__VA_ARGS__, 4, 3, 2, 1)
#define COUNT_(a, b, c, d, n, ...) n
#define CALL(f, ...) f(__VA_ARGS__)
#define EMPTY
#define SELF SELF_value + 1
#define OBJECT (x)
#define VECTOR(t, n) JOIN(t, n)
#define MAKE(t, n, ...) ((VECTOR(t, n))(__VA_ARGS__))
#define DEFINE_MAX(t) t JOIN(max_, t)(t a, t b) { return a > b ? a : b; }
#define LONG_LINE 1 + \
                  2 + \
                  3
DEFINE_MAX(int)
DEFINE_MAX(float)
#undef ONE
#define ONE 10
#if defined(ONE) && ONE == 10 && !defined NOTHING
#define CHOSEN 1
#elif 1
#define CHOSEN 2
#else
#error "never"
#endif
#ifdef NOTHING
this is skipped, with an unbalanced ' and "
#else
# define INNER 7
#endif
#if 0
#error "skipped"
#elif (2 + 3 * 4 == 14) && (1 ? 2 : 0) && (-1 < 0u ? 0 : 1) && ('A' == 65) && (0x10 >> 2 == 4)
#define ARITHMETIC 1
#endif
#ifndef GIVEN
#define GIVEN -1
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma something unknown
"""


def test_macros(queue):
    table = Table(x=np.int32([3, 4]))
    table.add("ADD(x, ONE)", [13, 14], "int")
    table.add("ADD(ADD(x, 1), ADD(1, 1))", [6, 7], "int")
    table.add("JOIN(1, 2)", 12, "int")
    table.add("JOINED(ONE, 5)", 105, "int")
    table.add("JOIN(ONE, 5)", 21, "int", before="int ONE5 = 21;")
    table.add("VALUE(x)", 8, "int", before="int value_x = 8;")
    table.add("COUNT(a, b, c)", 3, "int")
    table.add("COUNT(a)", 1, "int")
    table.add("CALL(ADD, x, 2)", [5, 6], "int")
    table.add("EMPTY x EMPTY", [3, 4], "int")
    table.add("SELF", 9, "int", before="int SELF_value = 8;")
    table.add("MAKE(int, 2, x, 1)", [[3, 1], [4, 1]], "int2")
    table.add("max_int(x, 3) + (int)max_float(1.5f, 0.5f)", [4, 5], "int")
    table.add("LONG_LINE", 6, "int")
    table.add("CHOSEN * 10 + INNER + ARITHMETIC", 18, "int")
    table.add("sizeof(TEXT(a b))", 4, "int")
    table.add("sizeof(EXPANDED(ONE))", 3, "int")
    table.add(r'sizeof(TEXT("q\n"))', 6, "int")
    table.add("GIVEN", 77, "int")
    table.add("TWICE(x)", [6, 8], "int")
    table.add("FLAG", 1, "int")
    table.run(queue, prelude=PRELUDE, options=["-DGIVEN=77", "-D", "TWICE(v)=((v)*2)", "-DFLAG"])


def test_predefined_names(queue, device):
    table = Table()
    table.add("__OPENCL_VERSION__ >= 120", 1, "int")
    table.add("CL_VERSION_1_0 + CL_VERSION_1_1 + CL_VERSION_1_2", 330, "int")
    table.add("__OPENCL_C_VERSION__ >= 120", 1, "int")
    table.add("__ENDIAN_LITTLE__", 1, "int")
    table.add("sizeof(__FILE__) > 1", 1, "int")
    table.add("QUERN", 1, "int")
    table.add("WHERE", {"host": 1, "opencl": 2, "cuda": 3}[device.backend], "int")
    table.add("FP64", 1, "int")
    table.add("KHR", 1, "int")
    table.run(
        queue,
        prelude="""
        #if defined QUERN_HOST
        #define WHERE 1
        #elif defined QUERN_OPENCL
        #define WHERE 2
        #elif defined QUERN_CUDA
        #define WHERE 3
        #endif
        #ifdef cl_khr_fp64
        #define FP64 1
        #endif
        #if defined(cl_khr_global_int32_base_atomics) && defined(cl_khr_byte_addressable_store)
        #define KHR 1
        #endif""",
    )


def test_defined_may_come_out_of_a_macro(run):
    source = """
    #define EMPTY
    #define HAS(x) defined(x)
    #define HAS_BOTH defined EMPTY && defined(__OPENCL_VERSION__)
    #if HAS_BOTH && !HAS(MISSING)
    #define VALUE 3
    #endif
    kernel void k(global int *a) { a[0] = VALUE; }"""
    assert run(source, 1, None, np.zeros(1, np.int32))[0] == 3


@pytest.mark.usefixtures("beyond_the_standard")
def test_macros_that_old_kernels_take_for_granted(run):
    source = """
    __kernel_exec(64, float4) void k(global int *a) {
      a[0] = __COUNTER__ + 10; a[1] = __COUNTER__; a[2] = __builtin_expect(a[3] + 5, 1); a[3] = sizeof(__func__);
    }"""
    assert list(run(source, 1, None, np.zeros(4, np.int32))) == [10, 1, 5, 2]


@pytest.mark.usefixtures("beyond_the_standard")
def test_byte_order_marks_and_blanks_after_a_backslash_are_not_seen(run):
    source = "\ufeff#define SUM 1 + \\ \t\n 2\r\nkernel void k(global int *a) { a[0] = SUM; }"
    assert run(source, 1, None, np.zeros(1, np.int32))[0] == 3


def test_line_numbers(run):
    source = "kernel void k(global int *a) {\n  a[0] = __LINE__;\n#line 100\n  a[1] = __LINE__; a[2] = \\\n__LINE__;\n}"
    assert list(run(source, 1, None, np.zeros(3, np.int32)))[:2] == [2, 100]


def test_includes(run, tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "first.h").write_text(
        '#pragma once\n#include "second.h"\n#define FIRST (SECOND + 1)\n'
    )
    (tmp_path / "lib" / "second.h").write_text(
        "#ifndef SECOND_H\n#define SECOND_H\n#define SECOND 40\n#endif\n"
    )
    source = """
    #define HEADER <lib/first.h>
    #include HEADER
    #include "lib/first.h"
    #include "lib/second.h"
    kernel void k(global int *a) { a[0] = FIRST + 1; }"""
    got = run(source, 1, None, np.zeros(1, np.int32), include_paths=[str(tmp_path)])
    assert got[0] == 42


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("#error stop here", 1),
        ("\n#include <missing_file.h>", 2),
        ("#if 1\nint a;", 1),
        ("\n#endif", 2),
        ("#define F(a) a\nint x = F(1;", 2),
        ("\n#if 1 +\n#endif", 2),
        ("\n#define F(a, b, a) a", 2),
        ("#define F(a) #b", 1),
        ('\n_Static_assert(sizeof(int) == 8, "");', 2),
    ],
)
def test_errors_name_their_line(build_error, text, line):
    error = build_error(text + "\nkernel void k(global int *a) { a[0] = 0; }\n", name="faulty.cl")
    assert f"faulty.cl:{line}" in str(error)
