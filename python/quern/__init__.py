# SPDX-License-Identifier: MIT
"""Run kernels written at run time on any device: an NVIDIA GPU, an OpenCL device or the CPU.

import quern as qn

twice = qn.Program("kernel void twice(global float *a) { a[get_global_id(0)] *= 2; }").twice
x = qn.asarray(np.arange(10, dtype="float32"))
twice(None, x.shape, None, x)
print(x.get())
"""

from __future__ import annotations

import sys as _sys
from typing import TYPE_CHECKING, Any

from . import (
    _builtins,  # noqa: F401  (it adds methods to Array)
    _callables,
    _core,
    _displays,  # noqa: F401  (it adds methods to Device and Program)
    _dtypes,
    _functions,
    _index_tricks,
    _inspection,
    _poly1d,
    _printing,  # noqa: F401  (it adds methods to Array)
    _python_objects,
    _results,
)
from ._array import array, asanyarray, asarray, pinned_empty
from ._callables import *  # noqa: F403
from ._completion import as_completed
from ._core import (
    ArgumentError,
    ArgumentIndexError,
    ArgumentOverflowError,
    ArgumentTypeError,
    ArgumentValueError,
    Array,
    Buffer,
    BuildAttributeError,
    BuildError,
    Capture,
    CaptureError,
    Context,
    DependencyError,
    Device,
    DeviceLost,
    DeviceNotFound,
    Diagnostic,
    DistributedError,
    ElementwiseKernel,
    Error,
    Event,
    ForkError,
    Graph,
    HostArgument,
    In,
    InOut,
    Kernel,
    KernelAttributes,
    KernelError,
    LocalMemory,
    MapError,
    MemoryInfo,
    MemoryMap,
    Out,
    OutOfDeviceMemory,
    Parameter,
    PinnedBuffer,
    PoolStats,
    ProfileRecord,
    ProfileRow,
    Program,
    Queue,
    QueuePoolStats,
    ReductionKernel,
    ScanKernel,
    Signature,
    Stats,
    Times,
    TuneCandidate,
    UserEvent,
    backend_reports,
    c_type_name,
    copy_bandwidth,
    copy_rect,
    current_device,
    current_queue,
    default_device,
    device,
    devices,
    eval,
    find_libraries,
    finish_compilation,
    get_float32_matmul_precision,
    is_capturing,
    pool_stats,
    set_allocator,
    set_device,
    set_float32_matmul_precision,
    set_pool_limit,
    stats,
    struct_definition,
    svm_empty,
    svm_grain,
    svm_view,
    synchronize,
    trim_pool,
    wait_all,
    wait_any,
)
from ._core import Array as ndarray
from ._dispatch import get_array_module
from ._dtypes import *  # noqa: F403
from ._explain import Explanation, eager, explain
from ._functions import *  # noqa: F403
from ._index_tricks import *  # noqa: F403
from ._inspection import *  # noqa: F403
from ._interop import asnumpy, from_dlpack
from ._namespace_info import API_VERSIONS as _array_api_versions
from ._namespace_info import __array_namespace_info__
from ._operands import ArgumentAxisError
from ._poly1d import *  # noqa: F403
from ._python_objects import *  # noqa: F403
from ._results import *  # noqa: F403
from ._signatures import ClassSignature as _ClassSignature
from ._signatures import ErrorSignature as _ErrorSignature

if TYPE_CHECKING:
    from ml_dtypes import bfloat16 as bfloat16

    from . import algorithms, cache, dist, fft, lib, linalg, notebook, random, sparse, testing, tuning, vec
    from ._graph import GraphFunction, graph
    from ._layout import check_struct_layout
    from ._profile import Profile, ProfilePicture, profile
    from ._storage import load, save, savez, savez_compressed
    from ._text_files import fromfile, fromstring, loadtxt, savetxt
    from ._tune import Tuned, tune
    from ._tune_result import TunePicture, TuneResult
    from .bench import BenchmarkResult, benchmark
    from .template import Template

__version__ = "0.1.0"
__array_api_version__ = _array_api_versions[-1]

