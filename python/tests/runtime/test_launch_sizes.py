# SPDX-License-Identifier: MIT
"""Launches: global and local sizes, offsets, and CUDA's grid and block."""

import numpy as np
import pytest

import quern as qn

pytestmark = pytest.mark.usefixtures("no_errors_left")


@pytest.fixture
def a(device):
    return qn.zeros(64, "float32", device)


@pytest.mark.parametrize("size", [1, 7, 64, 1000, 4097])
@pytest.mark.parametrize("local", [None, 1, 8])
def test_every_work_item_runs_once(queue, basic, size, local):
    if local and size % local and not queue.device.non_uniform_groups:
        pytest.skip("the device wants multiples of the local size")
    a = qn.empty(size, "int32", queue.device)
    a.fill(-1)
    basic.number(queue, size, local, a)
    assert (a.get() == np.arange(size)).all()


@pytest.mark.parametrize("shape", [(5,), (5, 3), (5, 3, 2), (16, 1, 4)])
def test_one_to_three_dimensions(queue, basic, shape):
    width, height, depth = (*shape, 1, 1)[:3]
    a = qn.empty(width * height * depth, "int32", queue.device)
    basic.ids(queue, shape, None, a, width, height)
    z, y, x = np.indices((depth, height, width))
    assert (a.get().reshape(depth, height, width) == 10000 * z + 100 * y + x).all()


def test_offsets_shift_the_ids(queue, basic):
    a = qn.zeros(20, "int32", queue.device)
    basic.number(queue, 5, None, a, offset=10)
    expected = np.zeros(20)
    expected[10:15] = np.arange(10, 15)
    assert (a.get() == expected).all()
    b = qn.zeros(100, "int32", queue.device)
    basic.ids(queue, (2, 3), None, b, 10, 10, offset=(4, 5))
    expected = np.zeros((10, 10))
    for y in range(5, 8):
        for x in range(4, 6):
            expected[y, x] = 100 * y + x
    assert (b.get().reshape(10, 10) == expected).all()


@pytest.mark.parametrize("size", [1, 2, 5, 64, 1000, 4097])
@pytest.mark.parametrize("rows", [None, 1, 3])
def test_the_groups_of_a_small_launch_are_as_many_as_the_processors_of_a_cpu(queue, size, rows):
    if queue.device.kind != "cpu":
        pytest.skip("for devices whose processors run groups one by one")
    count = qn.Program(
        "kernel void count(global ulong *groups) { groups[0] = get_num_groups(0) * get_num_groups(1); }"
    ).count
    groups = qn.zeros(1, "uint64", queue.device)
    count(queue, size if rows is None else (size, rows), None, groups)
    possible = size * (rows or 1)
    assert min(possible, queue.device.compute_units) <= int(groups.get()[0]) <= possible


def test_grid_and_block_count_groups(queue, basic):
    a = qn.zeros(32, "int32", queue.device)
    basic.groups(queue, None, None, a, grid=4, block=8)
    assert (a.get() == 8).all()


@pytest.mark.parametrize("size", [0, (0,), (4, 0), (0, 4, 4)])
def test_a_launch_of_nothing_does_nothing(queue, basic, a, size):
    event = basic.fill(queue, size, None, a, 5.0, 64)
    assert event.wait()
    assert not a.get().any()


def test_a_launch_of_nothing_still_checks_its_arguments(queue, basic):
    with pytest.raises(qn.ArgumentTypeError):
        basic.twice(queue, 0, None, qn.zeros(4, "int32", queue.device))


@pytest.mark.parametrize(
    ("global_size", "local_size", "error"),
    [
        (-1, None, ValueError),
        ((1, 1, 1, 1), None, ValueError),
        ((), None, ValueError),
        ("8", None, TypeError),
        (1.5, None, TypeError),
        (None, None, TypeError),
        (64, 0, ValueError),
        (64, -8, ValueError),
        (64, (8, 8), ValueError),
        ((8, 8), 8, ValueError),
        (64, 1.5, TypeError),
        (1 << 70, None, ValueError),
    ],
)
def test_sizes_that_are_none_are_errors(queue, basic, a, global_size, local_size, error):
    with pytest.raises(error) as raised:
        basic.twice(queue, global_size, local_size, a)
    assert isinstance(raised.value, qn.ArgumentError)
    assert "size" in str(raised.value)


def test_an_array_in_place_of_a_size_is_named(queue, basic, a):
    with pytest.raises(
        TypeError, match=r"local size: .* got quern.Array; the arguments of the kernel follow"
    ):
        basic.twice(queue, 64, a)


