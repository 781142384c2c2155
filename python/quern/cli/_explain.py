# SPDX-License-Identifier: MIT
"""quern explain: the kernels that an array expression becomes."""

from __future__ import annotations

import argparse
import ast
from typing import Any

from .. import _core
from .._core import Array
from .._explain import explain
from . import add_output_arguments
from ._arrays import dtype_of, shape_of
from ._output import CommandError, Output

DESCRIPTION = """Prints the kernels that an evaluation of an expression would launch: their operations, the bytes that they
read and write, and their source: what qn.explain shows. Functions that Quern computes at once, such as sums, are run.

Names that Quern does not have become arrays; functions are Quern's: "sqrt(x*x + y*y).sum()"."""
EPILOG = """arrays: --array NAME[:DTYPE[:SHAPE]], such as --array x:float64:480x640; may be repeated.
exit codes: 0 success; 1 the expression has an error; 2 the command line is wrong."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("expression", metavar="EXPRESSION", help='such as "5*x + 6*y"')
    parser.add_argument("--dtype", default="float32", help="dtype of the arrays (float32)")
    parser.add_argument("--shape", default="1000000", help="shape of the arrays, such as 480x640 (1000000)")
    parser.add_argument(
        "--array",
        action="append",
        default=[],
        dest="arrays",
        metavar="NAME[:DTYPE[:SHAPE]]",
        help="an array with a dtype and a shape of its own",
    )
    parser.add_argument("--device", metavar="SPEC", help="device of the arrays; the default device otherwise")
    parser.add_argument(
        "--lower", choices=("c", "cuda"), help="print the kernels as C or CUDA C++ instead of OpenCL C"
    )
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Runs the command."""
    import quern

    out = Output(options)
    device = _core.device(options.device)
    with quern.Queue.of(device):
        arrays = _arrays(options)
        try:
            value = eval(  # the user's own expression, on the user's own command line
                compile(options.expression.strip(), "<expression>", "eval"),
                {"__builtins__": {}},
                _Names(arrays),
            )
        except SyntaxError as error:
            raise CommandError(f"not an expression: {error.msg}") from None
        except Exception as error:
            raise CommandError(f"{type(error).__name__}: {error}", 1) from error
        results = list(value) if isinstance(value, (tuple, list)) else [value]
        if not results or not all(isinstance(one, Array) for one in results):
            raise CommandError(f"the expression is not an array but {type(value).__name__}", 1)
        plan = explain(*results)
    if options.lower is not None:
        target = {"c": "host", "cuda": "cuda"}[options.lower]
        sources = [_core.Program(kernel.source).lowered_source(target) for kernel in plan.kernels]
    else:
        sources = [kernel.source for kernel in plan.kernels]
    _print(out, options, device, arrays, results, plan, sources)
    return 0


class _Names(dict[str, Any]):
    """The names of an expression: its arrays, Quern's functions, Python's abs, min, ... are Quern's."""

    def __missing__(self, name: str) -> Any:
        import quern

        if name == "qn":
            return quern
        return getattr(quern, name)


def _arrays(options: argparse.Namespace) -> dict[str, Array]:
    """An array for each name of the expression that Quern does not have."""
    import quern

    described: dict[str, tuple[str, str]] = {}
    for one in options.arrays:
        name, _, rest = one.partition(":")
        dtype, _, shape = rest.partition(":")
        if not name.isidentifier():
            raise CommandError(f"--array: '{name}' is not a name")
        described[name] = (dtype or options.dtype, shape or options.shape)
    try:
        tree = ast.parse(options.expression.strip(), mode="eval")
    except SyntaxError as error:
        raise CommandError(f"not an expression: {error.msg}") from None
    bound = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    bound |= {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    functions = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in functions]
    for node in sorted(names, key=lambda node: (node.lineno, node.col_offset)):
        is_known = node.id in bound or node.id == "qn" or node.id in quern.__all__
        if node.id not in described and not is_known:
            described[node.id] = (options.dtype, options.shape)
    return {
        name: quern.empty(shape_of(shape, f"array {name}"), dtype_of(dtype, f"array {name}"))
        for name, (dtype, shape) in described.items()
    }


def _print(
    out: Output,
    options: argparse.Namespace,
    device: _core.Device,
    arrays: dict[str, Array],
    results: list[Array],
    plan: Any,
    sources: list[str],
) -> None:
    for name, array in arrays.items():
        out.line(f"{out.paint(name, 'cyan')}: {array.dtype} {_shape_text(array.shape)}")
    shown = ", ".join(f"{array.dtype} {_shape_text(array.shape)}" for array in results)
    out.line(f"{out.paint('result', 'cyan')}: {shown}, on '{device.spec}'")
    for function in plan.staged:
        out.line(f"computed on the host, with copies there and back: {function}")
    if not plan.kernels:
        out.line("no kernels: all arrays are in memory or enqueued")
    for number, (kernel, source) in enumerate(zip(plan.kernels, sources, strict=True), 1):
        out.line(
            f"{out.paint(f'kernel {number} of {len(plan.kernels)}', 'bold')}: {kernel.elements} elements, "
            f"reads {kernel.bytes_read} bytes of {kernel.arrays_read} arrays, writes {kernel.bytes_written} bytes"
        )
        for operation in kernel.operations:
            out.line(f"  {_without_place(operation)}")
        out.line(source.rstrip("\n"))
    out.result(
        {
            "expression": options.expression,
            "device": device.spec,
            "arrays": {name: {"dtype": str(a.dtype), "shape": list(a.shape)} for name, a in arrays.items()},
            "results": [{"dtype": str(a.dtype), "shape": list(a.shape)} for a in results],
            "bytes_read": plan.bytes_read,
            "bytes_written": plan.bytes_written,
            "staged": plan.staged,
            "kernels": [
                {
                    "elements": kernel.elements,
                    "arrays_read": kernel.arrays_read,
                    "bytes_read": kernel.bytes_read,
                    "bytes_written": kernel.bytes_written,
                    "operations": [_without_place(operation) for operation in kernel.operations],
                    "source": source,
                }
                for kernel, source in zip(plan.kernels, sources, strict=True)
            ],
        }
    )


def _without_place(operation: str) -> str:
    """An operation without where it was called: that is always the expression."""
    return operation.partition(" at <expression>")[0]


def _shape_text(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) if shape else "scalar"
