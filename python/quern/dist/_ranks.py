# SPDX-License-Identifier: MIT
"""The communicator of the program: init, the number of this rank, barriers, ranks that are threads."""

from __future__ import annotations

import atexit
import contextlib
import contextvars
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import quern

from .._core import ArgumentTypeError, Communicator

# Of this thread or task, and of all others.
_current: contextvars.ContextVar[Communicator | None] = contextvars.ContextVar(
    "quern_dist_communicator", default=None
)
_world: list[Communicator] = []
_lock = threading.Lock()


def init(comm: Any = None) -> Communicator:
    """Choose the ranks that distributed arrays are spread over.

    Called by all ranks. Without a call, the first use of quern.dist chooses the world. If an exception ends one of
    several ranks, the others end too.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm or Communicator, optional
        Ranks; by default all ranks that mpiexec has started, or this process alone if it was started without
        mpiexec.

    Returns
    -------
    Communicator
        The ranks; `rank` and `size` are its attributes.

    Examples
    --------
    >>> qn.dist.init().size
    1
    """
    with _lock:
        if comm is None:
            chosen = Communicator.world()
        elif isinstance(comm, Communicator):
            chosen = comm
        elif type(comm).__module__.split(".")[0] == "mpi4py":
            mpi = sys.modules["mpi4py.MPI"]
            chosen = Communicator.of_mpi(mpi._addressof(comm))
        else:
            raise ArgumentTypeError(
                f"init: comm: expected a communicator of mpi4py or quern, got {type(comm).__name__}"
            )
        return _choose(chosen)


def _choose(chosen: Communicator) -> Communicator:
    """Makes these the ranks of the program. Called with the lock."""
    _world[:] = [chosen]
    if chosen.size > 1 and chosen.description != "threads":
        _end_together()
    return chosen


def current() -> Communicator:
    """The communicator of new arrays."""
    chosen = _current.get()
    if chosen is not None:
        return chosen
    if not _world:
        with _lock:  # one of several threads makes the world
            if not _world:
                _choose(Communicator.world())
    return _world[0]


def rank() -> int:
    """Return the number of this rank.

    Returns
    -------
    int
        From 0 to size() - 1.

    Examples
    --------
    >>> qn.dist.rank()
    0
    """
    return current().rank


def size() -> int:
    """Return the number of ranks.

    Returns
    -------
    int
        At least 1.

    Examples
    --------
    >>> qn.dist.size()
    1
    """
    return current().size


def barrier() -> None:
    """Wait until all ranks have called it.

    Examples
    --------
    >>> qn.dist.barrier()
    """
    current().barrier()


@contextlib.contextmanager
def using(comm: Communicator) -> Iterator[None]:
    """Use other ranks for the new arrays of a block.

    Parameters
    ----------
    comm : Communicator
        Ranks, among them this one.

    Returns
    -------
    context manager
        For a `with` statement.

    Examples
    --------
    >>> with qn.dist.using(qn.dist.init()):
    ...     x = qn.dist.zeros(3)
    """
    token = _current.set(comm)
    try:
        yield
    finally:
        _current.reset(token)


def on_threads(
    ranks: int,
    function: Callable[..., Any],
    *arguments: Any,
    warn: float | None = None,
    timeout: float | None = None,
) -> list[Any]:
    """Call a function on ranks that are threads of this process, for tests of distributed programs.

    Parameters
    ----------
    ranks : int
        Number of ranks.
    function : callable
        Function that every rank calls.
    *arguments
        Its arguments.
    warn : float, optional
        Seconds after which a rank that waits warns; see QUERN_DIST_WARN.
    timeout : float, optional
        Seconds after which a rank that waits raises DistributedError; see QUERN_DIST_TIMEOUT.

    Returns
    -------
    list
        Results in the order of the ranks. If ranks raise, the exception of the first one is raised. Ranks that wait
        for one whose function has returned raise DistributedError.

    Examples
    --------
    >>> qn.dist.on_threads(3, lambda: float(qn.dist.ones(12).sum()))
    [12.0, 12.0, 12.0]
    """
    communicators = Communicator.threads(ranks, warn, timeout)
    results: list[Any] = [None] * ranks
    errors: list[BaseException] = []

    def run(communicator: Communicator) -> None:
        # As in processes, work of one rank that waits for a message holds back no other rank.
        with using(communicator), quern.Queue():
            try:
                results[communicator.rank] = function(*arguments)
                communicator.announce_end()
            except SystemExit as error:
                errors.append(error)
                communicator.announce_end()
            except BaseException as error:
                errors.append(error)
                communicator.announce_failure(_summary(error))

    # The current device and queue are the caller's.
    threads = [
        threading.Thread(target=contextvars.copy_context().run, args=(run, one), name=f"rank {one.rank}")
        for one in communicators
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def _summary(error: BaseException) -> str:
    """The exception and the innermost line of the program, in at most a notice's length."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if "/quern/" not in one.filename] or list(frames)
    where = f" ({own[-1].filename}:{own[-1].lineno})" if own else ""
    return f"{type(error).__name__}: {error}"[:800] + where


def _end_together() -> None:
    """Let an exception that ends this rank end the others, too; they would wait for it forever.

    A rank that ends without an exception tells the others before MPI is finalised.
    """
    previous = sys.excepthook
    if getattr(previous, "ends_ranks", False):
        return
    # mpi4py finalises MPI before quern could wait for the other ranks at the end of the process.
    atexit.register(lambda: Communicator.announce_exit(waits="mpi4py.MPI" in sys.modules))

    def hook(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        chosen = _world[0]
        print(f"rank {chosen.rank} of {chosen.size}:", file=sys.stderr)
        previous(kind, error, trace)
        sys.stderr.flush()
        sys.stdout.flush()
        chosen.announce_failure(_summary(error))
        time.sleep(1)  # others may say where they were
        chosen.abort(1)

    hook.ends_ranks = True  # type: ignore[attr-defined]
    sys.excepthook = hook
