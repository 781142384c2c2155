# SPDX-License-Identifier: MIT
"""The magics that `%load_ext quern` registers. IPython is imported here only, when it loads the extension."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Array
from . import _kernel_cell, _options
from ._cells import NOTHING, CellCode, first_line_below
from ._profiles import profile_html

NAMES = {"quern_kernel": "cell", "qn_time": "line_cell", "qn_profile": "cell"}
_TIME = {
    "repeat": _options.ONE,
    "warmup": _options.ONE,
    "device": _options.ONE,
    "bytes": _options.ONE,
    "flops": _options.ONE,
    "output": _options.FLAG,
}
_PROFILE = {
    "by": _options.ONE,
    "width": _options.ONE,
    "table": _options.FLAG,
    "save": _options.ONE,
    "name": _options.ONE,
}


def register(shell: Any) -> None:
    """Define the magics in a running IPython."""
    from IPython.core.magic import no_var_expand

    def quern_kernel(line: str, cell: str) -> Any:
        """%%quern_kernel [options]: build a cell of OpenCL C; its kernels become Python names.

        Errors and warnings have the line numbers of the cell, which count the line of the magic.

        -d, --device SPEC     build for this device; may be repeated (default: the current device)
        -o, --options TEXT    options for the compiler, such as "-cl-fast-relaxed-math"
        -l, --language NAME   opencl or cuda
        -D, --define N=VALUE  a macro; may be repeated. {x} is the value of the Python variable x
        -I, --include FOLDER  a folder to search for included files; may be repeated
        -n, --name NAME       also define the program as this Python name
        --debug               build for a debugger
        -q, --quiet           display nothing
        """
        return _kernel_cell.run(shell, line, cell)

    def qn_time(line: str, cell: str | None = None) -> Any:
        """%qn_time [options] statement, or %%qn_time above a cell: time of the host and of the device, with spread.

        Pending arrays that the statement returns or assigns are evaluated in each call. Names that it assigns are not kept.

        -r, --repeat N        number of timed calls (default: as many as take half a second, 5 to 100)
        -w, --warmup N        number of calls before these (default: 3)
        -d, --device SPEC     device to measure (default: the current device)
        --bytes N             bytes that a call reads and writes, for the bandwidth
        --flops N             operations of a call, for their rate
        -o, --output          return the BenchmarkResult, as in r = %qn_time -o statement
        """
        return _time(shell, line, cell)

    def qn_profile(line: str, cell: str) -> Any:
        """%%qn_profile [options]: run the cell, and draw what all queues and devices did below it.

        -b, --by NAME         rows of the table: name or line (default: name)
        -t, --table           show the table unfolded
        -w, --width N         width of the picture in pixels (default: 900)
        -s, --save FILE       also write a trace for Perfetto
        -n, --name NAME       also define the profile as this Python name
        """
        return _profile(shell, line, cell)

    # IPython must not expand braces and dollars in Python code.
    functions: list[Callable[..., Any]] = [quern_kernel, no_var_expand(qn_time), no_var_expand(qn_profile)]
    for function in functions:
        shell.register_magic_function(function, NAMES[function.__name__], function.__name__)


def unregister(shell: Any) -> None:
    """Remove the magics."""
    for name in NAMES:
        for magics in shell.magics_manager.magics.values():
            magics.pop(name, None)


def _arrays_in(value: Any) -> list[Array]:
    if isinstance(value, Array):
        return [value]
    if isinstance(value, (list, tuple)):
        return [one for one in value if isinstance(one, Array)]
    return []


def _time(shell: Any, line: str, cell: str | None) -> Any:
    from ..bench import benchmark

    options, statement = _options.parse(
        line, _TIME, {"r": "repeat", "w": "warmup", "d": "device", "o": "output"}
    )
    if cell is not None and statement:
        raise _options.usage_error(f"%%qn_time: unexpected {statement!r}; the statements are in the cell")
    text = statement if cell is None else cell
    if not text.strip():
        raise _options.usage_error("%qn_time needs a statement: %qn_time x + y")
    code = CellCode(shell, text, 1 if cell is None else first_line_below(shell, "qn_time"))
    names = dict(shell.user_ns)  # what the statement assigns is not kept

    def call() -> None:
        result = code.run(names)
        pending = _arrays_in(result)
        for name in code.stored:
            pending += _arrays_in(names.get(name))
        if pending:
            _core.eval(*pending)

    target = _core.device(options["device"])
    repeat = _options.number("repeat", options["repeat"])
    warmup = _options.number("warmup", options["warmup"])
    if repeat is None:
        once = benchmark(call, repeat=1, warmup=warmup or 3, device=target).host.minimum
        repeat, warmup = min(max(round(0.5 / max(once, 1e-9)), 5), 100), 1
    found = benchmark(
        call,
        repeat=repeat,
        warmup=3 if warmup is None else warmup,
        bytes=_options.number("bytes", options["bytes"]),
        flops=_options.number("flops", options["flops"]),
        device=target,
        name=_short(text),
    )
    from IPython.display import display

    display(found)
    return found if options["output"] else None


def _short(text: str) -> str:
    first, _, more = text.strip().partition("\n")
    return first[:57] + "..." if len(first) > 60 else first + (" ..." if more else "")


class ProfileView:
    """Display of a profile with the options of the cell."""

    def __init__(self, profile: Any, options: dict[str, Any]):
        self._profile = profile
        self._width = _options.number("width", options["width"], 300) or 900
        self._by = options["by"] or "name"
        self._is_open = bool(options["table"])

    def _repr_html_(self) -> str:
        return profile_html(self._profile, self._width, self._by, self._is_open)

    def _repr_svg_(self) -> str:
        svg: str = self._profile.plot(width=self._width).svg
        return svg

    def __repr__(self) -> str:
        text: str = self._profile.table(self._by)
        return text


def _profile(shell: Any, line: str, cell: str) -> None:
    from IPython.display import display

    from .._profile import profile

    options, rest = _options.parse(
        line, _PROFILE, {"b": "by", "t": "table", "w": "width", "s": "save", "n": "name"}
    )
    if rest:
        raise _options.usage_error(f"%%qn_profile: unexpected {rest!r}")
    if options["by"] not in (None, "name", "line"):
        raise _options.usage_error(f"--by: expected name or line, got {options['by']!r}")
    recorded = profile()
    view = ProfileView(recorded, options)
    code = CellCode(shell, cell, first_line_below(shell, "qn_profile"))
    value = NOTHING
    try:
        with recorded:
            value = code.run(shell.user_ns)
    finally:
        if options["name"]:
            shell.push({options["name"]: recorded})
        if options["save"]:
            recorded.save(options["save"])
        if code.shows(value):
            display(value)
        display(view)
