# SPDX-License-Identifier: MIT
"""The functions of the registry as Python sees them: objects, signatures, texts, examples."""

import doctest
import inspect
import pickle
import pydoc

import numpy as np
import pytest

import quern as qn
from quern import _core

FUNCTIONS = sorted(_core.functions)
# NumPy has other names for what these take by position; clip's are keywords here, too.
OTHER_NAMES = {"clip": {"a_max", "a_min"}, "imag": {"val"}, "real": {"val"}}


def own_parameters(function):
    return list(inspect.signature(function).parameters)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_examples_print_what_the_texts_say(name):
    text = _core.functions[name].__doc__
    examples = doctest.DocTestParser().get_doctest(text, {"qn": qn, "np": np}, name, None, 0)
    assert examples.examples
    report = []
    runner = doctest.DocTestRunner(verbose=False)
    with qn.device("host"):
        runner.run(examples, out=report.append)
    assert runner.failures == 0, "".join(report)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if "." not in name and hasattr(np, name)])
def test_keywords_of_numpys_functions_are_taken(name):
    """Each parameter of NumPy's function has the same name, and the same place where it can be given by position."""
    ours = inspect.signature(getattr(qn, name)).parameters
    try:
        theirs = inspect.signature(getattr(np, name)).parameters
    except ValueError:  # NumPy does not tell
        theirs = {}
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    for place, (key, parameter) in enumerate(theirs.items()):
        is_open = parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        if is_open or key in {"like", "signature", *OTHER_NAMES.get(name, ())}:
            continue
        if parameter.kind is not parameter.POSITIONAL_ONLY:
            assert key in ours, f"{name} lacks {key}"
        if parameter.kind in by_position:
            found = list(ours.values())[place]
            assert found.kind in by_position, f"{name}: {key} is not taken by position"
            assert parameter.kind is parameter.POSITIONAL_ONLY or found.name == key


def test_functions_are_objects_like_pythons_own():
    assert qn.hypot.__name__ == "hypot" and qn.hypot.__module__ == "quern"
    assert qn.acos.__name__ == "acos" and qn.Array.sum.__qualname__ == "Array.sum"
    assert repr(qn.sum) == "<function quern.sum>"
    assert inspect.isroutine(qn.sum) and pickle.loads(pickle.dumps(qn.sum)) is qn.sum
    assert pickle.loads(pickle.dumps(qn.Array.sum)) is qn.Array.sum
    assert own_parameters(qn.hypot)[:3] == ["x1", "x2", "out"]
    assert own_parameters(qn.Array.mean)[:2] == ["self", "axis"]
    assert "Parameters" in pydoc.render_doc(qn.hypot, renderer=pydoc.plaintext)


def test_methods_are_the_functions(device):
    x = qn.asarray(np.arange(6.0).reshape(2, 3), dtype="float32", device=device)
    np.testing.assert_array_equal(x.sum(axis=0).get(), qn.sum(x, axis=0).get())
    np.testing.assert_array_equal(x.max(1, keepdims=True).get(), [[2], [5]])
    bound = x.sum
    np.testing.assert_array_equal(bound(1).get(), [3, 12])
    np.testing.assert_array_equal(x.sum(where=x > 1).get(), 14)
    assert x.sum(initial=100).item() == 115
    out = qn.zeros(3, "float32", device)
    assert x.sum(0, out=out) is out
    np.testing.assert_array_equal(out.get(), [3, 5, 7])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: qn.sum(x, axs=0), "sum: unexpected keyword argument 'axs'; did you mean 'axis'"),
        (lambda x: qn.sum(), "sum: the argument 'a' is missing"),
        (lambda x: qn.sum(x, a=x), "sum: 'a' is given twice"),
        (lambda x: qn.hypot(x1=x, x2=x), "hypot: 'x1' must be given by position, not by name"),
        (lambda x: qn.sin(x, None, x), "sin: it takes 2 arguments by position at most, got 3"),
        (lambda x: x.sum(axis="rows"), "sum: axis must be an integer or a sequence of integers, got 'rows'"),
        (lambda x: x.sum(keepdims="yes"), "sum: keepdims must be True or False, got 'yes'"),
        (lambda x: x.sum(out=np.zeros(3)), "sum: out: the result is an array on a device"),
        (lambda x: qn.sin(x, casting="none"), "sin: casting must be 'no', 'equiv'"),
        (lambda x: qn.sin(x, order="Z"), "sin: order must be 'C', 'F', 'A' or 'K', got 'Z'"),
        (lambda x: x.var(ddof=1, correction=1), "var: correction and ddof are aliases"),
    ],
)
def test_wrong_arguments_are_named(device, call, message):
    x = qn.asarray(np.ones(3, np.float32), device=device)
    with pytest.raises(qn.ArgumentError) as caught:
        call(x)
    assert message in str(caught.value)


def test_numbers_alone_have_the_given_dtype(device):
    with device:
        assert qn.add(1, 2, dtype="float32").dtype == np.float32
        assert qn.add(1, 2).dtype == np.int64
        with pytest.raises(qn.ArgumentTypeError, match="int32 cannot hold"):
            qn.add(1.5, 2, dtype="int32")


def test_functions_of_elements_take_all_keywords_of_numpys(device):
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    x = qn.asarray(values, device=device)
    assert qn.square(x, order="F").strides == np.square(values, order="F").strides
    made = qn.add(x, 1, dtype="int32", casting="unsafe")
    np.testing.assert_array_equal(made.get(), np.add(values, 1, dtype="int32", casting="unsafe"))
    out = qn.zeros((2, 3), "float32", device)
    assert qn.multiply(x, 2, out, where=x > 2) is out
    np.testing.assert_array_equal(out.get(), np.where(values > 2, values * 2, 0))
    assert qn.sin(x, out=(out,), subok=False) is out
