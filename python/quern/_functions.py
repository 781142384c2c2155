# SPDX-License-Identifier: MIT
"""Functions of the C++ registry by name; the build writes their stubs next to this file."""

from ._core import functions as _all

__all__ = sorted(name for name in _all if "." not in name)
globals().update({name: _all[name] for name in __all__})
