# SPDX-License-Identifier: MIT
"""Ctrl-C while an eager indexing operation runs: its error must not appear in a later operation."""

import contextlib
import signal
import threading

import numpy as np
import pytest

import quern as qn


def test_ctrl_c_leaves_no_error_of_the_interrupted_operation_behind(device, spin):
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("only the main thread handles signals")
    x = qn.arange(10, dtype="int32", device=device)
    wrong, right = (qn.asarray(np.array(one), device=device) for one in ([1, 99], [1, 9]))
    queue = qn.Queue(device)
    with queue:
        np.testing.assert_array_equal(x[right].get(), [1, 9])
        spin(queue, 0.5)
        timer = threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])
        timer.start()
        # An IndexError if the operation ended before the signal.
        with contextlib.suppress(KeyboardInterrupt, IndexError), qn.eager():
            x[wrong]
        with contextlib.suppress(KeyboardInterrupt):
            timer.join()
        for _ in range(20):
            with qn.eager():
                np.testing.assert_array_equal(x[right].get(), [1, 9])
        with qn.eager(), pytest.raises(IndexError, match="99"):
            x[wrong]
    queue.finish()
