# SPDX-License-Identifier: MIT
"""Laplace's equation, written in many ways: lines of code and times of each program, and whether it gives what NumPy gives.

python examples/ranks/laplace/ladder.py --size 1000 --ranks 4

The edges of the square are held at 100 (top), 75 (left), 50 (right) and 0; Jacobi's method stops when no element changes by
more than 1e-4, which is tested now and then.
"""

import argparse
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from quern.dist import _installation, _launch

HERE = Path(__file__).parent
# File, what it is, and a file that it uses, whose lines count too.
RUNGS = [
    ("numpy_slices.py", "NumPy, one process", None),
    ("laplace.f90", "Fortran, one core", None),
    ("laplace_mpi.cpp", "C++ and MPI", None),
    ("messages.py", "mpi4py and NumPy", None),
    ("hybrid.py", "mpi4py and Quern's threads", "messages.py"),
    ("dist_slices.py", "quern.dist, slices", None),
    ("halo_array.py", "quern.dist, HaloArray", None),
    ("one_sided.py", "quern.dist, GlobalArray", None),
]


def lines_of_code(path):
    """Lines that are neither empty nor comments; the first string of a Python file is a comment, too."""
    text = re.sub(r'^(#.*\n)*""".*?"""\n', "", path.read_text(), flags=re.DOTALL)
    return sum(
        bool(line.strip()) and not re.match(r"\s*(#(?!include)|//|!)", line) for line in text.splitlines()
    )


def compiler_of(choice):
    """The mpicxx of this mpiexec's MPI, if the headers of MPI are there, too: packages may have it without them."""
    word = "openmpi" if choice.mpiexec.family == _installation.OPEN_MPI else "mpich"
    for name in (str(Path(choice.mpiexec.path).with_name("mpicxx")), f"mpicxx.{word}", "mpicxx"):
        if path := shutil.which(name):
            shown = subprocess.run([path, "-show"], capture_output=True, text=True, check=False).stdout
            program = [path, "-x", "c++", "-fsyntax-only", "-include", "mpi.h", os.devnull]
            if word in shown and subprocess.run(program, capture_output=True, check=False).returncode == 0:
                return path
    return None


def command_of(file, choice, folder):
    """How to start a program, or why it cannot be."""
    program = str(Path(folder) / Path(file).stem)
    if file.endswith(".f90"):
        compiler = shutil.which("gfortran")
        if compiler is None:
            return None, "gfortran is not installed"
        subprocess.run(
            [compiler, "-O3", "-march=native", "-J", folder, HERE / file, "-o", program], check=True
        )
        return [program], None
    if file == "numpy_slices.py":
        return [sys.executable, str(HERE / "rung.py"), "numpy_slices"], None
    if choice is None:
        return None, "MPI is not installed"
    if file.endswith(".cpp"):
        compiler = compiler_of(choice)
        if compiler is None:
            return None, f"no mpicxx of {choice.mpiexec.family} with its headers is installed"
        subprocess.run([compiler, "-O3", "-march=native", HERE / file, "-o", program], check=True)
        return [program], None
    if file in ("messages.py", "hybrid.py"):
        if importlib.util.find_spec("mpi4py") is None:
            return None, "mpi4py is not installed"
        if (
            choice.mpi4py is None
            or choice.mpi4py.library is None
            or choice.mpi4py.library.family != choice.mpiexec.family
        ):
            return None, "mpi4py does not load the library of this mpiexec"
    return [sys.executable, str(HERE / "rung.py"), Path(file).stem], None


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=500)
    parser.add_argument("--sweeps", type=int, default=2000, help="at most so many")
    parser.add_argument("--every", type=int, default=1000, help="sweeps between two tests")
    parser.add_argument("--limit", type=float, default=1e-4)
    parser.add_argument("--ranks", type=int, default=_launch.cores())
    parser.add_argument("--mpiexec")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    try:
        choice = _installation.choose(options.mpiexec)
        start, variables, _ = _launch.mpiexec_command(choice, options.ranks, [])
        environment = {**_installation.child_environment(), **variables}
        print(f"{options.ranks} ranks: {choice.mpiexec}, {choice.library}")
    except _installation.InstallationError as error:
        choice, start, environment = None, [], _installation.child_environment()
        print(error)
    environment = {**os.environ, **environment, "QUERN_DEVICE": "host"}
    arguments = [str(options.size), str(options.sweeps), str(options.every), str(options.limit)]
    print(f"{options.size} x {options.size} elements of float64\n")
    print(f"{'program':28} {'file':17} {'lines':>5} {'sweeps':>7} {'seconds':>9} {'us/sweep':>9}  result")
    rows, reference = [], None
    with tempfile.TemporaryDirectory() as folder:
        for file, what, also in RUNGS:
            command, missing = command_of(file, choice, folder)
            row = {"program": what, "file": file, "lines": lines_of_code(HERE / file), "missing": missing}
            if also is not None:
                row["lines"] += lines_of_code(HERE / also)
            rows.append(row)
            if missing:
                print(f"{what:28} {file:17} {row['lines']:5} {'':27}  {missing}")
                continue
            result = str(Path(folder) / f"{file}.raw")
            launcher = [] if file in ("numpy_slices.py", "laplace.f90") else start
            done = subprocess.run(
                [*launcher, *command, *arguments, result],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != 0:
                row["right"] = False
                print(f"{what:28} {file:17} failed:\n{done.stdout}{done.stderr}")
                continue
            row |= json.loads(done.stdout.splitlines()[-1])
            u = np.fromfile(result).reshape(options.size, options.size)
            reference = (u, row["sweeps"]) if reference is None else reference
            row["difference"] = float(np.max(np.abs(u - reference[0])))
            row["right"] = row["difference"] < 1e-9 and row["sweeps"] == reference[1]
            told = (
                "as NumPy" if row["right"] else f"differs by {row['difference']:.1e}, {row['sweeps']} sweeps"
            )
            print(
                f"{what:28} {file:17} {row['lines']:5} {row['sweeps']:7} {row['seconds']:9.3f} "
                f"{row['seconds'] / row['sweeps'] * 1e6:9.1f}  {told}",
                flush=True,
            )
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1))
    return 0 if all(row.get("right", True) for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
