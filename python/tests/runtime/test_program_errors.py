# SPDX-License-Identifier: MIT
"""Errors of programs as Python sees them: typos in kernels, pickles, strings that are not valid Unicode."""

import copy
import multiprocessing
import pickle
import sys

import numpy as np
import pytest

import quern as qn

# What hides kernel `k` from who lists the declarations, and what the message must say.
BROKEN = {
    "bracket": ("kernel void k(global float *x { x[0] = 1; }", "kernel.cl:1"),
    "keyword": ("int one;\nkernl void k(global float *x) { x[0] = 1; }", "kernel.cl:2"),
    "brace": ("kernel void a(global int *x) { if (x[0]) { }\nkernel void k(global int *x) { }", "}"),
    "directive": ("#error stop here\nkernel void k(global int *x) { }", "stop here"),
    "include": (
        '#include "there_is_no_such_file.h"\nkernel void k(global int *x) { }',
        "there_is_no_such_file.h",
    ),
}


@pytest.fixture
def on_device(device):
    with qn.Queue(device):
        yield device


@pytest.mark.parametrize("kind", BROKEN)
def test_a_kernel_that_a_syntax_error_hides_leads_to_its_diagnostic(on_device, kind):
    source, word = BROKEN[kind]
    program = qn.Program(source)
    with pytest.raises(qn.BuildError) as by_name:
        _ = program.k
    assert word in str(by_name.value) and "kernels are" not in str(by_name.value)
    with pytest.raises(qn.BuildError) as by_item:
        program["k"]
    assert word in str(by_item.value)
    with pytest.raises(qn.BuildError):
        program.build(on_device)


@pytest.mark.parametrize("kind", BROKEN)
def test_a_program_with_a_syntax_error_can_be_looked_at(on_device, kind):
    program = qn.Program(BROKEN[kind][0])
    assert not hasattr(program, "k") and getattr(program, "k", 5) == 5
    assert not hasattr(program, "_repr_latex_") and not hasattr(program, "__array__")
    assert "source" in dir(program) and repr(program).startswith("<quern.Program kernel.cl:")


def test_a_kernel_that_is_missing_says_what_there_is(on_device):
    with pytest.raises(AttributeError, match="it has no kernels") as error:
        _ = qn.Program("float helper(float x) { return x; }").helper
    assert not isinstance(error.value, qn.BuildError)
    program = qn.Program("kernel void smooth(global int *x) {} kernel void shift(global int *x) {}")
    with pytest.raises(AttributeError, match="kernels are: smooth shift; did you mean 'smooth'"):
        _ = program.smoth
    with pytest.raises(KeyError, match="did you mean 'shift'"):
        program["shfit"]


def test_an_error_in_another_kernel_hides_none(on_device):
    program = qn.Program(
        "kernel void a(global int *x) { x[0] = ; }\nkernel void b(global int *x) { x[0] = 1; }"
    )
    assert program.b.name == "b"
    with pytest.raises(AttributeError, match="kernels are: a b"):
        _ = program.c


def errors():
    made = [
        kind("what happened")
        for kind in vars(qn).values()
        if isinstance(kind, type) and issubclass(kind, qn.Error) and kind is not qn.ArgumentAxisError
    ]
    for source in ("kernel void k(global int *x) { x[0] = ; }", "kernel void k(global int *x {}"):
        with pytest.raises(qn.BuildError) as caught:
            program = qn.Program(source, options=["-DN=1"])
            program.k  # noqa: B018
            program.build(qn.device("host"))
        made.append(caught.value)
    with pytest.raises(qn.ArgumentError) as caught:
        qn.zeros(3, "int32", "host").reshape(7)
    made.append(caught.value)
    with pytest.raises(qn.ArgumentAxisError) as caught:
        qn.expand_dims(qn.zeros(3, "int32", "host"), 9)
    made.append(caught.value)
    with pytest.raises(qn.OutOfDeviceMemory) as caught:
        qn.Buffer(1 << 60, device="host")
    made.append(caught.value)
    return made


def assert_same(got, error):
    assert type(got) is type(error) and str(got) == str(error)
    assert got.args == error.args and vars(got) == vars(error)


