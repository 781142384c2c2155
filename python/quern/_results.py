# SPDX-License-Identifier: MIT
"""Tuples with names, which functions of the registry return."""

from __future__ import annotations

from typing import NamedTuple

from ._core import Array

__all__ = ["UniqueAllResult", "UniqueCountsResult", "UniqueInverseResult"]


class UniqueAllResult(NamedTuple):
    """Of each value: itself, where it first is, which elements have it, and how many."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """Of each value: itself, and how many elements have it."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """The values, and which of them each element has."""

    values: Array
    inverse_indices: Array
