# SPDX-License-Identifier: MIT
"""Ready-made algorithms on arrays: sorting, selecting.

Arrays are one-dimensional and contiguous. Without `out` a call returns new arrays; with it, the event of the work
that it enqueued, without waiting.
"""

from ._core import (
    argsort,
    copy_if,
    nonzero,
    partition,
    remove_if,
    run_length_encode,
    sort,
    sort_by_key,
    unique,
)

__all__ = [
    "argsort",
    "copy_if",
    "nonzero",
    "partition",
    "remove_if",
    "run_length_encode",
    "sort",
    "sort_by_key",
    "unique",
]
