# SPDX-License-Identifier: MIT
"""Scalar and vector types: sizes, alignment, limits, literals, conversions between them."""

import numpy as np
import pytest
from table import INTEGERS, NAMES, Table

WIDTHS = (2, 3, 4, 8, 16)


def test_sizes_and_alignments_of_all_types(queue):
    table = Table()
    for name, dtype in NAMES.items():
        size = np.dtype(dtype).itemsize
        table.add(f"sizeof({name})", size, "uint")
        if name == "half":
            continue
        for width in WIDTHS:
            expected = size * (4 if width == 3 else width)
            table.add(f"sizeof({name}{width})", expected, "uint")
            # What a vector is aligned to shows in a structure that a char opens.
            table.add(
                "sizeof(s)", 2 * expected, "uint", before=f"struct {{ char c; {name}{width} v; }} s; s.c = 0;"
            )
    for name, size in {"size_t": 8, "ptrdiff_t": 8, "intptr_t": 8, "uintptr_t": 8, "unsigned": 4}.items():
        table.add(f"sizeof({name})", size, "uint")
    table.add("sizeof(long long) >= 8", 1, "int")
    table.add("sizeof(unsigned char)", 1, "uint")
    table.add("sizeof(short int)", 2, "uint")
    table.run(queue)


@pytest.mark.usefixtures("beyond_the_standard")
def test_types_of_expressions(queue):
    table = Table(x=np.int32([5]), f=np.float32([[1, 2, 3, 4]]))
    table.add("t.z + s", [3.5], "float", before="__typeof__(f) t = f; __typeof(f.x) s = 0.5f;")
    table.add("a * 10 + b", [37], "int", before="int a = 7, b = 3; { __typeof__(a) t = a; a = b; b = t; }")
    table.add("p - (void *)y", [4], "long", before="int y[2]; void *p = (void *)y + 4;")
    table.add("__alignof__(float3) + __alignof__(x)", [20], "int")
    table.run(queue)


def test_limits_of_integers(queue):
    table = Table()
    macros = {"char": "CHAR", "uchar": "UCHAR", "short": "SHRT", "ushort": "USHRT"}
    macros |= {"int": "INT", "uint": "UINT", "long": "LONG", "ulong": "ULONG"}
    for name, macro in macros.items():
        limits = np.iinfo(NAMES[name])
        table.add(f"{macro}_MAX", limits.max, name)
        if limits.min < 0:
            table.add(f"{macro}_MIN", limits.min, name)
    table.add("SCHAR_MIN", -128, "int")
    table.add("SCHAR_MAX", 127, "int")
    table.add("CHAR_BIT", 8, "int")
    table.run(queue)


def test_limits_and_constants_of_real_numbers(queue):
    table = Table()
    for name, prefix, dtype in (("float", "FLT", np.float32), ("double", "DBL", np.float64)):
        info = np.finfo(dtype)
        table.add(f"{prefix}_MAX", info.max, name)
        table.add(f"{prefix}_MIN", info.tiny, name)
        table.add(f"{prefix}_EPSILON", info.eps, name)
        table.add(f"{prefix}_MANT_DIG", info.nmant + 1, "int")
        table.add(f"{prefix}_DIG", info.precision, "int")
        table.add(f"{prefix}_MAX_EXP", info.maxexp, "int")
        table.add(f"{prefix}_MIN_EXP", info.minexp + 1, "int")
        table.add(f"{prefix}_RADIX", 2, "int")
    constants = {
        "E": np.e,
        "LOG2E": np.log2(np.e),
        "LOG10E": np.log10(np.e),
        "LN2": np.log(2),
        "LN10": np.log(10),
    }
    constants |= {"PI": np.pi, "PI_2": np.pi / 2, "PI_4": np.pi / 4, "1_PI": 1 / np.pi, "2_PI": 2 / np.pi}
    constants |= {"2_SQRTPI": 2 / np.sqrt(np.pi), "SQRT2": np.sqrt(2), "SQRT1_2": np.sqrt(0.5)}
    for name, value in constants.items():
        table.add(f"M_{name}", value, "double", ulp=1)
        table.add(f"M_{name}_F", value, "float", ulp=1)
    table.add("INFINITY", np.inf, "float")
    table.add("HUGE_VALF", np.inf, "float")
    table.add("HUGE_VAL", np.inf, "double")
    table.add("MAXFLOAT", np.finfo(np.float32).max, "float")
    table.add("NAN", np.nan, "float")
    table.run(queue)


