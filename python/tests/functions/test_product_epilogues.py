# SPDX-License-Identifier: MIT
"""What is done with the result of a matrix product in the product's own launch, compared with NumPy."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import quern as qn


def numbers(dtype, *shapes):
    """Small integers, so that sums are exact in any order and in float16."""
    rng = np.random.default_rng(len(shapes))
    return [rng.integers(-2, 3, shape).astype(dtype) for shape in shapes]


def operands(device, dtype, m=130, k=70, n=50):
    arrays = numbers(dtype, (m, k), (k, n), (n,), (m, n), (m, 1))
    return arrays, [qn.asarray(a, device=device) for a in arrays]


def relu(x):
    return np.maximum(x, 0)


# Each is computed in one launch where the device takes epilogues.
FORMS = {
    "bias": lambda x, w, b, c, d: x @ w + b,
    "relu": lambda x, w, b, c, d: relu(x @ w),
    "relu of a bias": lambda x, w, b, c, d: relu(b + x @ w),
    "two factors": lambda x, w, b, c, d: 2 * (x @ w) + 3 * c,
    "difference": lambda x, w, b, c, d: c - x @ w,
    "negative": lambda x, w, b, c, d: -(x @ w) - b,
    "column": lambda x, w, b, c, d: x @ w + d,
    "matrix and bias": lambda x, w, b, c, d: relu(0.5 * (x @ w - c) + b),
    "number": lambda x, w, b, c, d: 1 - x @ w,
}


def gelu(x):
    return 0.5 * x * (1 + np.tanh(0.79788456 * (x + 0.044715 * x * x * x)))


# Expressions over the elements: one launch by our own loops and kernels, and one more after a library's product.
EXPRESSIONS = {
    "tanh": lambda x, w, b, c, d: np.tanh(0.1 * (x @ w + b)),
    "sigmoid": lambda x, w, b, c, d: 1 / (1 + np.exp(-0.1 * (x @ w))),
    "gelu": lambda x, w, b, c, d: gelu(x @ w),
    "three arrays": lambda x, w, b, c, d: x @ w + b + c + d,
    "after relu": lambda x, w, b, c, d: relu(x @ w) + b,
    "clipped": lambda x, w, b, c, d: np.minimum(np.maximum(x @ w, -3), 3) * c,
    "where": lambda x, w, b, c, d: np.where(c > 0, x @ w, d),
    "integers": lambda x, w, b, c, d: (x @ w + b).astype("int32"),
    "float64": lambda x, w, b, c, d: (x @ w).astype("float64") + b,
    "bool": lambda x, w, b, c, d: x @ w > b,
    "complex": lambda x, w, b, c, d: (x @ w) * 1j,
    "of an expression": lambda x, w, b, c, d: (x @ w) * (c + d) / (abs(b) + 1),
}
# These take launches of their own.
OTHERS = {
    "transposed": lambda x, w, b, c, d: x @ w + c.T.copy().T,
    "square": lambda x, w, b, c, d: (x @ w) * (x @ w + 1),
    "two products": lambda x, w, b, c, d: x @ w + c @ (w.T @ w),
    "of a part": lambda x, w, b, c, d: (x @ w + b)[3:90:2, ::-1],
    "sum": lambda x, w, b, c, d: (x @ w + b).sum(axis=0),
    "reshaped": lambda x, w, b, c, d: (x @ w).reshape(-1)[::3] + 1,
    "position": lambda x, w, b, c, d: np.triu(x @ w),
}


@pytest.mark.parametrize("name", FORMS | EXPRESSIONS | OTHERS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_expressions_of_a_product_are_numpys(device, loops, provider, dtype, name):
    if dtype == "float64" and not device.has_fp64:
        pytest.skip("no float64")
    form = (FORMS | EXPRESSIONS | OTHERS)[name]
    arrays, x = operands(device, dtype)
    expected = form(*arrays)
    got = form(*x)
    assert got.dtype == expected.dtype
    rtol = 2e-3 if dtype == "float16" else 1e-6
    # Differences of values near 1 leave their rounding errors.
    atol = 10 * rtol if name in EXPRESSIONS else 0
    np.testing.assert_allclose(got.get(), expected, rtol=rtol, atol=atol)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_an_expression_runs_in_the_launch_of_its_product(device, provider, name):
    if device.backend == "opencl":
        pytest.skip("products take several launches on CPUs by OpenCL")
    x = operands(device, "float32", 256, 64, 256)[1]
    # A part that does not depend on the product is computed with it.
    qn.eval(EXPRESSIONS[name](*x))
    qn.synchronize(device)
    result = EXPRESSIONS[name](*x)
    before = qn.stats().launches
    qn.eval(result)
    assert qn.stats().launches - before == (2 if has_library(device, provider) else 1)


@pytest.mark.parametrize("name", FORMS | EXPRESSIONS)
@pytest.mark.parametrize("size", [(130, 70, 50), (24, 8, 32), (5, 6, 7)])
def test_kernels_of_gpus_compute_expressions_in_the_launch_of_the_product(device, set_loops, size, name):
    set_loops("grid")
    if has_library(device):
        pytest.skip("a library computes the product")
    form = (FORMS | EXPRESSIONS)[name]
    arrays, x = operands(device, "float32", *size)
    result = form(*x)
    before = qn.stats().launches
    qn.eval(result)
    assert qn.stats().launches == before + 1
    expected = form(*arrays)
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result.get(), expected, rtol=1e-6, atol=1e-5)


def test_kernels_of_gpus_compute_expressions_over_stacks_and_views(device, set_loops):
    set_loops("grid")
    x, w, c, each = numbers("float32", (2, 3, 40, 30), (30, 50), (2, 3, 50, 40), (3, 1, 50))
    X, W, C, E = (qn.asarray(a, device=device) for a in (x, w, c, each))
    transposed = np.swapaxes(c, -1, -2)
    np.testing.assert_array_equal(relu(X @ W - qn.matrix_transpose(C)).get(), relu(x @ w - transposed))
    np.testing.assert_array_equal((abs(X @ W + E) > 3).get(), abs(x @ w + each) > 3)
    np.testing.assert_array_equal((X @ W)[1, ::2].get(), (x @ w)[1, ::2])
    a, b = (qn.asarray(v.astype("int16"), device=device) for v in (x[0], w))
    np.testing.assert_array_equal(
        np.where(a @ b > 2, a @ b, -1).get(), np.where(x[0] @ w > 2, x[0] @ w, -1).astype("int16")
    )


@pytest.mark.parametrize("m, n", [(700, 900), (33, 5000), (5000, 33)])
def test_expressions_of_products_of_several_blocks_are_numpys(device, provider, m, n):
    x, w, b, c, d = numbers("float32", (m, 40), (40, n), (n,), (m, n), (m, 1))
    X, W, B, C, D = (qn.asarray(a, device=device) for a in (x, w, b, c, d))
    np.testing.assert_allclose(np.tanh(X @ W * C + D).get(), np.tanh(x @ w * c + d), rtol=1e-5)
    np.testing.assert_array_equal((X @ W + B - D).astype("int64").get(), (x @ w + b - d).astype("int64"))
    np.testing.assert_array_equal((C[:, ::-1] < X @ W).get(), x @ w > c[:, ::-1])


def test_a_part_of_an_expression_that_is_used_twice_is_computed_once(device):
    (x, w, b, *_), (X, W, B, *_) = operands(device, "float32", 256, 64, 256)

    def swish(z):
        return z / (1 + np.exp(-z))

    qn.eval(swish(X @ W + B))
    qn.synchronize(device)
    result = swish(X @ W + B)
    before = qn.stats().launches
    qn.eval(result)
    if device.backend != "opencl":  # where a product may take several launches
        assert qn.stats().launches - before == (2 if has_library(device) else 1)
    np.testing.assert_allclose(result.get(), swish(x @ w + b), rtol=1e-5, atol=1e-6)
    kept = X @ W
    y = np.tanh(kept)
    np.testing.assert_allclose(y.get(), np.tanh(x @ w), rtol=1e-5)
    before = qn.stats().launches
    np.testing.assert_array_equal(kept.get(), x @ w)
    assert qn.stats().launches == before


@pytest.mark.parametrize("name", FORMS)
def test_an_epilogue_needs_no_launch_of_its_own(device, provider, name):
    if device.backend == "opencl":
        pytest.skip("products take several launches on CPUs by OpenCL")
    if has_library(device, provider) and name in ("column", "number", "negative"):
        pytest.skip("cuBLASLt has no such epilogue")
    x = operands(device, "float32", 256, 64, 256)[1]
    qn.eval(FORMS[name](*x))
    qn.synchronize(device)
    result = FORMS[name](*x)
    before = qn.stats().launches
    qn.eval(result)
    assert qn.stats().launches == before + 1


def has_library(device, provider="libraries"):
    """Whether cuBLAS computes the products of the device."""
    found = any(one.name == "cuBLAS" and one.path for one in qn.find_libraries())
    return device.backend == "cuda" and provider == "libraries" and found


def test_a_result_that_is_kept_is_computed_once(device):
    (x, w, b, _, _), (X, W, B, _, _) = operands(device, "float32")
    z = X @ W + B
    y = relu(z)
    np.testing.assert_array_equal(y.get(), relu(x @ w + b))
    before = qn.stats().launches
    qn.eval(z)
    if device.backend != "opencl":
        assert qn.stats().launches == before
    np.testing.assert_array_equal(z.get(), x @ w + b)


def test_writing_an_operand_first_evaluates_the_product(device):
    (x, w, b, c, _), (X, W, B, C, _) = operands(device, "float32")
    first, second, third = X @ W, X @ W + B, 2 * (X @ W) - C
    X[...] = 0
    B += 1
    C[3:5] = 7
    np.testing.assert_array_equal(first.get(), x @ w)
    np.testing.assert_array_equal(second.get(), x @ w + b)
    np.testing.assert_array_equal(third.get(), 2 * (x @ w) - c)


@pytest.mark.parametrize("shape", [(64, 64), (1, 64, 64), (3, 64, 64)])
def test_a_product_may_be_written_over_its_operands(device, shape):
    (a,) = numbers("float32", shape)
    x = qn.asarray(a, device=device)
    x[...] = x @ x
    np.testing.assert_array_equal(x.get(), a @ a)
    x = qn.asarray(a, device=device)
    x += x @ x
    np.testing.assert_array_equal(x.get(), a + a @ a)
    x = qn.asarray(a, device=device)
    qn.matmul(x, x, out=x)
    np.testing.assert_array_equal(x.get(), a @ a)
    x = qn.asarray(a, device=device)
    x[...] = x - x @ x.mT
    np.testing.assert_array_equal(x.get(), a - a @ a.swapaxes(-1, -2))


def test_out_takes_no_memory_beside_it(device):
    (x, w, *_), (X, W, *_) = operands(device, "float32", 512, 64, 512)
    out = qn.empty((512, 512), dtype="float32", device=device)
    qn.matmul(X, W, out=out)
    qn.synchronize(device)
    before = qn.stats().launches
    assert qn.matmul(X, W, out=out) is out
    if device.backend != "opencl":  # where a product may take several launches
        assert qn.stats().launches == before + 1
    np.testing.assert_array_equal(out.get(), x @ w)


LARGE = np.float32(2.0**66)


@pytest.mark.parametrize("factor", [1e30, 0.0, float("inf")])
def test_factors_of_sums_overflow_and_cancel_as_step_by_step(device, provider, factor):
    (x, w, _, c, _), _ = operands(device, "float32", 64, 64, 64)
    x[0, 0] = np.inf
    X, W, C = (qn.asarray(a, device=device) for a in (x, w, LARGE * c))
    with np.errstate(all="ignore"):
        product = (x.astype("float64") @ w).astype("float32")
        expected = (product * LARGE - LARGE * c) * np.float32(factor)
        plain = product * np.float32(factor)
    np.testing.assert_array_equal(((X @ W) * factor).get(), plain)
    got = (((X * LARGE) @ W - C) * factor).get()
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    np.testing.assert_allclose(got[finite], expected[finite], rtol=1e-5)


def test_a_product_written_over_an_invalid_array_is_valid(device):
    (x, w, *_), (X, W, *_) = operands(device, "float32", 64, 64, 64)
    y = qn.zeros((64, 64), "float32", device)[qn.full(64, 99, dtype="int64", device=device)]
    y[...] = X @ W
    np.testing.assert_array_equal(y.get(), x @ w)


def test_nan_passes_through_relu(device, provider):
    (x, w, b, _, _), _ = operands(device, "float32")
    x[5, 3] = np.nan
    X, W, B = (qn.asarray(a, device=device) for a in (x, w, b))
    np.testing.assert_array_equal(relu(X @ W + B).get(), relu(x @ w + b))


def test_explain_lists_the_product_and_its_epilogue(device):
    X, W, B, *_ = operands(device, "float32")[1]
    text = str(qn.explain(X @ W))
    assert "matmul(float32)" in text
    if device.backend != "opencl":
        text = str(qn.explain(relu(X @ W + B)))
        assert all(f"{name}(float32)" in text for name in ("matmul", "add", "maximum"))
        assert "kernel 1 of 1" in text
    text = str(qn.explain(np.tanh(X @ W + B) * 2))
    assert all(f"{name}(float32)" in text for name in ("add", "tanh", "multiply"))
    # After a library's product a second kernel reads it, which explain() has stored.
    if device.backend != "opencl":
        assert ("matmul(float32)" in text) == (not has_library(device))


def test_stacks_have_epilogues(device, provider):
    x, w, b, c, each = numbers("float32", (2, 3, 40, 30), (30, 50), (50,), (2, 3, 40, 50), (3, 1, 50))
    X, W, B, C, E = (qn.asarray(a, device=device) for a in (x, w, b, c, each))
    np.testing.assert_array_equal(relu(X @ W + B).get(), relu(x @ w + b))
    np.testing.assert_array_equal((X @ W - 2 * C).get(), x @ w - 2 * c)
    np.testing.assert_array_equal((X @ W + E).get(), x @ w + each)
    v = numbers("float32", (3, 30, 50))[0]
    V = qn.asarray(v, device=device)
    np.testing.assert_array_equal((X @ V + C).get(), x @ v + c)
    np.testing.assert_array_equal(abs((X @ V) * C - E).get(), abs((x @ v) * c - each))
    np.testing.assert_array_equal(((X @ V).astype("int32") % 5).get(), (x @ v).astype("int32") % 5)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_programs_of_products_are_numpys(data):
    """Random programs of products, sums, views and writes, some results kept and some dropped."""
    (a,) = numbers("float64", (40, 40))
    ours, theirs = (
        [qn.asarray(a, device="host"), qn.asarray(a.T.copy(), device="host")],
        [a.copy(), a.T.copy()],
    )
    for _ in range(data.draw(st.integers(1, 8))):
        kind = data.draw(
            st.sampled_from(["matmul", "add", "scale", "relu", "sqrt", "write", "view", "drop", "read"])
        )
        i, j = (data.draw(st.integers(0, len(ours) - 1)) for _ in range(2))
        if kind == "matmul":
            both = (x[i] @ x[j] for x in (ours, theirs))
        elif kind == "add":
            both = (x[i] - x[j] for x in (ours, theirs))
        elif kind == "scale":
            both = (0.25 * x[i] for x in (ours, theirs))
        elif kind == "relu":
            both = (relu(x[i]) for x in (ours, theirs))
        elif kind == "sqrt":
            both = (np.sqrt(abs(x[i])) - x[j] for x in (ours, theirs))
        elif kind == "view":
            both = (x[i].T for x in (ours, theirs))
        elif kind == "write":
            for x in (ours, theirs):
                x[i][data.draw(st.just(slice(3, 9)))] = 1
            continue
        elif kind == "drop":
            if len(ours) > 2:
                del ours[-1], theirs[-1]
            continue
        else:
            np.testing.assert_allclose(
                ours[i].get(), theirs[i], rtol=1e-9, atol=1e-6 * np.abs(theirs[i]).max()
            )
            continue
        for x, new in zip((ours, theirs), both, strict=True):
            x.append(new)
    for x, y in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(x.get(), y, rtol=1e-9, atol=1e-6 * np.abs(y).max())
