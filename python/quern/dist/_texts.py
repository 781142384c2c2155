# SPDX-License-Identifier: MIT
"""Short texts that all ranks tell each other: what they have, and why they failed."""

from __future__ import annotations

from typing import Any

import numpy as np

import quern

from .._core import Communicator, DistributedArray, DistributedError, Layout

_LENGTH = 400  # bytes of a text; the end of a longer one is lost


def exchanged(comm: Communicator, text: str, name: str) -> list[str]:
    """The texts of all ranks, in their order. Called by all ranks."""
    own = np.zeros((1, _LENGTH), dtype=np.uint8)
    given = text.encode()[:_LENGTH]
    own[0, : len(given)] = np.frombuffer(given, dtype=np.uint8)
    with quern.device("host"):
        rows = DistributedArray(comm, Layout.block([comm.size], (comm.size, _LENGTH)), quern.asarray(own))
        whole = rows.gather().get()
    return [bytes(row).rstrip(b"\0").decode(errors="replace") for row in whole]


class DistributedOSError(DistributedError, OSError):
    """A rank could not read or write a file; all ranks raise it."""

    __module__ = "quern.dist"


def agree(comm: Communicator, error: BaseException | None, name: str) -> None:
    """Raise the same error on all ranks if one of them failed; one rank alone raises its own. Called by all ranks."""
    if comm.size == 1:
        if error is not None:
            raise error
        return
    kind = "O" if isinstance(error, OSError) else "E"
    texts = exchanged(comm, "" if error is None else f"{kind}{type(error).__name__}: {error}", name)
    failed = [rank for rank, text in enumerate(texts) if text]
    if failed:
        first = texts[failed[0]]
        others = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        raised = (DistributedOSError if first[0] == "O" else DistributedError)(
            f"{name}: rank {failed[0]}{others} failed: {first[1:]}"
        )
        raised.ranks = tuple(failed)
        raise raised from error


def together(comm: Communicator, name: str, step: Any, *arguments: Any) -> Any:
    """The result of a step of all ranks, or None without a step. If it fails on one rank, all raise the same error."""
    error: Exception | None = None
    result = None
    try:
        if step is not None:
            result = step(*arguments)
    except Exception as failed:
        error = failed
    agree(comm, error, name)
    return result
