# SPDX-License-Identifier: MIT
"""`quern dist check`: prints what MPI and the ranks of this machine can do, and what to do about each failure."""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import quern

from .._progress import Bar
from ..cli import add_output_arguments
from ..cli._output import Output
from ._installation import OPEN_MPI, Choice, InstallationError, child_environment, choose, find_mpi4py
from ._launch import mpiexec_command


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `quern dist`."""
    actions = parser.add_subparsers(dest="action", required=True)
    check = actions.add_parser(
        "check", help="print MPI, versions, threads, transports, speed, and what to do about failures"
    )
    check.add_argument(
        "-n", "--np", type=int, default=2, metavar="RANKS", dest="ranks", help="number of ranks (2)"
    )
    check.add_argument("--mpiexec", metavar="PATH", help="program that starts the ranks")
    check.add_argument(
        "--timeout", type=float, default=60, metavar="SECONDS", help="time limit of each job of ranks (60)"
    )
    check.add_argument(
        "--repeat-probe",
        action="store_true",
        help="probe for device-awareness again, though the verdict is known",
    )
    add_output_arguments(check)


@dataclasses.dataclass
class Report:
    """Lines as they are found, and the same as an object."""

    out: Output
    facts: dict[str, Any] = dataclasses.field(default_factory=dict)
    failures: list[str] = dataclasses.field(default_factory=list)

    def add(self, text: str, mark: str = "ok", **facts: Any) -> None:
        """A line; "!!" marks a failure, "--" something that is missing and not needed."""
        self.facts.update(facts)
        if mark == "!!":
            self.failures.append(text)
        self.out.mark(mark, text)


def run(options: argparse.Namespace) -> int:
    """Runs `quern dist check`. The exit code is 1 if distributed programs do not run."""
    if options.ranks < 1 or options.timeout <= 0:
        print("quern dist check: at least one rank and a time limit above 0 are needed", file=sys.stderr)
        return 2
    report = Report(Output(options))
    _check_memory(report)
    choice: Choice | None = None
    try:
        choice = choose(options.mpiexec)
    except InstallationError as error:
        report.add(f"mpiexec: {error}", "!!", mpiexec=None)
    _check_mpi4py(report, choice)
    if choice is not None:
        _check_installation(report, choice)
        _check_ranks(report, choice, options)
        _check_device_awareness(report, choice, options)
    report.facts["failures"] = report.failures
    report.out.result(report.facts)
    if report.failures:
        report.out.mark("!!", f"{len(report.failures)} failures; start with the first line marked !!")
    else:
        report.out.line(f"ok: programs run on ranks: quern launch -n {options.ranks} program.py")
    return 1 if report.failures else 0


def _check_memory(report: Report) -> None:
    try:
        found = os.statvfs("/dev/shm")
        size, free = found.f_frsize * found.f_blocks, found.f_frsize * found.f_bavail
        mark, advice = "ok", ""
        if free < 64 << 20:
            mark = "!!"
            advice = "; MPI needs some: remove old files there, or start the container with --shm-size=1g"
        report.add(
            f"/dev/shm: {size / 2**30:.1f} GiB, {free / 2**30:.1f} GiB free{advice}",
            mark,
            shm_bytes=size,
            shm_free=free,
        )
    except OSError as error:
        report.add(
            f"/dev/shm: {error}; mount a tmpfs there, MPI passes messages of one machine through it",
            "!!",
            shm_bytes=0,
        )
    try:
        with open(os.memfd_create("quern"), "wb") as memory:
            memory.write(b"x")
        report.add("memfd: works, so global arrays share memory on one machine", memfd=True)
    except (AttributeError, OSError) as error:
        report.add(
            f"memfd: {error}; GlobalArray, Counter and Locks need Linux 3.17 or newer", "!!", memfd=False
        )


def _check_mpi4py(report: Report, choice: Choice | None) -> None:
    mpi4py = choice.mpi4py if choice is not None else find_mpi4py()
    if mpi4py is None:
        report.add(
            "mpi4py: not installed, and not needed; pip install mpi4py adds its messages", "--", mpi4py=None
        )
        return
    facts: dict[str, Any] = {
        "mpi4py": {
            "version": mpi4py.version,
            "library": mpi4py.library and dataclasses.asdict(mpi4py.library),
        }
    }
    if mpi4py.library is None:
        report.add(
            f"mpi4py {mpi4py.version}: finds no MPI library: {'; '.join(mpi4py.errors)}", "--", **facts
        )
    else:
        report.add(f"mpi4py {mpi4py.version}: loads {mpi4py.library}", **facts)


def _check_installation(report: Report, choice: Choice) -> None:
    report.add(f"MPI library: {choice.library}", library=dataclasses.asdict(choice.library))
    report.add(f"mpiexec: {choice.mpiexec}: {choice.reason}", mpiexec=dataclasses.asdict(choice.mpiexec))
    for warning in choice.warnings:
        report.add(warning, "--")
    transports = _transports(choice)
    if transports:
        report.add(f"transports: {', '.join(transports)}", transports=transports)
    else:
        report.add("transports: the library does not tell", "--", transports=None)


def _transports(choice: Choice) -> list[str]:
    """Open MPI lists its components, MPICH its device."""
    if choice.mpiexec.family == OPEN_MPI:
        beside = Path(choice.mpiexec.path).with_name("ompi_info")
        tool = str(beside) if beside.exists() else shutil.which("ompi_info")
        text = _output([tool, "--parsable"]) if tool else ""
        found = re.findall(r"^mca:(btl|mtl|pml):([^:]+):version", text, re.MULTILINE)
        return sorted({f"{kind} {name}" for kind, name in found if name not in ("base", "self")})
    text = _output([shutil.which("mpichversion") or "", "-d"])
    found = re.findall(r"MPICH Device:\s*(\S+)", text)
    return list(found)


def _output(command: list[str]) -> str:
    try:
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=20,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


@dataclasses.dataclass
class Job:
    """How a job of ranks went: the facts that rank 0 printed, and what it said on standard error."""

    facts: list[dict[str, Any]]
    errors: str
    status: int | None  # none: it did not end in time

    @property
    def problem(self) -> str | None:
        """Why it failed; none if it did not."""
        if self.status == 0:
            return None
        said = "\n   ".join(self.errors.strip().splitlines()[-6:])
        ended = "did not end in time" if self.status is None else f"ended with {self.status}"
        return ended + (f" and said:\n   {said}" if said else "")


def _run(choice: Choice, ranks: int, arguments: list[str], limit: float, bar: Bar, steps: int) -> Job:
    """Runs a job of ranks, which is killed at the limit."""
    start, variables, _ = mpiexec_command(choice, ranks, [])
    environment = {**child_environment(), "QUERN_DIST_TIMEOUT": str(max(1, int(limit))), **variables}
    process = subprocess.Popen(
        [*start, sys.executable, "-m", "quern.dist._check_ranks", *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    lines: queue.Queue[str | None] = queue.Queue()
    errors: list[str] = []

    def read_lines() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    def read_errors() -> None:
        assert process.stderr is not None
        errors.extend(process.stderr)

    readers = [threading.Thread(target=one, daemon=True) for one in (read_lines, read_errors)]
    for one in readers:
        one.start()
    facts: list[dict[str, Any]] = []
    end, status = time.monotonic() + limit, None
    try:
        while (left := end - time.monotonic()) > 0:
            try:
                line = lines.get(timeout=min(left, 0.2))
            except queue.Empty:
                bar(len(facts), steps)
                continue
            if line is None:
                status = process.wait(max(0.1, end - time.monotonic()))
                break
            if line.startswith("{"):
                facts.append(json.loads(line))
            bar(len(facts), steps)
    except subprocess.TimeoutExpired:
        status = None
    finally:
        bar.close()
        if process.poll() is None:
            _kill(process)
    for one in readers:
        one.join(2)
    return Job(facts, "".join(errors), status)


def _kill(process: subprocess.Popen[str]) -> None:
    """mpiexec ends its ranks when it gets SIGTERM; those that are left are in its session."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(3)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def _check_ranks(report: Report, choice: Choice, options: argparse.Namespace) -> None:
    bar = Bar("ranks", is_shown=None if not options.json else False)
    job = _run(choice, options.ranks, ["facts", "2"], options.timeout, bar, 11 if options.ranks > 1 else 4)
    facts: dict[str, Any] = {}
    for one in job.facts:
        if "message_bytes" in one:
            facts.setdefault("messages", []).append(one)
        else:
            facts.update(one)
    report.facts.update(facts)
    if "ranks" in facts:
        right = facts["ranks"] == options.ranks and facts.get("sum_is_right", False)
        where = f"{facts['ranks']} ranks on {facts.get('nodes', '?')} nodes, {facts.get('threads_per_rank', '?')} threads per rank"
        report.add(
            where if right else f"{where}: expected {options.ranks} ranks and a right sum",
            "ok" if right else "!!",
        )
    if "thread_level" in facts:
        level = facts["thread_level"]
        if level in ("MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"):
            report.add(f"threads: {level}")
        else:
            report.add(
                f"threads: {level}: call distributed functions from one thread, or install an MPI built with threads",
                "--",
            )
    messages = {one["message_bytes"]: one["seconds_one_way"] for one in facts.get("messages", [])}
    if 8 in messages and len(messages) == 5:
        most = max((size / seconds, size) for size, seconds in messages.items())
        report.add(
            f"messages between ranks 0 and 1: {messages[8] * 1e6:.2f} us for 8 bytes, "
            f"{most[0] / 1e9:.2f} GB/s for {most[1] >> 10} KiB",
            latency_seconds=messages[8],
            bandwidth_bytes_per_second=most[0],
        )
    if "exchange_seconds" in facts:
        report.add(f"exchange of ghost cells: {facts['exchange_seconds'] * 1e6:.2f} us")
    if job.problem is not None:
        last = "no rank started" if not job.facts else f"the last fact was {json.dumps(job.facts[-1])}"
        report.add(
            f"job of {options.ranks} ranks: {last}; it {job.problem}\n"
            f"   try it by itself: {choice.mpiexec.path} -n {options.ranks} hostname",
            "!!",
        )


