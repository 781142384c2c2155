# SPDX-License-Identifier: MIT
"""Runs the tests of this folder in both loop structures."""

import pytest


@pytest.fixture(params=["grid", "chunks"], autouse=True)
def loops(request, set_loops, is_quick_on_pocl):
    """Both loop structures are right on every device, whichever it would choose."""
    if request.param == "grid" and is_quick_on_pocl:
        pytest.skip("new kernels take PoCL long, and the host runs the same text: run with the slow tests")
    set_loops(request.param)
