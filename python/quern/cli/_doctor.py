# SPDX-License-Identifier: MIT
"""quern doctor: runs a kernel on each device, and checks the cache, libraries and limits."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from .. import _core, cache
from .._core import Device
from . import add_output_arguments
from ._devices import print_attempts
from ._output import Output, bytes_text, count_of

DESCRIPTION = "Prints one line per check. The exit code is 1 if no kernel runs on the default device."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "--device", metavar="SPEC", help="only run a kernel on this device, and say how it went"
    )
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Runs the command."""
    out = Output(options)
    return _doctor_device(options.device, out) if options.device is not None else _doctor(out)


def _doctor(out: Output) -> int:
    """Prints one line per check; the exit code says whether kernels run on the default device."""
    working = []
    trials = []
    for report in _core.backend_reports():
        out.line(f"{out.paint(report.backend, 'bold')}: {count_of(len(report.devices), 'device')}")
        print_attempts(out, report)
        for device in report.devices:
            problem, failures = _try_kernel(device)
            out.mark(
                "  ok" if problem is None else "  !!", f"a kernel on '{device.spec}': {problem or _right}"
            )
            for of_library in failures:
                out.mark("  --", f"{of_library}; Quern's own kernels are used")
            trials.append(
                {"device": device.spec, "ok": problem is None, "problem": problem, "libraries": failures}
            )
            if problem is None:
                working.append(device)
        if report.devices:
            _doctor_libraries(out, report.backend)
    facts = {"kernels": trials, "cache": _doctor_cache(out), "limits": _doctor_limits(out)}
    failure = _verdict(out, working)
    out.result({**facts, "failure": failure})
    return 0 if failure is None else 1


def _verdict(out: Output, working: list[Device]) -> str | None:
    """Prints whether kernels run; returns why not."""
    if not working:
        failure = "no device runs kernels"
        out.mark("!!", f"{failure}; start with the lines marked !! and -- above")
        return failure
    others = "quern.device(spec) or QUERN_DEVICE chooses from " + ", ".join(f"'{d.spec}'" for d in working)
    try:
        default = _core.default_device()
    except _core.Error as error:
        failure = f"no default device: {error}"
        out.mark("!!", failure)
        out.line(f"   {others}")
        return failure
    if default not in working:
        failure = f"the default device '{default.spec}' does not run kernels"
        out.mark("!!", f"{failure}; see its line marked !! above")
        out.line(f"   {others}")
        return failure
    run = "1 device runs" if len(working) == 1 else f"{len(working)} devices run"
    out.line(f"{out.paint('ok:', 'green')} {run} kernels; the default is '{default.spec}'")
    return None


_right = "gives the right result"

# A driver that takes longer than this to build and run one line hangs.
_trial_seconds = 120


def _try_kernel(device: Device) -> tuple[str | None, list[str]]:
    """Runs a kernel and tries the libraries in a process of its own, which a broken driver may end or block.

    Returns what is wrong with the kernel, and the failures of libraries.
    """
    package = str(Path(__file__).resolve().parents[2])
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
        return f"not tried: no second process could be started: {error}", []
    except subprocess.TimeoutExpired:
        return f"did not end within {_trial_seconds} seconds; suspect the driver", []
    return _outcome(trial)


def _outcome(trial: subprocess.CompletedProcess[str]) -> tuple[str | None, list[str]]:
    first, *failures = trial.stdout.splitlines() or [""]
    if trial.returncode == 0:
        return None, failures
    if trial.returncode > 0 and trial.stdout:
        return trial.stdout.strip(), []
    words = trial.stderr.strip()
    ended = f"by {_signal_name(-trial.returncode)}" if trial.returncode < 0 else f"with {trial.returncode}"
    said = f", which said: {words}" if words else ""
    if first == _right:
        return None, [*failures, f"a library of '{trial.args[-1]}' ended its process {ended}{said}"]
    return f"its process was ended {ended}; suspect the driver{said}", []


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _doctor_device(spec: str, out: Output) -> int:
    """Prints how a kernel went on the device, and which libraries fail; the exit code is 1 if the kernel failed."""
    import numpy as np

    failures = []

    try:
        device = _core.device(spec)
        program = _core.Program(
            "kernel void doctor(global int *a) { a[get_global_id(0)] = 3 * (int)get_global_id(0); }"
        )
        result = _core.empty(64, np.dtype("int32"), device, None)
        program["doctor"](_core.Queue.of(device), 64, None, result).wait()
        is_right = bool((result.get() == 3 * np.arange(64)).all())
        problem = None if is_right else "gives a wrong result; suspect the driver"
    except Exception as error:  # whatever it is, the parent reports it beside the other devices
        problem = str(error) or repr(error)
    out.line(problem or _right)
    if problem is None:
        _core.try_libraries(device)
        failures = [f"{one.name}: {one.failure}" for one in _core.find_libraries() if one.failure]
    for failure in failures:
        out.line(failure)
    out.result({"device": spec, "ok": problem is None, "problem": problem, "libraries": failures})
    return 0 if problem is None else 1


def _doctor_libraries(out: Output, backend: str) -> None:
    for library in _core.find_libraries():
        if library.backend != backend:
            continue
        if library.path:
            details = f" ({library.details})" if library.details else ""
            out.mark("  ok", f"{library.name} {library.version}: {library.path}{details}")
            for attempt in library.attempts:
                if not attempt.ok:
                    out.line(f"     {attempt.what}: {attempt.outcome}")
            continue
        out.mark("  --", f"{library.name}: not found, Quern's own kernels are used")
        for attempt in library.attempts:
            out.line(f"     {attempt.what}: {attempt.outcome}")


def _doctor_cache(out: Output) -> dict[str, Any]:
    info = cache.info()
    if info.problem:
        out.mark("--", f"cache: not used: {info.problem}; programs are compiled again in each process")
        out.line("   set QUERN_CACHE_DIR to a folder that you own")
    else:
        size = f"{bytes_text(info.bytes)} of {bytes_text(info.limit)}"
        out.mark("ok", f"cache: {info.folder}, {info.entries} entries, {size}")
    return {"folder": info.folder or None, "problem": info.problem or None}


def _doctor_limits(out: Output) -> dict[str, Any]:
    import resource

    locked, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files != resource.RLIM_INFINITY and files < 256:
        out.mark("--", f"limits: only {files} open files allowed; raise the limit with ulimit -n")
    else:
        out.mark("ok", f"limits: open files {_limit(files)}, locked memory {_limit(locked)}")
    settings = {name: value for name, value in sorted(os.environ.items()) if name.startswith("QUERN_")}
    for name, value in settings.items():
        out.line(f"   {name}={value}")
    return {"open_files": files, "locked_memory": locked, "settings": settings}


def _limit(value: int) -> str:
    import resource

    return "unlimited" if value == resource.RLIM_INFINITY else str(value)