def test_every_error_travels_in_a_pickle_with_all_it_knows():
    for error in errors():
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            assert_same(pickle.loads(pickle.dumps(error, protocol)), error)
        assert_same(copy.copy(error), error)
        assert_same(copy.deepcopy(error), error)


def test_the_diagnostics_of_a_pickled_build_error_are_there():
    (error,) = [e for e in errors() if type(e) is qn.BuildError and e.diagnostics]
    (diagnostic,) = pickle.loads(pickle.dumps(error)).diagnostics
    assert (diagnostic.severity, diagnostic.file, diagnostic.line) == ("error", "kernel.cl", 1)
    assert diagnostic.text == error.diagnostics[0].text and diagnostic.column == error.diagnostics[0].column
    assert error.device == "host" and "-DN=1" in error.options


def build_broken(_):
    qn.Program("kernel void k(global int *x) { x[0] = ; }").build(qn.device("host"))


def test_a_build_error_of_a_child_process_reaches_its_parent():
    if sys.platform == "win32":
        pytest.skip("needs spawn of a test module")
    with multiprocessing.get_context("spawn").Pool(1) as pool, pytest.raises(qn.BuildError) as caught:
        pool.map_async(build_broken, [0]).get(120)
    assert caught.value.diagnostics[0].line == 1


LONE = "a\ud800b"
GOOD = "kernel void k(global int *x) {}"


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("source", lambda: qn.Program(GOOD + "// " + LONE)),
        ("name", lambda: qn.Program(GOOD, name=LONE)),
        ("language", lambda: qn.Program(GOOD, language=LONE)),
        ("options", lambda: qn.Program(GOOD, options=["-D" + LONE])),
        ("options", lambda: qn.Program(GOOD, options="-D" + LONE)),
        ("defines", lambda: qn.Program(GOOD, defines={LONE: 1})),
        ("defines: 'N'", lambda: qn.Program(GOOD, defines={"N": LONE})),
        ("include_paths", lambda: qn.Program(GOOD, include_paths=[LONE])),
        ("name_expressions", lambda: qn.Program(GOOD, name_expressions=[LONE])),
        ("name", lambda: qn.Program(GOOD)[LONE]),
        ("name", lambda: qn.struct_definition(np.dtype([("a", "f4")]), LONE)),
        ("arguments", lambda: qn.ElementwiseKernel("float *" + LONE, "x[i] = 1")),
        ("operation", lambda: qn.ElementwiseKernel("float *x", "x[i] = " + LONE)),
        ("operation", lambda: qn.ElementwiseKernel("float x", "float y", "y = " + LONE)),
        ("preamble", lambda: qn.ElementwiseKernel("float *x", "x[i] = 1", preamble=LONE)),
        ("options", lambda: qn.ElementwiseKernel("float *x", "x[i] = 1", options=[LONE])),
        ("reduce_expr", lambda: qn.ReductionKernel("float32", "0", "a + " + LONE)),
        ("neutral", lambda: qn.ReductionKernel("float32", LONE, "a + b")),
        (
            "scan_expr",
            lambda: qn.ScanKernel("float32", "float *x", "x[i]", "a + " + LONE, "0", "x[i] = item"),
        ),
    ],
)
def test_half_of_a_surrogate_pair_is_an_error_that_names_the_argument(name, make):
    with pytest.raises(qn.ArgumentValueError, match="lone surrogate") as error:
        make()
    assert str(error.value).startswith(name + ":")


def test_no_attribute_has_the_name_of_half_a_surrogate_pair():
    assert not hasattr(qn.Program(GOOD), LONE)


def test_an_include_path_may_have_bytes_that_are_no_text(device, tmp_path):
    folder = bytes(tmp_path) + b"/h\xff"
    try:
        import os

        os.mkdir(folder)
    except OSError:
        pytest.skip("the file system keeps names in UTF-8")
    with open(folder + b"/value.h", "w") as file:
        file.write("#define VALUE 7\n")
    program = qn.Program(
        '#include "value.h"\nkernel void k(global int *x) { x[0] = VALUE; }',
        include_paths=[os.fsdecode(folder)],
    )
    x = qn.zeros(1, "int32", device)
    program.k(qn.Queue(device), 1, None, x)
    assert x.get()[0] == 7
