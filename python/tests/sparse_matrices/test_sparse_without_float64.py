# SPDX-License-Identifier: MIT
"""Solvers on a device without float64: an OpenCL library that denies it, and refuses kernels that name double."""

import shutil
import subprocess

import pytest

import quern as qn

# A layer over libOpenCL: what it does not define is found in the library itself.
LAYER = r"""
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef int (*info_function)(void *, unsigned, size_t, void *, size_t *);
typedef void *(*create_function)(void *, unsigned, const char **, const size_t *, int *);

static void *real(const char *name) { return dlsym(dlopen("libOpenCL.so.1", RTLD_LAZY), name); }

int clGetDeviceInfo(void *device, unsigned what, size_t size, void *value, size_t *used) {
  const int result = ((info_function)real("clGetDeviceInfo"))(device, what, size, value, used);
  if (what == 0x1032 && value != NULL) memset(value, 0, size); /* CL_DEVICE_DOUBLE_FP_CONFIG */
  return result;
}

void *clCreateProgramWithSource(void *context, unsigned count, const char **texts, const size_t *lengths, int *error) {
  const char **all = malloc((count + 1) * sizeof *all);
  size_t *sizes = calloc(count + 1, sizeof *sizes);
  all[0] = "#define double float64_is_missing\n";
  for (unsigned i = 0; i < count; ++i) {
    all[i + 1] = texts[i];
    sizes[i + 1] = lengths != NULL ? lengths[i] : 0;
  }
  void *program = ((create_function)real("clCreateProgramWithSource"))(context, count + 1, all, sizes, error);
  free(all);
  free(sizes);
  return program;
}
"""

PROGRAM = """
import numpy as np
import quern as qn
from quern.sparse import linalg

device = qn.device("opencl")
assert not device.has_fp64
try:
    qn.Program("kernel void f(global double *x) { x[0] = 1; }").build(device)
    raise AssertionError("the device takes double")
except qn.BuildError:
    pass

n = 60
rng = np.random.default_rng(0)
line = np.diag(np.full(n, 2.5)) - np.diag(np.ones(n - 1), 1) - np.diag(np.ones(n - 1), -1)
A = qn.sparse.csr_array(line.astype("float32"), device=device)
b = rng.random(n).astype("float32")
right = qn.asarray(b, device=device)
expected = np.linalg.solve(line, b)


def close(x, y, tolerance=2e-4):
    assert x.dtype in (np.float32, np.complex64), x.dtype
    np.testing.assert_allclose(x.get(), y, rtol=0, atol=tolerance)


part = {part!r}
if part == "solvers":
    for solve in (linalg.cg, linalg.gmres, linalg.minres, linalg.bicgstab):
        x, info = solve(A, right, rtol=1e-5)
        assert info == 0, solve
        close(x, expected)
    close(linalg.lsqr(A, right)[0], expected)
    close(linalg.lsmr(A, right)[0], expected, 1e-3)
elif part == "preconditioners":
    for make in (linalg.jacobi, linalg.ic0, linalg.ilu0, linalg.chebyshev, lambda A: linalg.block_jacobi(A, 4)):
        x, info = linalg.cg(A, right, rtol=1e-5, M=make(A))
        assert info == 0, make
        close(x, expected)
    x, info = linalg.gmres(A, right, rtol=1e-5, M=linalg.ilu0(A))
    assert info == 0
    close(x, expected)
    close(linalg.spsolve_triangular(qn.sparse.tril(A, format="csr"), right), np.linalg.solve(np.tril(line), b))
elif part == "spectra":
    w, v = linalg.eigsh(A, 3)
    close(w, np.linalg.eigvalsh(line)[-3:])
    close(A @ v, v.get() * w.get(), 1e-3)
    u, s, vh = linalg.svds(A, 3)
    close(s, np.sort(np.linalg.svd(line)[1])[-3:])
    close(u.T @ u, np.eye(3), 1e-4)
    u, s, vh = linalg.svds(A, 2, which="SM")
    close(s, np.sort(np.linalg.svd(line)[1])[:2], 1e-2)
else:
    B = qn.sparse.random_array((n, n), density=0.1, rng=1, device=device).tocsr()
    dense = B.toarray().get()
    assert B.dtype == np.float32
    close((B @ A).toarray(), dense @ line.astype("float32"), 1e-5)
    close((B + A.tocsc()).toarray(), dense + line.astype("float32"), 1e-6)
    close(B.max(axis=1).toarray(), dense.max(axis=1))
    close(B.mean(axis=0), dense.mean(axis=0), 1e-6)
    assert B.argmax(axis=1).get().tolist() == dense.argmax(axis=1).tolist()
    close(qn.sparse.vstack([A, B]).reshape(n, 2 * n).toarray(), np.vstack([line, dense]).reshape(n, 2 * n), 1e-6)
    y, dot = linalg.matvec_with_vdot(A, right)
    close(y, line @ b, 1e-4)
    close(linalg.norm(B), np.linalg.norm(dense), 1e-4)
    T = qn.sparse.eye_array(3, format="csr", dtype="float32", device=device)
    close(T.toarray(), np.eye(3))
"""


@pytest.fixture(scope="module")
def layer(tmp_path_factory):
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None or not qn.devices("opencl"):
        pytest.skip("needs a C compiler and an OpenCL device")
    folder = tmp_path_factory.mktemp("layer")
    (folder / "layer.c").write_text(LAYER)
    made = subprocess.run(
        [
            compiler,
            "-shared",
            "-fPIC",
            "layer.c",
            "-o",
            "layer.so",
            "-Wl,--no-as-needed",
            "-l:libOpenCL.so.1",
            "-ldl",
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode != 0:
        pytest.skip(f"the layer does not link: {made.stderr}")
    return folder / "layer.so"


@pytest.mark.parametrize("part", ["solvers", "preconditioners", "spectra", "matrices"])
def test_single_precision_suffices(layer, part, run_python, device):
    if device.backend != "opencl":
        pytest.skip("only OpenCL has devices without float64")
    run_python(
        PROGRAM.replace("{part!r}", repr(part)),
        env={"QUERN_OPENCL_LIBRARY": str(layer), "QUERN_DEVICE": "opencl"},
    )
