# SPDX-License-Identifier: MIT
"""shuffle and shuffle2."""

import numpy as np
from table import NAMES, Table


def test_components_by_mask(queue, rng):
    inputs, checks = {}, []
    for kind, width, mask_kind in (
        ("int", 4, "uint"),
        ("uchar", 16, "uchar"),
        ("float", 8, "uint"),
        ("double", 2, "ulong"),
        ("short", 4, "ushort"),
    ):
        a, b = (rng.integers(0, 100, (5, width)).astype(NAMES[kind]) for _ in range(2))
        name = f"{kind}{width}"
        inputs |= {f"a_{name}": a, f"b_{name}": b}
        for result in (2, 4, 8, 16):
            if f"m_{mask_kind}{result}" not in inputs:
                inputs[f"m_{mask_kind}{result}"] = rng.integers(0, 64, (5, result)).astype(NAMES[mask_kind])
            mask = inputs[f"m_{mask_kind}{result}"]
            # Only the low bits of a mask count.
            one = np.take_along_axis(a, (mask % width).astype(int), 1)
            two = np.take_along_axis(np.concatenate([a, b], 1), (mask % (2 * width)).astype(int), 1)
            checks.append((f"shuffle(a_{name}, m_{mask_kind}{result})", one, f"{kind}{result}"))
            checks.append((f"shuffle2(a_{name}, b_{name}, m_{mask_kind}{result})", two, f"{kind}{result}"))
    table = Table(**inputs)
    for check in checks:
        table.add(*check)
    table.run(queue)


def test_masks_that_are_literals(queue):
    table = Table(v=np.float32([[1, 2, 3, 4]]))
    table.add("shuffle(v, (uint4)(3, 2, 1, 0))", [[4, 3, 2, 1]], "float4")
    table.add("shuffle2(v, -v, (uint8)(0, 4, 1, 5, 2, 6, 3, 7))", [[1, -1, 2, -2, 3, -3, 4, -4]], "float8")
    table.run(queue)
