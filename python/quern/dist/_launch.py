# SPDX-License-Identifier: MIT
"""`quern launch`: starts a program on ranks with the mpiexec that fits, and says what it did."""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import sys
from pathlib import Path

from ._installation import OPEN_MPI, Choice, InstallationError, Mpiexec, choose


USAGE = (
    "quern launch [-n RANKS] [--mpiexec PATH] [--mpiexec-option OPTION]... [-q] [--json] "
    "(PROGRAM.py | -m MODULE | -- COMMAND) [ARGUMENT]..."
)
DESCRIPTION = (
    "Starts a Python program, a module or, after --, any command on several ranks. It finds the mpiexec that belongs to "
    "the MPI library which mpi4py or quern.dist loads, and prints on standard error which it took. The exit code is that "
    "of mpiexec."
)


def add_arguments(launch: argparse.ArgumentParser) -> None:
    """The options of `quern launch`."""
    launch.add_argument(
        "-n",
        "--np",
        type=int,
        default=None,
        metavar="RANKS",
        dest="ranks",
        help="number of ranks; by default one for each core",
    )
    launch.add_argument("--mpiexec", metavar="PATH", help="program that starts the ranks")
    launch.add_argument(
        "--mpiexec-option",
        action="append",
        default=[],
        metavar="OPTION",
        help="option of mpiexec, such as --mpiexec-option=--hostfile=hosts; may be repeated",
    )
    launch.add_argument("-q", "--quiet", action="store_true", help="print errors and warnings only")
    launch.add_argument("-m", action="store_true", dest="is_module", help="run a module, as python -m")
    launch.add_argument(
        "--json", action="store_true", help="print the command and its variables as JSON, and start nothing"
    )
    launch.add_argument("program", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)


def processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cores() -> int:
    """The number of cores that this process may use: what Open MPI counts as slots."""
    siblings = set()
    for processor in (
        os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    ):
        try:
            siblings.add(
                Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list").read_text()
            )
        except OSError:
            siblings.add(str(processor))
    return len(siblings)


def may_read_other_processes() -> bool:
    """Whether process_vm_readv works, by which Open MPI copies large messages; containers may forbid it."""
    try:
        call = ctypes.CDLL(None, use_errno=True).process_vm_readv
    except (OSError, AttributeError):
        return False
    memory = ctypes.create_string_buffer(16)
    vectors = [(ctypes.c_size_t * 2)(ctypes.addressof(memory) + at, 8) for at in (0, 8)]
    # Where it is forbidden, a process may not even read itself by this call.
    return bool(call(os.getpid(), vectors[0], 1, vectors[1], 1, 0) == 8)


def mpiexec_command(
    choice: Choice, ranks: int, options: list[str]
) -> tuple[list[str], dict[str, str], list[str]]:
    """The start of the command line, variables to set, and a line for each option that was added, with its reason."""
    command, variables = [choice.mpiexec.path], dict(choice.variables)
    added = [
        f"{name}={text}: {'the loader' if name == 'QUERN_MPI_LIBRARY' else 'mpi4py'} does not find the library"
        for name, text in variables.items()
    ]
    if choice.mpiexec.family == OPEN_MPI:
        given = " ".join(options)
        elsewhere = any(word in given for word in ("host", "rankfile")) or "SLURM_JOB_ID" in os.environ
        if os.geteuid() == 0 and "OMPI_ALLOW_RUN_AS_ROOT" not in os.environ:
            command.append("--allow-run-as-root")
            added.append("--allow-run-as-root: this user is root")
        if not elsewhere and ranks > cores() and "oversubscribe" not in given.lower():
            command.append("--oversubscribe")
            added.append(f"--oversubscribe: {ranks} ranks are more than {cores()} cores")
            if "OMPI_MCA_mpi_yield_when_idle" not in os.environ:
                variables["OMPI_MCA_mpi_yield_when_idle"] = "1"
        if (
            not elsewhere
            and 2 * ranks <= processors()
            and not any(w in given for w in ("bind-to", "map-by", "cpu-"))
        ):
            command += ["--bind-to", "none"]
            added.append(
                f"--bind-to none: each rank has {processors() // ranks} of {processors()} processors, not one core"
            )
        name = "OMPI_MCA_btl_vader_single_copy_mechanism"
        if choice.mpiexec.number[:1] < (5,) and name not in os.environ and not may_read_other_processes():
            variables[name] = "none"
            added.append(f"{name}=none: this container forbids ranks to read each other's memory")
    return [*command, *options, "-n", str(ranks)], variables, added


# Hydra kills all ranks as soon as one is killed, so nothing would say which and where. It does not see the end of a child
# of the process that it has started, whose parent keeps the connection to Hydra and the output open.
_survive = '"$@"; status=$?; [ $status -gt 128 ] && sleep 3; exit $status'


def rank_command(mpiexec: Mpiexec, program: list[str]) -> tuple[list[str], list[str]]:
    """The command of a rank, and a line for what was added to the program."""
    if not mpiexec.version.startswith("HYDRA"):
        return program, []
    return ["sh", "-c", _survive, "rank", *program], [
        "a shell around each rank: if a rank is killed, the others have 3 s to say where they waited for it"
    ]


def run(options: argparse.Namespace) -> int:
    """Runs `quern launch`. Returns only if nothing was started: the process becomes mpiexec."""
    program = list(options.program)
    is_command = program[:1] == ["--"]
    program = program[1:] if is_command else program
    ranks = options.ranks if options.ranks is not None else cores()
    if not program:
        return _refuse("name a program, -m and a module, or -- and a command")
    if ranks < 1:
        return _refuse(f"the number of ranks must be at least 1, got {ranks}")
    if is_command and options.is_module:
        return _refuse("-m takes a module of Python; a command after -- has no -m")
    if not is_command and not options.is_module and not os.path.exists(program[0]):
        return _refuse(
            f"there is no file {program[0]}; -m runs a module, and -- a command that is not Python's"
        )
    try:
        choice = choose(options.mpiexec)
    except InstallationError as error:
        return _refuse(str(error), 1)
    command, variables, added = mpiexec_command(choice, ranks, options.mpiexec_option)
    if not is_command:
        program = [sys.executable, *(["-m"] if options.is_module else []), *program]
    program, wrapped = rank_command(choice.mpiexec, program)
    added = added + wrapped
    say = (lambda text: None) if options.quiet or options.json else _say
    say(f"{choice.mpiexec}: {choice.reason}: {choice.library}")
    for line in added:
        say(f"added {line}")
    for warning in choice.warnings:
        _say(f"warning: {warning}")
    if options.json:
        facts = {"command": [*command, *program], "variables": variables, "added": added}
        print(json.dumps({**facts, "mpiexec": str(choice.mpiexec), "library": str(choice.library)}, indent=2))
        return 0
    return _become([*command, *program], {**os.environ, **variables})


def _become(command: list[str], environment: dict[str, str]) -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(command[0], command, environment)


def _say(text: str) -> None:
    print(f"quern launch: {text}", file=sys.stderr)


def _refuse(text: str, status: int = 2) -> int:
    _say(text)
    return status
