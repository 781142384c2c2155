# SPDX-License-Identifier: MIT
"""HTML of devices and programs for notebooks. The modules that write it are imported when it is shown."""

from __future__ import annotations

from ._core import Device, Program


def _device(self: Device) -> str:
    """Return HTML for notebooks: the name and the limits of the device."""
    from .notebook._devices import device_html

    return device_html(self)


def _program(self: Program) -> str:
    """Return HTML for notebooks: the signatures, the resources if the program is built, and the source folded."""
    from .notebook._programs import program_html

    return program_html(self)


for _type, _function in ((Device, _device), (Program, _program)):
    _function.__name__ = "_repr_html_"
    _function.__qualname__ = f"{_type.__name__}._repr_html_"
    setattr(_type, "_repr_html_", _function)  # noqa: B010  (the stub of the compiled module does not have it)
