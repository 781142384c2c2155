# SPDX-License-Identifier: MIT
"""A program for mpiexec and for one process: saves and loads checkpoints, as the first argument says."""

import os
import resource
import signal
import sys

import numpy as np

import quern.dist as qn


def state(step):
    u = np.arange(35.0).reshape(5, 7) + step
    return {
        "u": qn.asarray(u),
        "cyclic": qn.asarray(np.arange(23, dtype=np.int32) * step, layout=qn.cyclic(2)),
        "step": step,
        "notes": {"name": "test", "list": [1, 2.5, None, True]},
    }


def verify(loaded, step):
    assert loaded["step"] == step, loaded["step"]
    assert loaded["notes"] == {"name": "test", "list": [1, 2.5, None, True]}
    np.testing.assert_array_equal(loaded["u"].get(), np.arange(35.0).reshape(5, 7) + step)
    np.testing.assert_array_equal(loaded["cyclic"].get(), np.arange(23, dtype=np.int32) * step)


def save(folder, step):
    qn.save_checkpoint(folder, state(int(step)))


def load(folder, step):
    verify(qn.load_checkpoint(folder), int(step))
    verify(qn.load_checkpoint(folder, layout={"u": (1, qn.size()), "cyclic": "replicated"}), int(step))


def killed(folder, step, writes):
    """Rank 0 dies in the middle of its writes."""
    real, left = os.pwrite, int(writes)

    def pwrite(*arguments):
        nonlocal left
        if left == 0 and qn.rank() == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
        return real(*arguments)

    os.pwrite = pwrite
    save(folder, step)


def killed_before_publishing(folder, step):
    from quern.dist import _checkpoints

    _checkpoints._publish = lambda *names: os.kill(os.getpid(), signal.SIGKILL)
    save(folder, step)


def full(folder, step, most):
    """Files may not be longer than this, as on a full disk."""
    float(qn.ones(100).sum())  # MPI's own files of shared memory are made before
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), int(most)))
    try:
        qn.save_checkpoint(folder, {**state(int(step)), "large": qn.zeros(1000)})
    except (OSError, qn.DistributedError) as error:
        print(f"rank {qn.rank()}: {type(error).__name__}: {error}", flush=True)
    else:
        raise AssertionError("the file is too long, and yet it was written")


def hdf5(folder):
    name = os.path.join(folder, "x.h5")
    x = np.arange(30.0).reshape(5, 6)
    qn.save(name, qn.asarray(x), dataset="group/x")
    np.testing.assert_array_equal(qn.load(name).get(), x)
    np.testing.assert_array_equal(qn.load(name, dataset="group/x", layout=(1, qn.size())).get(), x)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
    print(f"rank {qn.rank()} of {qn.size()}: right", flush=True)
