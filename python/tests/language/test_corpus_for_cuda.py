# SPDX-License-Identifier: MIT
"""Kernel files compile for CUDA (sm_90) without a GPU, where NVRTC is installed.

The other tests of this folder compile each kernel that they run on the host for CUDA too: see cuda.py.
"""

from pathlib import Path

import cuda
import pytest

import quern as qn

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.skipif(not cuda.IS_INSTALLED, reason="NVRTC is not installed")

FILES = sorted((ROOT / "examples" / "kernels").glob("*.cl")) + sorted(
    (ROOT / "tests/frontend/kernels").glob("*.cl")
)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_kernel_file(file):
    cuda.compiles(qn.Program(file.read_text(), name=file.name, include_paths=[str(file.parent)]))
