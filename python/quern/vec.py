# SPDX-License-Identifier: MIT
"""Dtypes of the OpenCL vector types: vec.float4, vec.int2, vec.double3...

Fields are x, y, z, w, or s0 to sf from eight lanes on. Three lanes occupy the memory of four.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_SCALARS = {
    "char": "int8",
    "uchar": "uint8",
    "short": "int16",
    "ushort": "uint16",
    "int": "int32",
    "uint": "uint32",
    "long": "int64",
    "ulong": "uint64",
    "half": "float16",
    "float": "float32",
    "double": "float64",
}
_LANES = (2, 3, 4, 8, 16)


def _vector(scalar: str, lanes: int) -> np.dtype[Any]:
    names = list("xyzw"[:lanes]) if lanes <= 4 else [f"s{i:x}" for i in range(lanes)]
    size = np.dtype(scalar).itemsize
    layout = {
        "names": names,
        "formats": [scalar] * lanes,
        "offsets": [i * size for i in range(lanes)],
        "itemsize": size * (4 if lanes == 3 else lanes),
    }
    return np.dtype(layout, metadata={"quern_vector": f"{scalar}x{lanes}"})  # type: ignore[call-overload, no-any-return]


def __getattr__(name: str) -> np.dtype[Any]:
    scalar = name.rstrip("0123456789")
    lanes = name[len(scalar) :]
    if scalar not in _SCALARS or lanes not in map(str, _LANES):
        raise AttributeError(f"module 'quern.vec' has no attribute {name!r}")
    result = globals()[name] = _vector(_SCALARS[scalar], int(lanes))
    return result


def __dir__() -> list[str]:
    return [f"{scalar}{lanes}" for scalar in _SCALARS for lanes in _LANES]
