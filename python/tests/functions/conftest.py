# SPDX-License-Identifier: MIT
"""Which functions' tests quick runs do on PoCL, and what the tests of functions share."""

import contextlib

import pytest

import quern as qn


@pytest.fixture(autouse=True)
def few_kernels_for_pocl(request, is_quick_on_pocl):
    if is_quick_on_pocl and request.node.path.name != "test_products.py":
        pytest.skip("run with the slow tests")


@pytest.fixture(autouse=True)
def no_errors_left_behind(request):
    """Lets the device raise the deferred errors that a test expected, so that no later test meets them."""
    yield
    if "device" in request.fixturenames:
        with contextlib.suppress(qn.Error):
            qn.synchronize(request.getfixturevalue("device"))


@pytest.fixture(params=["chunks", "grid"])
def loops(request, set_loops, device):
    """What CPUs run, and, on the host too, what GPUs run."""
    if request.param == "grid":
        if device.backend == "opencl" and device.kind == "cpu":
            pytest.skip("the host runs it")
        set_loops("grid")
    return request.param


@pytest.fixture(params=["libraries", "own kernels"])
def provider(request, monkeypatch, device):
    """The libraries that were found, and what runs without them."""
    if request.param == "own kernels":
        if device.backend == "opencl":
            pytest.skip("no library is called on this device")
        monkeypatch.setenv("QUERN_LIBRARIES", "never")
    return request.param
