# SPDX-License-Identifier: MIT
"""The compile cache on disk: hits across processes, and faults, each of which costs a recompile at most."""

import os
from pathlib import Path

import pytest

import quern as qn

PROGRAM = """
import numpy as np, quern as qn
a = qn.zeros(4, "int32", "{device}")
qn.Program("kernel void f(global int *a) {{ a[get_global_id(0)] = {value}; }}").f(qn.Queue("{device}"), 4, None, a)
assert a.get().tolist() == [{value}] * 4
s = qn.stats()
print(s.compilations, s.cache_hits_disk)
"""


@pytest.fixture
def program(run_python, tmp_path, device):
    """Runs a small program in a process of its own; how often it compiled, and how often the disk answered."""

    def run(folder=tmp_path / "cache", value=5, **env):
        code = PROGRAM.format(device=device.spec, value=value)
        done = run_python(code, env={"QUERN_CACHE_DIR": str(folder), **env})
        run.stderr = done.stderr
        return tuple(map(int, done.stdout.split()))

    return run


def entries(folder):
    return [path for path in Path(folder).rglob("*.quern") if path.is_file()]


def test_a_second_process_compiles_nothing(program, tmp_path):
    assert program() == (1, 0)
    assert entries(tmp_path / "cache")
    assert program() == (0, 1)
    assert program(value=6) == (1, 0)


def test_the_folder_is_ours_alone(program, tmp_path):
    program()
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("damage", ["truncate", "flip", "empty", "swap"])
def test_a_damaged_entry_is_compiled_anew(program, tmp_path, damage):
    program()
    program(value=6)
    files = entries(tmp_path / "cache")
    contents = [path.read_bytes() for path in files]
    for path, content, other in zip(files, contents, contents[::-1], strict=True):
        middle = len(content) // 2
        path.write_bytes(
            {
                "truncate": content[:middle],
                "flip": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
                "empty": b"",
                "swap": other,
            }[damage]
        )
    assert program() == (1, 0)
    assert program() == (0, 1)


def test_an_empty_setting_turns_it_off(program):
    assert program(folder="") == (1, 0)
    assert program(folder="") == (1, 0)
    assert program.stderr == ""


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_lived_without(program, tmp_path):
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    assert program(folder=folder / "cache") == (1, 0)


def test_a_folder_that_others_may_write_is_refused(program, tmp_path):
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    assert program(folder=folder) == (1, 0)
    assert str(folder) in program.stderr
    assert not entries(folder)


def test_a_symlink_is_refused(program, tmp_path):
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert program(folder=tmp_path / "link") == (1, 0)
    assert "link" in program.stderr


def test_a_file_in_the_way_is_lived_without(program, tmp_path):
    (tmp_path / "file").write_text("")
    assert program(folder=tmp_path / "file") == (1, 0)


def test_the_home_folder_is_not_needed(device, run_python, tmp_path):
    done = run_python(
        PROGRAM.format(device=device.spec, value=5),
        env={
            "QUERN_CACHE_DIR": None,
            "HOME": "/nonexistent",
            "XDG_CACHE_HOME": "/proc/nowhere",
            "POCL_CACHE_DIR": str(tmp_path),
        },
    )
    assert done.stdout.startswith("1 ")


def test_the_cache_is_looked_at_and_emptied(run_python, tmp_path):
    code = """
    import quern as qn
    folder = "{folder}"
    info = qn.cache.info()
    assert info.folder == folder and info.problem == "" and info.entries == 0, info.folder
    for value in range(3):
        qn.Program(f"kernel void f(global int *a) {{{{ a[0] = {{value}}; }}}}").build("host")
    info = qn.cache.info()
    assert info.entries == 3 and 0 < info.bytes <= info.limit
    assert qn.cache.prune(info.bytes * 2 // 3) >= 1
    left = qn.cache.info().entries
    assert 0 < left < 3
    assert qn.cache.clear() == left
    assert qn.cache.info().entries == 0
    """
    folder = tmp_path / "cache"
    run_python(code.format(folder=folder), env={"QUERN_CACHE_DIR": str(folder)})


@pytest.mark.parametrize(
    ("text", "size"), [("100", 100), ("2K", 2048), ("1.5M", 1572864), ("1g", 1 << 30), ("3MiB", 3 << 20)]
)
def test_sizes_are_read(text, size):
    assert qn.cache.parse_size(text) == size


@pytest.mark.parametrize("text", ["", "many", "5X", "M"])
def test_sizes_that_are_none_are_errors(text):
    with pytest.raises(ValueError, match="size"):
        qn.cache.parse_size(text)