def test_literals(queue):
    table = Table()
    for text, value, name in [
        ("0x7f", 127, "int"),
        ("017", 15, "int"),
        ("4294967295u", 2**32 - 1, "uint"),
        ("0xffffffff", 2**32 - 1, "uint"),
        ("9223372036854775807L", 2**63 - 1, "long"),
        ("18446744073709551615UL", 2**64 - 1, "ulong"),
        ("0xffffffffffffffffu", 2**64 - 1, "ulong"),
        ("'A'", 65, "char"),
        (r"'\n'", 10, "char"),
        (r"'\x41'", 65, "char"),
        (r"'\101'", 65, "char"),
        ("1.5f", 1.5, "float"),
        (".5F", 0.5, "float"),
        ("1e3f", 1000, "float"),
        ("0x1.8p3f", 12, "float"),
        ("1.5", 1.5, "double"),
        ("0x1p-3", 0.125, "double"),
        ("sizeof(1)", 4, "int"),
        ("sizeof(1L)", 8, "int"),
        ("sizeof(2147483648)", 8, "int"),
        ("sizeof(0x80000000)", 4, "int"),
        ("sizeof(1.0f)", 4, "int"),
        ("sizeof('a')", 4, "int"),
    ]:
        table.add(text, value, name)
    table.run(queue)


def test_implicit_conversions_between_integers_wrap(queue):
    table = Table(**{f"a_{name}": edges(NAMES[name]) for name in INTEGERS})
    for to in INTEGERS:
        for name in INTEGERS:
            table.add(f"a_{name}", table.inputs[f"a_{name}"].astype(NAMES[to]), to)
    table.run(queue)


def test_conversions_from_and_to_real_numbers(queue):
    values = np.array([0, -1, 1, 100.75, -100.75, 0.5, 3e4, -3e4], np.float64)
    table = Table(
        d=values, f=values.astype(np.float32), big=np.int64([1, 2**53 + 1, -(2**63), 2**63 - 1] * 2)
    )
    for name in ("short", "int", "long"):
        table.add("d", np.trunc(values).astype(NAMES[name]), name)
        table.add("f", np.trunc(values).astype(NAMES[name]), name)
    table.add("(uint)fabs(d)", np.trunc(abs(values)).astype(np.uint32), "uint")
    table.add("d", values.astype(np.float32), "float")
    table.add("f", values, "double")
    table.add("big", table.inputs["big"].astype(np.float32), "float")
    table.add("big", table.inputs["big"].astype(np.float64), "double")
    table.add("(ulong)big", table.inputs["big"].astype(np.uint64).astype(np.float32), "float")
    table.run(queue)


def test_bool_is_zero_or_one(queue):
    table = Table(a=np.int32([0, 1, 5, -3]), f=np.float32([0, 0.25, -0.0, np.nan]))
    table.add("b", [0, 1, 1, 1], "int", before="bool b = a;")
    table.add("b", [0, 1, 0, 1], "int", before="bool b = f;")
    table.add("b + true", [1, 2, 2, 2], "int", before="bool b = a;")
    table.add("!a", [1, 0, 0, 0], "int")
    table.add("b == false", [1, 0, 0, 0], "int", before="bool b = a;")
    table.run(queue)


def test_vectors_of_every_type_and_width_pass_through_memory(queue, rng):
    table_of_inputs, checks = {}, []
    for name in ("char", "ushort", "int", "ulong", "float", "double"):
        for width in WIDTHS:
            data = rng.integers(0, 100, (3, width)).astype(NAMES[name])
            table_of_inputs[f"v_{name}{width}"] = data
            checks.append((f"v_{name}{width}", data, f"{name}{width}"))
    table = Table(**table_of_inputs)
    for check in checks:
        table.add(*check)
    table.run(queue)


def edges(dtype):
    limits = np.iinfo(dtype)
    return np.array([0, 1, limits.max, limits.min, limits.max // 3, limits.max // 2 + 1], dtype)
