# SPDX-License-Identifier: MIT
"""Notebooks: `%load_ext quern` adds magics, and devices, programs, arrays, plans, profiles and times have rich displays."""

from __future__ import annotations

from ._arrays import ArrayView, show

__all__ = ["ArrayView", "show"]
