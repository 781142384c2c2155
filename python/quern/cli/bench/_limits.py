# SPDX-License-Identifier: MIT
"""Limits of a device: bytes per second and operations per second, measured."""

from __future__ import annotations

import time

import numpy as np

from ... import _core
from ..._core import BuildError, Device, Queue

# Independent chains of multiply-adds, in a type that suits CPUs or GPUs.
_VARIANTS = (("float", 12), ("float", 16), ("float4", 8), ("float16", 8))


def flop_rate(device: Device, seconds: float = 0.5) -> float:
    """Float32 operations per second of chains of fused multiply-adds: the best of a few kernels."""
    best = 0.0
    for kind, chains in _VARIANTS:
        width = int(kind[5:] or 1)
        kernel = _core.Program(_source(kind, chains, width), name="flops.cl")["flops"]
        items = max(1, device.compute_units * (2048 if device.kind == "cpu" else 8192) // width)
        queue = Queue(device)
        result = _core.empty(items, np.dtype("float32"), device, None)
        rounds = 64
        try:
            kernel(queue, items, None, result, 1.0, 0.999, 0.001, rounds).wait()
        except BuildError:
            continue
        end = time.perf_counter() + seconds / len(_VARIANTS)
        taken = 0.0
        while time.perf_counter() < end:
            start = time.perf_counter()
            kernel(queue, items, None, result, 1.0, 0.999, 0.001, rounds).wait()
            taken = time.perf_counter() - start
            best = max(best, 2.0 * chains * width * items * rounds / taken)
            if taken < 0.01:
                rounds *= 4  # until the launch does not count
    return best


def _source(kind: str, chains: int, width: int) -> str:
    names = [f"x{number}" for number in range(chains)]
    first = " ".join(f"{kind} {name} = ({kind})(a + {number});" for number, name in enumerate(names))
    steps = " ".join(f"{name} = fma({name}, ({kind})(b), ({kind})(c));" for name in names)
    total = " + ".join(names)
    parts = " + ".join(f"s.s{part:x}" for part in range(width)) if width > 1 else "s"
    return f"""kernel void flops(global float *result, float a, float b, float c, int rounds) {{
  {first}
  for (int i = 0; i < rounds; ++i) {{ {steps} }}
  {kind} s = {total};
  result[get_global_id(0)] = {parts};
}}
"""
