# SPDX-License-Identifier: MIT
"""Builds as processes: Ctrl-C, killed parents, several processes with one cache, floods of messages, temporary folders."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import pytest

import quern as qn

BUILD = """
import os, signal, sys, threading, time
from pathlib import Path
import numpy as np, quern as qn

def program(number=0):
    return qn.Program("kernel void add(global int *x) { x[get_global_id(0)] += %d; }" % (number + 1))

def use(program, device="host"):
    x = qn.zeros(4, "int32", qn.device(device))
    program.add(qn.Queue.of(qn.device(device)), 4, None, x)
    return x.get().tolist()

def wait_for(path):
    while not Path(path).exists():
        time.sleep(0.005)
"""


class Place:
    """Processes with an empty cache and an empty TMPDIR, and compilers that scripts describe."""

    def __init__(self, path):
        self.path = path
        self.temporary = path / "tmp"
        self.temporary.mkdir()
        self.environment = {
            "QUERN_CACHE_DIR": str(path / "cache"),
            "TMPDIR": str(self.temporary),
            "QUERN_COMPILE_TIMEOUT": "1000",  # so that it ends nothing here
        }

    def compiler(self, script):
        """A compiler in sh; it finds $PLACE, and `exec gcc "$@"` makes it a real one."""
        file = self.path / "cc"
        file.write_text(f"#!/bin/sh\nPLACE={self.path}\n{script}\n")
        file.chmod(0o755)
        self.environment["QUERN_CC"] = str(file)

    def start(self, code, **environment):
        paths = [str(pathlib.Path(qn.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
        settings = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
        return subprocess.Popen(
            [sys.executable, "-c", BUILD + code],
            env=settings | self.environment | environment,
            cwd=self.path,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, code, **environment):
        process = self.start(code, **environment)
        try:
            _, error = process.communicate(timeout=300)
        finally:
            process.kill()
        assert process.returncode == 0, error
        return error


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


HANGS = """
sleep 1000 &
echo $$ $! > $PLACE/new && mv $PLACE/new $PLACE/pids
wait
"""

INTERRUPT = """
def interrupt():
    wait_for("pids")
    time.sleep(0.5)  # so that the main thread waits
    os.kill(os.getpid(), signal.SIGINT)

def interrupted(call):
    thread = threading.Thread(target=interrupt)
    try:
        thread.start()
        call()
    except KeyboardInterrupt:
        thread.join()
        return True
    return False
"""


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition, what):
    deadline = time.monotonic() + 120  # only so that a failure ends
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def expect_the_compiler_to_be_dead(place):
    for pid in (place.path / "pids").read_text().split():
        wait_until(lambda pid=pid: not is_running(int(pid)), f"process {pid} lives on")


def test_ctrl_c_ends_a_build_and_the_next_one_works(place):
    place.compiler(HANGS)
    place.run(
        INTERRUPT
        + """
p = program()
assert interrupted(lambda: p.build(qn.device("host")))
assert not any(Path(os.environ["TMPDIR"]).iterdir())
os.environ["QUERN_CC"] = "gcc"
assert use(p) == [1, 1, 1, 1]
"""
    )
    expect_the_compiler_to_be_dead(place)
    assert not list(place.temporary.iterdir())


def test_ctrl_c_ends_the_build_of_an_expression_and_the_next_one_works(place):
    place.compiler(HANGS)
    place.run(
        INTERRUPT
        + """
x = qn.arange(5, device="host")
y = x * 3 + 1
assert interrupted(lambda: y.get())
os.environ["QUERN_CC"] = "gcc"
assert y.get().tolist() == [1, 4, 7, 10, 13]
""",
        QUERN_HOST_LOOPS="never",
    )
    expect_the_compiler_to_be_dead(place)


def test_a_handler_of_a_signal_runs_during_a_build_that_goes_on(place):
    place.compiler('touch $PLACE/pids; while [ ! -e $PLACE/handled ]; do sleep 0.01; done; exec gcc "$@"')
    place.run(
        INTERRUPT
        + """
signal.signal(signal.SIGINT, lambda *_: Path("handled").touch())
assert not interrupted(lambda: program().build(qn.device("host")))
assert use(program()) == [1, 1, 1, 1]
"""
    )


def test_ctrl_c_ends_a_wait_for_another_threads_build(place):
    place.compiler(HANGS)
    place.run(
        INTERRUPT
        + """
