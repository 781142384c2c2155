# SPDX-License-Identifier: MIT
"""Docstrings in NumPy's form: each public function, class and method says what it takes and returns, and shows an example
that prints what the docstring says."""

import doctest
import importlib
import inspect
import pkgutil
import re

import numpy as np
import pytest

import quern as qn
from quern import _core

ROW = type(_core.functions["add"])
TITLES = ("Parameters", "Returns", "Raises", "Examples")

# Classes whose objects the library makes: the functions that return them document them.
MADE_BY_THE_LIBRARY = (
    "BenchmarkResult",
    "Explanation",
    "EigResult",
    "EighResult",
    "QRResult",
    "SVDResult",
    "SlogdetResult",
    "TunePicture",
    "TuneResult",
    "UniqueAllResult",
    "UniqueCountsResult",
    "UniqueInverseResult",
    "dist.Communicator",
    "dist.Layout",
    "sparse.SparseArray",
)
WITHOUT_EXAMPLE = {
    "ElementwiseKernel.__call__": "the class has one",
    "ReductionKernel.__call__": "the class has one",
    "ScanKernel.__call__": "the class has one",
    "Program.global_": "it needs CUDA",
    "Queue.wrap": "it needs the queue of another library, which the host has not",
    "cli.Output": "programs of the command line use it",
    "set_device": "it would change the device of the tests that follow",
    "cache.clear": "it would slow the tests that follow",
    "set_pool_limit": "it would limit the memory of the tests that follow",
}


def is_made_by_calls(value):
    """Whether it is a class whose objects a user makes. Errors are raised by the library."""
    if not isinstance(value, type) or issubclass(value, BaseException):
        return False
    is_of_python = hasattr(value.__init__, "__code__") or hasattr(value.__new__, "__code__")
    return is_of_python or hasattr(value.__init__, "__nb_signature__")


def test_every_public_class_has_a_signature():
    for name in qn.__all__:
        if isinstance(value := getattr(qn, name), type):
            assert inspect.signature(value) is not None
    assert not inspect.signature(qn.Device).parameters  # only the library makes devices


def documented_things():
    """Everything public that is called, by the name that a user writes behind `qn.`."""
    found = {}
    for name in sorted(set(qn.__all__)):
        value = getattr(qn, name)
        if callable(value) and (getattr(value, "__module__", None) or "").startswith("quern"):
            found[name] = value
    for prefix, module in (
        ("algorithms", qn.algorithms),
        ("notebook", qn.notebook),
        ("sparse", qn.sparse),
        ("sparse.linalg", qn.sparse.linalg),
        ("testing", qn.testing),
    ):
        found |= {f"{prefix}.{name}": getattr(module, name) for name in module.__all__ if name != "linalg"}
    # Elementwise functions have the docstrings of the registry.
    own = sorted(set(qn.dist.__all__) - set(qn.dist._elementwise.elementwise) - {"fft", "linalg", "sparse"})
    found |= {f"dist.{name}": getattr(qn.dist, name) for name in own}
    for prefix, module in (
        ("fft", qn.dist.fft),
        ("linalg", qn.dist.linalg),
        ("sparse", qn.dist.sparse),
        ("sparse.linalg", qn.dist.sparse.linalg),
    ):
        names = [name for name in module.__all__ if name != "linalg"]
        found |= {f"dist.{prefix}.{name}": getattr(module, name) for name in names}
    found |= {f"cache.{name}": getattr(qn.cache, name) for name in ("info", "clear", "parse_size", "prune")}
    functions = (
        "algorithms",
        "export_results",
        "forget",
        "import_results",
        "reload",
        "results",
        "tune_algorithm",
    )
    found |= {f"tuning.{name}": getattr(qn.tuning, name) for name in functions}
    found |= {f"Template.{name}": getattr(qn.Template, name) for name in ("program", "render")}
    found |= {f"Array.{name}": getattr(qn.Array, name) for name in dir(qn.Array) if name[0] != "_"}
    for prefix, module, names in (
        ("random", qn.random, "BitGenerator Philox Threefry"),
        ("sparse", qn.sparse, "SparseArray SparseVector csr_array csc_array coo_array bsr_array dia_array"),
        ("sparse.linalg", qn.sparse.linalg, "LinearOperator"),
    ):
        for kind in (getattr(module, name) for name in names.split()):
            found[f"{prefix}.{kind.__name__}"] = kind
            # What a base that is listed before has is documented there.
            for name in dir(kind):
                value = getattr(kind, name)
                is_public = name[0] != "_" and (callable(value) or isinstance(value, property))
                if is_public and not any(value is one for one in found.values()):
                    found[f"{prefix}.{kind.__name__}.{name}"] = value
    for kind in (qn.Buffer, qn.Event, qn.Kernel, qn.Program, qn.Queue):
        found |= {f"{kind.__name__}.{name}": getattr(kind, name) for name in dir(kind) if name[0] != "_"}
    for kind in (qn.Kernel, qn.ElementwiseKernel, qn.ReductionKernel, qn.ScanKernel):
        found[f"{kind.__name__}.__call__"] = kind.__call__
    for method in ("reduce", "accumulate", "reduceat", "outer", "at"):
        found[f"add.{method}"] = getattr(qn.add, method)
    return found


THINGS = documented_things()
CALLED = [name for name, value in THINGS.items() if callable(value) and not isinstance(value, type)]
PROPERTIES = [name for name, value in THINGS.items() if not callable(value)]
CLASSES = [
    name for name, value in THINGS.items() if is_made_by_calls(value) and name not in MADE_BY_THE_LIBRARY
]