def test_a_local_size_over_the_limit_names_the_limit(queue, basic, a):
    limit = queue.device.max_work_group_size
    with pytest.raises(qn.ArgumentValueError, match=str(limit)):
        basic.twice(queue, 2 * limit, 2 * limit, a)


@pytest.mark.parametrize(
    "options", [{"grid": 1}, {"block": 1}, {"offset": (1, 2)}, {"offset": -1}, {"shared_memory": -1}]
)
def test_options_that_do_not_fit_are_errors(queue, basic, a, options):
    with pytest.raises(qn.ArgumentError):
        basic.twice(queue, 64, None, a, **options)


def test_grid_goes_without_global_size(queue, basic, a):
    with pytest.raises(qn.ArgumentTypeError, match="grid"):
        basic.twice(queue, 64, None, a, grid=8, block=8)


def test_a_call_without_sizes_is_an_error(queue, basic, a):
    for arguments in ((), (queue,), (queue, 64)):
        with pytest.raises(qn.ArgumentTypeError, match="global size"):
            basic.twice(*arguments)


@pytest.mark.parametrize("size", [np.int64(4), np.array(4), np.array([4]), [4], np.array([4, 1])])
def test_sizes_are_numpy_integers_too(queue, basic, size):
    a = qn.asarray(np.ones(4, np.float32), device=queue.device)
    basic.twice(queue, size, None, a)
    assert a.get().sum() == 8


@pytest.mark.parametrize(
    "launch",
    [
        lambda kernel, queue, a: kernel(a, grid=4, block=8, queue=queue),
        lambda kernel, queue, a: kernel(grid=(4,), block=(8, 1, 1), queue=queue, a=a),
        lambda kernel, queue, a: kernel(queue, None, None, a, grid=4, block=8),
        lambda kernel, queue, a: kernel[4, 8, queue](a),
        lambda kernel, queue, a: kernel[(4, 1), (8, 1), queue, 0](a=a),
    ],
)
def test_grid_and_block_come_in_every_form(queue, basic, launch):
    a = qn.zeros(32, "int32", queue.device)
    event = launch(basic.groups, queue, a)
    assert event.wait() and (a.get() == 8).all()


def test_block_alone_is_one_group(queue, basic):
    a = qn.zeros(32, "int32", queue.device)
    with queue:
        basic.groups(a, block=(16, 1, 1))
    assert (a.get()[:16] == 16).all() and not a.get()[16:].any()


def test_grid_and_block_go_to_the_current_queue(queue, basic, a):
    with queue:
        basic.fill[8, 8](a, 3.0, 64)
        basic.twice(qn.InOut(values := np.ones(64, "float32")), grid=8, block=8)
    assert (a.get() == 3).all() and (values == 2).all()


def test_configured_kernels_wait_and_are_waited_for(queue, basic, a):
    filled = basic.fill[8, 8, queue](a, 3.0, 64)
    values = np.ones(64, "float32")
    assert basic.twice[8, 8, queue](a, wait_for=filled, wait=True).status == "complete"
    assert basic.twice[8, 8, queue](qn.InOut(values), wait=False).wait() and (values == 2).all()
    assert (a.get() == 6).all()


def test_a_kernel_may_have_a_parameter_named_queue(queue):
    program = qn.Program("kernel void put(global int *queue) { queue[get_global_id(0)] = 5; }")
    a = qn.zeros(8, "int32", queue.device)
    program.put(queue, 8, None, queue=a)
    program.put[2, 4, queue](queue=a)
    assert (a.get() == 5).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda k, q, a: k(a, grid=4), "block|global size"),
        (lambda k, q, a: k(q, None, None, a, grid=4), "block is missing"),
        (lambda k, q, a: k(q, 64, None, a, queue=q), "first argument"),
        (lambda k, q, a: k(q, 64, None, a, block=8), "grid and block replace global"),
        (lambda k, q, a: k[4], "kernel.grid, block"),
        (lambda k, q, a: k["4", 8], "grid"),
        (lambda k, q, a: k[4, 8, 0], "queue"),
        (lambda k, q, a: k[4, 8, q, 0, 1], "kernel.grid, block"),
        (lambda k, q, a: k[4, 8, q](a, a), "twice"),
        (lambda k, q, a: k[4, 8, q, "much"](a), "shared_memory"),
    ],
)
def test_grids_that_do_not_fit_are_errors(queue, basic, a, call, message):
    with pytest.raises(qn.ArgumentTypeError, match=message):
        call(basic.twice, queue, a)
    with pytest.raises(qn.ArgumentValueError, match="block"):
        basic.twice[4, -8]


def test_a_configured_kernel_is_printed_with_its_sizes(basic):
    assert repr(basic.twice[4, (8, 2)]) == "<quern.Kernel twice[4, (8, 2)]>"