p = program()
other = threading.Thread(target=lambda: p.build(qn.device("host")), daemon=True)
other.start()
wait_for("pids")
assert "add" in p.kernel_names
assert interrupted(lambda: use(program()))
assert other.is_alive()
"""
    )
    expect_the_compiler_to_be_dead(place)


def test_ctrl_c_ends_a_wait_for_another_processs_build(place):
    place.compiler(HANGS)
    other = place.start("program().build(qn.device('host'))")
    try:
        wait_until((place.path / "pids").exists, "no compiler")
        place.run(INTERRUPT + "assert interrupted(lambda: program().build(qn.device('host')))")
        assert other.poll() is None
    finally:
        other.kill()
        other.communicate()
    expect_the_compiler_to_be_dead(place)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_compiler_ends_with_the_process_that_started_it(place, how):
    place.compiler(HANGS)
    process = place.start("program().build(qn.device('host'))")
    wait_until((place.path / "pids").exists, "no compiler")
    process.send_signal(how)
    process.communicate(timeout=120)
    expect_the_compiler_to_be_dead(place)


COUNTS = 'echo . >> $PLACE/count; exec gcc "$@"'


def compilations(place):
    return len((place.path / "count").read_text().split())


def expect_all_to_end_well(processes):
    ends = [(process.communicate(timeout=300)[1], process.returncode) for process in processes]
    assert ends == [("", 0)] * len(processes)


def test_processes_with_one_cache_compile_each_kernel_once(place):
    place.compiler(COUNTS)
    code = """
Path(str(os.getpid())).touch()
wait_for("go")
for number in range(6):
    assert use(program(number)) == [number + 1] * 4
"""
    processes = [place.start(code) for _ in range(8)]
    wait_until(lambda: all((place.path / str(p.pid)).exists() for p in processes), "a process does not start")
    (place.path / "go").touch()
    expect_all_to_end_well(processes)
    assert compilations(place) == 6


def test_threads_with_programs_of_their_own_compile_each_kernel_once(place):
    place.compiler(COUNTS)
    place.run(
        """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool:
    for found in pool.map(lambda n: use(program(n % 3)), range(24)):
        assert len(set(found)) == 1
"""
    )
    assert compilations(place) == 3


def test_a_killed_builder_lets_another_process_build(place):
    place.compiler(f'if mkdir $PLACE/first 2> /dev/null; then {HANGS} fi; exec gcc "$@"')
    first = place.start("program().build(qn.device('host'))")
    wait_until((place.path / "pids").exists, "no compiler")
    second = place.start("Path('second').touch(); assert use(program()) == [1, 1, 1, 1]")
    wait_until((place.path / "second").exists, "no second process")
    first.kill()
    first.communicate()
    assert (second.communicate(timeout=300)[1], second.returncode) == ("", 0)


def test_a_builder_that_does_not_end_is_waited_for_within_limits(place):
    place.compiler(f'if mkdir $PLACE/first 2> /dev/null; then {HANGS} fi; exec gcc "$@"')
    first = place.start("program().build(qn.device('host'))")
    try:
        wait_until((place.path / "pids").exists, "no compiler")
        place.run("assert use(program()) == [1, 1, 1, 1]", QUERN_COMPILE_TIMEOUT="10")
        assert first.poll() is None
    finally:
        first.kill()
        first.communicate()


def test_processes_without_a_cache_build_by_themselves(place):
    place.compiler(COUNTS)
    for _ in range(2):
        place.run("assert use(program()) == [1, 1, 1, 1]", QUERN_CACHE_DIR="")
    assert compilations(place) == 2


@pytest.mark.parametrize("keeps", [True, False], ids=["cache", "no cache"])
def test_processes_that_start_together_build_on_an_empty_cache_of_the_driver(place, device, keeps):
    cache = place.path / "driver"
    cache.mkdir()
    code = f"""
Path(str(os.getpid())).touch()
wait_for("go")
for number in range(4):
    assert use(program(number), {device.spec!r}) == [number + 1] * 4
