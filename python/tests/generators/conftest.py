# SPDX-License-Identifier: MIT
"""Runs the tests of this folder in both loop structures."""

import pytest

import quern as qn


@pytest.fixture(params=["grid", "chunks"], autouse=True)
def loops(request, monkeypatch):
    """Both loop structures are right on every device, whichever it would choose."""
    spec = request.node.callspec.params.get("device_spec")
    is_quick_run = "not slow" in (request.config.option.markexpr or "")
    on_pocl = bool(spec) and spec.startswith("opencl") and qn.device(spec).kind == "cpu"
    if request.param == "grid" and is_quick_run and on_pocl:
        pytest.skip("new kernels take PoCL long, and the host runs the same text: run with the slow tests")
    monkeypatch.setenv("QUERN_LOOPS", request.param)
