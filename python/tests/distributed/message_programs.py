# SPDX-License-Identifier: MIT
"""Programs of messages between ranks: one body for ranks that are threads and for processes of MPI."""

import random

import numpy as np
import programs

import quern
import quern.dist as qn

DTYPES = ["float64", "float32", "int64", "int8", "complex128", "bool"]


def values(rng, shape, dtype):
    numbers = programs.values_of(rng, shape, "int64")
    return (numbers % 2 == 0) if dtype == "bool" else numbers.astype(dtype)


def equal(got, expected):
    assert isinstance(got, quern.Array)
    np.testing.assert_array_equal(got.get(), expected, strict=True)


def messages(rng):
    """All ranks know all messages. Each sends its own in one order, and receives by tags in another."""
    me, ranks = qn.rank(), qn.size()
    planned = []  # (source, dest, tag, values)
    for _ in range(rng.randint(1, 12)):
        shape = programs.shape_of(rng, least=0, longest=rng.choice([3, 40]))
        planned.append(
            (
                rng.randrange(ranks),
                rng.randrange(ranks),
                rng.randint(0, 3),
                values(rng, shape, rng.choice(DTYPES)),
            )
        )
    incoming = [one for one in planned if one[1] == me]
    # Receives of one source and tag get messages in the order of the sends; others may change places.
    order = incoming
    if rng.random() < 0.5:
        keys = rng.sample([(source, tag) for source in range(ranks) for tag in range(4)], 4 * ranks)
        order = [one for key in keys for one in incoming if (one[0], one[2]) == key]
    waiting = rng.random() < 0.5
    targets, events = [], []
    if waiting:
        for source, _, tag, expected in order:
            out = quern.zeros(expected.shape, expected.dtype)
            status = qn.Status()
            events.append(qn.irecv(out, source, tag, status))
            targets.append((out, expected, status, source, tag))
    for source, dest, tag, sent in planned:
        if source != me:
            continue
        x = quern.asarray(sent)
        if rng.random() < 0.5:
            events.append(qn.isend(x, dest, tag))
            x[...] = 0  # after the copy
        else:
            qn.send(x, dest, tag)
    if waiting:
        for out, expected, _, _, _ in targets:
            equal(out, expected)  # waits without the event
        assert quern.wait_all(events, timeout=60)
        for _, _, status, source, tag in targets:
            assert (status.source, status.tag) == (source, tag)
    else:
        for source, _, tag, expected in order:
            status = qn.Status()
            equal(qn.recv(source=source, tag=tag, status=status), expected)
            assert (status.source, status.tag) == (source, tag)
        assert quern.wait_all(events, timeout=60) if events else True
    qn.barrier()


def any_source(rng):
    """Rank 0 takes what comes, from each rank in its order."""
    count = rng.randint(1, 4)
    if qn.rank() == 0:
        seen = {rank: [] for rank in range(1, qn.size())}
        for _ in range(count * (qn.size() - 1)):
            status = qn.Status()
            got = qn.recv(status=status)
            assert int(got) == 10 * status.source + status.tag
            seen[status.source].append(status.tag)
        assert all(tags == list(range(count)) for tags in seen.values())
    else:
        for tag in range(count):
            qn.send(np.array(10 * qn.rank() + tag), 0, tag)
    qn.barrier()


def all_ranks(rng):
    me, ranks = qn.rank(), qn.size()
    shape = programs.shape_of(rng, least=0, longest=rng.choice([3, 60]))
    dtype = rng.choice(DTYPES)
    all_values = [values(rng, shape, dtype) for _ in range(ranks)]
    x, root = quern.asarray(all_values[me]), rng.randrange(ranks)
    stacked = np.stack(all_values)
    equal(qn.allgather(x), stacked)
    out = quern.zeros(stacked.shape, dtype)
    assert qn.allgather(x, out) is out
    equal(out, stacked)
    gathered = qn.gather(x, root=root)
    if me == root:
        equal(gathered, stacked)
    else:
        assert gathered is None
    equal(qn.bcast(x.copy(), root), all_values[root])
    equal(qn.scatter(stacked if me == root else None, root=root, shape=shape, dtype=dtype), all_values[me])
    rows = [values(rng, (ranks, *shape), dtype) for _ in range(ranks)]
    equal(qn.alltoall(rows[me]), np.stack([row[me] for row in rows]))
    operations = {"sum": np.add, "prod": np.multiply}
    if dtype != "complex128":
        operations |= {"min": np.minimum, "max": np.maximum, "logical_or": np.logical_or}
    if dtype in ("int64", "int8", "bool"):
        operations |= {"bitwise_xor": np.bitwise_xor, "bitwise_and": np.bitwise_and}
    name = rng.choice(sorted(operations))
    expected = all_values[0]
    for other in all_values[1:]:
        expected = operations[name](expected, other)
    expected = np.asarray(expected, dtype)
    equal(qn.allreduce(x, op=name), expected)
    reduced = qn.reduce(x, None, name, root)
    if me == root:
        equal(reduced, expected)
    else:
        assert reduced is None


