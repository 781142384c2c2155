# SPDX-License-Identifier: MIT
"""quern run, quern lower and quern explain."""

import json
import shutil
import subprocess

import numpy as np
import pytest

from quern import cli

AXPY = """kernel void axpy(const float a, global const float *x, global float *y) {
  const size_t i = get_global_id(0);
  y[i] += a * x[i];
}
"""
TWO = "kernel void one(global int *x) { x[0] = 1; }\nkernel void two(global int *x) { x[0] = 2; }\n"


@pytest.fixture
def call(tmp_path, capfd, monkeypatch):
    """Calls the command line in a folder with axpy.cl and two arrays."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "axpy.cl").write_text(AXPY)
    (tmp_path / "two.cl").write_text(TWO)
    np.save("x.npy", np.arange(10, dtype=np.float32))
    np.save("y.npy", np.full(10, 5, np.float32))

    def run(*arguments):
        status = cli.main([str(argument) for argument in arguments])
        return status, *capfd.readouterr()

    return run


def test_a_kernel_runs_on_files(call, device):
    status, out, _ = call(
        "run",
        "axpy.cl",
        "--args",
        "2.5",
        "x.npy",
        "inout:y.npy:z.npy",
        "--size",
        10,
        "--device",
        device.spec,
    )
    assert status == 0 and "z.npy: float32 10" in out
    np.testing.assert_array_equal(np.load("z.npy"), 5 + 2.5 * np.arange(10, dtype=np.float32))
    np.testing.assert_array_equal(np.load("y.npy"), np.full(10, 5, np.float32))


def test_an_output_has_the_name_of_its_parameter(call):
    assert (
        call("run", "axpy.cl", "--args", "-1", "in:x.npy", "out:float32:2x5", "--size", 10, "--force")[0] == 0
    )
    np.testing.assert_array_equal(np.load("y.npy"), -np.arange(10, dtype=np.float32).reshape(2, 5))


def test_nothing_is_overwritten_unasked(call):
    before = np.load("y.npy")
    for target in ("out:float32:10", "inout:y.npy", "out:float32:10:x.npy"):
        status, _, error = call("run", "axpy.cl", "--args", "1", "x.npy", target, "--size", 10)
        assert status == 2 and "exists; --force overwrites it" in error
    np.testing.assert_array_equal(np.load("y.npy"), before)
    assert call("run", "axpy.cl", "--args", "1", "x.npy", "inout:y.npy", "--size", 10, "--force")[0] == 0
    np.testing.assert_array_equal(np.load("y.npy"), before + np.arange(10, dtype=np.float32))


def test_repeated_runs_begin_with_the_same_arrays(call):
    status, out, _ = call(
        "run", "axpy.cl", "--args", "1", "x.npy", "inout:y.npy:z.npy", "--size", 10, "--repeat", 4, "--json"
    )
    facts = json.loads(out)
    assert status == 0 and len(facts["device_seconds"]) == len(facts["host_seconds"]) == 4
    np.testing.assert_array_equal(np.load("z.npy"), 5 + np.arange(10, dtype=np.float32))


def test_a_result_can_be_printed(call):
    status, out, _ = call("run", "axpy.cl", "--args", "1", "x.npy", "out:float32:10:-", "--size", 10)
    assert status == 0 and out.splitlines()[0] == str(np.arange(10, dtype=np.float32))
    _, out, _ = call("run", "axpy.cl", "--args", "1", "x.npy", "out:float32:10:-", "--size", 10, "--json")
    assert json.loads(out)["results"][0]["values"] == list(range(10))


def test_numbers_sizes_and_local_memory(call, tmp_path):
    (tmp_path / "f.cl").write_text(
        """kernel void f(const int a, const ulong b, local int *t, global long *x) {
  t[get_local_id(0)] = a;
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(1) * get_global_size(0) + get_global_id(0)] = b + t[0] * (long)get_local_size(0);
}"""
    )
    status, _, error = call(
        "run",
        "f.cl",
        "--args",
        "-3",
        "0x10",
        "local:int32:4",
        "out:int64:2,8:z.npy",
        "--size",
        "8x2",
        "--local",
        "4x1",
    )
    assert status == 0, error
    np.testing.assert_array_equal(np.load("z.npy"), np.full((2, 8), 16 - 3 * 4))


WRONG = {
    "count": (["axpy.cl", "--args", "1", "--size", "4"], "1 given, and the kernel has 3"),
    "array for a number": (["axpy.cl", "--args", "x.npy", "x.npy", "x.npy", "--size", "4"], "takes a number"),
    "number for an array": (["axpy.cl", "--args", "1", "1", "x.npy", "--size", "4"], "takes an array"),
    "neither": (["axpy.cl", "--args", "one", "x.npy", "x.npy", "--size", "4"], "'one' is neither a number"),
    "dtype": (["axpy.cl", "--args", "1", "x.npy", "out:float33:4:z.npy", "--size", "4"], "not a dtype"),
    "other dtype": (["axpy.cl", "--args", "1", "x.npy", "out:float64:4:z.npy", "--size", "4"], "float64"),
    "shape": (["axpy.cl", "--args", "1", "x.npy", "out:float32:4xz:z.npy", "--size", "4"], "not a shape"),
    "size": (["axpy.cl", "--args", "1", "x.npy", "x.npy", "--size", "-4"], "--size"),
    "kernel": (["axpy.cl", "--kernel", "axy", "--size", "4"], "did you mean 'axpy'"),
    "which kernel": (["two.cl", "--args", "x.npy", "--size", "4"], "one, two"),
    "file": (["three.cl", "--size", "4"], "three.cl"),
    "array file": (["axpy.cl", "--args", "1", "none.npy", "x.npy", "--size", "4"], "none.npy"),
    "local memory": (
        ["two.cl", "--kernel", "one", "--args", "local:int32:4", "--size", "4"],
        "not local memory",
    ),
    "one file twice": (
        ["f.cl", "--args", "out:int32:1:z.npy", "out:int32:1:z.npy", "--size", "1"],
        "two arguments",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_command_line_says_what_is_wrong(call, case, tmp_path):
    (tmp_path / "f.cl").write_text("kernel void f(global int *x, global int *y) { x[0] = y[0]; }")
    arguments, words = WRONG[case]
    try:
        status, out, error = call("run", *arguments)
    except SystemExit as ended:  # argparse takes "-4" for an option
        assert ended.code == 2
        return
    assert status == 2 and words in error and out == ""
    assert not (tmp_path / "z.npy").exists()


def test_a_kernel_with_an_error_is_a_failure(call, tmp_path):
    (tmp_path / "bad.cl").write_text("kernel void f(global int *x) { x[0] = y; }")
    status, _, error = call("run", "bad.cl", "--args", "out:int32:4", "--size", 4)
    assert status == 1 and "bad.cl:1:39: error" in error


def test_python_objects_are_not_unpickled(call):
    np.save("objects.npy", np.array([object()], dtype=object), allow_pickle=True)
    status, _, error = call("run", "axpy.cl", "--args", "1", "objects.npy", "x.npy", "--size", 4)
    assert status == 2 and "objects.npy" in error


def test_lower_prints_c_that_a_compiler_accepts(call, tmp_path):
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("needs gcc or clang")
    status, out, _ = call("lower", "axpy.cl", "--target", "c")
    assert status == 0 and "quern_kernel_axpy" in out
    assert call("lower", "axpy.cl", "--target", "c", "-o", "axpy.c")[1] == ""
    assert (tmp_path / "axpy.c").read_text() == out
    assert call("lower", "axpy.cl", "--target", "c", "-o", "axpy.c")[0] == 2
    assert call("lower", "axpy.cl", "--target", "c", "-o", "axpy.c", "--force")[0] == 0
    done = subprocess.run(
        [compiler, "-w", "-fsyntax-only", "-x", "c", "axpy.c"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_lower_to_cuda_and_opencl_needs_no_device(call):
    status, out, _ = call("lower", "axpy.cl", "--target", "cuda")
    assert status == 0 and "__global__ void quern_kernel_axpy(float a, const float *x" in out
    status, out, _ = call("lower", "axpy.cl", "--target", "opencl")
    assert status == 0 and AXPY.strip() in out


def test_lower_reports_errors_with_the_source(call, tmp_path):
    (tmp_path / "bad.cl").write_text("kernel void f(global int *x) { x[0] = y; }")
    status, out, error = call("lower", "bad.cl", "--target", "cuda")
    assert status == 1 and out == "" and "bad.cl:1:39: error" in error and "^" in error


def test_explain_shows_one_kernel_for_an_expression(call):
    status, out, _ = call("explain", "5*x + 6*y", "--json")
    facts = json.loads(out)
    assert status == 0 and list(facts["arrays"]) == ["x", "y"]
    [kernel] = facts["kernels"]
    assert (kernel["elements"], kernel["bytes_read"], kernel["bytes_written"]) == (
        10**6,
        8 * 10**6,
        4 * 10**6,
    )
    assert facts["results"] == [{"dtype": "float32", "shape": [10**6]}]


def test_explain_takes_dtypes_shapes_and_functions(call):
    status, out, _ = call(
        "explain", "sqrt(b) * a", "--shape", "4x5", "--array", "a:float64:5", "--array", "pi", "--json"
    )
    facts = json.loads(out)
    assert status == 0
    assert facts["arrays"]["b"] == {"dtype": "float32", "shape": [4, 5]}
    assert facts["arrays"]["a"] == {"dtype": "float64", "shape": [5]}
    assert facts["results"] == [{"dtype": "float64", "shape": [4, 5]}]


def test_explain_lowers_its_kernels(call):
    assert "__global__" in call("explain", "x + 1", "--lower", "cuda")[1]
    assert "quern_kernel_" in call("explain", "x + 1", "--lower", "c")[1]


@pytest.mark.parametrize(
    ("expression", "status", "words"),
    [
        ("5*x +", 2, "not an expression"),
        ("x.shape", 1, "tuple"),
        ("no_such_function(x)", 1, "no_such_function"),
        ("x[0, 0]", 1, "IndexError"),
        ("__import__('os')", 1, "__import__"),
    ],
)
def test_explain_says_what_is_wrong_with_an_expression(call, expression, status, words):
    found, out, error = call("explain", expression)
    assert (found, out) == (status, "") and words in error
