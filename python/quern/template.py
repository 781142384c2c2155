# SPDX-License-Identifier: MIT
"""Kernel text with Jinja2 placeholders, rendered by dtypes, sizes and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._core import ArgumentTypeError, ArgumentValueError, Program
from ._layout import c_type_name


class CType(str):
    """A dtype as templates see it: its name in C, with what NumPy knows of it."""

    dtype: np.dtype[Any]

    def __new__(cls, dtype: np.dtype[Any]) -> CType:
        result = super().__new__(cls, c_type_name(dtype))
        result.dtype = dtype
        return result

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def kind(self) -> str:
        """NumPy's letter: 'f', 'i', 'u', 'b' or 'c'."""
        return self.dtype.kind

    def vector(self, lanes: int) -> str:
        """The vector type of so many lanes; of one, the type itself."""
        if lanes not in (1, 2, 3, 4, 8, 16):
            raise ArgumentValueError(f"OpenCL C has no vectors of {lanes} lanes")
        return str(self) if lanes == 1 else f"{self}{lanes}"


class Template:
    """Kernel text with Jinja2 placeholders.

    `Template(text).program(T=np.float32, unroll=4)` renders the text and is a Program; the same values give the same
    Program again. dtypes become their names in C, and have `itemsize`, `kind` and `vector(lanes)`. Names that have no
    value are errors.
    """

    def __init__(self, text: str, *, name: str = "template.cl") -> None:
        try:
            import jinja2
        except ImportError as error:
            raise ImportError("quern.Template needs Jinja2: pip install jinja2") from error
        environment = jinja2.Environment(
            undefined=jinja2.StrictUndefined, keep_trailing_newline=True, autoescape=False
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
        return self._text

    def render(self, **values: Any) -> str:
        """The text for these values."""
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
        """The program for these values. Options, defines and include paths are those of Program."""
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

    def __repr__(self) -> str:
        return f"<quern.Template {self._name}>"


def _shown(value: Any) -> Any:
    if isinstance(value, np.dtype):
        return CType(value)
    if isinstance(value, type) and issubclass(value, np.generic):
        return CType(np.dtype(value))
    if isinstance(value, bytes):
        raise ArgumentTypeError("a value of a template is bytes; decode it first")
    return value
