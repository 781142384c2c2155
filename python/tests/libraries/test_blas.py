# SPDX-License-Identifier: MIT
"""BLAS and LAPACK on the host: which file is taken, and that its number of threads stays ours."""

import os
import subprocess
import sys
from pathlib import Path

import quern as qn


def _report_in_a_process(**variables):
    package = str(Path(qn.__file__).resolve().parents[1])
    code = (
        "import quern as qn; r = next(l for l in qn.find_libraries() if l.backend == 'host');"
        "print(r.name, r.path or '-', [a.outcome for a in r.attempts])"
    )
    environment = {**os.environ, "PYTHONPATH": package, **variables}
    out = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return out.stdout


def test_a_file_that_cannot_be_loaded_is_reported_and_nothing_else_is_tried():
    out = _report_in_a_process(QUERN_BLAS_LIBRARY="/does/not/exist/libopenblas.so")
    assert out.startswith("BLAS - ") and "No such file" in out


def test_a_library_without_blas_is_reported():
    assert "it lacks functions of CBLAS" in _report_in_a_process(QUERN_BLAS_LIBRARY="libc.so.6")


def test_nothing_is_searched_if_libraries_are_off():
    assert "QUERN_LIBRARIES=never" in _report_in_a_process(QUERN_LIBRARIES="never")


def test_importing_searches_nothing():
    code = "import quern, os; print(open('/proc/self/maps').read().count('quern-library'))"
    package = str(Path(qn.__file__).resolve().parents[1])
    out = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": package},
        capture_output=True,
        text=True,
        check=True,
    )
    assert out.stdout.strip() == "0"