def _verdict_file(choice: Choice) -> Path | None:
    """Where the verdict about this build of the library and this driver is kept."""
    folder = quern.cache.info().folder
    if not folder:
        return None
    try:
        found = os.stat(choice.library.path)
        driver = quern.device("cuda").driver_version
    except (OSError, quern.Error):
        return None
    key = f"{choice.library.path} {found.st_size} {found.st_mtime_ns} {choice.library.version} {driver}"
    return Path(folder) / f"device-aware-{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"


def _check_device_awareness(report: Report, choice: Choice, options: argparse.Namespace) -> None:
    if not quern.devices("cuda"):
        report.add("device-awareness: no CUDA device", "--", device_aware=None)
        return
    file = _verdict_file(choice)
    if file is not None and file.exists() and not options.repeat_probe:
        try:
            is_aware = bool(json.loads(file.read_text())["is_device_aware"])
            report.add(
                f"device-awareness: {_verdict(is_aware)} (known; --repeat-probe asks again)",
                device_aware=is_aware,
            )
            return
        except (OSError, ValueError, KeyError):
            pass
    bar = Bar("device memory", is_shown=None if not options.json else False)
    job = _run(choice, 2, ["device"], options.timeout, bar, 1)
    is_aware = job.status == 0 and {"is_device_aware": True} in job.facts
    report.add(f"device-awareness: {_verdict(is_aware)}", device_aware=is_aware)
    if not is_aware and not options.json:
        print(f"   the probe {job.problem}")
    if file is not None:
        try:
            temporary = file.with_name(f"{file.name}.{os.getpid()}")
            temporary.write_text(json.dumps({"is_device_aware": is_aware, "library": choice.library.path}))
            os.replace(temporary, file)
        except OSError:
            pass  # it is probed again next time


def _verdict(is_aware: bool) -> str:
    return (
        "MPI takes device memory"
        if is_aware
        else "MPI takes no device memory; arrays of GPUs go through the host"
    )
