# SPDX-License-Identifier: MIT
"""convert_T, with saturation and rounding, from every type to every type."""

import numpy as np
import pytest
from table import INTEGERS, NAMES, Table

ROUNDINGS = {"_rte": np.rint, "_rtz": np.trunc, "_rtp": np.ceil, "_rtn": np.floor}


def saturated(values, name):
    info = np.iinfo(NAMES[name])
    return np.array([min(max(int(v), info.min), info.max) for v in values], object).astype(NAMES[name])


def test_integers_convert_with_saturation(queue, rng):
    columns = {}
    for name in INTEGERS:
        info = np.iinfo(NAMES[name])
        edges = [info.min, info.max, 0, 1, info.max // 2, info.min // 2 if info.min else 5]
        columns[name] = np.array(
            edges + list(rng.integers(info.min, info.max, 10, dtype=NAMES[name])), NAMES[name]
        )
    table = Table(**{f"x_{name}": column for name, column in columns.items()})
    for to in INTEGERS:
        for name in INTEGERS:
            table.add(f"convert_{to}(x_{name})", columns[name].astype(NAMES[to]), to)
            table.add(f"convert_{to}_sat(x_{name})", saturated(columns[name], to), to)
    table.run(queue)


@pytest.mark.parametrize("kind", ["float", "double"])
def test_real_numbers_round_to_integers(queue, rng, kind, nvidia_differs):
    nvidia_differs("saturating conversions of NaN give the least integer")
    dtype = {"float": np.float32, "double": np.float64}[kind]
    x = np.concatenate([[0.5, 1.5, -0.5, -1.5, 2.5, 0.49, -0.49, 99.99], rng.uniform(-100, 100, 12)]).astype(
        dtype
    )
    huge = np.array([1e30, -1e30, 300, -300, 70000, -70000, np.inf, -np.inf, np.nan, 127.5] * 2, dtype)
    table = Table(x=x, huge=huge)
    for to in INTEGERS:
        values = np.abs(x) if to.startswith("u") else x
        argument = "fabs(x)" if to.startswith("u") else "x"
        table.add(f"convert_{to}({argument})", np.trunc(values).astype(NAMES[to]), to)
        for suffix, f in ROUNDINGS.items():
            table.add(f"convert_{to}{suffix}({argument})", f(values).astype(NAMES[to]), to)
        for suffix, f in {"": np.trunc, "_rte": np.rint, "_rtn": np.floor}.items():
            with np.errstate(invalid="ignore"):
                whole = [0 if np.isnan(v) else v if np.isinf(v) else f(v) for v in huge.astype(np.float64)]
            info = np.iinfo(NAMES[to])
            expected = [info.max if v >= info.max else info.min if v <= info.min else int(v) for v in whole]
            table.add(f"convert_{to}_sat{suffix}(huge)", expected, to)
    table.run(queue)


def test_integers_and_doubles_round_to_real_numbers(queue, rng):
    n = np.concatenate(
        [[2**53 + 1, 2**24 + 1, -(2**24) - 1, 2**63 - 1], rng.integers(-(2**62), 2**62, 12)]
    ).astype(np.int64)
    d = np.concatenate([[1 + 2**-24, -1 - 2**-24, 0.1], rng.standard_normal(13)])
    table = Table(n=n, d=d)
    table.add("convert_float(n)", n.astype(np.float32), "float")
    table.add("convert_double(n)", n.astype(np.float64), "double")
    table.add("convert_float(d)", d.astype(np.float32), "float")
    table.add("convert_float_rte(d)", d.astype(np.float32), "float")
    nearest = d.astype(np.float32)
    down = np.where(nearest > d, np.nextafter(nearest, np.float32(-np.inf)), nearest)
    up = np.where(nearest < d, np.nextafter(nearest, np.float32(np.inf)), nearest)
    table.add("convert_float_rtn(d)", down, "float")
    table.add("convert_float_rtp(d)", up, "float")
    table.add("convert_float_rtz(d)", np.where(d > 0, down, up), "float")
    exact = n.astype(object)
    nearest = n.astype(np.float64)
    below = np.array(
        [np.nextafter(v, -np.inf) if int(v) > e else v for v, e in zip(nearest, exact, strict=True)]
    )
    table.add("convert_double_rtn(n)", below, "double")
    table.run(queue)


def test_vectors_convert_component_by_component(queue, rng):
    f4 = rng.uniform(-300, 300, (5, 4)).astype(np.float32)
    i8 = rng.integers(-1000, 1000, (5, 8)).astype(np.int32)
    f3 = rng.uniform(-9, 9, (5, 3)).astype(np.float32)
    table = Table(f=f4, n=i8, g=f3)
    table.add("convert_int4(f)", np.trunc(f4), "int4")
    table.add("convert_int4_rte(f)", np.rint(f4), "int4")
    table.add("convert_uchar4_sat(f)", np.clip(np.trunc(f4), 0, 255), "uchar4")
    table.add("convert_uchar4_sat_rte(f)", np.clip(np.rint(f4), 0, 255), "uchar4")
    table.add("convert_char8_sat(n)", np.clip(i8, -128, 127), "char8")
    table.add("convert_short8(n)", i8, "short8")
    table.add("convert_float8(n)", i8, "float8")
    table.add("convert_double3(g)", f3, "double3")
    table.add("convert_int3_rtn(g)", np.floor(f3), "int3")
    table.run(queue)
