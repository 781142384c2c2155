# SPDX-License-Identifier: MIT
"""Importing Quern starts nothing: no thread, no driver, no process, so that a program may fork after it."""

import json
import subprocess
import sys

PROGRAM = """
import json, os, numpy

def state():
    maps = open("/proc/self/maps").read()
    libraries = {line.split("/")[-1] for line in maps.splitlines() if ".so" in line}
    return set(os.listdir("/proc/self/task")), libraries, set(os.listdir("/proc/self/fd"))

threads, libraries, descriptors = state()
import quern
after = state()
print(json.dumps([sorted(a - b) for a, b in zip(after, (threads, libraries, descriptors))]))
"""


def test_import_starts_no_thread_and_loads_no_driver():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    threads, libraries, descriptors = json.loads(done.stdout)
    assert threads == []
    assert [name for name in libraries if name.startswith(("libOpenCL", "libcuda", "libnv", "libpocl"))] == []
    assert descriptors == []
