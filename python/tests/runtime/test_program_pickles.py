# SPDX-License-Identifier: MIT
"""Programs and kernels in pickles: what comes back, here or in another process, does the same."""

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import quern as qn

SOURCE = """
#include "factor.h"
kernel void scale(global TYPE *x) { x[get_global_id(0)] *= FACTOR + EXTRA; }
kernel void move(global TYPE *x) { x[get_global_id(0)] += SHIFT; }
"""


def scaled(kernel, spec):
    """What the kernel makes of 0, 1, 2, 3; called in this process and in others."""
    x = qn.arange(4, dtype=np.int32, device=spec)
    kernel(qn.Queue(x.device), 4, None, x)
    return x.get().tolist()


@pytest.fixture
def program(tmp_path):
    (tmp_path / "factor.h").write_text("#define FACTOR 3\n")
    return qn.Program(
        SOURCE,
        defines={"TYPE": "int", "SHIFT": 10, "EMPTY": None},
        include_paths=[tmp_path],
        options="-DEXTRA=2 -cl-mad-enable",
        name="scale.cl",
    )


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_program_comes_back_with_all_that_made_it(device, program, protocol):
    again, kernel = pickle.loads(pickle.dumps((program, program.scale), protocol))
    assert again is not program and again.source == program.source
    assert repr(again) == repr(program) and again.kernel_names == program.kernel_names
    assert scaled(again.scale, device.spec) == scaled(kernel, device.spec) == [0, 5, 10, 15]
    assert scaled(again["move"], device.spec) == [10, 11, 12, 13]
    assert isinstance(kernel, qn.Kernel) and kernel.name == "scale"


def test_copies_of_a_program_are_the_program(program):
    for made in (copy.copy, copy.deepcopy):
        assert made(program) is program
        assert made(program.scale) is program.scale


def test_a_program_with_errors_tells_them_where_it_is_used(device):
    broken = pickle.loads(
        pickle.dumps(qn.Program("kernel void f(global int *x) { x[0] = ; }", name="broken.cl"))
    )
    with pytest.raises(qn.BuildError, match=r"broken\.cl"):
        broken.build(device)


def test_the_language_and_its_names_come_back():
    program = qn.Program(
        "template <class T> __global__ void f(T *x) {}",
        language="cuda",
        name_expressions=["f<float>"],
        debug=True,
    )
    function, (source, keywords, kernel) = program.__reduce__()
    assert source == program.source and kernel is None and callable(function)
    assert (keywords["language"], keywords["name_expressions"], keywords["debug"]) == (
        "cuda",
        ["f<float>"],
        True,
    )
    assert pickle.loads(pickle.dumps(program)).__reduce__()[1] == (source, keywords, None)


def test_a_binary_comes_back_for_its_device(device, basic):
    program = qn.Program.from_binary(basic.binary(device), device)
    again, twice = pickle.loads(pickle.dumps((program, program["twice"])))
    x = qn.asarray(np.arange(4, dtype=np.float32), device=device)
    for kernel in (again["twice"], twice):
        kernel(qn.Queue(device), 4, None, x)
    assert x.get().tolist() == [0, 4, 8, 12]
    function, (binary, _, _) = program.__reduce__()
    with pytest.raises(qn.DeviceNotFound, match="program binary needs its device 'cuda:77'"):
        function(binary, "cuda:77", None)


def test_a_template_comes_back(device):
    pytest.importorskip("jinja2")
    template = qn.Template(
        "kernel void f(global {{ T }} *x) { x[get_global_id(0)] += {{ by }}; }", name="t.cl"
    )
    again = pickle.loads(pickle.dumps(template))
    assert repr(again) == repr(template)
    assert scaled(again.program(T=np.int32, by=2).f, device.spec) == [2, 3, 4, 5]


def test_generated_kernels_come_back(device):
    x = qn.asarray(np.arange(6, dtype=np.float32), device=device)
    for kernel, expected in (
        (
            qn.ElementwiseKernel(
                "float a, const float *x, float *y",
                "y[i] = a * twice(x[i])",
                preamble="float twice(float v) { return 2 * v; }",
            ),
            4 * np.arange(6),
        ),
        (qn.ElementwiseKernel("float a, T x", "T y", "y = a + x", "plus"), 2 + np.arange(6)),
    ):
        again = pickle.loads(pickle.dumps(kernel))
        assert repr(again) == repr(kernel) and again.name == kernel.name
        np.testing.assert_array_equal(again(2, x).get(), expected)
    for kernel, expected in (
        (qn.ReductionKernel("float32", "0", "a + b", "x[i] * x[i]", "const float *x", name="squares"), 55),
        (qn.ReductionKernel("T x", "T y", "x", "a + b", "y = 2 * a", "0", "twice"), 30),
    ):
        again = copy.deepcopy(kernel)
        assert repr(again) == repr(kernel) and again.name == kernel.name
        assert float(again(x)) == expected
    scan = qn.ScanKernel(
        "float32",
        "const float *x, float *y",
        "x[i]",
        "a + b",
        neutral="0",
        output_statement="y[i] = item;",
        name="sums",
    )
    again = pickle.loads(pickle.dumps(scan))
    y = qn.empty_like(x)
    again(x, y).wait()
    np.testing.assert_array_equal(y.get(), np.cumsum(np.arange(6)))
    assert (again.name, again.dtype) == (scan.name, scan.dtype)


def test_kernels_go_to_other_processes(run_python, device):
    run_python(
        f"""
        from test_program_pickles import run_elsewhere

        if __name__ == "__main__":
            run_elsewhere("{device.spec}")
        """
    )


def run_elsewhere(spec):
    program = qn.Program("kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }")
    assert scaled(program.twice, spec) == [0, 2, 4, 6]  # the parent has used it
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(scaled, program.twice, spec).result(timeout=100) == [0, 2, 4, 6]
