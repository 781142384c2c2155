# SPDX-License-Identifier: MIT
"""Compiles kernels for few elements too, for which the host would run precompiled ones."""

import os

import pytest

import quern as qn
from quern import _core


@pytest.fixture(scope="session")
def compiles(device):
    """Whether a compiler is there and QUERN_HOST_LOOPS allows its use."""
    if os.environ.get("QUERN_HOST_LOOPS") == "only":
        return False
    try:
        qn.Program("kernel void nothing(global int *x) {}").build(device)
    except qn.BuildError:
        return False
    return True


@pytest.fixture(autouse=True)
def kernels(compiles):
    """Keeps precompiled kernels from running; test_precompiled_kernels.py tests those."""
    before = _core.host_loop_use()
    if compiles:
        _core.set_host_loop_use(_core.HostLoopUse.never)
    yield
    _core.set_host_loop_use(before)


@pytest.fixture(params=["own", "tiles"])
def loops(request, device, set_loops, compiles):
    """On the host also what GPUs run."""
    if request.param == "tiles":
        if device.backend != "host":
            pytest.skip("the device's own")
        if not compiles:
            pytest.skip("GPUs run kernels")
        set_loops("grid")
