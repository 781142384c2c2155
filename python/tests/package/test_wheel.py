# SPDX-License-Identifier: MIT
"""The wheel that pip builds holds all that an installation needs, and works away from the source tree."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FIRST_KERNEL = """
import numpy as np, quern as qn
a = qn.asarray(np.arange(4, dtype=np.float32), device=qn.device("host"))
kernel = qn.Program("kernel void twice(global float *a) { a[get_global_id(0)] *= 2; }").twice
kernel(qn.Queue(qn.device("host")), a.shape, None, a).wait()
print(qn.__file__, a.get().tolist())
"""


@pytest.mark.slow
def test_a_wheel_installs_and_runs_a_kernel(tmp_path):
    pytest.importorskip("pip")
    pytest.importorskip("scikit_build_core")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", tmp_path, ROOT],
        check=True,
        env={**os.environ, "CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count())},
    )
    (wheel,) = tmp_path.glob("quern-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"quern/__init__.py", "quern/py.typed", "quern/_core.pyi"} <= set(names)
    assert sum(name.startswith("quern/_core.") and name.endswith(".so") for name in names) == 1

    site = tmp_path / "site"
    subprocess.run([*pip, "install", "--no-deps", "--target", site, wheel], check=True)
    done = subprocess.run(
        [sys.executable, "-c", FIRST_KERNEL],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(str(site))
    assert done.stdout.endswith("[0.0, 2.0, 4.0, 6.0]\n")
