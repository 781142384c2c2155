# SPDX-License-Identifier: MIT
"""Errors show the user's file, line and source line with a caret, on every backend; what is missing is named."""

import pytest

import quern as qn

MISTAKES = {
    "undeclared": ("a[0] = nothing;", "nothing"),
    "unknown function": ("a[0] = no_such_function(1);", "no_such_function"),
    "type": ("unknown_t x;", "unknown_t"),
    "syntax": ("a[0] = (1 + ;", ""),
    "missing semicolon": ("int x = 1 a[0] = x;", ""),
    "count": ("a[0] = max(1);", "max"),
    "not an lvalue": ("1 = 2;", ""),
    "not a pointer": ("int x = 1; x[0] = 2;", ""),
    "break": ("break;", "break"),
    "label": ("goto nowhere;", "nowhere"),
    "redeclared": ("int x = 1; float x = 2;", "x"),
    "void value": ("int x = barrier(CLK_LOCAL_MEM_FENCE);", ""),
    "function in a function": ("int inner(int x) { return x; }", ""),
    "sign of a real number": ("unsigned float x = 1;", "float"),
    "wrong argument": ("a[0] = atomic_add(1, 2);", ""),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_shows_its_line_and_a_caret(build_error, what):
    line, word = MISTAKES[what]
    source = f"// first\nkernel void k(global int *a) {{\n  {line}\n}}\n"
    error = build_error(source, name="mistake.cl")
    text = str(error)
    assert "mistake.cl:3:" in text or "mistake.cl:4:" in text
    assert word in text
    rows = text.splitlines()
    shown = [k for k, row in enumerate(rows) if line in row]
    assert shown, text
    assert any("^" in row for row in rows[shown[0] + 1 : shown[0] + 3]), text


def test_all_places_are_the_users_own(build_error, tmp_path, nvidia_differs):
    nvidia_differs("#line is not followed")
    (tmp_path / "helper.h").write_text("// helper\nint helper(int x) { return x + missing; }\n")
    error = build_error(
        '#include "helper.h"\nkernel void k(global int *a) { a[0] = helper(1); }\n',
        name="outer.cl",
        include_paths=[str(tmp_path)],
    )
    assert "helper.h:2:" in str(error)
    error = build_error('#line 40 "user.cl"\nkernel void k(global int *a) {\n  a[0] = missing;\n}\n')
    assert "user.cl:41:" in str(error)


def test_a_mistake_in_a_macro_shows_where_it_is_used(build_error):
    source = "#define BAD(x) (x + missing)\n\nkernel void k(global int *a) {\n  a[0] = BAD(1);\n}\n"
    assert "macro.cl:4:" in str(build_error(source, name="macro.cl"))


UNSUPPORTED = {
    "image2d_t": "kernel void k(read_only image2d_t picture, global float4 *a) { a[0] = 0; }",
    "sampler_t": "constant sampler_t s = CLK_FILTER_NEAREST;\nkernel void k(global float4 *a) { a[0] = 0; }",
    "image3d_t": "kernel void k(write_only image3d_t p, global int *a) { write_imagef(p, (int4)(0), (float4)(0)); }",
    "read_imagef": "float4 get(image2d_t p, sampler_t s) { return read_imagef(p, s, (int2)(0)); }\n"
    "kernel void k(global int *a) { a[0] = 0; }",
    "parameter of type sampler_t": "kernel void k(sampler_t s, global float4 *a) { a[0] = 0; }",
    "variable of type sampler_t": "kernel void k(global float4 *a) { const sampler_t s = CLK_FILTER_LINEAR; a[0] = 0; }",
    "a pipe": "kernel void k(read_only pipe int p, global int *a) { read_pipe(p, a); }",
    "variable of type queue_t": "kernel void k(global int *a) { queue_t q = 0; a[0] = 1; }",
    "get_default_queue": "kernel void k(global int *a) { enqueue_kernel(get_default_queue(), 0, 0, 0); }",
    "variable of type clk_event_t": "kernel void k(global int *a) { clk_event_t e; a[0] = 1; }",
    "a block": "kernel void k(global int *a) { void (^f)(void) = ^{ a[0] = 1; }; f(); }",
    "a block of statements": "kernel void k(global int *a) { a[0] = ({ int x = 1; x + 1; }); }",
    "pointer to a function": "kernel void k(global int *a) { int (*f)(int) = 0; a[0] = 1; }",
}


@pytest.mark.parametrize("construct", UNSUPPORTED)
def test_what_is_not_supported_is_named(device, build_error, construct):
    if device.backend == "opencl":
        pytest.skip("the device's own compiler decides")
    text = str(build_error(UNSUPPORTED[construct], name="later.cl"))
    assert construct in text
    assert "not supported" in text
    assert "later.cl:1:" in text


def test_warnings_are_in_the_log(device):
    program = qn.Program(
        "kernel void k(global float *a, int n) {\n#warning look here\n  a[0] = 1;\n}", name="w.cl"
    )
    program.build(device)
    if device.backend != "opencl":  # PoCL keeps no log of a build that worked
        assert "w.cl:2:" in program.log(device)
