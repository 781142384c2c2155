# SPDX-License-Identifier: MIT
"""Functions of numpy.lib."""

from . import stride_tricks

__all__ = ["stride_tricks"]
