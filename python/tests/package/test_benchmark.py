# SPDX-License-Identifier: MIT
"""qn.benchmark: what it measures, and that work still in flight does not distort it."""

import json

import numpy as np
import pytest

import quern as qn
from quern.bench import copy_bandwidth


class Rounds:
    """A call for benchmark() that enqueues work, and records whether the work of the last call is done when it begins."""

    def __init__(self, enqueue):
        self.enqueue, self.events, self.were_done = enqueue, [], []

    def __call__(self):
        self.were_done.append(all(event.done for event in self.events))
        self.events.append(self.enqueue())


def test_a_call_that_does_not_wait_is_waited_for(device, spin):
    rounds = Rounds(lambda: spin(None, 0.02))
    result = qn.benchmark(rounds, repeat=3, warmup=1, device=device)
    assert rounds.were_done == [True] * 4 and rounds.events[-1].done
    assert len(result.host.values) == len(result.kernels.values) == 3
    assert result.kernels.minimum == min(result.kernels.values) > 0
    assert result.host.minimum == min(result.host.values) > 0


def test_work_on_another_queue_is_waited_for_too(device, spin):
    other = qn.Queue(device)
    rounds = Rounds(lambda: spin(other, 0.02))
    result = qn.benchmark(rounds, repeat=3, warmup=1, device=device)
    assert rounds.were_done == [True] * 4 and rounds.events[-1].done
    assert result.kernels is None


def test_rates_come_from_bytes_and_flops(device, basic):
    a = qn.zeros(1 << 20, "float32", device)
    result = qn.benchmark(
        basic.twice,
        None,
        a.size,
        None,
        a,
        repeat=5,
        bytes=2 * a.nbytes,
        flops=a.size,
        device=device,
        name="twice",
    )
    assert result.bandwidth == pytest.approx(2 * a.nbytes / result.kernels.minimum)
    assert result.flop_rate == pytest.approx(a.size / result.kernels.minimum)
    assert result.fraction_of_peak == pytest.approx(result.bandwidth / copy_bandwidth(device))
    assert len(result.host.values) == 5
    text = repr(result)
    assert "twice" in text and device.spec in text and "GB/s" in text and "GFLOP/s" in text
    row = json.loads(result.as_json())
    assert row["name"] == "twice" and row["device_min_s"] == result.kernels.minimum


def test_a_call_without_device_work_has_host_times_only():
    calls = []

    def nothing(*args):
        calls.append(args)

    result = qn.benchmark(nothing, 0.01, repeat=3, warmup=1, device="host")
    assert calls == [(0.01,)] * 4
    assert len(result.host.values) == 3 and result.host.minimum > 0
    assert result.kernels is None
    assert result.bandwidth is None
    assert result.name == "nothing"


def test_the_spread_is_that_of_the_middle_half():
    spread = qn.bench.Spread((1.0, 2.0, 3.0, 4.0, 5.0))
    assert (spread.minimum, spread.median) == (1.0, 3.0)
    assert spread.spread == pytest.approx(1 / 3)
    assert np.isfinite(qn.bench.Spread((0.0,)).spread)


def test_repeat_must_be_positive():
    with pytest.raises(qn.ArgumentValueError):
        qn.benchmark(print, repeat=0)


def test_an_exception_ends_the_measurement(device):
    before = qn.current_queue()
    with pytest.raises(ZeroDivisionError):
        qn.benchmark(lambda: 1 / 0, device=device)
    assert qn.current_queue() == before