"""
    if not keeps:
        place.environment["QUERN_CACHE_DIR"] = ""
    processes = [place.start(code, POCL_CACHE_DIR=str(cache)) for _ in range(6)]
    wait_until(lambda: all((place.path / str(p.pid)).exists() for p in processes), "a process does not start")
    (place.path / "go").touch()
    expect_all_to_end_well(processes)


def test_a_compiler_that_floods_its_output_gives_a_short_message(place):
    place.compiler(
        "echo the first line; yes 'one of many lines' | head -c 8000000; echo the last line; exit 7"
    )
    place.run(
        """
try:
    program().build(qn.device("host"))
except qn.BuildError as error:
    message, log = str(error), error.log
assert len(message) < 20_000 and len(log) < 70_000, (len(message), len(log))
assert "exit code 7" in message
for text in (message, log):
    assert "the first line" in text and "the last line" in text and "bytes left out" in text
"""
    )


def test_a_flood_of_warnings_gives_a_short_message_on_every_device(device):
    flood = "\n".join(f'#pragma message "{"x" * 400} {i}"' for i in range(3000))
    code = f"{flood}\nkernel void bad(global int *x) {{ x[0] = no_such_name; }}"
    with pytest.raises(qn.BuildError) as caught:
        qn.Program(code).build(device)
    assert "no_such_name" in str(caught.value)
    assert len(str(caught.value)) < 40_000
    assert len(caught.value.log) < 70_000


def test_an_error_in_a_line_that_is_long_gives_a_short_message(device):
    code = "kernel void bad(global int *x) { x[0] = no_such_name; " + "x[0] += 1; " * 20_000 + "}"
    with pytest.raises(qn.BuildError, match="no_such_name") as caught:
        qn.Program(code).build(device)
    assert len(str(caught.value)) < 40_000


def similar_folders(temporary, user):
    """What a user may have in TMPDIR that looks like the library's own, and must stay."""
    data = {
        "quern-others/owner": "me",
        "quern-others/data": "precious",
        "quern-abcdef/owner": "",
        "quern-abcdef/deep/data": "precious",
        "build-0123456789abcdef/owner": "quern temporary folder 1\n",
        f"{user}/notes": "precious",
        f"{user}/build-0123456789abcdef/owner": "me",
        f"{user}/build-0123456789abcdef/program.c": "precious",
        f"{user}/build-0123456789abcdee/owner": "quern temporary folder 1\n0 0\nprogram.c\n",
        f"{user}/build-0123456789abcdee/program.c": "precious",
        f"{user}/build-mine/owner": "",
        f"{user}/other/owner": "",
        "target/data": "precious",
    }
    for name, text in data.items():
        file = temporary / name
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.write_text(text)
    for folder in temporary.rglob("*"):
        if folder.is_dir():
            folder.chmod(0o700)
    (temporary / user / "build-00000000000000aa").symlink_to(temporary / "target")
    return contents(temporary)


def contents(folder):
    return {
        str(file.relative_to(folder)): file.read_text()
        for file in folder.rglob("*")
        if file.is_file() and not file.is_symlink()
    } | {str(link.relative_to(folder)): os.readlink(link) for link in folder.rglob("*") if link.is_symlink()}


def test_folders_of_the_user_that_look_like_ours_stay(place):
    before = similar_folders(place.temporary, f"quern-{os.geteuid()}")
    place.run("assert use(program()) == [1, 1, 1, 1]")
    assert contents(place.temporary) == before


def leave_a_folder(place):
    """What a process leaves that is killed while it builds: one folder."""
    place.compiler(HANGS)
    process = place.start("program().build(qn.device('host'))")
    wait_until((place.path / "pids").exists, "no compiler")
    process.kill()
    process.communicate()
    expect_the_compiler_to_be_dead(place)
    place.environment["QUERN_CC"] = "gcc"
    (parent,) = place.temporary.iterdir()
    assert parent.stat().st_mode & 0o777 == 0o700
    (folder,) = parent.iterdir()
    return folder


def test_what_a_killed_process_left_goes_with_the_next_one(place):
    leave_a_folder(place)
    place.run("assert use(program()) == [1, 1, 1, 1]")
    assert not list(place.temporary.iterdir())


def test_a_copy_of_a_left_folder_stays_and_one_with_files_of_the_user_too(place):
    folder = leave_a_folder(place)
    shutil.copytree(folder, folder.with_name("build-ffffffffffffffff"))
    (folder / "notes").write_text("precious")
    (folder.with_name("build-ffffffffffffffff") / "notes").write_text("precious")
    before = contents(place.temporary)
    place.run("assert use(program()) == [1, 1, 1, 1]")
    assert contents(place.temporary) == before


