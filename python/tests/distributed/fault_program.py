# SPDX-License-Identifier: MIT
"""A program for mpiexec: random operations of all ranks, at one of which one rank is killed, is stopped or raises."""

import os
import random
import signal
import subprocess
import sys
import tempfile

import numpy as np

import quern
import quern.dist as qn


class Operations:
    """Operations that wait for other ranks; each is one line of this file."""

    def __init__(self):
        self.x = qn.asarray(np.arange(600.0).reshape(20, 30))
        self.halo = qn.HaloArray((40, 30), 1, periodic=True)
        self.shared = qn.GlobalArray((50, 4))
        self.counter = qn.Counter()
        self.locks = qn.Locks()
        self.folder = tempfile.gettempdir()

    def total(self):
        assert float(self.x.sum()) == 600 * 599 / 2

    def exact_total(self):
        assert float(self.x.sum(reproducible=True)) == 600 * 599 / 2

    def columns(self):
        quern.eval(self.x.redistribute((1, qn.size())).local)

    def product(self):
        quern.eval((self.x @ self.x.T).local)

    def ghosts(self):
        self.halo.exchange()

    def sweep(self):
        self.x[1:-1] = 0.5 * (self.x[:-2] + self.x[2:])

    def sorted(self):
        quern.eval(qn.sort(self.x, axis=0).local)

    def shift(self):
        quern.eval(qn.roll(self.x, 7, axis=0).local)

    def elements(self):
        assert self.x[[19, 0]].get().tolist() == self.x.get()[[19, 0]].tolist()

    def accumulate(self):
        self.shared.accumulate(..., 1.0)
        self.shared.sync()

    def tasks(self):
        self.counter.next()
        self.counter.reset()

    def lock(self):
        with self.locks.holding():
            self.shared[0, 0] = self.shared[0, 0] + 1
        self.shared.sync()

    def ring(self):
        qn.isend(quern.ones(1000), (qn.rank() + 1) % qn.size(), 3)
        assert float(qn.recv(source=(qn.rank() - 1) % qn.size(), tag=3).sum()) == 1000

    def sums(self):
        assert float(qn.allreduce(quern.ones(5000))[0]) == qn.size()

    def meet(self):
        qn.barrier()


NAMES = sorted(name for name in vars(Operations) if not name.startswith("_"))


def kill(later):
    """Ends or stops this process now, or in the middle of what it does then."""
    kind = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP}[sys.argv[1]]
    print(f"rank {qn.rank()}: {kind.name}", flush=True)
    if later:
        subprocess.Popen(["sh", "-c", f"sleep {later}; kill -{int(kind)} {os.getpid()}"])
    else:
        os.kill(os.getpid(), kind)


def main(fault, seed):
    rng = random.Random(seed)
    victim, last = rng.randrange(qn.size()), rng.randint(0, 40)
    later = rng.choice([0, 0.001, 0.02, 0.1])
    operations = Operations()
    print(f"{victim=} {last=} {later=}", flush=True)
    for number in range(1_000_000):
        if number == last and qn.rank() == victim:
            if fault == "raise":
                raise ValueError("no mesh")
            kill(later)
        name = rng.choice(NAMES)
        try:
            getattr(operations, name)()
        except qn.DistributedError as error:
            print(f"rank {qn.rank()} of {qn.size()}, {name}, ranks {error.ranks}: {error}", flush=True)
            raise


if __name__ == "__main__":
    qn.init()
    main(sys.argv[1], int(sys.argv[2]))
