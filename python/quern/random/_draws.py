# SPDX-License-Identifier: MIT
"""Base class of Generator and RandomState: a bit generator, and draws from it."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import DTypeLike

from .. import _core
from .._array import shape_of
from .._core import Array, Device, Queue
from ._arguments import (
    Number,
    Size,
    Waits,
    as_parameters,
    check_out,
    default_float,
    is_single,
    shape_of_parameters,
)
from ._bit_generators import BitGenerator

# Distributions of integers, which are int64 unless a dtype is given.
_COUNTS = frozenset(
    ["poisson", "binomial", "geometric", "hypergeometric", "logseries", "negative_binomial", "zipf"]
)


class Draws:
    """Draws from a distribution by name."""

    _bits: BitGenerator

    def _draw(
        self,
        distribution: str,
        parameters: tuple[Number, ...],
        size: Size,
        *,
        dtype: DTypeLike | None = None,
        out: Array | None = None,
        device: Device | str | None = None,
        queue: Queue | None = None,
        wait_for: Waits = None,
        endpoint: bool = True,
    ) -> Any:
        native = self._bits._native
        kinds = [is_single(distribution, parameter) for parameter in parameters]  # each is checked
        singles = all(kinds)
        for given in parameters:
            if isinstance(given, Array) and out is None and queue is None and device is None:
                device = given.device
        if out is not None:
            check_out(out, size, dtype, device)
            result = out
        else:
            if dtype is None:
                dtype = np.int64 if distribution in _COUNTS else default_float(device, queue)
            shape = (
                shape_of_parameters(distribution, parameters)
                if size is None
                else shape_of(distribution, size)
            )
            if singles and wait_for is None:
                result = native.draw_lazily(
                    shape, np.dtype(dtype), distribution, cast(Any, parameters), device, queue
                )
                return result if size is not None else result.get(queue=queue).item()
            result = _core.empty(shape, np.dtype(dtype), device, queue)
        if singles:
            event = native.draw(result, distribution, cast(Any, parameters), queue, wait_for)
        else:
            arrays = as_parameters(distribution, parameters, result, queue, endpoint)
            event = native.draw_each(result, distribution, arrays, endpoint, queue, wait_for)
        if out is not None:
            return event
        if size is not None or not singles:
            return result
        event.wait()
        return result.get(queue=queue).item()
