#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The descriptions of parameters that docstrings of the Python package share: the place to change them.

Editors read docstrings from the source, so each docstring has the whole text. This program fails if a docstring has
nearly the words of a shared description, or if three docstrings share one that is not in the table. To change a
description, edit it here and run with --fix, which writes it to all docstrings. --self-test checks the checks.
(`python/src/documentation.cpp` has the shared parameters of functions that are bound in C++.)
"""

from __future__ import annotations

import ast
import collections
import difflib
import re
import sys
import tempfile
import textwrap
from pathlib import Path

import check_main

# A declaration, as docstrings write it, and its descriptions.
SHARED: dict[str, list[str]] = {
    "**options": [
        "`dtype`, `out`, `device`, `queue` and `wait_for`; see Generator.",
    ],
    "**where": [
        "`device`, `queue` and `wait_for`; see Generator.",
    ],
    "*args": [
        "Arguments of the kernel.",
    ],
    "M : sparse array, array or LinearOperator, optional": [
        "Preconditioner, an approximation of the inverse of A. It may be an object of another library with `shape` and `matvec`, or a hierarchy of pyamg (see `multigrid`).",
    ],
    "a : array_like": [
        "Input array.",
    ],
    "atol : float, optional": [
        "Absolute tolerance.",
    ],
    "axes : int or sequence of ints, optional": [
        "Axes to transform.",
        "Axes to transform. None: the last axes, as many as there are lengths in `s`, or all.",
    ],
    "axis : int or tuple of ints, optional": [
        "Axes to reduce; all by default.",
    ],
    "axis : int, optional": [
        "Axis; may be omitted for arrays of one axis.",
        "Axis to transform.",
        "0 for each column, 1 for each row; by default all elements.",
    ],
    "b : array_like": [
        "Right-hand side.",
    ],
    "callback : callable, optional": [
        "Function that is called with x after each iteration.",
    ],
    "check_every : int, optional": [
        "Number of iterations between reads of the residual. Up to as many iterations run after the solution is found.",
    ],
    "copy : bool, optional": [
        "Whether to copy the values if they could be shared; indices are always copied.",
        "If True, the result never shares values with the array.",
    ],
    "counter : int or sequence of ints, optional": [
        "Block of four words at which the stream starts: a number of up to 94 bits, or 64-bit words, the lowest first.",
    ],
    "device : Device or str": [
        "Device of the result.",
    ],
    "device : Device or str, optional": [
        "Device of a new matrix; by default that of the arrays, otherwise the current device.",
        "Device of the result; by default that of `obj` if it is an Array, otherwise the current device.",
        "Device of the result; the current device by default.",
        "Device of the result; that of the array by default.",
        "Device of the arrays; the current device by default.",
        "Device of the coordinates; the current device by default.",
        "Device of the call; the current device by default.",
        "Device to check; the current device by default.",
        "Device to measure; the current device by default.",
        "Device to tune for; the current device by default.",
        "Device; the current device by default.",
    ],
    "device, queue : optional": [
        "Device or queue of the computation; the current one by default.",
    ],
    "df : float or array_like": [
        "Degrees of freedom, above 0.",
    ],
    "dtype : dtype, optional": [
        "Data type; the device's default float by default.",
        "Data type; that of the array by default.",
        "float32 or float64.",
        "Element type in which to compute and return the result.",
        "Dtype of the elements.",
        "Dtype of the entries.",
        "Dtype of the result; by default it follows from `obj`.",
        "float32 or float64; by default float64 if the device has it.",
        "Dtype of the result.",
    ],
    "err_msg : str, optional": [
        "Text that begins the message of a failure.",
    ],
    "explicit : bool, optional": [
        "If True, zeros that are not stored do not count.",
    ],
    "format : str, optional": [
        'Format of the result; "coo" by default.',
        'Format of the result; "dia" by default.',
        'Format of the result; "csr" by default.',
    ],
    "indices : array_like of ints": [
        "One row for each element.",
    ],
    "k : int, optional": [
        "Offset of the diagonal from the main one: positive above it, negative below.",
    ],
    "keepdims : bool, optional": [
        "Whether to keep reduced axes with length 1.",
    ],
    "key : int or sequence of ints, optional": [
        "Key of up to 128 bits, used as given: a number, or 64-bit words, the lowest first; not together with `seed`.",
    ],
    "layout : Layout, str, sequence of ints, cyclic or owned, optional": [
        "'block' (default), 'replicated', the lengths of a process grid, cyclic(...), owned(...), or a Layout.",
    ],
    "like : Array, optional": [
        "Array whose device the result is on, unless `device` selects another.",
        "Array whose device the result is on, unless `device` or `queue` selects another.",
    ],
    "like : object, optional": [
        "Accepted for compatibility with NumPy.",
    ],
    "loc : float or array_like, optional": [
        "Mean of the distribution.",
        "Mode of the distribution.",
    ],
    "maxiter : int, optional": [
        "Maximum number of iterations; 10 times the number of rows by default.",
        "Maximum number of restarts; 10 times the number of rows by default.",
    ],
    "n : int, optional": [
        "Number of points to transform. A longer input is cut, a shorter one is padded with zeros. None: the length of the input.",
    ],
    "norm : {'backward', 'ortho', 'forward'}, optional": [
        "'backward' divides the inverse transform by the number of points, 'forward' the forward one, 'ortho' both by the square root. None: 'backward'.",
    ],
    "number : int, optional": [
        "Which lock.",
    ],
    "obj : array_like": [
        "Array, number, nested sequence of numbers, or buffer.",
    ],
    "order : str, optional": [
        '"C" or "F" for a result in C or Fortran order; "A", "K" and None keep the order of an Array.',
    ],
    "out : Array, optional": [
        "Array to fill; the call then returns the Event.",
    ],
    "out : None, optional": [
        "Must be None; NumPy's functions, such as np.sum(A), pass it.",
    ],
    "out : quern.Array, optional": [
        "Array for the result.",
    ],
    "patch : index": [
        "Integers and slices without steps.",
    ],
    "progress : callable, optional": [
        "Function that is called with each residual that was read: `progress(iterations, norm)`. It costs no wait.",
    ],
    "queue : Queue, optional": [
        "Queue to enqueue the work on; the current queue by default.",
    ],
    "reproducible : bool, optional": [
        "Whether the result has the same bits for any number of ranks and any layout.",
    ],
    "rtol : float, optional": [
        "Relative tolerance: the system is solved if norm(b - A @ x) <= max(rtol * norm(b), atol).",
    ],
    "s : int or sequence of ints, optional": [
        "Number of points to transform along each axis; -1 takes the length of the input. None: the lengths of the input.",
    ],
    "scale : float or array_like, optional": [
        "Scale parameter, at least 0.",
        "Scale parameter (mode), at least 0.",
    ],
    "scale : number, optional": [
        "Factor of the values.",
    ],
    "seed : int, sequence of ints or one of NumPy's seeds, optional": [
        "Seed, of any size; by default it comes from the operating system's entropy.",
    ],
    "shape : int or tuple of ints": [
        "Shape of the whole array.",
    ],
    "shape : tuple of int, optional": [
        "Shape of the matrix; by default the smallest that fits.",
    ],
    "show : bool, optional": [
        "Accepted for compatibility with SciPy; it has no effect.",
    ],
    "size : int or tuple of ints": [
        "Shape of the whole array.",
    ],
    "size : int or tuple of ints, optional": [
        "Shape of the result.",
        "Shape of the result; by default the broadcast shape of the parameters.",
        "Shape of the samples, without the last axis.",
        "Shape of the result; by default the broadcast shape of the bounds.",
    ],
    "values : array_like": [
        "Elements, which broadcast to the patch.",
    ],
    "verbose : bool, optional": [
        "If True, the message shows both arrays.",
    ],
    "where : Array or array_like of bool, optional": [
        "Elements to include; all by default.",
    ],
    "x : Array": [
        "Distributed array.",
        "Distributed array of at least two axes.",
        "Vector, or matrix whose columns are vectors.",
    ],
    "x : array_like": [
        "Array with the same shape and dtype on all ranks.",
    ],
    "x0 : array_like, optional": [
        "Initial guess; zeros by default.",
    ],
}
COMMON = 3  # this many docstrings with the same description make it a shared one
NEAR = 0.85  # the similarity from which on two descriptions should be the same
WIDTH = 120

ENTRY = re.compile(
    r"^(?P<indent> *)(?P<declaration>\*{0,2}\w[\w, ]*(?: : [^\n]+)?)\n(?P<text>(?:(?P=indent)    \S[^\n]*\n)+)",
    re.MULTILINE,
)
SECTION = re.compile(r"^ *Parameters\n *-+\n(?P<body>.*?)(?=\n *\n|\n *\"\"\")", re.MULTILINE | re.DOTALL)


def entries(source):
    """The place, declaration and description of each parameter that a docstring of the source describes."""
    for section in SECTION.finditer(source):
        for match in ENTRY.finditer(section["body"] + "\n"):
            yield section.start("body"), match, " ".join(match["text"].split())


def sources(root):
    for file in sorted((root / "python" / "quern").rglob("*.py")):
        yield file, file.read_text()


def nearest(declaration, text):
    """The shared description that a docstring has in nearly the same words, or None."""
    known = SHARED.get(declaration, [])
    return None if text in known else next(iter(difflib.get_close_matches(text, known, 1, NEAR)), None)


def check_tree(root):
    problems, places = [], collections.defaultdict(list)
    for file, source in sources(root):
        for start, match, text in entries(source):
            line = source.count("\n", 0, start + match.start()) + 1
            place = f"{file.relative_to(root).as_posix()}:{line}"
            declaration = match["declaration"]
            if found := nearest(declaration, text):
                problems.append(f"{place}: {declaration}: the shared description is {found!r}")
            elif text not in SHARED.get(declaration, []):
                places[declaration, text].append(place)
    for (declaration, text), found in places.items():
        if len(found) >= COMMON:
            problems.append(
                f"{', '.join(found)}: {declaration}: {text!r} is not in tools/shared_parameters.py"
            )
    return problems


def fix(root):
    for file, source in sources(root):
        parts, done = [], 0
        for start, match, text in entries(source):
            if found := nearest(match["declaration"], text):
                indent = match["indent"] + "    "
                parts += [
                    source[done : start + match.start("text")],
                    textwrap.fill(found, WIDTH, initial_indent=indent, subsequent_indent=indent) + "\n",
                ]
                done = start + match.end("text")
        if parts:
            file.write_text("".join(parts) + source[done:])


def self_test():
    declaration, (right, *_) = next(iter(SHARED.items()))
    page = '''def f{n}():
    """Do.

    Parameters
    ----------
    {declaration}
        {text}
    other : int
        A number{more}.

    Returns
    -------
    int
    """
'''
    cases = {
        "shared": ([right], 0),
        "nearly shared": ([right.rstrip(".") + "!"], 1),
        "another meaning": (["Something else."], 0),
        "not in the table": (["Something else."] * COMMON, 1),
    }
    failures = 0
    for name, (texts, expected) in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "python" / "quern" / "a.py"
            file.parent.mkdir(parents=True)
            file.write_text(
                "".join(
                    page.format(n=n, declaration=declaration, text=text, more=f" of {n}")
                    for n, text in enumerate(texts)
                )
            )
            problems = check_tree(Path(folder))
            fix(Path(folder))
            left = len(check_tree(Path(folder)))
            ast.parse(file.read_text())
        if len(problems) != expected or left != (expected if name == "not in the table" else 0):
            failures += 1
            print(f"self-test: {name}: {problems}, {left} left after --fix")
    print(f"self-test: {len(cases)} cases, {failures} failed")
    return failures


if __name__ == "__main__":
    if sys.argv[1:] == ["--fix"]:
        fix(Path(__file__).resolve().parents[1])
        sys.exit()
    sys.exit(check_main.main(__doc__, check_tree, self_test))