def large(rng):
    """Bodies that do not fit into an envelope, in both directions at once, and sums in parts."""
    me, ranks = qn.rank(), qn.size()
    x = quern.full(300_000, float(me))
    qn.send(x, (me + 1) % ranks, 1)
    qn.send(x + 1, (me + 1) % ranks, 2)
    second, first = qn.recv(tag=2), qn.recv(tag=1)
    assert (first.get() == (me - 1) % ranks).all()
    assert (second.get() == (me - 1) % ranks + 1).all()
    a = np.arange(100_003.0) * (me + 1)
    equal(qn.allreduce(a), np.arange(100_003.0) * (ranks * (ranks + 1) // 2))


BODIES = [messages, any_source, all_ranks, large]


def run(name, seed):
    """One body with one seed, on the current ranks and the current device."""
    body = next(one for one in BODIES if one.__name__ == name)
    body(random.Random(seed))


def mpi4py_calls(device):
    """mpi4py's own functions of buffers, with our arrays; those of other devices are copied to the host and back."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    rank, size = comm.rank, comm.size
    right, left = (rank + 1) % size, (rank - 1) % size

    def array(values):
        made = quern.asarray(np.asarray(values, "float64"), device=device)
        return made if device == "host" else made.get()

    def result(count):
        return quern.zeros(count, device="host") if device == "host" else np.zeros(count)

    def check(got, expected):
        on_device = quern.asarray(got, device=device)
        np.testing.assert_array_equal(on_device.get(), np.asarray(expected, "float64"))

    own, every = np.arange(3.0) + 10 * rank, [np.arange(3.0) + 10 * other for other in range(size)]
    out = result(3)
    comm.Sendrecv(array(own), right, 1, out, left, 1)
    check(out, every[left])
    out = result(3)
    requests = [comm.Irecv(out, left, 2), comm.Isend(array(own), right, 2)]
    MPI.Request.Waitall(requests)
    check(out, every[left])
    # A rank that sends to itself before it receives may wait forever.
    if rank == 0 and size > 1:
        comm.Send(array(own), 1, 3)
    if rank == 1:
        out = result(3)
        comm.Recv(out, 0, 3)
        check(out, every[0])
    out = array(own)
    comm.Bcast(out, size - 1)
    check(out, every[size - 1])
    out = result(3)
    comm.Allreduce(array(own), out)
    check(out, np.sum(every, axis=0))
    out = result(3)
    comm.Reduce(array(own), out, MPI.MAX, 0)
    if rank == 0:
        check(out, every[size - 1])
    out = result(3 * size)
    comm.Allgather(array(own), out)
    check(out, np.concatenate(every))
    out = result(size)
    comm.Alltoall(array(np.arange(size) + 10 * rank), out)
    check(out, np.arange(size) * 10 + rank)
    counts = [other + 1 for other in range(size)]
    out = result(sum(counts))
    comm.Gatherv(array(np.full(rank + 1, rank)), [out, counts], 0)
    if rank == 0:
        check(out, np.repeat(np.arange(size), counts))
    out = result(size * (rank + 1))
    comm.Alltoallv([array(np.repeat(np.arange(size), counts)), counts], [out, [rank + 1] * size])
    check(out, np.full(size * (rank + 1), rank))
    # A view, and an expression that nothing has computed yet.
    out = result(3)
    comm.Sendrecv(array(quern.arange(6.0, device="host").get())[:3] * 2, rank, 4, out, rank, 4)
    check(out, [0, 2, 4])
