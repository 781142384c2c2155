# SPDX-License-Identifier: MIT
"""Compiles a program for CUDA where there is no GPU: NVRTC needs none."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[3] / "tools"))
import nvrtc

IS_INSTALLED = nvrtc.library() is not None


def compiles(program):
    """Fails with NVRTC's message where a program does not compile for sm_90."""
    if IS_INSTALLED:
        log = nvrtc.compile_cuda(program.lowered_source("cuda"))
        assert not log, log