__all__ = [
    "ArgumentAxisError",
    "ArgumentError",
    "ArgumentIndexError",
    "ArgumentOverflowError",
    "ArgumentTypeError",
    "ArgumentValueError",
    "Array",
    "BenchmarkResult",
    "Buffer",
    "BuildAttributeError",
    "BuildError",
    "Capture",
    "CaptureError",
    "Context",
    "DependencyError",
    "Device",
    "DeviceLost",
    "DeviceNotFound",
    "Diagnostic",
    "DistributedError",
    "ElementwiseKernel",
    "Error",
    "Event",
    "ForkError",
    "Graph",
    "GraphFunction",
    "HostArgument",
    "In",
    "InOut",
    "Kernel",
    "KernelAttributes",
    "KernelError",
    "LocalMemory",
    "MapError",
    "MemoryInfo",
    "MemoryMap",
    "Out",
    "OutOfDeviceMemory",
    "Parameter",
    "PinnedBuffer",
    "PoolStats",
    "Profile",
    "ProfilePicture",
    "ProfileRecord",
    "ProfileRow",
    "Program",
    "Queue",
    "QueuePoolStats",
    "ReductionKernel",
    "ScanKernel",
    "Signature",
    "Stats",
    "Template",
    "Times",
    "TuneCandidate",
    "TunePicture",
    "TuneResult",
    "Tuned",
    "UserEvent",
    "algorithms",
    "as_completed",
    "asarray",
    "backend_reports",
    "benchmark",
    "c_type_name",
    "cache",
    "check_struct_layout",
    "copy_bandwidth",
    "copy_rect",
    "current_device",
    "current_queue",
    "default_device",
    "device",
    "devices",
    "dist",
    "fft",
    "find_libraries",
    "finish_compilation",
    "get_float32_matmul_precision",
    "graph",
    "is_capturing",
    "lib",
    "linalg",
    "notebook",
    "pinned_empty",
    "pool_stats",
    "profile",
    "random",
    "set_allocator",
    "set_device",
    "set_float32_matmul_precision",
    "set_pool_limit",
    "sparse",
    "stats",
    "struct_definition",
    "svm_empty",
    "svm_grain",
    "svm_view",
    "synchronize",
    "trim_pool",
    "tune",
    "tuning",
    "vec",
    "wait_all",
    "wait_any",
]
# Type checkers understand lists and `module.__all__` here, and no other expression.
__all__ += ["array", "asanyarray", "eval", "ndarray"]
__all__ += ["__array_api_version__", "__array_namespace_info__"]
__all__ += _callables.__all__
__all__ += _dtypes.__all__
__all__ += _index_tricks.__all__
__all__ += _poly1d.__all__
__all__ += [
    "asnumpy",
    "from_dlpack",
    "get_array_module",
    "load",
    "save",
    "savez",
    "savez_compressed",
    "testing",
]
__all__ += ["fromfile", "fromstring", "loadtxt", "savetxt"]
__all__ += ["Explanation", "eager", "explain"]
__all__ += _python_objects.__all__
__all__ += _inspection.__all__
__all__ += _functions.__all__
__all__ += _results.__all__

# Packages of NVIDIA may hold the libraries that an operation will search.
_core.set_package_folders([path for path in _sys.path if path.endswith("-packages")])

# Rarely used names are imported on first access, so that `import quern` stays fast.
_LAZY = {
    "BenchmarkResult": "bench",
    "benchmark": "bench",
    "GraphFunction": "_graph",
    "graph": "_graph",
    "Profile": "_profile",
    "ProfilePicture": "_profile",
    "profile": "_profile",
    "bfloat16": "_bfloat16",
    "Template": "template",
    "Tuned": "_tune",
    "TunePicture": "_tune_result",
    "TuneResult": "_tune_result",
    "tune": "_tune",
    "check_struct_layout": "_layout",
    "load": "_storage",
    "save": "_storage",
    "savez": "_storage",
    "savez_compressed": "_storage",
    "fromfile": "_text_files",
    "fromstring": "_text_files",
    "loadtxt": "_text_files",
    "savetxt": "_text_files",
    "algorithms": "",
    "cache": "",
    "dist": "",
    "fft": "",
    "lib": "",
    "linalg": "",
    "notebook": "",
    "random": "",
    "sparse": "",
    "testing": "",
    "tuning": "",
    "vec": "",
}


def _import_lazily(name: str) -> Any:
    if name not in _LAZY:
        from ._other_names import advice_for

        advice = advice_for(name) or _at_numpy(name)
        raise AttributeError(f"module 'quern' has no attribute {name!r}{advice}")
    from importlib import import_module

    module = import_module(f"quern.{_LAZY[name] or name}")
    value = getattr(module, name) if _LAZY[name] else module
    globals()[name] = value
    return value


# A type checker that sees __getattr__ accepts any name as an attribute of the module.
if not TYPE_CHECKING:
    __getattr__ = _import_lazily


def _at_numpy(name: str) -> str:
    """Advice for an error message about a function or module that only NumPy has."""
    import types

    import numpy as np

    found = getattr(np, name, None) if name in np.__all__ else None
    if isinstance(found, types.ModuleType) or (callable(found) and not isinstance(found, type)):
        return f"; numpy.{name} exists: pass it x.get(), and its result to quern.asarray"
    return ""


def load_ipython_extension(ipython: Any) -> None:
    """Register the magics %%quern_kernel, %qn_time and %%qn_profile; `%load_ext quern` calls it."""
    from .notebook._magics import register

    register(ipython)


def unload_ipython_extension(ipython: Any) -> None:
    """Remove the magics; `%unload_ext quern` calls it."""
    from .notebook._magics import unregister

    unregister(ipython)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})


# Messages and representations show the classes as quern.X, and help() shows their constructors.
for _value in list(globals().values()):
    if isinstance(_value, type) and _value.__module__ == "quern._core":
        _value.__module__ = "quern"
        _is_error = issubclass(_value, BaseException)
        _value.__signature__ = _ErrorSignature() if _is_error else _ClassSignature()  # type: ignore[attr-defined]
del _value, _is_error
