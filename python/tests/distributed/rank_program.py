# SPDX-License-Identifier: MIT
"""A program for mpiexec: the bodies of programs.py, or one of the faults."""

import contextlib
import gc
import os
import resource
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import fft_programs
import message_programs
import numpy as np
import programs
import random_programs

import quern
import quern.dist as qn


def bodies():
    groups = [programs.BODIES, fft_programs.BODIES, random_programs.BODIES]
    with contextlib.suppress(ModuleNotFoundError):  # of SciPy
        import sparse_programs

        groups.append(sparse_programs.BODIES)
    for bodies_of in groups:
        for name in [body.__name__ for body in bodies_of]:
            for seed in range(3):
                programs.run(name, seed, bodies_of)


def messages():
    for name in [body.__name__ for body in message_programs.BODIES]:
        for seed in range(4):
            message_programs.run(name, seed)


def mpi4py_calls(device):
    message_programs.mpi4py_calls(device)
    if device != "host":
        return
    # Our messages and those of mpi4py do not meet.
    from mpi4py import MPI

    comm, me = MPI.COMM_WORLD, qn.rank()
    x, y = quern.full(3, float(me)), quern.zeros(3)
    event = qn.irecv(y, me, 0)
    comm.Isend(x, me, 0)
    qn.send(x + 1, me, 0)
    z = quern.zeros(3)
    comm.Recv(z, me, 0)
    assert event.wait(timeout=60)
    assert y.get().tolist() == [me + 1.0] * 3
    assert z.get().tolist() == [me] * 3


def wait_for_the_dead():
    """Rank 1 dies while others wait for its message, in a thread and in a wait list."""
    if qn.rank() == 1:
        print("rank 1 of 3 dies", flush=True)
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGKILL)
    x = quern.zeros(4)
    event = qn.irecv(x, 1)
    try:
        qn.recv(source=1, tag=5)
    except qn.DistributedError as error:
        print(f"rank {qn.rank()}: recv: {error}", flush=True)
    try:
        event.wait()
    except quern.DependencyError as error:
        print(f"rank {qn.rank()}: irecv: {error}", flush=True)
    os._exit(3)


def leave_messages():
    """A receive that nothing answers, and a message that nothing receives, outlive MPI."""
    kept.append(quern.zeros(100_000))
    kept.append(qn.irecv(kept[0], (qn.rank() + 1) % qn.size(), 9))
    kept.append(qn.isend(quern.ones(100_000), (qn.rank() + 1) % qn.size(), 8))


def files(folder):
    x = qn.arange(30).reshape(5, 6)
    qn.save(os.path.join(folder, "x"), x)
    programs.same(qn.load(os.path.join(folder, "x.npy"), layout="replicated"), np.arange(30).reshape(5, 6))


def mpi4py_communicator():
    from mpi4py import MPI

    part = MPI.COMM_WORLD.Split(MPI.COMM_WORLD.rank % 2)
    comm = qn.init(part)
    assert (comm.rank, comm.size) == (part.rank, part.size)
    assert float(qn.ones(5).sum()) == 5
    qn.init(MPI.COMM_WORLD)
    programs.run("indexing", 1)


kept = []  # until after MPI is finalised


def leave_objects():
    halo = qn.HaloArray(12, 1)
    kept.extend([qn.ones(7), qn.ones(7).sum(), halo])
    if qn.rank() == 0:
        gc.collect()
    halo.exchange_begin()


def disagree():
    x = qn.ones(8)
    x.sum() if qn.rank() == 0 else x.max()


def raise_on_one():
    if qn.rank() == 1:
        raise ValueError("no mesh")
    qn.ones(8).sum()


def fork_on_one():
    """The end of a child process is not the end of the rank."""
    if qn.rank() == 1:
        child = os.fork()
        if child == 0:
            sys.exit(0)
        os.waitpid(child, 0)
    assert float(qn.ones(8).sum()) == 8


def end_on_one(how):
    if qn.rank() == 1:
        sys.exit(0 if how == "exit" else None)
    try:
        qn.ones(8).sum()
    except qn.DistributedError as error:
        print(f"rank {qn.rank()}: {error}", flush=True)
        raise


def absent_from_init():
    qn.init()  # a second time, but not on rank 1
    raise AssertionError("rank 1 has not called init()")


def full_disk(folder):
    """A file that may not become as large as it should."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, resource.RLIM_INFINITY))
    try:
        qn.save(os.path.join(folder, "x"), qn.zeros(1 << 16))
    except qn.DistributedError as error:
        assert isinstance(error, OSError)
        print(f"rank {qn.rank()}: {error}", flush=True)
    assert qn.rank() != 0 or not os.listdir(folder)


def die_on_one():
    if qn.rank() == 1:
        print("rank 1 of 3 dies", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    qn.ones(8).sum()
    time.sleep(60)


if __name__ == "__main__":
    qn.init()
    if sys.argv[1] == "absent_from_init" and qn.rank() == 1:
        time.sleep(60)
    globals()[sys.argv[1]](*sys.argv[2:])
    qn.barrier()
    print(f"rank {qn.rank()} of {qn.size()}: right ({qn.init().description})", flush=True)
