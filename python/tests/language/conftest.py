# SPDX-License-Identifier: MIT
"""What the tests of the kernel language share."""

import re

import cuda
import numpy as np
import pytest

import quern as qn


@pytest.fixture
def rng():
    return np.random.default_rng(20)


@pytest.fixture
def build_error(device):
    """build_error(source, **options): the BuildError that a source must give on the device."""

    def build(source, **options):
        with pytest.raises(qn.BuildError) as caught:
            qn.Program(source, **options).build(device)
        return caught.value

    return build


@pytest.fixture
def nvidia_differs(device):
    """nvidia_differs(how): NVIDIA's own OpenCL compiler does not do what the specification says."""

    def skip(how):
        if device.backend == "opencl" and "NVIDIA" in device.platform:
            pytest.skip(f"NVIDIA's OpenCL: {how}")

    return skip


@pytest.fixture
def beyond_the_standard(device):
    """Of what clang takes beyond OpenCL C: PoCL has it, other vendors' compilers need not."""
    if device.backend == "opencl" and device.platform != "Portable Computing Language":
        pytest.skip("a matter of the device's compiler")


@pytest.fixture
def newer_pocl_aborts(device):
    """newer_pocl_aborts(where): PoCL from version 4 on ends the process while it compiles the kernel."""

    def skip(where):
        if device.platform == "Portable Computing Language":
            version = re.match(r"\d+", device.driver_version)
            if version and int(version[0]) >= 4:
                pytest.skip(f"PoCL {device.driver_version} aborts in its compiler: {where}")

    return skip


@pytest.fixture
def run(queue):
    """run(source, size, local, *arguments): one kernel of a source; returns its arrays as NumPy's."""

    def launch(source, size, local, *arguments, **options):
        program = qn.Program(source, name="test.cl", **options)
        if queue.device.backend == "host":
            cuda.compiles(program)
        (name,) = [n for n in dir(program) if not n.startswith("_") and not hasattr(qn.Program, n)]
        values = [qn.asarray(a, queue=queue) if isinstance(a, np.ndarray) else a for a in arguments]
        program[name](queue, size, local, *values)
        arrays = [value.get() for value in values if isinstance(value, qn.Array)]
        return arrays[0] if len(arrays) == 1 else arrays

    return launch
