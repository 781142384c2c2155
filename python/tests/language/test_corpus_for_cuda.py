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


@pytest.mark.parametrize(
    "size", ["", "__attribute__((reqd_work_group_size(64, 1, 1)))"], ids=["any", "fixed"]
)
def test_matches_of_bytes_beside_other_exchanges(size):
    # Predicates are few: of a warp's lanes, of the bits that are matched, and of the author's own conditions.
    cuda.compiles(
        qn.Program(f"""
        kernel {size} void use(global const int *a, global int *b, global ulong *equal, int n) {{
          const size_t i = get_global_id(0);
          const int x = a[i];
          b[i] = quern_shuffle(x, QUERN_SUB_GROUP_SIZE - 1 - get_local_id(0) % QUERN_SUB_GROUP_SIZE);
          b[i] += quern_shuffle_xor(x, QUERN_SUB_GROUP_SIZE / 2);
          equal[i] = quern_ballot(x > 0);
          const ulong same = quern_match_any(x % 3);
          if (quern_match_any((uchar)(x % 3)) == same && x < n && b[i] > 7) equal[i] = same;
        }}""")
    )
