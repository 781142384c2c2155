# SPDX-License-Identifier: MIT
"""Hints of errors for users of CuPy, PyCUDA and PyOpenCL: what to write instead."""

import numpy as np
import pytest

import quern as qn


def build_error(device, source, **options):
    with pytest.raises(qn.BuildError) as caught:
        qn.Program(source, **options).build(device)
    return str(caught.value)


@pytest.mark.parametrize("name", ["complex64", "complex128", "cfloat_t", "cdouble_t"])
def test_complex_types_without_the_pragma_name_it(device, name):
    text = build_error(device, f"kernel void k(global {name} *x) {{ x[0] = x[0]; }}")
    assert f"hint: '{name}' needs the line '#pragma quern complex'" in text


def test_other_errors_have_no_hint(device):
    assert "hint:" not in build_error(
        device, "/* __global__ complex64 */ kernel void k(global int *x) { x[0] = y; }"
    )


@pytest.mark.parametrize(
    "header", ["pyopencl-complex.h", "pycuda-complex.hpp", "cupy/complex.cuh", "thrust/complex.h"]
)
def test_headers_of_complex_numbers_bring_them(device, header):
    types = {"pyopencl-complex.h": "cfloat_t", "pycuda-complex.hpp": "pycuda::complex<float>"}
    name = types.get(header, "complex<float>")
    program = qn.Program(
        f"#include <{header}>\nkernel void k(global {name} *x) {{ int i = get_global_id(0); x[i] = x[i] * x[i]; }}"
    )
    z = np.complex64([1 + 2j, -3j])
    x = qn.asarray(z, device=device)
    program.k(qn.Queue(device), 2, None, x)
    np.testing.assert_allclose(x.get(), z * z, rtol=1e-6)


def test_pyopencls_header_between_quotes_and_its_functions(device):
    source = """#include "pyopencl-complex.h"
kernel void k(global cfloat_t *x) { int i = get_global_id(0); x[i] = cfloat_mul(x[i], cfloat_conj(x[i])); }
"""
    z = np.complex64([1 + 2j, -3j])
    x = qn.asarray(z, device=device)
    qn.Program(source).k(qn.Queue(device), 2, None, x)
    np.testing.assert_allclose(x.get(), z * z.conj(), rtol=1e-6)


CUDA_C = """__global__ void k(float *x) {
  __shared__ float s[4];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[0] = 1; __syncthreads(); x[i] = s[0];
}
"""


def test_cuda_c_in_an_opencl_program_is_called_so(device):
    text = build_error(device, CUDA_C)
    assert "hint: this is CUDA C" in text and 'language="cuda"' in text
    if device.backend == "cuda":
        assert text.endswith('pass language="cuda"')
        return
    for word, own in {
        "__global__": "kernel",
        "__shared__": "local",
        "threadIdx.x": "get_local_id(0)",
        "blockIdx.x": "get_group_id(0)",
        "blockDim.x": "get_local_size(0)",
        "__syncthreads()": "barrier(CLK_LOCAL_MEM_FENCE)",
    }.items():
        assert f"'{word}' is '{own}'" in text
    assert "gridDim" not in text


def test_a_header_of_cuda_in_an_opencl_program_is_explained_by_name_lookups():
    program = qn.Program("#include <cuda_runtime.h>\n" + CUDA_C)
    for look_up in (lambda: program.k, lambda: program.kernel_names):
        with pytest.raises(qn.BuildError, match="cannot find the include file") as caught:
            look_up()
        assert str(caught.value).count("hint: this is CUDA C") == 1


def test_one_word_of_cuda_c_in_a_kernel_is_explained(device):
    text = build_error(device, "kernel void k(global float *x) { x[threadIdx.x] = 1; }")
    assert "hint: this is CUDA C" in text


def test_cuda_c_in_a_snippet_says_the_words_of_opencl_c(device):
    kernel = qn.ElementwiseKernel("float *x", "x[i] = threadIdx.x")
    with pytest.raises(qn.BuildError, match=r"'threadIdx\.x' is 'get_local_id\(0\)'"):
        kernel(qn.zeros(3, "float32", device=device))