def test_a_link_to_a_left_folder_is_not_followed(place):
    folder = leave_a_folder(place)
    moved = place.path / "moved"
    folder.rename(moved)
    folder.symlink_to(moved)
    before = contents(moved)
    place.run("assert use(program()) == [1, 1, 1, 1]")
    assert contents(moved) == before and folder.is_symlink()


@pytest.mark.parametrize("kind", ["file", "link", "writable"])
def test_a_name_that_is_taken_does_not_keep_programs_from_being_built(place, kind):
    taken = place.temporary / f"quern-{os.geteuid()}"
    if kind == "file":
        taken.write_text("precious")
    elif kind == "link":
        taken.symlink_to(place.path)
    else:
        taken.mkdir()
        taken.chmod(0o777)
    place.run("assert use(program()) == [1, 1, 1, 1]")
    assert list(place.temporary.iterdir()) == [taken]


def test_debug_builds_keep_no_file_descriptors(place):
    place.run("""
def debug_program(number):
    text = "kernel void add(global int *x) { x[get_global_id(0)] += %d; }" % number
    return qn.Program(text, debug=True)

programs = [debug_program(1), debug_program(2)]
assert [use(program) for program in programs] == [[1] * 4, [2] * 4]
before = len(os.listdir("/proc/self/fd"))
for number in range(3, 15):
    programs.append(debug_program(number))
    assert use(programs[-1]) == [number] * 4
assert len(os.listdir("/proc/self/fd")) < before + 6  # other threads may have some open for a moment
sources = [path for path in Path(os.environ["TMPDIR"]).rglob("program.c")]
assert len(sources) == 14, sources  # for a debugger
""")
    assert list(place.temporary.iterdir()) == []


NO_DESCRIPTORS = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

def take_all_descriptors():
    taken = []
    try:
        while True:
            taken.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        return taken

def expect_build_error(program):
    taken = take_all_descriptors()
    try:
        use(program)
    except qn.BuildError as error:
        assert "Too many open files" in str(error) and "ulimit -n" in str(error), error
    else:
        raise AssertionError("built without descriptors")
    finally:
        for each in taken:
            os.close(each)
"""


@pytest.mark.parametrize(
    "is_known", [True, False], ids=["a compiler that worked", "a compiler not yet tried"]
)
def test_a_build_without_file_descriptors_fails_and_the_next_one_works(place, is_known):
    told = place.run(
        NO_DESCRIPTORS
        + f"""
if {is_known}:
    assert use(program(1)) == [2] * 4
else:
    assert qn.zeros(4, "int32", qn.device("host")).get().tolist() == [0] * 4
expect_build_error(program(2))
x = qn.arange(100_000, dtype="float32", device=qn.device("host"))
taken = take_all_descriptors()
try:
    result = qn.sort(x)[::-1].get()
except qn.BuildError as error:
    assert "Too many open files" in str(error), error
    result = None
for each in taken:
    os.close(each)
if result is None:
    result = qn.sort(x)[::-1].get()
assert (result == np.arange(100_000, dtype=np.float32)[::-1]).all()
expect_build_error(program(2))
assert use(program(2)) == [3] * 4
""",
        QUERN_CACHE_DIR="",
    )
    assert "does not work" not in told


def test_a_compiler_that_runs_out_of_processes_is_tried_again(place):
    place.compiler("""
if [ -e $PLACE/busy ]; then
  echo "gcc: fatal error: cannot execute 'cc1': posix_spawn: Resource temporarily unavailable" >&2
  exit 1
fi
exec gcc "$@"
""")
    (place.path / "busy").touch()
    told = place.run("""
try:
    use(program(1))
except qn.BuildError as error:
    assert "Resource temporarily unavailable" in str(error)
else:
    raise AssertionError("built by a compiler that failed")
Path("busy").unlink()
assert use(program(1)) == [2] * 4
x = qn.arange(1_000_000, dtype="int64", device=qn.device("host"))
assert int(qn.sum(x * 2)) == int(np.sum(np.arange(1_000_000) * 2))
""")
    assert "does not work" not in told
