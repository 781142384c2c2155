# SPDX-License-Identifier: MIT
"""Kernels also of few elements, which functions of the library would do on the host."""

import os

import pytest

import quern as qn
from quern import _core


@pytest.fixture(scope="session")
def compiles(device):
    """Whether there is anything that compiles, and may."""
    if os.environ.get("QUERN_HOST_LOOPS") == "only":
        return False
    try:
        qn.Program("kernel void nothing(global int *x) {}").build(device)
    except qn.BuildError:
        return False
    return True


@pytest.fixture(autouse=True)
def kernels(compiles):
    """test_precompiled_kernels.py has the functions."""
    before = _core.host_loop_use()
    if compiles:
        _core.set_host_loop_use(_core.HostLoopUse.never)
    yield
    _core.set_host_loop_use(before)
