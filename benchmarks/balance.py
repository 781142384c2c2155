# SPDX-License-Identifier: MIT
"""Blocks of one image shared out over all devices by completion callbacks, beside each device alone.

The devices are the host and the GPUs; with one device only, its two halves.
"""

import sys
from pathlib import Path

from quern_bench import Contestant, Report, chosen, options, take_turns

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "systems"))
import balance

SIZE, ROWS, MOST = 2048, 16, 1000


def devices_of(report):
    if report.options.device:
        devices = [chosen(report, backend) for backend in report.options.device]
        return [device for device in devices if device is not None]
    devices = balance.devices_at_hand()
    if len(devices) == 1 and devices[0].compute_units > 1:
        return devices[0].split(equally=2)
    return devices


def timed(devices, shares):
    def run(count):
        total = 0.0
        for _ in range(count):
            _, shares_now, seconds = balance.mandelbrot(devices, SIZE, SIZE, ROWS, MOST)
            total += seconds
            shares.append(shares_now)
        return total

    return run


def main():
    report = Report(options(__doc__, rounds=5))
    devices = devices_of(report)
    shares = []
    contestants = [Contestant("together", batch_time=timed(devices, shares))]
    contestants += [Contestant(device.spec, batch_time=timed([device], [])) for device in devices]
    report.add(
        take_turns(
            f"Mandelbrot set, {SIZE} x {SIZE}, blocks of {ROWS} rows",
            "+".join(device.spec for device in devices),
            contestants,
            rounds=report.options.rounds,
            batch=1,
            reference=devices[0].spec,
        )
    )
    for device in devices:
        part = sum(each[device.spec] for each in shares) / len(shares)
        print(f"{device.spec}: {part:.1%} of the rows")
    report.finish()


if __name__ == "__main__":
    main()
