# SPDX-License-Identifier: MIT
"""A captured graph of 100 small kernels: replays, beside the same kernels one by one and cuGraphLaunch from C++."""

import ctypes
from functools import partial

import numpy as np

import quern as qn
from quern_bench import Contestant, Report, chosen, native, options, take_turns

KERNELS = 100
OPENCL_C = "kernel void empty(global float *a, global float *b, float c) {}"


def ours(device):
    """A queue, our graph, and a function that launches its kernels one by one."""
    queue = qn.Queue(device)
    a, b = (qn.zeros((1024,), np.float32, device=device) for _ in range(2))
    kernel = qn.Program(OPENCL_C).empty

    def one_by_one():
        for _ in range(KERNELS):
            kernel(queue, (1,), (1,), a, b, 1.0)

    one_by_one()
    queue.finish()
    with queue.capture() as graph:
        one_by_one()
    assert len(graph) == KERNELS
    return queue, graph, one_by_one


def replay_and_wait(graph, queue):
    graph.launch(queue).wait()


def launch_and_wait(one_by_one, queue):
    one_by_one()
    queue.finish()


def replays(report, device, name, bar, batch, floor=None):
    """Replay and wait, and the host side of a replay."""
    queue, graph, one_by_one = ours(device)
    reference = "cuGraphLaunch from C++" if floor else "one by one"
    for what, replay, launch, waits in (
        ("and wait", partial(replay_and_wait, graph, queue), partial(launch_and_wait, one_by_one, queue), 1),
        ("host side", lambda: graph.launch(queue), one_by_one, 0),
    ):
        contestants = [
            Contestant("Quern graph", replay, queue.finish),
            Contestant("one by one", launch, queue.finish),
        ]
        if floor:
            contestants.append(
                Contestant(
                    reference,
                    batch_time=lambda count, waits=waits: floor.cuda_floor_launch_graph(count, waits),
                )
            )
        report.add(
            take_turns(
                f"replay of {KERNELS} kernels, {what}",
                name,
                contestants,
                rounds=report.options.rounds,
                batch=batch,
                reference=reference,
                bar=bar,
            )
        )


def update(report, device, name):
    """A number of one kernel is changed before each replay."""
    scale = qn.Program("kernel void scale(global float *x, float a) { x[get_global_id(0)] *= a; }").scale
    queue = qn.Queue(device)
    x = qn.ones((64,), np.float32, device=device)
    scale(queue, 64, None, x, 1.0).wait()
    with queue.capture() as graph:
        nodes = [scale(queue, 64, None, x, 1.0) for _ in range(KERNELS)]

    def changed():
        graph.update(nodes[50], a=1.0)
        graph.launch(queue)

    contestants = [
        Contestant("update and replay", changed, queue.finish),
        Contestant("replay", lambda: graph.launch(queue), queue.finish),
    ]
    report.add(
        take_turns(
            f"update of one kernel of {KERNELS}",
            name,
            contestants,
            rounds=report.options.rounds,
            batch=20,
            reference="replay",
        )
    )


def main():
    report = Report(options(__doc__, rounds=30))
    device = chosen(report, "host")
    if device:
        replays(report, device, "host", f"{0.3 * KERNELS:.0f} us", 20)
        update(report, device, "host")
    device = chosen(report, "opencl")
    if device:
        replays(report, device, "opencl", "", 5)
    device = chosen(report, "cuda")
    if device:
        floor = native(report, "cuda_floor")
        if floor and floor.cuda_floor_open() == 0 and floor.cuda_floor_make_graph(KERNELS) == 0:
            floor.cuda_floor_launch_graph.restype = ctypes.c_double
        else:
            floor = None
        replays(report, device, "cuda", "ratio 1.1; 5 times faster than one by one", 20, floor)
        update(report, device, "cuda")
    report.finish()


if __name__ == "__main__":
    main()
