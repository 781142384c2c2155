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
    """Neither NumPy's nor an exception, and, of nanobind's functions, which do not tell, none."""
    if isinstance(value, type):
        made = hasattr(value.__init__, "__nb_signature__") or value.__module__.startswith("quern._")
        return made and not issubclass(value, BaseException) and value.__module__.startswith("quern")
    return callable(value) and not hasattr(value, "__nb_signature__")


PUBLIC = [name for name in sorted(qn.__all__) if not name.startswith("__") and is_own(getattr(qn, name))]


@pytest.mark.parametrize("name", PUBLIC)
def test_public_callables_have_signatures_and_texts(name):
    value = getattr(qn, name)
    assert inspect.signature(value) is not None
    assert (value.__doc__ or "").strip()


def test_classes_show_how_they_are_made():
    assert list(inspect.signature(qn.Program).parameters)[:2] == ["source", "language"]
    assert inspect.signature(qn.Queue).parameters["profiling"].default is False
