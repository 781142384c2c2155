# SPDX-License-Identifier: MIT
"""Kernel source with Jinja2 placeholders for dtypes, sizes and parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._core import ArgumentTypeError, ArgumentValueError, Program, c_type_name


class CType(str):
    """Dtype in a template: prints as its C name, and has `itemsize`, `kind` and `vector(lanes)`.

    Examples
    --------
    >>> text = "kernel void f(global {{ T.vector(4) }} *x) { x[0] += ({{ T }})1; }  // {{ T.itemsize }} bytes"
    >>> qn.Template(text).render(T=np.float32)
    'kernel void f(global float4 *x) { x[0] += (float)1; }  // 4 bytes'
    """

    dtype: np.dtype[Any]

    def __new__(cls, dtype: np.dtype[Any]) -> CType:
        result = super().__new__(cls, c_type_name(dtype))
        result.dtype = dtype
        return result

    @property
    def itemsize(self) -> int:
        """Size of one element in bytes."""
        return self.dtype.itemsize

    @property
    def kind(self) -> str:
        """NumPy's kind letter: 'f', 'i', 'u', 'b' or 'c'."""
        return self.dtype.kind

    def vector(self, lanes: int) -> str:
        """Vector type with `lanes` lanes; the scalar type for one lane."""
        if lanes not in (1, 2, 3, 4, 8, 16):
            raise ArgumentValueError(f"vector: lanes must be 1, 2, 3, 4, 8 or 16, got {lanes}")
        return str(self) if lanes == 1 else f"{self}{lanes}"


class Template:
    """Kernel source with Jinja2 placeholders.

    `Template(text).program(T=np.float32, unroll=4)` renders the text and returns a Program; the same values return the same
    Program. Dtypes, also in lists and dicts, become their C names and have `itemsize`, `kind` and `vector(lanes)`. Numbers,
    True, False and None become C literals. A name without a value is an error.

    Parameters
    ----------
    text : str
        Source with placeholders.
    name : str, optional
        File name for error messages.

    Raises
    ------
    ImportError
        If Jinja2 is not installed.
    ValueError
        If the text has a syntax error. The message names the line.

    Examples
    --------
    >>> text = qn.Template("kernel void f(global {{ T }} *x) { x[0] = {{ start }}; }")
    >>> text.render(T=np.float32, start=1.5)
    'kernel void f(global float *x) { x[0] = 1.5; }'
    """

    def __init__(self, text: str, *, name: str = "template.cl") -> None:
        try:
            import jinja2
        except ImportError as error:
            raise ImportError("quern.Template needs Jinja2: pip install jinja2") from error
        environment = jinja2.Environment(
            undefined=jinja2.StrictUndefined,
            keep_trailing_newline=True,
            autoescape=False,
            finalize=_literal,
        )
        self._name = name
        self._text = text
        try:
            self._template = environment.from_string(text)
        except jinja2.TemplateSyntaxError as error:
            raise ArgumentValueError(f"{name}:{error.lineno}: {error.message}") from None
        self._errors = (jinja2.UndefinedError, jinja2.TemplateRuntimeError)
        self._programs: dict[Any, Program] = {}

    @property
    def text(self) -> str:
        """Source with placeholders."""
        return self._text

    def render(self, **values: Any) -> str:
        """Render the text with values for its placeholders.

        Parameters
        ----------
        **values
            Value of each placeholder: dtypes, numbers, strings, and lists and dicts of them.

        Returns
        -------
        str
            Source of the kernels.

        Raises
        ------
        ValueError
            If a placeholder has no value, or if an expression in the text fails.

        Examples
        --------
        >>> qn.Template("{{ T }} x[{{ n }}];").render(T=np.int32, n=4)
        'int x[4];'
        """
        try:
            return self._template.render({name: _shown(value) for name, value in values.items()})
        except self._errors as error:
            raise ArgumentValueError(f"{self._name}: {error}") from None

    def program(
        self,
        *,
        options: Sequence[str] = (),
        defines: Mapping[str, Any] | None = None,
        include_paths: Sequence[str] = (),
        **values: Any,
    ) -> Program:
        """Render the text with values for its placeholders and make a Program.

        Parameters
        ----------
        options : sequence of str, optional
            Options for the compiler.
        defines : dict, optional
            Preprocessor macros and their values.
        include_paths : sequence of str, optional
            Folders to search for included files.
        **values
            Value of each placeholder.

        Returns
        -------
        Program
            The program; the same object for the same arguments.

        Examples
        --------
        >>> text = qn.Template("kernel void f(global {{ T }} *x) { x[get_global_id(0)] = {{ value }}; }")
        >>> x = qn.zeros(2, dtype="float32")
        >>> event = text.program(T=np.float32, value=7).f(None, 2, None, x)
        >>> print(x)
        [7. 7.]
        """
        text = self.render(**values)
        key = (text, tuple(options), tuple((defines or {}).items()), tuple(include_paths))
        program = self._programs.get(key)
        if program is None:
            program = Program(
                text,
                name=self._name,
                options=list(options),
                defines=dict(defines or {}),
                include_paths=list(include_paths),
            )
            self._programs[key] = program
        return program

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._text, self._name)

    def __repr__(self) -> str:
        return f"<quern.Template {self._name}>"


def _restore(text: str, name: str) -> Template:
    """Unpickle a template."""
    return Template(text, name=name)


def _shown(value: Any) -> Any:
    """Convert a value for use in the template's expressions."""
    if isinstance(value, np.dtype):
        return CType(value)
    if isinstance(value, type) and issubclass(value, np.generic | float | int | complex):
        return CType(np.dtype(value))
    if isinstance(value, bytes):
        raise ArgumentTypeError("template values must not be bytes; decode them first")
    if isinstance(value, list | tuple):
        return [_shown(each) for each in value]
    if isinstance(value, dict):
        return {name: _shown(each) for name, each in value.items()}
    return value


def _literal(value: Any) -> Any:
    """Convert a value to a C literal."""
    if isinstance(value, np.dtype | type):
        return _shown(value)
    if value is None:
        return "NULL"
    if isinstance(value, bool | np.bool_):
        return "1" if value else "0"  # #if needs numbers, not true and false
    if isinstance(value, np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        return _float_literal(value)
    if isinstance(value, complex | np.complexfloating):
        is_single = isinstance(value, np.complex64)
        parts = (np.float32(value.real), np.float32(value.imag)) if is_single else (value.real, value.imag)
        return f"({'float2' if is_single else 'double2'})({_literal(parts[0])}, {_literal(parts[1])})"
    return value


def _float_literal(value: float | np.floating[Any]) -> str:
    is_double = isinstance(value, float)  # numpy.float64 is one
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    if is_double:
        return repr(float(value))
    text = str(value)  # the shortest text that reads back as the same number
    if isinstance(value, np.float16):
        return f"(half){float(value)!r}f"
    return (text if any(c in text for c in ".e") else text + ".0") + "f"
