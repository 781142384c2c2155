# SPDX-License-Identifier: MIT
"""Random programs give the same bits on every device; clang, where installed, confirms that they are legal."""

import os
import shutil
import subprocess

import numpy as np
import pytest
from random_program import Generator

import quern as qn

COUNT = 200 if os.environ.get("QUERN_TEST_FULL") else 10
CLANG = ["clang", "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header", "-fsyntax-only", "-w"]


def results(source, device, values):
    queue = qn.Queue(device)
    out = qn.zeros(values.size, np.uint64, queue=queue)
    qn.Program(source, name="random.cl").k(queue, values.size, None, qn.asarray(values, queue=queue), out)
    return out.get()


@pytest.mark.parametrize("seed", range(COUNT))
def test_a_random_program_means_the_same_on_every_device(device, other_device, seed):
    source = Generator(seed).program()
    values = np.random.default_rng(seed).integers(0, 1 << 32, 64, dtype=np.uint32)
    values[:4] = [0, 1, 2**32 - 1, 2**31]
    np.testing.assert_array_equal(
        results(source, device, values), results(source, other_device, values), err_msg=source
    )


@pytest.mark.skipif(not shutil.which("clang"), reason="clang is not installed")
def test_clang_accepts_random_programs(tmp_path):
    for seed in range(COUNT):
        file = tmp_path / f"random{seed}.cl"
        file.write_text(Generator(seed).program())
    done = subprocess.run(
        [*CLANG, "-target", "spir64", *map(str, tmp_path.iterdir())], capture_output=True, text=True
    )
    if "file not found" in done.stderr:
        pytest.skip("clang has no OpenCL header")
    assert done.returncode == 0, done.stderr
