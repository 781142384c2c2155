# SPDX-License-Identifier: MIT
"""The command line: quern devices, quern doctor, quern cache."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from . import _core, cache
from ._core import BackendReport, Device


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit code."""
    from . import __version__

    parser = argparse.ArgumentParser(prog="quern", description="Kernels written at run time, on any device.")
    parser.add_argument("--version", action="version", version=f"quern {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)

    devices = commands.add_parser("devices", help="list devices, and why a backend has none")
    devices.add_argument(
        "--verbose", action="store_true", help="print all properties that the driver reports"
    )
    doctor = commands.add_parser(
        "doctor", help="check compiler, drivers, cache and limits, and suggest fixes"
    )
    doctor.add_argument(
        "--device", metavar="SPEC", help="only run a kernel on this device, and say how it went"
    )

    store = commands.add_parser("cache", help="the disk cache of compiled programs")
    actions = store.add_subparsers(dest="action", required=True)
    actions.add_parser("info", help="print its folder, entries and size")
    actions.add_parser("clear", help="remove all entries")
    prune = actions.add_parser("prune", help="remove the least recently used entries")
    prune.add_argument(
        "size", nargs="?", help="maximum size to keep, such as 500M; default: the cache's limit"
    )

    options = parser.parse_args(argv)
    try:
        if options.command == "devices":
            return _devices(options.verbose)
        if options.command == "doctor":
            return _doctor() if options.device is None else _doctor_device(options.device)
        return _cache(options.action, getattr(options, "size", None))
    except BrokenPipeError:
        # The reader closed the pipe. Redirect stdout, so that the flush at exit does not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _bytes(count: int) -> str:
    value = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.4g} {unit}"
        value /= 1024
    return f"{value:.4g} TiB"


def _devices(verbose: bool) -> int:
    reports = _core.backend_reports()
    try:
        default: Device | None = _core.default_device()
    except _core.Error as error:
        default = None
        print(f"no default device: {error}\n")
    for report in reports:
        for device in report.devices:
            _print_device(device, device == default, verbose)
        if report.devices:
            _print_libraries(report.backend)
        if not report.devices:
            print(f"{report.backend}: no device")
            _print_attempts(report)
    return 0


def _print_device(device: Device, is_default: bool, verbose: bool) -> None:
    precisions = [name for name, there in (("fp64", device.has_fp64), ("fp16", device.has_fp16)) if there]
    print(f"{device.spec}{' (default)' if is_default else ''}: {device.name}")
    print(
        f"  {device.kind}, {device.compute_units} compute units, {_bytes(device.global_memory)}, {' '.join(precisions)}"
    )
    print(f"  {device.platform}, version {device.version}, driver {device.driver_version}")
    if verbose:
        for name, value in device.info().items():
            print(f"    {name}: {value}")


def _print_libraries(backend: str) -> None:
    for library in _core.find_libraries():
        if library.backend == backend and library.path:
            print(f"  {library.name} {library.version}: {library.path}")


def _print_attempts(report: BackendReport) -> None:
    for attempt in report.attempts:
        print(f"  {'ok' if attempt.ok else '--'} {attempt.what}: {attempt.outcome}")


def _doctor() -> int:
    """Prints one line per check; the exit code says whether kernels run on the default device."""
    working = []
    for report in _core.backend_reports():
        print(f"{report.backend}: {len(report.devices)} device{'' if len(report.devices) == 1 else 's'}")
        _print_attempts(report)
        for device in report.devices:
            problem = _try_kernel(device)
            print(
                f"  {'ok' if problem is None else '!!'} a kernel on '{device.spec}': {problem or 'gives the right result'}"
            )
            if problem is None:
                working.append(device)
        if report.devices:
            _doctor_libraries(report.backend)
    _doctor_cache()
    _doctor_limits()
    if not working:
        print("!! no device runs kernels; start with the lines marked !! and -- above")
        return 1
    others = "quern.device(spec) or QUERN_DEVICE chooses from " + ", ".join(f"'{d.spec}'" for d in working)
    try:
        default = _core.default_device()
    except _core.Error as error:
        print(f"!! no default device: {error}")
        print(f"   {others}")
        return 1
    if default not in working:
        print(f"!! the default device '{default.spec}' does not run kernels; see its line marked !! above")
        print(f"   {others}")
        return 1
    run = "1 device runs" if len(working) == 1 else f"{len(working)} devices run"
    print(f"ok: {run} kernels; the default is '{default.spec}'")
    return 0


