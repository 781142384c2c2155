# SPDX-License-Identifier: MIT
"""Integers and correctly rounded operations have the same bits on every device: those of NumPy, for random bits,
denormal numbers, infinities, not-a-numbers and both zeros."""

from fractions import Fraction

import numpy as np
import pytest
from table import INTEGERS, NAMES, Table

ROWS = 3000
BITS = {np.float16: np.uint16, np.float32: np.uint32, np.float64: np.uint64}


def numbers(dtype, rng):
    """Random bits, small numbers, and every pair of the special values."""
    info = np.finfo(dtype)
    special = [0, 1, 1.5, 0.5, info.max, info.tiny, info.smallest_subnormal, info.tiny * 0.75, np.inf, np.nan]
    special = np.array(special + [-value for value in special], dtype)
    bits = BITS[dtype]
    random = rng.integers(0, np.iinfo(bits).max, (3, ROWS), bits, endpoint=True).view(dtype)
    near = rng.uniform(-4, 4, (3, ROWS)).astype(dtype)
    values = np.where(np.arange(ROWS) % 2 == 0, random, near)
    pairs = len(special) ** 2
    values[0, :pairs], values[1, :pairs] = (part.reshape(-1) for part in np.meshgrid(special, special))
    values[2, :pairs] = rng.choice(special, pairs)
    return values


def fused(x, y, z):
    """x * y + z, rounded once."""
    plain = x * y + z
    if not (np.isfinite(x) and np.isfinite(y)):
        return plain
    if not np.isfinite(z):
        return z  # whatever the product is, which rounded by itself may be infinite
    exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
    if exact == 0:
        return plain if x == 0 or y == 0 else type(x)(0)
    return rounded(exact, type(x))


def rounded(exact, dtype):
    """The nearest number of a format, ties to even."""
    info = np.finfo(dtype)
    size = abs(exact)
    # The exponent of the leading digit: 2**e <= size < 2**(e + 1).
    e = size.numerator.bit_length() - size.denominator.bit_length()
    e -= size < Fraction(2) ** e
    unit = Fraction(2) ** (max(e, int(info.minexp)) - info.nmant)
    multiple = round(size / unit)  # of Fraction: ties to even
    if multiple * unit >= Fraction(2) ** int(info.maxexp):
        value = dtype(np.inf)
    else:
        value = dtype(float(multiple * unit))
    return -value if exact < 0 else value


def away_from_zero(x):
    whole = np.trunc(x)
    return np.copysign(np.abs(whole) + (np.abs(x - whole) >= 0.5).astype(x.dtype), x)


def add_real(table, name, values):
    x, y, z = values
    with np.errstate(all="ignore"):
        table.add("x + y", x + y, name)
        table.add("x - y", x - y, name)
        table.add("x * y", x * y, name)
        table.add("x / y", x / y, name)
        table.add("x * y + z", x * y + z, name)
        table.add("sqrt(x)", np.sqrt(x), name)
        table.add("fma(x, y, z)", [fused(*row) for row in values.T], name)
        table.add("rint(x)", np.rint(x), name)
        table.add("floor(x)", np.floor(x), name)
        table.add("ceil(x)", np.ceil(x), name)
        table.add("trunc(x)", np.trunc(x), name)
        table.add("round(x)", np.where(np.isfinite(x), away_from_zero(x), x), name)
        table.add("fabs(x)", np.abs(x), name)
        table.add("copysign(x, y)", np.copysign(x, y), name)
        table.add("-x", -x, name)
        table.add("x < y", x < y, "int")
        table.add("x <= y", x <= y, "int")
        table.add("x == y", x == y, "int")
        table.add("x != y", x != y, "int")
        table.add("isnan(x)", np.isnan(x), "int")
        table.add("signbit(x)", np.signbit(x), "int")


