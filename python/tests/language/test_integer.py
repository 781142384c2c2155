# SPDX-License-Identifier: MIT
"""The integer built-ins, for every integer type, against Python's unbounded integers."""

import numpy as np
import pytest
from table import INTEGERS, NAMES, Table


def limits(name):
    info = np.iinfo(NAMES[name])
    return int(info.min), int(info.max), info.bits


def wrapped(values, name):
    low, _, bits = limits(name)
    return np.array([(int(v) - low) % (1 << bits) + low for v in values], object).astype(NAMES[name])


def saturated(values, name):
    low, high, _ = limits(name)
    return np.array([min(max(int(v), low), high) for v in values], object).astype(NAMES[name])


@pytest.fixture
def operands(rng):
    """For each type: three columns of edges and random values, as Python integers."""
    result = {}
    for name in INTEGERS:
        low, high, _ = limits(name)
        edges = [low, high, 0, 1, high // 2, high - 1, low + 1, 3]
        columns = [edges, edges[3:] + edges[:3], edges[5:] + edges[:5]]
        result[name] = [c + [int(v) for v in rng.integers(low, high, 12, dtype=NAMES[name])] for c in columns]
    return result


def each_type(operands, add):
    """One table for all types; add(table, name, x, y, z) puts in what it wants of the type's operands."""
    table = Table(
        **{
            f"{v}_{name}": np.array(column, NAMES[name])
            for name in INTEGERS
            for v, column in zip("xyz", operands[name], strict=True)
        }
    )
    for name in INTEGERS:
        add(table, name, *operands[name])
    return table


def test_absolute_values_and_differences(queue, operands):
    def add(table, name, x, y, _):
        unsigned = name if name.startswith("u") else "u" + name
        table.add(f"abs(x_{name})", [abs(a) for a in x], unsigned)
        table.add(f"abs_diff(x_{name}, y_{name})", [abs(a - b) for a, b in zip(x, y, strict=True)], unsigned)

    each_type(operands, add).run(queue)


def test_sums_that_saturate_or_halve(queue, operands):
    def add(table, name, x, y, _):
        args = f"(x_{name}, y_{name})"
        table.add("add_sat" + args, saturated([a + b for a, b in zip(x, y, strict=True)], name), name)
        table.add("sub_sat" + args, saturated([a - b for a, b in zip(x, y, strict=True)], name), name)
        table.add("hadd" + args, [(a + b) >> 1 for a, b in zip(x, y, strict=True)], name)
        table.add("rhadd" + args, [(a + b + 1) >> 1 for a, b in zip(x, y, strict=True)], name)

    each_type(operands, add).run(queue)


def test_products(queue, operands, nvidia_differs):
    nvidia_differs("mad_sat of long wraps")

    def add(table, name, x, y, z):
        bits = limits(name)[2]
        xyz = f"(x_{name}, y_{name}, z_{name})"
        table.add(f"mul_hi(x_{name}, y_{name})", [(a * b) >> bits for a, b in zip(x, y, strict=True)], name)
        table.add(
            "mad_hi" + xyz,
            wrapped([((a * b) >> bits) + c for a, b, c in zip(x, y, z, strict=True)], name),
            name,
        )
        table.add(
            "mad_sat" + xyz, saturated([a * b + c for a, b, c in zip(x, y, z, strict=True)], name), name
        )

    each_type(operands, add).run(queue)


def test_bits_are_counted_and_turned(queue, operands):
    def add(table, name, x, y, _):
        bits = limits(name)[2]
        mask = (1 << bits) - 1
        table.add(f"clz(x_{name})", [bits - (a & mask).bit_length() for a in x], name)
        table.add(f"popcount(x_{name})", [(a & mask).bit_count() for a in x], name)
        turned = [
            ((a & mask) << (b % bits) | (a & mask) >> (bits - b % bits)) & mask
            for a, b in zip(x, y, strict=True)
        ]
        table.add(f"rotate(x_{name}, y_{name})", wrapped(turned, name), name)

    each_type(operands, add).run(queue)


def test_minimum_maximum_and_clamp(queue, operands):
    def add(table, name, x, y, z):
        table.add(f"min(x_{name}, y_{name})", [min(a, b) for a, b in zip(x, y, strict=True)], name)
        table.add(f"max(x_{name}, y_{name})", [max(a, b) for a, b in zip(x, y, strict=True)], name)
        low, high = f"min(y_{name}, z_{name})", f"max(y_{name}, z_{name})"
        expected = [min(max(a, min(b, c)), max(b, c)) for a, b, c in zip(x, y, z, strict=True)]
        table.add(f"clamp(x_{name}, {low}, {high})", expected, name)

    each_type(operands, add).run(queue)


def test_wrap_of_operators(queue, operands):
    def add(table, name, x, y, _):
        bits = limits(name)[2]
        a, b = f"x_{name}", f"y_{name}"
        for op, f in {"+": int.__add__, "-": int.__sub__, "*": int.__mul__, "&": int.__and__}.items():
            table.add(
                f"({name})({a} {op} {b})", wrapped([f(p, q) for p, q in zip(x, y, strict=True)], name), name
            )
        # Amounts count modulo the width of the promoted operand.
        width = max(bits, 32)
        table.add(
            f"({name})({a} << ({b} & {width - 1}))",
            wrapped([p << (q % width) for p, q in zip(x, y, strict=True)], name),
            name,
        )
        table.add(
            f"({name})({a} >> ({b} & {width - 1}))",
            [p >> (q % width) for p, q in zip(x, y, strict=True)],
            name,
        )
        quotients = [
            0 if q == 0 or (p, q) == (limits(name)[0], -1) else abs(p) // abs(q)
            for p, q in zip(x, y, strict=True)
        ]
        signs = [1 if (p < 0) == (q < 0) else -1 for p, q in zip(x, y, strict=True)]
        safe = f"({b} == 0 || ({a} == ({name})({limits_text(name)}) && {b} == ({name})-1))"
        table.add(f"{safe} ? 0 : {a} / {b}", [s * q for s, q in zip(signs, quotients, strict=True)], name)

    each_type(operands, add).run(queue)


def limits_text(name):
    low = limits(name)[0]
    return "0" if low == 0 else f"{low + 1}{'L' if name == 'long' else ''} - 1"


def test_products_of_24_bits(queue, rng):
    x, y = (rng.integers(-(1 << 23), 1 << 23, 30).astype(np.int32) for _ in range(2))
    table = Table(x=x, y=y)
    table.add("mul24(x, y)", wrapped([int(a) * int(b) for a, b in zip(x, y, strict=True)], "int"), "int")
    table.add(
        "mad24(x, y, 17)", wrapped([int(a) * int(b) + 17 for a, b in zip(x, y, strict=True)], "int"), "int"
    )
    product = [(int(a) & 0xFFFFFF) * (int(b) & 0xFFFFFF) for a, b in zip(x, y, strict=True)]
    table.add("mul24((uint)x & 0xffffffu, (uint)y & 0xffffffu)", wrapped(product, "uint"), "uint")
    table.run(queue)


def test_upsample_joins_halves(queue, rng):
    table = Table(
        c=rng.integers(-128, 128, (5, 4)).astype(np.int8),
        uc=rng.integers(0, 256, (5, 4)).astype(np.uint8),
        s=rng.integers(-(1 << 15), 1 << 15, 5).astype(np.int16),
        us=rng.integers(0, 1 << 16, 5).astype(np.uint16),
        n=rng.integers(-(1 << 31), 1 << 31, 5).astype(np.int32),
        un=rng.integers(0, 1 << 32, 5).astype(np.uint32),
    )
    i = {name: array.astype(object) for name, array in table.inputs.items()}
    table.add("upsample(c, uc)", (i["c"] * 256 + i["uc"]).astype(np.int16), "short4")
    table.add("upsample(uc, uc)", (i["uc"] * 257).astype(np.uint16), "ushort4")
    table.add("upsample(s, us)", (i["s"] * 65536 + i["us"]).astype(np.int32), "int")
    table.add("upsample(us, us)", (i["us"] * 65537).astype(np.uint32), "uint")
    table.add("upsample(n, un)", (i["n"] * 2**32 + i["un"]).astype(np.int64), "long")
    table.add("upsample(un, un)", (i["un"] * (2**32 + 1)).astype(np.uint64), "ulong")
    table.run(queue)


def test_integer_functions_of_vectors(queue, rng):
    a = rng.integers(-(1 << 31), 1 << 31, (4, 3)).astype(np.int32)
    b = rng.integers(-(1 << 31), 1 << 31, (4, 3)).astype(np.int32)
    u = rng.integers(0, 256, (4, 16)).astype(np.uint8)
    table = Table(a=a, b=b, u=u)
    wide = a.astype(np.int64), b.astype(np.int64)
    table.add("abs(a)", abs(wide[0]), "uint3")
    table.add("add_sat(a, b)", np.clip(wide[0] + wide[1], -(2**31), 2**31 - 1), "int3")
    table.add("mul_hi(a, b)", (wide[0] * wide[1]) >> 32, "int3")
    table.add("max(a, b)", np.maximum(a, b), "int3")
    table.add("min(a, 5)", np.minimum(a, 5), "int3")
    table.add("clamp(a, -100, 100)", np.clip(a, -100, 100), "int3")
    table.add("rotate(u, (uchar16)3)", (u << 3) | (u >> 5), "uchar16")
    table.add("popcount(u)", [[int(v).bit_count() for v in row] for row in u], "uchar16")
    table.add("clz(u)", [[8 - int(v).bit_length() for v in row] for row in u], "uchar16")
    table.run(queue)