def text_of(value):
    """The documentation, without the line of the signature with which nanobind begins it."""
    text = inspect.getdoc(value) or ""
    name = getattr(value, "__name__", "")
    while name and text.startswith(f"{name}("):
        text = text.partition("\n")[2].lstrip("\n")
    return text


def sections_of(text):
    """The lines of each section, and in "" those before the first one."""
    sections, title = {"": []}, ""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if at + 1 < len(lines) and line in TITLES and lines[at + 1] == "-" * len(line):
            title = line
            assert title not in sections, f"{title} is there twice"
            sections[title] = []
        elif not (title and line == "-" * len(title)):
            sections[title].append(line)
    return sections


def takes(value):
    """The names of the parameters, with stars, as docstrings write them."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    parameters = inspect.signature(value).parameters.values()
    return [stars.get(one.kind, "") + one.name for one in parameters if one.name != "self"]


def returns_something(value):
    """Rows of the registry say "None" in words; all others are annotated, eval in the stubs only."""
    if value is qn.eval:
        return False
    return inspect.signature(value).return_annotation not in ("None", None)


def problems_of(value):
    """What the docstring of a function, a class or a method lacks."""
    sections = sections_of(text_of(value))
    summary = sections[""][0] if sections[""] else ""
    is_sentence = summary.endswith(".") and summary != "Overloaded function."  # nanobind's words
    problems = [] if is_sentence else [f"the summary is not a sentence: {summary!r}"]
    entries = [line.partition(" : ")[0] for line in sections.get("Parameters", ()) if line and line[0] != " "]
    described = [name for entry in entries for name in entry.split(", ")]
    if described != takes(value):
        problems.append(f"Parameters has {described}, the function {takes(value)}")
    returns = any(line.startswith("    ") for line in sections.get("Returns", ()))
    if not isinstance(value, type) and returns_something(value) and not returns:
        problems.append("Returns is missing")
    return problems


@pytest.mark.parametrize("name", [*CALLED, *CLASSES])
def test_docstrings_say_what_is_taken_and_returned(name):
    assert problems_of(THINGS[name]) == []


@pytest.mark.parametrize("name", PROPERTIES)
def test_docstrings_of_properties_are_sentences(name):
    assert re.fullmatch(r"[A-Z].*\.", text_of(THINGS[name]).partition("\n")[0])


def complete(a, *b):
    """Add.

    Parameters
    ----------
    a : int
        First.
    *b : int
        Others.

    Returns
    -------
    int
        Sum.
    """


@pytest.mark.parametrize(
    ("cut", "problem"),
    [
        ("", ""),
        ("Add.", "the summary is not a sentence"),
        ("*b : int\n    Others.\n", "Parameters has ['a']"),
        ("Parameters\n----------\na : int\n    First.\n*b : int\n    Others.\n", "Parameters has []"),
        ("Returns\n-------\nint\n    Sum.", "Returns is missing"),
        ("    Sum.", "Returns is missing"),
    ],
)
def test_docstrings_without_a_section_are_noticed(cut, problem):
    def function(a, *b): ...

    function.__doc__ = inspect.getdoc(complete).replace(cut, "", 1)
    found = problems_of(function)
    assert len(found) == bool(problem) and all(one.startswith(problem) for one in found), found


def public_classes():
    """Every class of a public module that is not an error, by the name that a user writes behind `qn.`."""
    modules = [qn]
    for one in pkgutil.walk_packages(qn.__path__, "quern."):
        if not any(part.startswith("_") for part in one.name.split(".")):
            modules.append(importlib.import_module(one.name))
    found = {}
    for module in modules:
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            is_own = isinstance(value, type) and value.__module__.startswith("quern")
            if is_own and not issubclass(value, BaseException) and value not in found.values():
                found[f"{module.__name__}.{name}".removeprefix("quern.")] = value
    return found


ALL_CLASSES = public_classes()


def test_all_public_classes_are_found():
    assert {"Array", "MemoryInfo", "random.Philox", "sparse.csr_array", "dist.Layout"} <= ALL_CLASSES.keys()
    assert "ArgumentError" not in ALL_CLASSES


def has_own_test(value):
    """python/tests/functions/test_registry.py runs the examples of the registry's functions."""
    return isinstance(value, ROW) and value in _core.functions.values()


def report_of(name, text):
    """What the examples of a docstring print otherwise than it says, and whether there is one at all."""
    examples = doctest.DocTestParser().get_doctest(text, {"qn": qn, "np": np}, name, None, 0)
    if not examples.examples:
        return "no example"
    report = []
    with qn.device("host"):
        doctest.DocTestRunner(verbose=False).run(examples, out=report.append)
    return "".join(report)


WITH_EXAMPLE = {
    name: THINGS[name]
    for name in (*CALLED, *(name for name in PROPERTIES if name.startswith("Array.")))
    if not has_own_test(THINGS[name])
} | ALL_CLASSES


@pytest.mark.parametrize("name", sorted(WITH_EXAMPLE.keys() - WITHOUT_EXAMPLE.keys()))
def test_examples_print_what_docstrings_say(name):
    assert report_of(name, text_of(WITH_EXAMPLE[name])) == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [("Add.", "no example"), ("Add.\n\n>>> 1 + 1\n3", "Expected:"), ("Add.\n\n>>> 1 + 1\n2", "")],
)
def test_missing_and_wrong_examples_are_noticed(text, said):
    assert said in (report := report_of("add", text)) and bool(said) == bool(report)
