# SPDX-License-Identifier: MIT
"""Stubs agree with the modules: mypy's stubtest compares the two."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import quern as qn

ROOT = Path(__file__).parents[3]
# What stubtest says of nanobind's classes and functions, which are not Python's own.
OF_NANOBIND = (
    "is a disjoint base at runtime",
    "is inconsistent, metaclass differs",
    "cannot be subclassed at runtime",
    '__init__ is inconsistent, stub does not have *args parameter "args"',
    "is not a function",
    "stub is a staticmethod but runtime is not",
)
# It forgets the names of parameters by position behind a decorator, which test_stubs_have_the_methods... compares.
BEHIND_DECORATOR = 'stub parameter "__arg'


def test_stubs_are_what_the_modules_have():
    pytest.importorskip("mypy")
    modules = ["quern._functions", "quern._core", "quern.fft", "quern.linalg"]
    command = [sys.executable, "-m", "mypy.stubtest", *modules]
    options = ["--concise", "--ignore-missing-stub", "--mypy-config-file", str(ROOT / "pyproject.toml")]
    done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True, timeout=600)
    lines = [line for line in done.stdout.splitlines() if line.startswith("quern.")]
    assert lines or done.returncode == 0, done.stdout + done.stderr
    of_core = [line for line in lines if line.startswith("quern._core.")]
    assert [line for line in lines if line not in of_core and BEHIND_DECORATOR not in line] == []
    assert [line for line in of_core if not any(words in line for words in OF_NANOBIND)] == []


def test_stubs_have_the_methods_of_arrays_that_are_written_in_python():
    """nanobind does not see them, because the package adds them."""
    stub = ast.parse((ROOT / "python/quern/_core.pyi").read_text(encoding="utf-8"))
    array = next(one for one in stub.body if isinstance(one, ast.ClassDef) and one.name == "Array")
    stubs = {one.name: one for one in array.body if isinstance(one, ast.FunctionDef)}
    methods = {name: value for name, value in vars(qn.Array).items() if inspect.isfunction(value)}
    assert {"__str__", "__hash__", "__array_ufunc__", "is_integer"} <= methods.keys()
    for name, method in methods.items():
        assert name in stubs, name
        assert ast.get_docstring(stubs[name]) == inspect.getdoc(method)
        arguments = stubs[name].args
        named = [one.arg for one in arguments.posonlyargs + arguments.args]
        kinds = inspect.Parameter
        is_named = (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)
        assert named == [p.name for p in inspect.signature(method).parameters.values() if p.kind in is_named]
        assert method.__qualname__ == f"Array.{name}"


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


MODULES = [
    "algorithms",
    "cache",
    "dist",
    "dist.fft",
    "dist.linalg",
    "dist.sparse",
    "fft",
    "lib.stride_tricks",
    "linalg",
    "notebook",
    "random",
    "sparse",
    "testing",
]


@pytest.mark.parametrize("path", MODULES)
def test_callables_of_the_modules_have_signatures_and_texts(path):
    module = importlib.import_module(f"quern.{path}")
    for name in module.__all__:
        value = getattr(module, name)
        if is_own(value):
            assert (value.__doc__ or "").strip(), name
            assert inspect.signature(value) is not None, name


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


def mypy_says(tmp_path, lines):
    """What mypy says of these lines of a program, by the number of the line."""
    program = tmp_path / "program.py"
    program.write_text("\n".join(["import numpy as np", "import quern as qn", "x = qn.ones((2, 3))", *lines]))
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--no-error-summary",
        "--config-file",
        str(ROOT / "pyproject.toml"),
    ]
    command += ["--cache-dir", str(tmp_path / "cache"), "--follow-imports", "silent", str(program)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.stderr == ""
    said = {}
    for line in done.stdout.splitlines():
        number, _, text = line.partition("program.py:")[2].partition(": ")
        said.setdefault(int(number) - 4, []).append(text)
    return [" ".join(said.get(number, ())) for number in range(len(lines))]


def test_mypy_knows_the_methods_of_functions_of_two_operands(tmp_path):
    pytest.importorskip("mypy")
    array = 'note: Revealed type is "quern._core.Array"'
    expected = {
        "reveal_type(qn.add.reduce(x, axis=0))": array,
        "reveal_type(qn.maximum.reduce(x, (0, 1), keepdims=True, initial=0, where=x > 1))": array,
        "reveal_type(qn.multiply.accumulate(x, 1, 'float64', out=x))": array,
        "reveal_type(qn.add.reduceat(x, np.array([0, 1]), axis=1))": array,
        "reveal_type(qn.subtract.outer(x, [1, 2], dtype='float32'))": array,
        "reveal_type(qn.divmod.outer(x, [1, 2]))": "tuple[quern._core.Array, quern._core.Array]",
        "reveal_type(qn.ldexp.reduce([1, 2]))": array,
        "qn.add.at(x, (0, [1, 1]), 2)": "",
        "reveal_type(qn.add(x, 1, dtype='float32'))": array,
        "reveal_type(qn.arctan2.reduce(x))": array,  # under its other name
        "qn.add.reduce(x, axes=0)": 'error: Unexpected keyword argument "axes"',
        "qn.add.outer(x)": 'error: Too few arguments for "outer"',
        "qn.add(x)": "error: Too few arguments for",
        "qn.add(x, 1, where='no', bogus=1)": 'error: Unexpected keyword argument "bogus"',
        "qn.add.inverse(x)": 'has no attribute "inverse"',
        "qn.sin.reduce(x)": 'has no attribute "reduce"',
        "qn.sum.at(x, 0, 1)": 'has no attribute "at"',
        "qn.add_reduce(x)": 'Module has no attribute "add_reduce"',
    }
    for (line, words), text in zip(expected.items(), mypy_says(tmp_path, expected), strict=True):
        assert words in text if words else not text, f"{line}: {text}"


def test_mypy_knows_the_types_of_all_public_names(tmp_path):
    pytest.importorskip("mypy")
    names = [name for name in sorted(qn.__all__) if not name.startswith("__")]
    for name, text in zip(
        names, mypy_says(tmp_path, [f"reveal_type(qn.{name})" for name in names]), strict=True
    ):
        assert "Revealed type is" in text and 'is "Any"' not in text, f"{name}: {text}"


METHODS = {
    "binary": ("reduce", "accumulate", "reduceat", "outer", "at"),
    "unary": ("at",),
    "pair": ("outer",),
    "plain": (),
}


def parameters_in(definition):
    """Names, kinds and defaults of the parameters of a definition in a stub, as those of inspect.signature()."""
    definition.body, definition.decorator_list, definition.returns = [ast.Pass()], [], None
    for one in ast.walk(definition.args):
        if isinstance(one, ast.arg):
            one.annotation = None
    scope = {}
    exec(ast.unparse(definition), scope)
    return str(inspect.signature(scope[definition.name]))


def test_stubs_have_the_methods_that_functions_have():
    """stubtest does not compare the methods, and of the functions that have them not all of the parameters."""
    tree = ast.parse(Path(qn._functions.__file__).with_suffix(".pyi").read_text())
    functions = {one.name: one for one in tree.body if isinstance(one, ast.FunctionDef)}
    ufuncs = {
        kind: {
            name
            for name, one in functions.items()
            if [decorator.id for decorator in one.decorator_list] == [f"_{kind}_ufunc"]
        }
        for kind in METHODS
    }
    public = set(qn._functions.__all__)
    for method in METHODS["binary"]:
        having = {name for kind, names in METHODS.items() if method in names for name in ufuncs[kind]}
        assert having == {name for name in public if hasattr(getattr(qn, name), method)}
    assert {"add", "arctan2", "logaddexp", "bitwise_and"} < ufuncs["binary"]
    assert {"sin", "negative"} < ufuncs["unary"] and "sum" in public - ufuncs["unary"]
    assert ufuncs["pair"] == {"divmod"}
    assert {"matmul", "modf"} < ufuncs["plain"]
    with_attributes = {name for names in ufuncs.values() for name in names}
    assert with_attributes == {name for name in public if hasattr(getattr(qn, name), "nin")}
    for kind, names in METHODS.items():
        protocol = next(
            one
            for one in tree.body
            if isinstance(one, ast.ClassDef) and one.name == f"_{kind.capitalize()}Ufunc"
        )
        functions_of = [one for one in protocol.body if isinstance(one, ast.FunctionDef)]
        attributes = {one.target.id for one in protocol.body if isinstance(one, ast.AnnAssign)}
        assert attributes == {"nin", "nout", "nargs", "identity", "signature"}
        methods = {one.name: parameters_in(one) for one in functions_of if one.name in names}
        for name in ufuncs[kind]:
            function = getattr(qn, name)
            assert parameters_in(functions[name]) == str(inspect.signature(function))
            assert methods == {method: str(inspect.signature(getattr(function, method))) for method in names}