@pytest.mark.parametrize("name", ["half", "float", "double"])
def test_correctly_rounded_operations_have_the_bits_of_numpy(device, queue, rng, name):
    if (name == "half" and not device.has_fp16) or (name == "double" and not device.has_fp64):
        pytest.skip(f"no {name}")
    values = numbers(NAMES[name], rng)
    table = Table(x=values[0], y=values[1], z=values[2])
    add_real(table, name, values)
    extension = {"half": "cl_khr_fp16", "double": "cl_khr_fp64"}.get(name)
    table.run(queue, f"#pragma OPENCL EXTENSION {extension} : enable" if extension else "")


def test_conversions_between_numbers_round_to_nearest_even(device, queue, rng):
    integers = {
        name: rng.integers(
            np.iinfo(NAMES[name]).min, np.iinfo(NAMES[name]).max, ROWS, NAMES[name], endpoint=True
        )
        for name in ("int", "uint", "long", "ulong")
    }
    f = numbers(np.float32, rng)[0]
    d = numbers(np.float64, rng)[0]
    table = Table(**{f"{name}s": values for name, values in integers.items()}, f=f, d=d)
    with np.errstate(all="ignore"):
        for name, values in integers.items():
            table.add(f"(float){name}s", values.astype(np.float32), "float")
            table.add(f"(double){name}s", values.astype(np.float64), "double")
        table.add("(float)d", d.astype(np.float32), "float")
        table.add("(double)f", f.astype(np.float64), "double")
    table.run(queue)


def test_integers_have_the_bits_of_numpy(queue, rng):
    inputs, table = {}, None
    for name in INTEGERS:
        info = np.iinfo(NAMES[name])
        x, y = rng.integers(info.min, info.max, (2, ROWS), NAMES[name], endpoint=True)
        x[:4], y[:4] = (info.min, info.max, 0, 1), (info.max, info.min, info.max, info.max)
        y = np.where((y == 0) | (y == -1 if info.min else False), NAMES[name](3), y)
        inputs[name] = x, y
    table = Table(
        **{f"{part}_{name}": v for name in INTEGERS for part, v in zip("xy", inputs[name], strict=True)}
    )
    for name, (x, y) in inputs.items():
        dtype, bits = NAMES[name], 8 * np.dtype(NAMES[name]).itemsize
        wide_x, wide_y = x.astype(object), y.astype(object)
        quotient = [
            abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) for a, b in zip(wide_x, wide_y, strict=True)
        ]
        rest = [a - q * b for a, b, q in zip(wide_x, wide_y, quotient, strict=True)]
        amount = (y & (bits - 1)).astype(dtype)

        def add(text, expected, name=name, dtype=dtype, bits=bits):
            wrapped = [int(v) & ((1 << bits) - 1) for v in expected]
            table.add(
                text.replace("X", f"x_{name}").replace("Y", f"y_{name}"),
                np.array(wrapped, f"u{bits // 8}").view(dtype),
                name,
            )

        add(f"({name})(X + Y)", wide_x + wide_y)
        add(f"({name})(X - Y)", wide_x - wide_y)
        add(f"({name})(X * Y)", wide_x * wide_y)
        add(f"({name})(X / Y)", quotient)
        add(f"({name})(X % Y)", rest)
        add(f"({name})(X & Y)", wide_x & wide_y)
        add(f"({name})(X ^ Y)", wide_x ^ wide_y)
        add(f"({name})~X", ~wide_x)
        add(f"({name})(X << (Y & {bits - 1}))", wide_x << amount.astype(object))
        add(f"({name})(X >> (Y & {bits - 1}))", wide_x >> amount.astype(object))
        add("mul_hi(X, Y)", wide_x * wide_y >> bits)
        unsigned = [int(value) & ((1 << bits) - 1) for value in x]
        turns = [int(value) & (bits - 1) for value in y]
        add("rotate(X, Y)", [u << s | u >> (bits - s) for u, s in zip(unsigned, turns, strict=True)])
        table.add(f"x_{name} < y_{name}", x < y, "int")
    table.run(queue)
