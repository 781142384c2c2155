# SPDX-License-Identifier: MIT
"""Complex numbers in the snippets of generated kernels, on every device, against NumPy."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import quern as qn
from quern import algorithms

sys.path.append(str(Path(__file__).parents[3] / "tools"))
import nvrtc

DTYPES = ["complex64", "complex128"]
RTOL = {"complex64": 2e-5, "complex128": 1e-12}


def needs(device, dtype):
    if np.dtype(dtype) == np.complex128 and not device.has_fp64:
        pytest.skip("needs double precision")


def numbers(dtype, size=257, seed=1, low=0.25, high=2.0):
    """Numbers of all four quadrants, none near zero."""
    rng = np.random.default_rng(seed)
    radius, angle = rng.uniform(low, high, size), rng.uniform(-3.1, 3.1, size)
    return (radius * np.exp(1j * angle)).astype(dtype)


def close(got, wanted, dtype):
    assert got.dtype == np.asarray(wanted).dtype
    np.testing.assert_allclose(got, wanted, rtol=RTOL[str(np.dtype(dtype))], atol=RTOL[str(np.dtype(dtype))])


def many(device, inputs, expressions, arrays, kinds=None, preamble=""):
    """The values of several expressions, by one kernel: compiling takes longer than running."""
    kinds = kinds or ["T"] * len(expressions)
    kernel = qn.ElementwiseKernel(
        inputs,
        ", ".join(f"{kind} out{k}" for k, kind in enumerate(kinds)),
        "\n".join(f"out{k} = {text};" for k, text in enumerate(expressions)),
        preamble=preamble,
    )
    results = kernel(*(qn.asarray(a, device=device) if isinstance(a, np.ndarray) else a for a in arrays))
    return [r.get() for r in (results if isinstance(results, tuple | list) else [results])]


OPERATORS = {
    "x * y": lambda x, y: x * y,
    "x / y": lambda x, y: x / y,
    "x + y": lambda x, y: x + y,
    "x - y": lambda x, y: x - y,
    "-x": lambda x, y: -x,
    "+x": lambda x, y: x,
    "x + 1": lambda x, y: x + 1,
    "1 - x": lambda x, y: 1 - x,
    "2.0f * x": lambda x, y: 2 * x,
    "x * 2.5": lambda x, y: x * 2.5,
    "x / 4": lambda x, y: x / 4,
    "1 / x": lambda x, y: 1 / x,
    "x * y + x / y - 1": lambda x, y: x * y + x / y - 1,
    "x * (y + 2) * x": lambda x, y: x * (y + 2) * x,
    "(x) * ((y))": lambda x, y: x * y,
    "2 * 3 * x * y": lambda x, y: 6 * x * y,
    "x * (1.0 / 4)": lambda x, y: x / 4,
    "-x * -y": lambda x, y: x * y,
    "x - y * x / (y * y)": lambda x, y: x - y * x / (y * y),
    "x == y ? x : y * y": lambda x, y: np.where(x == y, x, y * y),
    "x != y ? 1 : x": lambda x, y: np.where(x != y, 1, x),
    "i % 2 == 0 ? x * y : 0": lambda x, y: np.where(np.arange(x.size) % 2 == 0, x * y, 0),
}


@pytest.mark.parametrize("dtype", DTYPES)
def test_operators_are_those_of_complex_numbers(device, dtype):
    needs(device, dtype)
    x, y = numbers(dtype), numbers(dtype, seed=2)
    y[::5] = x[::5]
    results = many(device, "T x, T y", list(OPERATORS), [x, y])
    for (text, wanted), got in zip(OPERATORS.items(), results, strict=True):
        try:
            close(got, wanted(x, y).astype(dtype), dtype)
        except AssertionError as error:
            raise AssertionError(text) from error


FUNCTIONS = {
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "conj": np.conj,
    "proj": lambda z: z,
    "cexp": np.exp,
    "csqrt": np.sqrt,
}


@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_are_those_of_complex_numbers(device, dtype):
    needs(device, dtype)
    x = numbers(dtype)
    texts = [f"{name}(x)" for name in FUNCTIONS]
    texts += ["pow(x, 3)", "pow(x, x)", "pow(2.0f, x)", "exp(x * conj(x)) - 1", "polar(2.0f, 0.5f) * x"]
    wanted = [f(x) for f in FUNCTIONS.values()]
    wanted += [x**3, x**x, np.power(dtype_of(2, dtype), x), np.exp(x * x.conj()) - 1, 2 * np.exp(0.5j) * x]
    results = many(device, "T x", texts, [x])
    for text, want, got in zip(texts, wanted, results, strict=True):
        try:
            np.testing.assert_allclose(got, want, rtol=2e-5 if dtype == "complex64" else 1e-7)
        except AssertionError as error:
            raise AssertionError(text) from error


def dtype_of(value, dtype):
    return np.dtype(dtype).type(value)


@pytest.mark.parametrize("dtype", DTYPES)
def test_parts_are_real_numbers(device, dtype):
    needs(device, dtype)
    x = numbers(dtype)
    real = x.real.dtype
    wanted = {
        "abs(x)": np.abs(x),
        "fabs(x)": np.abs(x),
        "cabs(x)": np.abs(x),
        "arg(x)": np.angle(x),
        "norm(x)": x.real**2 + x.imag**2,
        "real(x)": x.real,
        "imag(x)": x.imag,
        "x.real": x.real,
        "x.imag": x.imag,
        "x.real() + 1": x.real + 1,
        "(x * x).imag()": (x * x).imag,
        "x.x * x.y": x.real * x.imag,
        "conj(x).imag": -x.imag,
        "real(x * x) + imag(x)": (x * x).real + x.imag,
        "isnan(x) + 2 * isinf(x) + 4 * isfinite(x)": np.full(x.size, 4, real),
        "abs(x - 1) < 1 ? 1 : abs(-1)": np.where(abs(x - 1) < 1, 1, 1).astype(real),
    }
    results = many(device, "T x", list(wanted), [x], [str(real)] * len(wanted))
    for (text, want), got in zip(wanted.items(), results, strict=True):
        try:
            close(got, want.astype(real), dtype)
        except AssertionError as error:
            raise AssertionError(text) from error


def test_precisions_meet_in_the_wider_one(device):
    needs(device, "complex128")
    x, y = numbers("complex64"), numbers("complex128", seed=2)
    r, m = np.linspace(1, 2, x.size), np.arange(x.size, dtype=np.int64)
    texts = ["x * y", "y / x", "x * r", "r + x", "x + m", "y == x ? x : y", "x"]
    wanted = [x * y, y / x, x * r, r + x, x + m, y, x.astype("complex128")]
    results = many(
        device, "complex64 x, complex128 y, double r, long m", texts, [x, y, r, m], ["complex128"] * 7
    )
    # A whole number takes the precision of the complex one, as in C.
    for text, want, got in zip(texts, wanted, results, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6 if text == "x + m" else 1e-12, err_msg=text)
    (narrow,) = many(device, "complex128 y", ["y * y"], [y], ["complex64"])
    close(narrow, (y * y).astype("complex64"), "complex64")


@pytest.mark.parametrize("dtype", DTYPES)
def test_compound_assignments_and_components(device, dtype):
    needs(device, dtype)
    real = {"complex64": "float", "complex128": "double"}[dtype]
    x, y = numbers(dtype), numbers(dtype, seed=2)
    kernel = qn.ElementwiseKernel(
        f"const {dtype} *x, {dtype} *y, {dtype} *z, {real} *r",
        f"""
        y[i] *= x[i];
        y[i] += 1;
        y[i] /= x[i] + 2;
        y[i] -= x[i];
        y[i] *= 2;
        {dtype} t = y[i], *p = &t;
        *p *= t;
        p->imag += 3;
        t.real = -t.real;
        z[i] = t;
        z[i] /= 4.0f;
        r[i] = abs(t);
        r[i] *= real(x[i]);
        """,
    )
    given = qn.asarray(y, device=device)
    z, r = qn.empty(x.size, dtype, device), qn.empty(x.size, x.real.dtype, device)
    kernel(qn.asarray(x, device=device), given, z, r)
    y = ((y * x + 1) / (x + 2) - x) * 2
    t = y * y + 3j
    t = -t.real + 1j * t.imag
    close(given.get(), y.astype(dtype), dtype)
    close(z.get(), (t / 4).astype(dtype), dtype)
    close(r.get(), (abs(t) * x.real).astype(r.dtype), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_are_made_in_every_spelling(device, dtype):
    needs(device, dtype)
    x = numbers(dtype)
    wanted = {
        "T(real(x), 2)": x.real + 2j,
        "(T)(1, imag(x))": 1 + 1j * x.imag,
        "(T)(imag(x))": x.imag + 0j,
        "(T)3 * x": 3 * x,
        "T(x) * T(2)": 2 * x,
        "T() + x": x,
        f"{dtype}(1, 2) * x": (1 + 2j) * x,
        "complex64(1, 2) * x": (1 + 2j) * x,
        "complex<float>(0, 1) * x": 1j * x,
        "thrust::complex<float>(0, 1) * x": 1j * x,
        "cfloat_new(1, 2) * x": (1 + 2j) * x,
        "7": np.full(x.size, 7),
        "x.real": x.real,
        "made(x, 2)": 2 * x + 1j,
        "I * SQUARE(x + 1)": 1j * (x + 1) ** 2,
        "chosen(1, x)": x * x,
        "listed(x)": x * (1 + 2j),
    }
    preamble = """
        #define I complex64(0, 1)
        #define SQUARE(a) ((a) * (a))
        T made(T z, float factor) { T i = T(0, 1); return z * factor + i; }
        T chosen(int how, T z) { if (how) { z *= z; return z; } return 0; }
        T listed(T z) { const T table[2] = {0, (T)(1, 2)}; T u = {1, 2}; return u == table[1] ? u * z : 0; }
    """
    results = many(device, "T x", list(wanted), [x], preamble=preamble)
    for (text, want), got in zip(wanted.items(), results, strict=True):
        np.testing.assert_allclose(got, want.astype(dtype), rtol=RTOL[dtype], err_msg=text)


def test_pyopencl_names_have_their_meaning(device):
    x, y = numbers("complex64"), numbers("complex64", seed=2)
    kernel = qn.ElementwiseKernel(
        "const cfloat_t *x, const cfloat_t *y, cfloat_t a, cfloat_t *z, float *r",
        """
        cfloat_t w = cfloat_mul(a, cfloat_add(x[i], y[i]));
        w = cfloat_sub(w, cfloat_divide(x[i], cfloat_conj(y[i])));
        w = cfloat_add(cfloat_mulr(w, 2), cfloat_exp(cfloat_fromreal(0.5f)));
        z[i] = w;
        r[i] = cfloat_abs(w) + cfloat_real(w) + w.imag;
        """,
    )
    z, r = qn.empty(x.size, np.complex64, device), qn.empty(x.size, np.float32, device)
    a = np.complex64(1 - 2j)
    kernel(qn.asarray(x, device=device), qn.asarray(y, device=device), a, z, r)
    w = (a * (x + y) - x / y.conj()) * 2 + np.exp(0.5)
    close(z.get(), w.astype("complex64"), "complex64")
    close(r.get(), (abs(w) + w.real + w.imag).astype("float32"), "complex64")


def test_numbers_of_python_are_arguments(device):
    x = numbers("complex64")
    kernel = qn.ElementwiseKernel("const complex64 *x, complex64 a, complex64 *z", "z[i] = a * x[i]")
    named = qn.ElementwiseKernel("T x, complex64 a", "T z", "z = a * x")
    array = qn.asarray(x, device=device)
    for a in (np.complex64(2 - 1j), 2 - 1j, 1.5, 3, np.float32(2)):
        z = qn.empty(x.size, np.complex64, device)
        kernel(array, a, z)
        close(z.get(), (a * x).astype("complex64"), "complex64")
        if not isinstance(a, np.floating):  # an element of its own type
            close(named(array, a).get(), (a * x).astype("complex64"), "complex64")


def test_members_of_structures_are_complex(device):
    point = np.dtype([("z", "complex64"), ("w", "float32"), ("pad", "float32")])
    x = np.zeros(100, point)
    x["z"], x["w"] = numbers("complex64", 100), 2
    kernel = qn.ElementwiseKernel("P p", "complex64 z", "z = p.z * p.z * p.w")
    close(kernel(qn.asarray(x, device=device)).get(), x["z"] ** 2 * np.float32(2), "complex64")


def test_views_and_broadcast_operands_are_complex(device):
    x, y = numbers("complex64", 60).reshape(6, 10), numbers("complex64", 10, seed=2)
    kernel = qn.ElementwiseKernel("T x, T y", "T z", "z = x * y")
    a, b = qn.asarray(x, device=device), qn.asarray(y, device=device)
    close(kernel(a, b).get(), x * y, "complex64")
    close(kernel(a[:, ::2], b[::2]).get(), x[:, ::2] * y[::2], "complex64")
    close(kernel(a.T, a.T[:, :1]).get(), x.T * x.T[:, :1], "complex64")


def test_float2_keeps_the_meaning_that_opencl_gives_it(device):
    x, y = numbers("complex64"), numbers("complex64", seed=2)
    parts = x.view("float32") * y.view("float32")
    kernel = qn.ElementwiseKernel("const float2 *x, const float2 *y, float2 *z", "z[i] = x[i] * y[i]")
    z = qn.empty(x.size, np.complex64, device)
    kernel(qn.asarray(x, device=device), qn.asarray(y, device=device), z)
    np.testing.assert_array_equal(z.get().view("float32"), parts)
    # A pair may be given to a complex number, and the other way round, where a type says so.
    mixed = qn.ElementwiseKernel("T x, T y", "T z", "float2 a = x, b = y; z = a * b; z = (float2)(z.x, z.y);")
    got = mixed(qn.asarray(x, device=device), qn.asarray(y, device=device))
    np.testing.assert_array_equal(got.get().view("float32"), parts)
    program = qn.Program("kernel void f(global float2 *x) { x[get_global_id(0)] *= x[get_global_id(0)]; }")
    array = qn.asarray(x, device=device)
    program.f(qn.Queue(device), x.size, None, array)
    np.testing.assert_array_equal(array.get().view("float32"), x.view("float32") ** 2)


def test_a_program_may_ask_for_complex_numbers(device, queue):
    x = numbers("complex64")
    program = qn.Program(
        """#pragma quern complex
        complex64 square(complex64 z) { return z * z; }
        kernel void f(global complex64 *x, complex64 a, local complex64 *scratch) {
          const int i = get_global_id(0), k = get_local_id(0);
          #pragma unroll
          for (int n = 0; n < 2; ++n) scratch[k] = square(x[i]) * a;
          barrier(CLK_LOCAL_MEM_FENCE);
          x[i] = scratch[k];
        }"""
    )
    array = qn.asarray(x[:256], device=device)
    program.f(queue, 256, 4, array, 2j, qn.LocalMemory(8 * 4))
    close(array.get(), (x[:256] ** 2 * 2j).astype("complex64"), "complex64")


def test_definitions_keep_out_of_the_functions_of_complex_numbers(device, queue):
    """The parameters of the function that divides may have these names."""
    program = qn.Program(
        "#pragma quern complex\nkernel void divide(global complex64 *to) { to[a] = to[x] / to[y] * to[b]; }",
        defines={"x": 0, "y": 1, "a": 2, "b": 3, "r": 4, "s": 5},
    )
    values = numbers("complex64", 4)
    to = qn.asarray(values, device=device)
    program.divide(queue, 1, None, to)
    close(to.get()[2], values[0] / values[1] * values[3], "complex64")


ERRORS = {
    "z = x < y ? x : y": "'<' is not defined for complex numbers",
    "z = x % y": "'%' is not defined for complex numbers",
    "z = x & 1": "'&' is not defined for complex numbers",
    "z = fmin(x, y)": "'fmin' is not defined for complex numbers",
    "z = fma(x, y, x)": "'fma' is not defined for complex numbers",
    "if (x) z = y; else z = x": "cannot be a condition",
    "z = !x": "'!' cannot be applied",
    "float r = x; z = r": "use real(), imag() or abs()",
    "z = (float)x": "use real(), imag() or abs()",
    "z = x * (float2)(1, 2)": "are incompatible",
    "z = x.z": "no '.z'",
    "z = T(1, 2, 3)": "two parts",
    "z = (T)(x, 1)": "real numbers",
    "z = x; ++z": "'++' cannot be applied",
    "z = exp(x, y)": "takes 1 argument",
    "z = nothing(x)": "undeclared function 'nothing'",
    "z = x; T *p = &z; *p++ *= x": "evaluated twice",
}


@pytest.mark.parametrize("text", ERRORS)
def test_what_complex_numbers_have_not_is_an_error_that_names_its_line(device, text):
    x = qn.asarray(numbers("complex64"), device=device)
    kernel = qn.ElementwiseKernel("T x, T y", "T z", "\n" + text)
    with pytest.raises(qn.BuildError) as caught:
        kernel(x, x)
    assert ERRORS[text] in str(caught.value)
    assert "operation" in str(caught.value) and ":2" in str(caught.value)


def test_types_of_the_author_win(device):
    x = numbers("complex64")
    kernel = qn.ElementwiseKernel(
        "const cfloat_t *x, cfloat_t *z", "z[i] = x[i] * x[i]", preamble="typedef float2 cfloat_t;"
    )
    z = qn.empty(x.size, np.complex64, device)
    kernel(qn.asarray(x, device=device), z)
    np.testing.assert_array_equal(z.get().view("float32"), x.view("float32") ** 2)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1, 1000, 70_001])
def test_reductions_multiply_and_add_complex_numbers(device, dtype, size):
    needs(device, dtype)
    x, y = numbers(dtype, size), numbers(dtype, size, seed=2)
    a, b = qn.asarray(x, device=device), qn.asarray(y, device=device)
    total = qn.ReductionKernel(dtype, "0", "a + b")
    close(total(a).get(), x.sum(), dtype if size < 70_000 else "complex64")
    vdot = qn.ReductionKernel(dtype, "0", "a + b", "conj(x[i]) * y[i]", f"const {dtype} *x, const {dtype} *y")
    np.testing.assert_allclose(vdot(a, b).get(), np.vdot(x, y), rtol=1e-3 if dtype == "complex64" else 1e-9)
    units = (x / abs(x)).astype(dtype)
    product = qn.ReductionKernel(dtype, "1", "a * b")
    got = product(qn.asarray(units, device=device)).get()
    np.testing.assert_allclose(
        got, np.prod(units.astype("complex128")), rtol=0.05 if dtype == "complex64" else 1e-9
    )


def test_reductions_take_other_types_and_axes(device):
    x = numbers("complex64", 600).reshape(20, 30)
    a = qn.asarray(x, device=device)
    power = qn.ReductionKernel("float32", "0", "a + b", "norm(x[i])", "const complex64 *x")
    np.testing.assert_allclose(power(a).get(), np.sum(abs(x) ** 2), rtol=1e-4)
    lifted = qn.ReductionKernel("complex64", "0", "a + b", "x[i] * complex64(0, 1)", "const float *x")
    close(
        lifted(qn.asarray(x.real.copy(), device=device)).get(), np.complex64(x.real.sum() * 1j), "complex64"
    )
    product = qn.ReductionKernel("complex64", "1", "a * b")
    units = (x / abs(x)).astype("complex64")
    for axis in (0, 1):
        got = product(qn.asarray(units, device=device), axis=axis).get()
        np.testing.assert_allclose(got, units.prod(axis), rtol=1e-4, atol=1e-4)


def test_reductions_of_structures_with_complex_members(device):
    x = numbers("complex64", 999)
    pair = np.dtype([("product", "complex64"), ("count", "int32"), ("pad", "int32")])
    kernel = qn.ReductionKernel(
        pair, "one(1, 0)", "both(a, b)", "one(x[i], 1)", "const complex64 *x",
        preamble="""
        item_t one(complex64 z, int n) { item_t item; item.product = z; item.count = n; return item; }
        item_t both(item_t a, item_t b) { a.product *= b.product; a.count += b.count; return a; }
        """,
    )  # fmt: skip
    units = (x / abs(x)).astype("complex64")
    got = kernel(qn.asarray(units, device=device)).get()
    assert got["count"] == 999
    np.testing.assert_allclose(got["product"], units.prod(), rtol=1e-3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("strategy", ["automatic", "sequential", "multi_pass"])
def test_scans_multiply_complex_numbers(device, dtype, strategy):
    needs(device, dtype)
    kernel = qn.ScanKernel(
        dtype,
        f"const {dtype} *x, {dtype} *y, float *r",
        "x[i] / abs(x[i])",
        "a * b",
        neutral="1",
        output_statement="y[i] = item * 2; r[i] = abs(prev_item)",
        strategy=strategy,
    )
    for n in (1, 257, 9000):
        x = numbers(dtype, n)
        y, r = qn.empty(n, dtype, device), qn.empty(n, np.float32, device)
        kernel(qn.asarray(x, device=device), y, r).wait()
        wanted = 2 * np.cumprod((x / abs(x)).astype("complex128"))
        np.testing.assert_allclose(y.get(), wanted, rtol=1e-2 if dtype == "complex64" else 1e-9)
        np.testing.assert_allclose(r.get(), 1, rtol=1e-2)


def test_scans_have_segments_and_neighbours_of_complex_numbers(device):
    n = 3000
    kernel = qn.ScanKernel(
        "complex64",
        "const complex64 *x, const int *f, complex64 *y",
        "x[i] * before",
        "across_seg_boundary ? b : a * b",
        output_statement="y[i] = item",
        is_segment_start_expr="f[i] != 0 || x[i] == 1",
        input_fetch_exprs=[("before", "x", -1)],
    )
    x = np.exp(1j * np.arange(1, n + 1)).astype("complex64")
    starts = np.arange(n) % 50 == 0
    y = qn.empty(n, np.complex64, device)
    kernel(qn.asarray(x, device=device), qn.asarray(starts.astype(np.int32), device=device), y).wait()
    products = x * np.concatenate([x[:1], x[:-1]])
    wanted = np.concatenate([np.cumprod(products[at : at + 50]) for at in range(0, n, 50)])
    np.testing.assert_allclose(y.get(), wanted, rtol=1e-3)


def test_types_may_come_from_the_options(device):
    x = numbers("complex64")
    kernel = qn.ElementwiseKernel("const Z *x, Z *y", "y[i] = x[i] * x[i]", options=["-DZ=complex64"])
    y = qn.empty(x.size, np.complex64, device)
    kernel(qn.asarray(x, device=device), y)
    close(y.get(), x * x, "complex64")
    assert "#pragma quern complex" in kernel.source(qn.asarray(x, device=device), y)
    real = qn.ElementwiseKernel("T x", "T y", "y = x * x")
    assert "complex" not in real.source(qn.asarray(x.real.copy(), device=device), None)


def test_predicates_look_at_complex_numbers(device):
    x = numbers("complex64", 5000)
    x[::7] = 0
    a = qn.asarray(x, device=device)
    large = abs(x * x - 1) > 1
    predicate = "abs(x[i] * x[i] - 1) > 1"
    np.testing.assert_array_equal(algorithms.copy_if(a, predicate).get(), x[large])
    np.testing.assert_array_equal(algorithms.remove_if(a, "x[i] == 0").get(), x[x != 0])
    out, count = algorithms.partition(a, predicate)
    assert int(count.get()[0]) == large.sum()
    np.testing.assert_array_equal(out.get(), np.concatenate([x[large], x[~large]]))
    centre = np.complex64(0.5 + 0.5j)
    near = abs((x - centre) * (x - centre)) < 0.25
    for point in (0.5 + 0.5j, centre):
        got = algorithms.copy_if(a, "abs((x[i] - c) * (x[i] - c)) < r", c=point, r=0.25)
        np.testing.assert_array_equal(got.get(), x[near])


TREES = st.recursive(
    st.sampled_from(["x", "y", "2", "0.5f", "1.5", "(1 + 2)", "complex64(0.5f, -1)", "r"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        inner.map(lambda t: f"(-{t})"),
        inner.map(lambda t: f"conj(x + {t})"),
        st.tuples(inner, inner).map(lambda t: f"(abs(x) < 1 ? {t[0]} : {t[1]})"),
        st.tuples(inner).map(lambda t: f"({t[0]} / y)"),
    ),
    max_leaves=6,
)


def value_of(text, x, y, r):
    """The same by Python, whose conditional is NumPy's where."""
    text = text.replace("0.5f", "0.5").replace("complex64(0.5, -1)", "(0.5-1j)")
    while "?" in text:
        mark = text.index("? ")
        start = text.rindex("(abs(x) < 1 ", 0, mark)
        depth, colon, at = 0, None, mark
        while True:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            if text[at] == ":" and depth == 0 and colon is None:
                colon = at
            if depth < 0:
                break
            at += 1
        inner = f"np.where(abs(x) < 1, {text[mark + 2 : colon]}, {text[colon + 2 : at]})"
        text = text[:start] + inner + text[at + 1 :]
    return eval(text, {"np": np, "x": x, "y": y, "r": r, "abs": np.abs, "conj": np.conj})


