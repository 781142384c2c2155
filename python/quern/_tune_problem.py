# SPDX-License-Identifier: MIT
"""What is tuned: kernels of templates and other sources, and callables, with their sizes and their class of problems."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _core
from ._core import Array, Device, Kernel, Program, Queue


class Parameters(dict[str, Any]):
    """Values of parameters, as a dict and as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no parameter {name!r}; there are {', '.join(self)}") from None


def restriction_of(condition: Any, names: Sequence[str]) -> Callable[[Mapping[str, Any]], bool]:
    """A condition of the user's, an expression or a function of the parameters, as a function."""
    if callable(condition):
        return lambda values: bool(condition(Parameters(values)))
    if not isinstance(condition, str):
        raise _core.ArgumentTypeError(
            f"restrictions: expected expressions or functions, got {type(condition).__name__}"
        )
    try:
        code = compile(condition, "<restriction>", "eval")
    except SyntaxError as error:
        raise _core.ArgumentValueError(f"restrictions: {condition!r}: {error.msg}") from None
    functions = {"min": min, "max": max, "abs": abs}
    for name in code.co_names:
        if name not in names and name not in functions:
            raise _core.ArgumentValueError(f"restrictions: {condition!r}: there is no parameter {name!r}")
    return lambda values: bool(eval(code, {"__builtins__": functions}, dict(values)))


def _evaluated(size: Any, parameters: Parameters) -> Any:
    return size(parameters) if callable(size) else size


class Problem:
    """A kernel or callable with parameters; makes what runs it with given ones."""

    name: str
    version: str

    def __init__(
        self, kernel: Any, name: str | None, global_size: Any, local_size: Any, problem: str | None
    ) -> None:
        self._global_size = global_size
        self._local_size = local_size
        self._kernel_name = name
        self._callable: Callable[..., Any] | None = None
        self._program: Callable[[Parameters], Program]
        if isinstance(kernel, str):
            self._program = lambda parameters: Program(kernel, defines=dict(parameters))
            text = kernel
        elif isinstance(kernel, Program | Kernel):
            _, (source, keywords, of_kernel) = kernel.__reduce__()
            self._kernel_name = of_kernel or name
            own = keywords.pop("defines")
            self._program = lambda parameters: Program(source, defines={**own, **parameters}, **keywords)
            text = repr((source, own, keywords))
        elif hasattr(kernel, "render") and hasattr(kernel, "program"):
            self._program = lambda parameters: kernel.program(**parameters)
            text = kernel.text
        elif callable(kernel):
            self._callable = kernel
            text = _source_of(kernel)
        else:
            raise _core.ArgumentTypeError(
                f"kernel: expected a template, a source, a program, a kernel or a function, got {type(kernel).__name__}"
            )
        digest = hashlib.sha256(f"{self._kernel_name}\0{text}".encode()).hexdigest()
        self.version = digest[:16]
        self.name = problem or self._kernel_name or self._default_name(kernel, digest)

    def _default_name(self, kernel: Any, digest: str) -> str:
        if self._callable is not None:
            return getattr(kernel, "__qualname__", None) or type(kernel).__name__
        if isinstance(kernel, str | Program):
            names = (Program(kernel) if isinstance(kernel, str) else kernel).kernel_names
            if len(names) == 1:
                self._kernel_name = names[0]
                return names[0]
        return f"kernel {digest[:8]}"

    def prepare(self, parameters: Parameters, device: Device, *, is_built: bool = True) -> Callable[..., Any]:
        """Compiles for the device; returns a function of a queue and the arguments."""
        if self._callable is not None:
            function = self._callable

            def run(queue: Queue, *args: Any) -> Any:
                with queue:
                    result = function(*args, **parameters)
                    arrays = [
                        a
                        for a in (result if isinstance(result, tuple | list) else [result])
                        if isinstance(a, Array)
                    ]
                    if arrays:
                        _core.eval(*arrays)
                    return result

            return run
        program = self._program(parameters)
        if is_built:
            program.build(device)
        kernel = program[self._one_kernel(program)]
        local_size = _evaluated(self._local_size, parameters)

        def launch(queue: Queue, *args: Any) -> Any:
            size = _evaluated(self._global_size, parameters)
            if size is None:
                size = next((a.shape for a in args if isinstance(a, Array)), None)
                if size is None:
                    raise _core.ArgumentValueError("global_size: needed, for no argument is an array")
            return kernel(queue, size, local_size, *args)

        return launch

    def _one_kernel(self, program: Program) -> str:
        if self._kernel_name is not None:
            return self._kernel_name
        names = program.kernel_names
        if len(names) != 1:
            raise _core.ArgumentValueError(
                f"name: the source has the kernels {', '.join(names) or '(none)'}; say which is tuned"
            )
        return names[0]

    def class_of(self, args: Sequence[Any]) -> str:
        """The class of problems of a call: the dtypes of its arrays, and the order of magnitude of the largest."""
        largest, names = 0, []
        for argument in args:
            if isinstance(argument, Array):
                names.append(argument.dtype.name)
                largest = max(largest, argument.size)
        return f"{' '.join(names)} 2^{largest.bit_length() - 1}" if largest else " ".join(names)


def _source_of(function: Any) -> str:
    """The text of a function, or its name where there is none."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return (
            f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', repr(type(function)))}"
        )
