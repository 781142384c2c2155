# SPDX-License-Identifier: MIT
"""Masks as the only index of a distributed array: x[mask] and x[mask] = values."""

from __future__ import annotations

from typing import Any

import numpy as np

import quern

from .._core import ArgumentIndexError, Layout
from .._core import Array as LocalArray
from ._array import Array, is_number, replicated


def mask_of(index: Any, x: Array) -> Array | None:
    """The mask that an index is, distributed if all ranks have it; None for any other index."""
    if not isinstance(index, (Array, np.ndarray, LocalArray)) or index.dtype != np.bool_:
        return None
    if isinstance(index, Array):
        return index
    return replicated(index, x) if index.ndim else None


def _check(mask: Array, x: Array) -> None:
    if mask.shape != x.shape[: mask.ndim]:
        raise ArgumentIndexError(f"a mask of shape {mask.shape} for an array of shape {x.shape}")


def selected(x: Array, mask: Array) -> Array:
    """The elements for which a mask is true, in C order, which is that of the ranks if only rows are split."""
    _check(mask, x)
    if not mask.shape:  # of one number: all elements with an axis more, or none
        return x[None] if bool(mask) else x[None][:0]
    ranks = [x.comm.size]
    rows = x._blocks.redistribute(Layout.block(ranks, x.shape)).local
    chosen = rows[mask._blocks.redistribute(Layout.block(ranks, mask.shape)).local]
    return quern.dist.from_local(chosen, comm=x.comm)


def set_where(x: Array, mask: Array, value: Any) -> None:
    """Write a number, or one value for each element for which a mask is true, in C order."""
    _check(mask, x)
    if isinstance(value, Array) and value.ndim == 0 and value.layout.is_replicated:
        value = value.local
    elif not is_number(value):
        if mask.shape:
            quern.dist._indexing.set_at(x, mask, value)
        elif bool(mask):
            x[None] = value
        return
    blocks = mask._blocks.reshape([*mask.shape, *(1 for _ in x.shape[mask.ndim :])])
    local = x.local
    local[blocks.broadcast_to(x.shape).redistribute(x.layout).local] = value