# A driver that takes longer than this to build and run one line hangs.
_trial_seconds = 120


def _try_kernel(device: Device) -> str | None:
    """Runs a kernel in a process of its own, because a broken driver may end or block its process."""
    package = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    try:
        trial = subprocess.run(
            [sys.executable, "-m", "quern", "doctor", "--device", device.spec],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_trial_seconds,
            check=False,
        )
    except OSError as error:
        return f"not tried: no second process could be started: {error}"
    except subprocess.TimeoutExpired:
        return f"did not end within {_trial_seconds} seconds; suspect the driver"
    if trial.returncode == 0:
        return None
    if trial.returncode > 0 and trial.stdout:
        return trial.stdout.strip()
    words = trial.stderr.strip()
    ended = f"by {_signal_name(-trial.returncode)}" if trial.returncode < 0 else f"with {trial.returncode}"
    return f"its process was ended {ended}; suspect the driver" + (f", which said: {words}" if words else "")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _doctor_device(spec: str) -> int:
    """Prints how a kernel went on the device; the exit code is 1 if it failed."""
    import numpy as np

    try:
        device = _core.device(spec)
        program = _core.Program(
            "kernel void doctor(global int *a) { a[get_global_id(0)] = 3 * (int)get_global_id(0); }"
        )
        result = _core.empty(64, np.dtype("int32"), device, None)
        program["doctor"](_core.Queue.of(device), 64, None, result).wait()
        if (result.get() == 3 * np.arange(64)).all():
            print("gives the right result")
            return 0
        print("gives a wrong result; suspect the driver")
    except Exception as error:  # whatever it is, the parent reports it beside the other devices
        print(str(error) or repr(error))
    return 1


def _doctor_libraries(backend: str) -> None:
    for library in _core.find_libraries():
        if library.backend != backend:
            continue
        if library.path:
            details = f" ({library.details})" if library.details else ""
            print(f"  ok {library.name} {library.version}: {library.path}{details}")
            continue
        print(f"  -- {library.name}: not found, Quern's own kernels are used")
        for attempt in library.attempts:
            print(f"     {attempt.what}: {attempt.outcome}")


def _doctor_cache() -> None:
    info = cache.info()
    if info.problem:
        print(f"-- cache: not used: {info.problem}; programs are compiled again in each process")
        print("   set QUERN_CACHE_DIR to a folder that you own")
    else:
        print(
            f"ok cache: {info.folder}, {info.entries} entries, {_bytes(info.bytes)} of {_bytes(info.limit)}"
        )


def _doctor_limits() -> None:
    import resource

    locked, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files != resource.RLIM_INFINITY and files < 256:
        print(f"-- limits: only {files} open files allowed; raise the limit with ulimit -n")
    else:
        print(f"ok limits: open files {_limit(files)}, locked memory {_limit(locked)}")
    for name, value in sorted(os.environ.items()):
        if name.startswith("QUERN_"):
            print(f"   {name}={value}")


def _limit(value: int) -> str:
    import resource

    return "unlimited" if value == resource.RLIM_INFINITY else str(value)


def _cache(action: str, size: str | None) -> int:
    if action == "info":
        info = cache.info()
        print(f"folder   {info.folder or '(none)'}")
        if info.problem:
            print(f"not used {info.problem}")
        print(f"entries  {info.entries}")
        print(f"size     {_bytes(info.bytes)} of {_bytes(info.limit)}")
        return 0
    if action == "clear":
        print(f"{cache.clear()} entries removed")
        return 0
    try:
        print(f"{cache.prune(size)} entries removed")
    except ValueError as error:
        print(f"quern cache prune: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
