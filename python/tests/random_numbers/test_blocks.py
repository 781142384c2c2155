# SPDX-License-Identifier: MIT
"""The kernel that GPUs fill arrays with, on every device: any start, length, alignment and launch geometry."""

from pathlib import Path

import numpy as np
import oracle
import pytest

import quern as qn

KERNELS = Path(__file__).parents[3] / "src" / "kernels"
REAL = {"T": "float", "T2": "float2", "T_VECTOR": "float4", "P": "float", "C": "float", "BLOCK_ELEMENTS": "4"}
MAKINGS = {
    "uniform": {**REAL, "WORDS": "1", "UNIT": "1", "UNIFORM": "1"},
    "normal": {**REAL, "WORDS": "2", "UNIT": "2", "NORMAL": "1"},
    "integers": {
        "T": "uint",
        "T2": "uint2",
        "T_VECTOR": "uint4",
        "P": "uint",
        "C": "uint",
        "BLOCK_ELEMENTS": "4",
        "WORDS": "1",
        "UNIT": "1",
        "INTEGER": "1",
    },
}


@pytest.fixture(scope="module", params=MAKINGS)
def making(request):
    text = "".join((KERNELS / f"{name}.cl").read_text() for name in ("random", "random_fill"))
    return request.param, qn.Program(text, defines=MAKINGS[request.param])


@pytest.mark.parametrize("items", [64, 192])
def test_any_start_and_length(device, queue, making, items):
    name, program = making
    dtype = np.uint32 if name == "integers" else np.float32
    a, b, c = {"uniform": (2**-24, 0, 0), "normal": (1, 0, 0), "integers": ((1 << 31) + 1, (1 << 31) - 1, 5)}[
        name
    ]
    step = 2 if name == "normal" else 1
    for start in range(0, 4, step):
        for count in (1, 2, 3, 4, 7, 64, 255, 257, 1030):
            for before in (0, 1, 4):  # elements in front, which decide about the alignment
                rng = qn.random.default_rng(3)
                rng.bit_generator.advance(start)
                state = rng.bit_generator.state
                out = qn.asarray(np.full(count + before + 8, 7777, dtype), device=device)
                key = np.array(state["key"], np.uint32).view(qn.vec.uint4)[0]
                first = np.array((0, 0, oracle.stream(state), 0), qn.vec.uint4)[()]
                blocks = -(-(start + count) // 4)
                program.fill_blocks(queue, items, 64, out, before, blocks, count, first, key, start, a, b, c)
                got = out.get(queue=queue)
                assert (got[:before] == 7777).all() and (got[before + count :] == 7777).all()
                if name == "uniform":
                    want = oracle.uniform(state, count, np.float32)
                elif name == "integers":
                    want = oracle.integers(state, count, 5, 5 + (1 << 31))
                else:
                    want = rng.standard_normal(count, np.float32, device="host").get()
                assert np.array_equal(got[before : before + count], want)
