# SPDX-License-Identifier: MIT
"""What each build option changes, and that nothing changes without it."""

from pathlib import Path

import numpy as np
import pytest

import quern as qn

PROBE = """
kernel void probe(global float *out, float x, float y, float z, float tiny, float nothing, float zero, float large) {
  out[0] = x * y + z;
  out[1] = tiny + tiny;
  out[2] = nothing != nothing;
  out[3] = zero + 0.0f;
  out[4] = (large + x) - large;
  out[5] = sizeof(0.1);
  out[6] = x / 3.0f;
}
"""
NEAR_ONE = np.float32(1 + 2.0**-12)
TINY = np.float32(1e-40)
ONCE, TWICE = 2.0**-24, 0.0  # (1 + 2^-12)^2 - (1 + 2^-11), rounded once or twice


@pytest.fixture
def probe(queue):
    """probe(*options, before="", source=PROBE): what the expressions of a probe give, by name."""

    def run(*options, before="", source=PROBE, local=None):
        program = qn.Program(before + source, options=list(options), name="probe.cl")
        out = qn.zeros(7, np.float32, queue=queue)
        numbers = [NEAR_ONE, NEAR_ONE, -(1 + 2.0**-11), TINY, np.nan, -0.0, 1e9]
        program.probe(queue, 1, local, out, *map(np.float32, numbers)).wait()
        names = ("sum", "denormal", "nan", "zero", "small", "literal", "third")
        return dict(zip(names, out.get(), strict=True))

    return run


@pytest.fixture
def lowers(device):
    if device.backend == "opencl":
        pytest.skip(
            "an OpenCL device's compiler gets its options as they are, and may do with them what it likes"
        )


@pytest.fixture
def contracted(device):
    """What a product and a sum give where they may be rounded together."""
    cpuinfo = Path("/proc/cpuinfo")
    is_x86_without = (
        cpuinfo.exists() and "flags" in cpuinfo.read_text() and " fma " not in cpuinfo.read_text()
    )
    return TWICE if device.backend == "host" and is_x86_without else ONCE


def test_by_default_every_operation_is_rounded_by_itself_and_denormals_are_kept(probe, device):
    got = probe()
    assert got["sum"] == TWICE
    assert got["denormal"] == TINY + TINY
    assert got["nan"] == 1
    assert got["zero"] == 0 and not np.signbit(got["zero"])
    assert got["small"] == 0
    assert got["literal"] == 8
    assert got["third"] == NEAR_ONE / np.float32(3)


@pytest.mark.parametrize(
    "option", ["-cl-mad-enable", "-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math"]
)
def test_contraction_where_an_option_allows_it(probe, lowers, contracted, option):
    assert probe(option)["sum"] == contracted


@pytest.mark.parametrize("option", ["-cl-mad-enable", "-cl-unsafe-math-optimizations"])
def test_fp_contract_off_forbids_what_an_option_allows(probe, lowers, option):
    assert probe(option, before="#pragma OPENCL FP_CONTRACT OFF\n")["sum"] == TWICE
    inside = PROBE.replace("{\n", '{\n_Pragma("OPENCL FP_CONTRACT OFF")\n', 1)
    assert probe(option, source=inside)["sum"] == TWICE


def test_fp_contract_on_before_the_first_function_allows_contraction(probe, lowers, contracted):
    assert probe(before="struct s { int a; };\n#pragma OPENCL FP_CONTRACT ON\n")["sum"] == contracted
    assert probe(before="#pragma OPENCL FP_CONTRACT ON\n#pragma OPENCL FP_CONTRACT OFF\n")["sum"] == TWICE


def test_fp_contract_on_later_changes_nothing(probe, lowers):
    assert probe(source=PROBE.replace("{\n", "{\n#pragma OPENCL FP_CONTRACT ON\n", 1))["sum"] == TWICE
    assert probe(before="#pragma OPENCL FP_CONTRACT DEFAULT\n")["sum"] == TWICE


def test_denormals_are_zero_with_the_option(probe, lowers):
    assert probe("-cl-denorms-are-zero")["denormal"] == 0
    assert probe()["denormal"] == TINY + TINY
    assert TINY + TINY != 0  # the thread that waited for the kernel goes on as before


@pytest.mark.parametrize("form", ["split", "fibers"])
def test_denormals_are_zero_in_kernels_with_barriers(probe, lowers, form):
    source = PROBE.replace("  out[5]", "  barrier(CLK_GLOBAL_MEM_FENCE);\n  out[5]")
    before = "#pragma quern fibers\n" if form == "fibers" else ""
    assert probe("-cl-denorms-are-zero", source=source, before=before, local=1)["denormal"] == 0
    assert probe(source=source, before=before, local=1)["denormal"] == TINY + TINY


def test_finite_math_is_the_host_compilers_own(probe, device, lowers):
    # A comparison of a number with itself is one that can be done without.
    expected = 0 if device.backend == "host" else 1
    assert probe("-cl-finite-math-only")["nan"] == expected


def test_zeros_without_a_sign_are_the_host_compilers_own(probe, device, lowers):
    assert np.signbit(probe("-cl-no-signed-zeros")["zero"]) == (device.backend == "host")


@pytest.mark.parametrize("option", ["-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math"])
def test_unsafe_math_reassociates_on_the_host(probe, device, lowers, option):
    if device.backend != "host":
        pytest.skip("NVRTC does not")
    assert probe(option)["small"] == NEAR_ONE


def test_correctly_rounded_division_can_be_said_too(probe, lowers):
    assert probe("-cl-fp32-correctly-rounded-divide-sqrt")["third"] == NEAR_ONE / np.float32(3)


def test_relaxed_math_defines_a_macro(run):
    source = """
    #ifdef __FAST_RELAXED_MATH__
    #define RELAXED 1
    #else
    #define RELAXED 2
    #endif
    kernel void k(global int *a) { a[0] = RELAXED; }"""
    assert run(source, 1, None, np.zeros(1, np.int32), options=["-cl-fast-relaxed-math"])[0] == 1
    assert run(source, 1, None, np.zeros(1, np.int32))[0] == 2


def test_single_precision_constants(probe):
    assert probe("-cl-single-precision-constant")["literal"] == 4


@pytest.mark.parametrize("version", ["CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0"])
def test_every_version_is_taken(probe, lowers, version):
    assert probe(f"-cl-std={version}")["literal"] == 8


@pytest.mark.parametrize("option", ["-cl-opt-disable", "-cl-strict-aliasing", "-cl-kernel-arg-info"])
def test_options_that_change_no_result(probe, option):
    assert probe(option) == pytest.approx(probe(), nan_ok=True, abs=0)


def test_warnings_are_logged_or_errors_or_nothing(device, lowers):
    source = "#warning take care\nkernel void k(global int *a) { a[0] = 1; }\n"
    assert "take care" in qn.Program(source, name="w.cl").build(device).log(device)
    assert qn.Program(source, name="w.cl", options=["-w"]).build(device).log(device) == ""
    with pytest.raises(qn.BuildError, match="take care"):
        qn.Program(source, name="w.cl", options=["-Werror"]).build(device)
