# SPDX-License-Identifier: MIT
"""Ready-made algorithms on arrays: sorting.

Arrays are one-dimensional and contiguous. Without `out` a call returns new arrays; with it, the event of the work
that it enqueued, without waiting.
"""

from ._core import argsort, sort, sort_by_key

__all__ = ["argsort", "sort", "sort_by_key"]
