# SPDX-License-Identifier: MIT
"""Direct calls of the MPI library that this process has loaded, for checks: levels of threads, sends and receives of raw memory."""

from __future__ import annotations

import ctypes
from typing import Any

from .._core import Communicator

THREAD_LEVELS = ("MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE")


class Calls:
    """Functions of the library, whose handles are numbers in MPICH and addresses in Open MPI."""

    def __init__(self) -> None:
        self.path = Communicator.mpi_library_names("")[0]  # that of the process, once init() was called
        self._library = ctypes.CDLL(self.path)
        self.is_open_mpi = hasattr(self._library, "ompi_mpi_comm_world")
        self._byte = self._handle("ompi_mpi_byte", 0x4C00010D)
        self._world = self._handle("ompi_mpi_comm_world", 0x44000000)

    def _handle(self, symbol: str, number: int) -> Any:
        if self.is_open_mpi:
            return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(self._library, symbol)))
        return ctypes.c_int(number)

    def thread_level(self) -> str:
        """The level that MPI was initialised with."""
        level = ctypes.c_int()
        self._library.MPI_Query_thread(ctypes.byref(level))
        return THREAD_LEVELS[level.value] if 0 <= level.value < len(THREAD_LEVELS) else str(level.value)

    def send(self, address: int, count: int, to: int) -> None:
        """Sends bytes of memory to a rank of the world."""
        status = self._library.MPI_Send(
            ctypes.c_void_p(address),
            ctypes.c_int(count),
            self._byte,
            ctypes.c_int(to),
            ctypes.c_int(7),
            self._world,
        )
        if status != 0:
            raise RuntimeError(f"MPI_Send returned {status}")

    def receive(self, address: int, count: int, source: int) -> None:
        """Receives bytes from a rank of the world."""
        status = self._library.MPI_Recv(
            ctypes.c_void_p(address),
            ctypes.c_int(count),
            self._byte,
            ctypes.c_int(source),
            ctypes.c_int(7),
            self._world,
            (ctypes.c_char * 64)(),
        )
        if status != 0:
            raise RuntimeError(f"MPI_Recv returned {status}")