@pytest.mark.slow
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(trees=st.lists(TREES, min_size=1, max_size=8))
def test_expressions_are_those_of_numpy(device, trees):
    x, y = numbers("complex64", 33, low=0.5, high=1.5), numbers("complex64", 33, seed=2, low=0.8, high=1.2)
    r = np.linspace(0.5, 1, 33).astype("float32")
    results = many(device, "complex64 x, complex64 y, float r", trees, [x, y, r], ["complex64"] * len(trees))
    for text, got in zip(trees, results, strict=True):
        wanted = value_of(text, x.astype("complex128"), y.astype("complex128"), r.astype("float64"))
        wanted = np.broadcast_to(wanted, x.shape)
        scale = max(1.0, float(np.max(np.abs(wanted))))
        np.testing.assert_allclose(got, wanted, rtol=1e-3, atol=1e-4 * scale, err_msg=text)


@pytest.mark.slow
@pytest.mark.skipif(nvrtc.library() is None, reason="NVRTC is not installed")
@pytest.mark.parametrize("dtype", DTYPES)
def test_generated_kernels_with_complex_numbers_compile_for_cuda(dtype):
    x = qn.asarray(np.ones((300, 256), dtype), device="host")
    row, out = x[0], qn.empty(x.shape[1], dtype, "host")
    scan = qn.ScanKernel(
        dtype, f"const {dtype} *x, {dtype} *y", "exp(x[i])", "a * b", "1", "y[i] = item + prev_item"
    )
    product = qn.ReductionKernel(dtype, "1", "a * b", "sqrt(x[i]) / 2", f"const {dtype} *x")
    quotient = qn.ElementwiseKernel("T x, T y", "T z", "z = x * y / (x + 1)")
    texts = [
        scan.source(row, out),
        product.source(x),
        product.source(x, axis=0),
        quotient.source(x, row, None),
    ]
    for text in texts:
        log = nvrtc.compile_cuda(qn.Program(text).lowered_source("cuda"))
        assert not log, log


def test_complex_arrays_are_no_arrays_of_their_parts(device):
    x = qn.asarray(np.arange(6).astype(np.complex64) + 10j, device=device)
    total = qn.ReductionKernel("float32", "0", "a + b", "x[i]", "const float *x")
    with pytest.raises(qn.ArgumentTypeError, match=r"two of them; declare it as 'complex64 \*'"):
        total(x)
    with pytest.raises(qn.ArgumentTypeError, match="two of them"):
        qn.ElementwiseKernel("const float *x, float *z", "z[i] = x[i]")(x)
    assert total(x.real).get() == 15
