# SPDX-License-Identifier: MIT
"""Which arrays' tests quick runs leave out on PoCL, how many kernels were launched, and which loops may run."""

import pytest

import quern as qn
from quern import _core

# The tests that quick runs do on PoCL; the host runs the same kernels in all tests.
ON_POCL = {
    "test_laziness.py",
    "test_arithmetic.py",
    "test_array.py",
    "test_dlpack.py",
    "test_read_only.py",
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


@pytest.fixture
def use_host_loops():
    """A function that says how far the host's loops take the place of kernels, until the test ends."""
    before = _core.host_loop_use()
    qn.finish_compilation()  # of what other tests have evaluated
    yield lambda name: _core.set_host_loop_use(getattr(_core.HostLoopUse, name))
    _core.set_host_loop_use(before)


@pytest.fixture(autouse=True)
def few_kernels_for_pocl(request, is_quick_on_pocl):
    if is_quick_on_pocl and request.node.path.name not in ON_POCL:
        pytest.skip("run with the slow tests")
