#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fails when a test lies in a folder that mirrors no folder of the sources, or above the folder of its source.

C++ tests lie in tests/ as their sources lie in src/; a test that has the name of one source does not lie in a folder
above it. Python tests lie in the folder of python/tests that PYTHON_FOLDERS gives their layer. Run
with --self-test to see the checks themselves checked.
"""

import sys
import tempfile
from pathlib import Path

import check_main

CODE = {".cpp", ".hpp"}
# Folders of C++ tests that test the whole library.
WHOLE = {"tests/consumer"}

# Folders of python/tests, and the folders of sources whose behaviour in Python their tests check.
PYTHON_FOLDERS = {
    "runtime": ["src/runtime", "src/backend", "src/base", "src/profile", "src/tune", "src/platform"],
    "language": ["src/frontend"],
    "generators": ["src/codegen"],
    "algorithms": ["src/algorithms", "src/kernels"],
    "arrays": ["src/array"],
    "functions": ["src/functions", "src/linalg"],
    "random_numbers": ["src/random"],
    "libraries": ["src/libraries"],
    "sparse_matrices": ["src/sparse"],
    "distributed": ["src/distributed"],
    "package": ["python/quern", "python/src"],
}


def check_cpp(root):
    problems = []
    files = sorted(file for file in (root / "tests").rglob("*") if file.suffix in CODE)
    for file in files:
        path = file.relative_to(root)
        folder = path.parent.as_posix()
        if folder in WHOLE:
            continue
        source_folder = root / "src" / path.parent.relative_to("tests")
        if not source_folder.is_dir():
            problems.append(
                f"{path.as_posix()}: there is no folder {source_folder.relative_to(root).as_posix()}"
            )
            continue
        if not file.name.endswith("_test.cpp") or len(path.parts) < 3:
            continue
        source = file.name.removesuffix("_test.cpp")
        layer = root / "src" / path.parts[1]
        folders = sorted({found.parent for suffix in CODE for found in layer.rglob(source + suffix)})
        if len(folders) == 1 and source_folder in folders[0].parents:
            right = folders[0].relative_to(root / "src").as_posix()
            problems.append(f"{path.as_posix()}: its source lies in src/{right}; move it to tests/{right}")
    return problems


def check_python(root):
    problems = []
    for file in sorted((root / "python" / "tests").rglob("test_*.py")):
        folder = file.parent.relative_to(root / "python" / "tests").as_posix()
        if folder not in PYTHON_FOLDERS:
            problems.append(
                f"{file.relative_to(root).as_posix()}: not in one of the folders {', '.join(PYTHON_FOLDERS)}"
            )
    known = {folder for folders in PYTHON_FOLDERS.values() for folder in folders}
    layers = {f"src/{layer.name}" for layer in (root / "src").glob("*") if layer.is_dir()}
    problems += [
        f"{folder}: PYTHON_FOLDERS names it, but it does not exist" for folder in missing(root, known)
    ]
    problems += [f"{layer}: PYTHON_FOLDERS gives it no folder of tests" for layer in sorted(layers - known)]
    return problems


def missing(root, folders):
    return sorted(folder for folder in folders if not (root / folder).is_dir())


def check_tree(root):
    return check_cpp(root) + check_python(root)


def self_test():
    sources = [
        *(f"{folder}/a.cpp" for folders in PYTHON_FOLDERS.values() for folder in folders),
        "src/frontend/parse/parser.cpp",
        "src/frontend/check/checker.cpp",
        "src/frontend/lower/c/atomics.cpp",
        "src/frontend/lower/cuda/atomics.cpp",
    ]
    right = [
        "tests/consumer/main.cpp",
        "tests/base/a_test.cpp",
        "tests/frontend/language_test.cpp",
        "tests/frontend/parse/parser_test.cpp",
        "tests/frontend/lower/cuda/atomics_test.cpp",
        "tests/frontend/lower/atomics_test.cpp",
        "tests/frontend/check/parser_test.cpp",
        "tests/frontend/kernels/parser.cl",
        "python/tests/language/test_parser.py",
        "python/tests/conftest.py",
    ]
    wrong = [
        "tests/frontend/parser_test.cpp",
        "tests/frontend/words/word_test.cpp",
        "tests/folders/a_test.cpp",
        "python/tests/test_parser.py",
        "python/tests/array/test_views.py",
        "src/layer_without_tests/b.cpp",
    ]
    failures = 0
    for paths, expected in ((right, 0), (wrong, 1)):
        for path in paths:
            with tempfile.TemporaryDirectory() as folder:
                for name in [*sources, path]:
                    file = Path(folder) / name
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.touch()
                problems = check_tree(Path(folder))
            if len(problems) != expected:
                failures += 1
                print(f"self-test: {path}: {problems or 'was let through'}")
    print(f"self-test: {len(right) + len(wrong)} cases, {failures} failed")
    return failures


if __name__ == "__main__":
    sys.exit(check_main.main(__doc__, check_tree, self_test))
