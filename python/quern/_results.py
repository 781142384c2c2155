# SPDX-License-Identifier: MIT
"""Named tuples that functions of the registry return."""

from __future__ import annotations

from typing import NamedTuple

from ._core import Array

__all__ = ["UniqueAllResult", "UniqueCountsResult", "UniqueInverseResult"]


class UniqueAllResult(NamedTuple):
    """Unique values with first indices, inverse indices and counts."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """Unique values and their counts."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """Unique values and the inverse indices."""

    values: Array
    inverse_indices: Array
