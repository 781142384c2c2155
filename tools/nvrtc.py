# SPDX-License-Identifier: MIT
"""Compiles CUDA C++ with NVRTC, which needs no GPU: what the tests and tools use to check lowered text."""

import ctypes
import sys
from functools import cache
from pathlib import Path


@cache
def library() -> ctypes.CDLL | None:
    """NVRTC, or None where it is not installed."""
    names = ["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"]
    folders = ["/usr/local/cuda/lib64", *(f"{p}/nvidia/cuda_nvrtc/lib" for p in sys.path)]
    found = [str(file) for folder in folders for file in sorted(Path(folder).glob("libnvrtc.so*"))]
    for name in names + found:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def compile_cuda(text: str, *options: str, architecture: str = "sm_90") -> str:
    """The errors of a compilation, empty when there are none."""
    nvrtc = library()
    assert nvrtc is not None, "NVRTC is not installed"
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"lowered.cu", 0, None, None)
    standard = "c++20" if text.startswith("/* quern-std: c++20 */") else "c++17"
    flags = [f"--gpu-architecture={architecture}", f"--std={standard}", "--fmad=false", *options]
    values = (ctypes.c_char_p * len(flags))(*(flag.encode() for flag in flags))
    failed = nvrtc.nvrtcCompileProgram(program, len(flags), values) != 0
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return (log.value.decode(errors="replace").strip() or "failed without a message") if failed else ""
