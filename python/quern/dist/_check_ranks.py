# SPDX-License-Identifier: MIT
"""The program of the ranks of `quern dist check`. Rank 0 prints a line of JSON for each fact as soon as it is known."""

from __future__ import annotations

import json
import socket
import sys
import time
from typing import Any

import numpy as np

import quern

from . import HaloArray, asarray, barrier, from_local, init
from ._mpi_calls import Calls


def _say(rank: int, **facts: Any) -> None:
    if rank == 0:
        print(json.dumps(facts), flush=True)


def facts(seconds: float) -> None:
    """What ranks are and how fast they talk; the measurements take at most about this long."""
    comm = init()
    _say(comm.rank, ranks=comm.size)
    name = np.frombuffer(socket.gethostname().encode()[:64].ljust(64), np.uint8).reshape(1, 64)
    names = from_local(quern.asarray(name.copy())).get()
    _say(comm.rank, nodes=len({row.tobytes() for row in names}))
    _say(comm.rank, threads_per_rank=quern.device("host").compute_units)
    total = float(asarray(np.ones(4 * comm.size)).sum())
    _say(comm.rank, sum_is_right=total == 4 * comm.size)
    if comm.size == 1:
        return
    calls = Calls()
    _say(comm.rank, thread_level=calls.thread_level())
    for size in (8, 1 << 10, 1 << 16, 1 << 20, 1 << 23):
        _say(comm.rank, message_bytes=size, seconds_one_way=_ping_pong(calls, comm.rank, size, seconds / 8))
    barrier()
    halo = HaloArray(64 * comm.size, widths=1)
    _say(comm.rank, exchange_seconds=_exchange(halo, seconds / 8))


def _ping_pong(calls: Calls, rank: int, size: int, seconds: float) -> float:
    """The least time of a message, of rounds between ranks 0 and 1. Rank 0 says when to stop."""
    memory = np.zeros(size, np.uint8)
    address, best, rounds = memory.ctypes.data, float("inf"), 100 if size < 1 << 16 else 5
    end = time.perf_counter() + seconds
    if rank > 1:
        return 0.0
    while True:
        memory[0] = time.perf_counter() < end
        start = time.perf_counter()
        for _ in range(rounds):
            if rank == 0:
                calls.send(address, size, 1)
                calls.receive(address, size, 1)
            else:
                calls.receive(address, size, 0)
                calls.send(address, size, 0)
        best = min(best, (time.perf_counter() - start) / rounds / 2)
        if memory[0] == 0:
            return best


def _exchange(halo: HaloArray, seconds: float) -> float:
    """The least time of an exchange of ghost cells; every rank does the same number."""
    best = float("inf")
    for _ in range(max(2, int(seconds / 2e-3))):
        start = time.perf_counter()
        for _ in range(10):
            halo.exchange()
        best = min(best, (time.perf_counter() - start) / 10)
    return best


def device_awareness() -> None:
    """Hands memory of a CUDA device to MPI. A library that does not know such memory may end the process."""
    comm = init()
    calls = Calls()
    with quern.device("cuda"):
        for count in (256, 1 << 20):  # small messages and large ones go different ways
            sent = quern.asarray(
                np.arange(count, dtype=np.float32) if comm.rank == 0 else np.zeros(count, np.float32)
            )
            quern.synchronize()
            address = sent.__cuda_array_interface__["data"][0]
            if comm.rank == 0:
                calls.send(address, 4 * count, 1)
            elif comm.rank == 1:
                calls.receive(address, 4 * count, 0)
                if not np.array_equal(sent.get(), np.arange(count, dtype=np.float32)):
                    raise RuntimeError("the memory that arrived is not what was sent")
    barrier()
    _say(comm.rank, is_device_aware=True)


if __name__ == "__main__":
    if sys.argv[1] == "device":
        device_awareness()
    else:
        facts(float(sys.argv[2]))