@pytest.mark.parametrize(
    ("option", "meant"),
    [
        ("-cl-fast-math", "-cl-fast-relaxed-math"),
        ("-cl-fast-relaxed-maths", "-cl-fast-relaxed-math"),
        ("-cl-denorms-zero", "-cl-denorms-are-zero"),
        ("-cl-no-signed-zeroes", "-cl-no-signed-zeros"),
    ],
)
def test_an_unknown_option_names_the_one_that_was_meant(device, option, meant):
    program = qn.Program("kernel void k(global int *x) { x[0] = 1; }", options=[option])
    if device.backend == "opencl" and device.platform != "Portable Computing Language":
        pytest.skip("drivers may take any option")
    with pytest.raises(
        (qn.ArgumentError, qn.BuildError), match=f"'{option}' is unknown; did you mean '{meant}'"
    ):
        program.build(device)


@pytest.mark.parametrize(
    ("text", "name"),
    [("float π = 1", "'π' .U.03C0"), ("int x = “1", "'“' .U.201C"), ("int\u00a0x", "U.00A0")],
)
def test_a_character_beyond_ascii_is_named_with_its_place(text, name):
    """Of our own front end: drivers of OpenCL may take letters of any script."""
    source = f"// π in a comment is fine\nkernel void k(global float *y) {{\n  {text}; }}"
    with pytest.raises(
        qn.BuildError, match=f"kernel.cl:3:[0-9]+: error: the character .*{name}.* is not part of OpenCL C"
    ):
        qn.Program(source).build(qn.device("host"))


def test_characters_beyond_ascii_in_comments_and_strings_are_fine(device):
    x = qn.zeros(1, "int32", device=device)
    qn.Program("/* π “quoted” */ kernel void k(global int *x) { x[0] = 3; } // ∞").k(
        qn.Queue(device), 1, None, x
    )
    assert x.get() == 3


LAYOUTS = {"in Fortran order": lambda x: x.T, "a strided view": lambda x: x[:, ::2]}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_array_that_is_not_in_c_order_says_what_to_pass(device, layout):
    program = qn.Program("kernel void k(global float *x) { x[get_global_id(0)] += 1; }")
    values = np.zeros((3, 4), "float32")
    with pytest.raises(
        qn.ArgumentError, match=rf"'x'.*the array is {layout}.*C order.*qn\.ascontiguousarray"
    ):
        program.k(qn.Queue(device), 4, None, LAYOUTS[layout](qn.asarray(values, device=device)))
    for wrap in (qn.In, qn.InOut):
        with pytest.raises(
            qn.ArgumentError, match=rf"the NumPy array is {layout}, expected.*numpy\.ascontiguousarray"
        ):
            program.k(qn.Queue(device), 4, None, wrap(LAYOUTS[layout](values)))
    scan = qn.ScanKernel("float32", "const float *x, float *y", "x[i]", "a + b", "0", "y[i] = item")
    out = qn.zeros(12, "float32", device=device)
    with pytest.raises(qn.ArgumentError, match=rf"'x': the array is {layout}.*qn\.ascontiguousarray"):
        scan(LAYOUTS[layout](qn.asarray(values, device=device)), out, size=6)


@pytest.mark.parametrize("wrap", [qn.Out, qn.InOut])
def test_a_read_only_memmap_that_would_be_written_says_what_to_pass(device, tmp_path, wrap):
    path = tmp_path / "numbers"
    np.arange(4, dtype="float32").tofile(path)
    numbers = np.memmap(path, dtype="float32", mode="r")
    program = qn.Program("kernel void k(global float *x) { x[get_global_id(0)] += 1; }")
    with pytest.raises(
        qn.ArgumentError, match=r"read-only, as a memmap of mode 'r' is; pass a copy .*quern\.In"
    ):
        program.k(qn.Queue(device), 4, None, wrap(numbers))


def test_a_fault_in_the_only_work_group_asks_for_no_debug_build_to_know_it():
    host = qn.device("host")
    program = qn.Program("kernel void k(global float *x) { *(global float *)(get_local_id(0) + 16) = x[0]; }")
    event = program.k(qn.Queue(host), 1, 1, qn.zeros(1, "float32", device=host))
    with pytest.raises(
        qn.KernelError,
        match=r"in work-group \(0,0,0\); build the program with debug=True to learn the line\n"
        r"It was launched on a queue of 'host' at .*test_hints\.py",
    ):
        event.wait()
