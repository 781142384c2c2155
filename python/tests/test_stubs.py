# SPDX-License-Identifier: MIT
"""What stubs say is what there is: mypy's stubtest compares them with the modules as they are."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import quern as qn

ROOT = Path(__file__).parents[2]
# What stubtest says of nanobind's classes and functions, which are not Python's own.
OF_NANOBIND = (
    "is a disjoint base at runtime",
    "is inconsistent, metaclass differs",
    "cannot be subclassed at runtime",
    '__init__ is inconsistent, stub does not have *args parameter "args"',
    "is not a function",
    "stub is a staticmethod but runtime is not",
)


def test_stubs_are_what_the_modules_have():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy.stubtest", "quern._functions", "quern._core", "quern.linalg"]
    options = ["--concise", "--ignore-missing-stub", "--mypy-config-file", str(ROOT / "pyproject.toml")]
    done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True, timeout=600)
    lines = [line for line in done.stdout.splitlines() if line.startswith("quern.")]
    assert lines or done.returncode == 0, done.stdout + done.stderr
    of_core = [line for line in lines if line.startswith("quern._core.")]
    assert [line for line in lines if line not in of_core] == []
    assert [line for line in of_core if not any(words in line for words in OF_NANOBIND)] == []


def is_own(value):
    """A function or class of this library; NumPy's dtypes are among the public names, too."""
    return callable(value) and getattr(value, "__module__", "").startswith("quern")


PUBLIC = [name for name in sorted(qn.__all__) if not name.startswith("__") and is_own(getattr(qn, name))]
CLASSES = [name for name in PUBLIC if isinstance(getattr(qn, name), type)]


@pytest.mark.parametrize("name", PUBLIC)
def test_public_callables_have_signatures_and_texts(name):
    value = getattr(qn, name)
    assert (value.__doc__ or "").strip()
    if (
        isinstance(value, type)
        and not issubclass(value, BaseException)
        and not hasattr(value, "__signature__")
    ):
        made = value.__init__ is not object.__init__ and not hasattr(value.__init__, "__objclass__")
        if not made:  # others make these; Python says the same of its own such classes
            with pytest.raises(TypeError):
                value()
            return
    assert inspect.signature(value) is not None


@pytest.mark.parametrize("name", CLASSES)
def test_public_methods_have_signatures(name):
    value = getattr(qn, name)
    own = [base for base in value.__mro__ if base.__module__.startswith("quern")]
    for method in sorted({key for base in own for key in vars(base) if not key.startswith("_")}):
        if callable(getattr(value, method)):
            assert inspect.signature(getattr(value, method)) is not None, method


def test_compiled_functions_show_their_parameters():
    assert str(inspect.signature(qn.device)) == "(spec: 'Device | str | None' = None) -> 'Device'"
    assert list(inspect.signature(qn.stats).parameters) == []
    assert list(inspect.signature(qn.In).parameters) == ["array"]
    assert list(inspect.signature(qn.Array.get).parameters) == ["self", "out", "queue", "wait_for"]
    x = qn.zeros(1, device="host")
    assert list(inspect.signature(x.get).parameters) == ["out", "queue", "wait_for"]
    assert inspect.signature(x.reshape).parameters["shape"].kind is inspect.Parameter.VAR_POSITIONAL
    assert list(inspect.signature(qn.BuildError).parameters) == ["args"]

    class Own(qn.BuildError):
        def __init__(self, line): ...

    assert list(inspect.signature(Own).parameters) == ["line"]


def test_classes_show_how_they_are_made():
    assert list(inspect.signature(qn.Program).parameters)[:2] == ["source", "language"]
    assert inspect.signature(qn.Queue).parameters["profiling"].default is False
