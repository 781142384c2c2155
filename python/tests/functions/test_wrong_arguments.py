# SPDX-License-Identifier: MIT
"""Public functions called with arguments of a wrong type: their errors never show the messages of the binding."""

import inspect
import warnings

import numpy as np
import pytest

import quern as qn

pytestmark = pytest.mark.usefixtures("no_errors_left")

# They print, wait, read files, or are NumPy's own.
OTHERS = {
    *("fromfile", "fromiter", "fromstring", "get_printoptions", "load", "loadtxt", "printoptions", "save"),
    *("savetxt", "savez", "savez_compressed", "set_printoptions"),
}
WRONG = {
    "half a surrogate pair": "\ud800",
    "nothing": None,
    "an object": object(),
    "a list of text": ["a"],
    "a fraction": 2.5,
}


def public_functions():
    for module in (qn, qn.algorithms, qn.fft, qn.linalg, qn.random):
        for name in getattr(module, "__all__", dir(module)):
            found = getattr(module, name)
            is_error = inspect.isclass(found) and issubclass(found, BaseException)
            theirs = (getattr(found, "__module__", None) or "").startswith("numpy")
            if (
                callable(found)
                and not name.startswith("_")
                and name not in OTHERS
                and not is_error
                and not theirs
            ):
                yield f"{module.__name__}.{name}", found


def refusal_of(function, *args, **named):
    """The text of the error, or nothing where there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*args, **named)
    except Exception as error:
        return str(error)
    return ""


@pytest.mark.parametrize("wrong", WRONG)
def test_no_function_shows_the_bindings_own_words(wrong):
    bad = WRONG[wrong]
    raw = []
    for name, function in public_functions():
        x = qn.asarray(np.arange(4.0, dtype=np.float32), device="host")
        for args in ((bad,), (x, bad), (bad, x)):
            if "incompatible function arguments" in refusal_of(function, *args):
                raw.append((name, len(args)))
    assert not raw


def test_arguments_that_no_overload_takes_are_argument_errors(device):
    x = qn.zeros(4, np.float32, device)
    for call in (
        lambda: qn.Buffer(8, device=device).sub_buffer("a", "b"),
        lambda: qn.PinnedBuffer(1, 2, 3),
        lambda: qn.Program("kernel void f() {}", 1, 2, 3, 4),
        lambda: qn.Queue(device).finish(1, 2, 3),
        lambda: qn.algorithms.lower_bound(x),
    ):
        with pytest.raises(qn.ArgumentTypeError, match="expected"):
            call()


def test_half_a_surrogate_pair_names_no_device():
    for call in (
        lambda: qn.device("\ud800"),
        lambda: qn.zeros(3, device="\ud800"),
        lambda: qn.PinnedBuffer(2, "\ud800"),
    ):
        with pytest.raises((qn.DeviceNotFound, qn.ArgumentError)):
            call()


def test_differences_of_a_huge_order_end(device):
    assert qn.diff(qn.zeros(4, np.float32, device), 10**30).shape == (0,)
