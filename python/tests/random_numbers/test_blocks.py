# SPDX-License-Identifier: MIT
"""The kernels that GPUs fill arrays with, on every device: any start, length, alignment and launch geometry."""

import sys
from pathlib import Path

import numpy as np
import oracle
import pytest

import quern as qn

KERNELS = Path(__file__).parents[3] / "src" / "kernels"
REAL = {"T": "float", "T2": "float2", "T_VECTOR": "float4", "P": "float", "C": "float", "BLOCK_ELEMENTS": "4"}
ROUND_KEYS = np.dtype([("keys", "u4", 20)])
MAKINGS = {
    "uniform": {**REAL, "WORDS": "1", "UNIT": "1", "VALUE": "quern_uniform_float"},
    "normal": {**REAL, "WORDS": "2", "UNIT": "2", "VALUE": "quern_normal_float"},
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


def text_of(*names):
    return "".join((KERNELS / f"{name}.cl").read_text() for name in names)


@pytest.fixture(scope="module", params=MAKINGS)
def making(request):
    text, defines = text_of("random", "random_values", "random_fill"), MAKINGS[request.param]
    kernels = [
        qn.Program(text, defines=defines).fill_blocks,
        qn.Program(text, defines={**defines, "STAGED": "64"}).fill_staged,
    ]
    return request.param, kernels


@pytest.mark.parametrize("items", [64, 192])
def test_any_start_and_length(device, queue, making, items):
    name, kernels = making
    dtype = np.uint32 if name == "integers" else np.float32
    parameters = {
        "uniform": (2**-24, 0, 0),
        "normal": (1, 0, 0),
        "integers": ((1 << 31) + 1, (1 << 31) - 1, 5),  # nearly every other word is refused
    }[name]
    for start in range(0, 4, 2 if name == "normal" else 1):
        for count in (1, 2, 3, 4, 7, 64, 257, 1030):
            rng = qn.random.default_rng(3)
            rng.bit_generator.advance(start)
            state = rng.bit_generator.state
            if name == "uniform":
                want = oracle.uniform(state, count, np.float32)
            elif name == "integers":
                want = oracle.integers(state, count, 5, 5 + (1 << 31))
            else:
                want = rng.standard_normal(count, np.float32, device="host").get()
            key = np.array(state["key"], np.uint32).view(qn.vec.uint4)[0]
            first = np.array((0, 0, oracle.stream(state), 0), qn.vec.uint4)[()]
            blocks = -(-(start + count) // 4)
            rounds = np.zeros((), ROUND_KEYS)
            for i in range(10):
                rounds["keys"][2 * i] = (state["key"][0] + i * 0x9E3779B9) & 0xFFFFFFFF
                rounds["keys"][2 * i + 1] = (state["key"][1] + i * 0xBB67AE85) & 0xFFFFFFFF
            for before in (0, 1, 4):  # elements in front, which decide about the alignment
                for kernel in kernels:
                    out = qn.asarray(np.full(count + before + 8, 7777, dtype), device=device)
                    kernel(
                        queue,
                        items,
                        64,
                        out,
                        before,
                        blocks,
                        count,
                        first,
                        key,
                        rounds[()],
                        start,
                        *parameters,
                    )
                    got = out.get(queue=queue)
                    assert (got[:before] == 7777).all() and (got[before + count :] == 7777).all()
                    got = got[before : before + count]
                    if name == "normal" and device.backend == "cuda":  # by its own functions
                        assert np.allclose(got, want, rtol=0, atol=2e-5)
                    else:
                        assert np.array_equal(got, want)


def test_every_kernel_compiles_for_cuda():
    sys.path.append(str(KERNELS.parents[1] / "tools"))
    import nvrtc

    if nvrtc.library() is None:
        pytest.skip("needs NVRTC")
    fill, samplers = text_of("random", "random_values", "random_fill"), text_of("random", "random_samplers")
    wide = {"T": "double", "T2": "double2", "P": "double", "C": "double"}
    programs = [
        *((fill, {**MAKINGS[name], **more}) for name in MAKINGS for more in ({}, {"STAGED": "256"})),
        (
            fill,
            {
                **wide,
                "T_VECTOR": "double2",
                "BLOCK_ELEMENTS": "2",
                "WORDS": "4",
                "UNIT": "2",
                "VALUE": "quern_lognormal_double",
            },
        ),
        (samplers, {"T": "float", "REAL": "float", "GAMMA": "1"}),
        (samplers, {"T": "double", "REAL": "double", "IN_DOUBLE": "1", "GAMMA": "1", "THREEFRY": "1"}),
        (samplers, {"T": "long", "REAL": "double", "COUNTS": "1"}),
        (text_of("random_order"), {"LOOK_UP": "1", "WEIGH": "1", "TAKE_ROWS": "1", "ELEMENT": "uint4"}),
    ]
    for text, defines in programs:
        assert nvrtc.compile_cuda(qn.Program(text, defines=defines).lowered_source("cuda")) == ""
