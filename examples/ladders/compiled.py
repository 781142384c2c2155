# SPDX-License-Identifier: MIT
"""Compiles the text of a rung: C for CFFI, Cython with OpenMP; both with the machine's C compiler and its best options."""

import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from ladder import Missing

import quern as qn

OPTIONS = ["-O3", "-march=native", "-ffast-math", "-fopenmp", "-shared", "-fPIC", "-w"]


def _compile(source, library, *options):
    compiler = next(filter(None, map(shutil.which, (os.environ.get("CC", "cc"), "gcc", "clang"))), None)
    if compiler is None:
        raise Missing("no C compiler")
    command = [compiler, *OPTIONS, *options, str(source), "-o", str(library), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Missing(f"{compiler} failed: {done.stderr.strip().splitlines()[-1]}")


def c_library(declarations, source):
    """The functions of a C source, and the object that makes pointers; they are called through CFFI."""
    import cffi

    ffi = cffi.FFI()
    ffi.cdef(declarations)
    with tempfile.TemporaryDirectory(prefix="ladder-") as name:  # the loaded library stays
        folder = Path(name)
        (folder / "rung.c").write_text(source)
        _compile(folder / "rung.c", folder / "rung.so")
        return ffi.dlopen(str(folder / "rung.so")), ffi


def cython_module(source):
    """A module of Cython source; loops over `prange` run on all cores."""
    import Cython  # noqa: F401

    with tempfile.TemporaryDirectory(prefix="ladder-") as name:
        folder = Path(name)
        (folder / "rung.pyx").write_text(source)
        command = [sys.executable, "-m", "cython", "-3", "rung.pyx"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Missing(f"Cython failed: {done.stderr.strip().splitlines()[-1]}")
        headers = sysconfig.get_paths()["include"]
        if not (Path(headers) / "Python.h").exists():
            raise Missing("Python's headers are not installed")
        library = folder / f"rung{sysconfig.get_config_var('EXT_SUFFIX')}"
        _compile(folder / "rung.c", library, f"-I{headers}")
        loader = importlib.machinery.ExtensionFileLoader("rung", str(library))
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("rung", loader))
        loader.exec_module(module)
    return module


def pyopencl_program(source):
    """A program, its queue and PyOpenCL's arrays, on the device of Quern's rungs on OpenCL."""
    import pyopencl as cl
    import pyopencl.array

    names = [device.name for device in qn.devices("opencl")[:1]]
    devices = [device for each in cl.get_platforms() for device in each.get_devices() if device.name in names]
    if not devices:
        raise Missing("no such device")
    context = cl.Context(devices[:1])
    return cl.Program(context, source).build(), cl.CommandQueue(context), pyopencl.array
