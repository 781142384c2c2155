# SPDX-License-Identifier: MIT
"""The functions of the registry in C++ by their names; the build writes their stubs beside this file."""

from ._core import functions as _all

__all__ = sorted(name for name in _all if "." not in name)
globals().update({name: _all[name] for name in __all__})
