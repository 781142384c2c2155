# SPDX-License-Identifier: MIT
"""Keeps quick runs quick: PoCL takes long for new kernels."""

import pytest

import quern as qn

# What quick runs ask of PoCL; the host runs the same kernels in all tests.
ON_POCL = {
    "test_laziness.py",
    "test_arithmetic.py",
    "test_dlpack.py",
    "test_products.py",
    "test_transfers.py",
}


@pytest.fixture
def launches():
    """A function that runs another and says how many kernels were launched for it."""

    def count(function):
        before = qn.stats().launches
        function()
        return qn.stats().launches - before

    return count


@pytest.fixture(autouse=True)
def few_kernels_for_pocl(request):
    callspec = getattr(request.node, "callspec", None)
    spec = callspec.params.get("device_spec") if callspec else None
    is_quick_run = "not slow" in (request.config.option.markexpr or "")
    on_pocl = bool(spec) and spec.startswith("opencl") and qn.device(spec).kind == "cpu"
    if on_pocl and is_quick_run and request.node.path.name not in ON_POCL:
        pytest.skip("run with the slow tests")
