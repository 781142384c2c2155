# SPDX-License-Identifier: MIT
"""Other libraries' ways to do the benchmarks. Each returns its contestants by the name of the benchmark."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from ..._core import Device
from ._measure import Contestant
from ._ours import Data, new_name, new_source

Contestants = dict[str, Contestant]


class NotForDevice(Exception):
    """The library does not run on the device; the text says why."""


def _numpy(np: Any, device: Device, data: Data) -> Contestants:
    x, y, other = data.x, data.y, np.empty_like(data.x)
    return {
        "bandwidth": Contestant("NumPy", lambda: np.copyto(other, x)),
        "elementwise": Contestant("NumPy", lambda: 5 * x + 6 * y),
        "reduction": Contestant("NumPy", lambda: x.sum()),
        "scan": Contestant("NumPy", lambda: np.cumsum(x)),
        "sort": Contestant("NumPy", lambda: np.sort(data.keys)),
        "matmul": Contestant("NumPy", lambda: data.a @ data.b),
    }


def _numexpr(numexpr: Any, device: Device, data: Data) -> Contestants:
    names = {"x": data.x, "y": data.y}
    return {
        "elementwise": Contestant("numexpr", lambda: numexpr.evaluate("5*x + 6*y", names)),
        "reduction": Contestant("numexpr", lambda: numexpr.evaluate("sum(x)", names)),
    }


def _numba(numba: Any, device: Device, data: Data) -> Contestants:
    if device.kind != "cpu":
        raise NotForDevice("compared on CPUs only")
    import numpy as np

    x, y = data.x, data.y
    five, six = np.float32(5), np.float32(6)

    @numba.njit(parallel=True)
    def lin_comb(x, y):  # type: ignore[no-untyped-def]
        z = np.empty_like(x)
        for i in numba.prange(x.size):
            z[i] = five * x[i] + six * y[i]
        return z

    @numba.njit(parallel=True, fastmath=True)
    def total(x):  # type: ignore[no-untyped-def]
        s = np.float32(0)
        for i in numba.prange(x.size):
            s += x[i]
        return s

    @numba.njit
    def running_total(x):  # type: ignore[no-untyped-def]
        z = np.empty_like(x)
        s = np.float32(0)
        for i in range(x.size):
            s += x[i]
            z[i] = s
        return z

    few = data.x[:1].copy()

    def new_function() -> None:
        def scale(x, a):  # type: ignore[no-untyped-def]
            for i in range(x.size):
                x[i] = a * x[i]

        numba.njit(scale)(few, np.float32(1))

    return {
        "compile": Contestant("Numba", new_function),
        "elementwise": Contestant("Numba", lambda: lin_comb(x, y)),
        "reduction": Contestant("Numba", lambda: total(x)),
        "scan": Contestant("Numba", lambda: running_total(x)),
    }


def _cupy(cupy: Any, device: Device, data: Data) -> Contestants:
    if device.backend != "cuda":
        raise NotForDevice("needs a CUDA device")
    import numpy as np

    finish = cupy.cuda.Device().synchronize
    x, y, keys = cupy.asarray(data.x), cupy.asarray(data.y), cupy.asarray(data.keys)
    a, b, other = cupy.asarray(data.a), cupy.asarray(data.b), cupy.empty_like(x)
    host = np.empty_like(data.x)
    empty = cupy.RawKernel('extern "C" __global__ void empty(float *x) {}', "empty")
    lin_comb = cupy.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = 5*x + 6*y", "lin_comb")

    def new_kernel() -> None:
        name = new_name()
        code = f'extern "C" __global__ void {name}(float *x, float a) {{ x[threadIdx.x] *= a; }}'
        cupy.RawModule(code=code).get_function(name)((1,), (1,), (other, np.float32(1)))

    calls: dict[str, Callable[[], Any]] = {
        "bandwidth": lambda: cupy.copyto(other, x),
        "launch": lambda: empty((1,), (1,), (other,)),
        "compile": new_kernel,
        "upload": lambda: other.set(data.x),
        "download": lambda: x.get(out=host),
        "elementwise": lambda: lin_comb(x, y),
        "reduction": lambda: x.sum(),
        "scan": lambda: cupy.cumsum(x),
        "sort": lambda: cupy.sort(keys),
        "matmul": lambda: a @ b,
    }
    return {name: Contestant("CuPy", call, finish) for name, call in calls.items()}


def _pyopencl(cl: Any, device: Device, data: Data) -> Contestants:
    import numpy as np
    import pyopencl.array
    import pyopencl.elementwise

    target = _opencl_device(cl, device)
    context = cl.Context([target])
    queue = cl.CommandQueue(context)
    to_device = pyopencl.array.to_device
    x, y = to_device(queue, data.x), to_device(queue, data.y)
    other, host = pyopencl.array.empty_like(x), np.empty_like(data.x)
    empty = cl.Kernel(cl.Program(context, "kernel void empty(global float *x) {}").build(), "empty")
    lin_comb = pyopencl.elementwise.ElementwiseKernel(
        context, "float *z, const float *x, const float *y", "z[i] = 5*x[i] + 6*y[i]"
    )

    def new_kernel() -> None:
        name = new_name()
        kernel = cl.Kernel(cl.Program(context, new_source(name)).build(), name)
        kernel(queue, (1,), None, other.data, np.float32(1))

    scans: list[Any] = []

    def running_total() -> None:
        if not scans:  # its scan needs Mako, which may be absent
            import pyopencl.scan

            scans.append(pyopencl.scan.InclusiveScanKernel(context, np.float32, "a+b", neutral="0"))
        scans[0](x, other, queue=queue)

    calls: dict[str, Callable[[], Any]] = {
        "bandwidth": lambda: cl.enqueue_copy(queue, other.data, x.data),
        "launch": lambda: empty(queue, (1,), None, other.data),
        "compile": new_kernel,
        "upload": lambda: cl.enqueue_copy(queue, other.data, data.x, is_blocking=False),
        "download": lambda: cl.enqueue_copy(queue, host, x.data, is_blocking=False),
        "elementwise": lambda: lin_comb(other, x, y),
        "reduction": lambda: pyopencl.array.sum(x),
        "scan": running_total,
    }
    return {name: Contestant("PyOpenCL", call, queue.finish) for name, call in calls.items()}


def _opencl_device(cl: Any, device: Device) -> Any:
    """The same device in PyOpenCL; for the host and CUDA, an OpenCL device of the same kind."""
    kind = cl.device_type.GPU if device.kind == "gpu" else cl.device_type.CPU
    found = [one for platform in cl.get_platforms() for one in platform.get_devices() if one.type & kind]
    same = [one for one in found if one.name.strip() == device.name.strip()]
    if not found or (device.backend == "opencl" and not same):
        raise NotForDevice("PyOpenCL does not find this device")
    return (same or found)[0]


def _torch(torch: Any, device: Device, data: Data) -> Contestants:
    is_cuda = device.backend == "cuda"
    if is_cuda and not torch.cuda.is_available():
        raise NotForDevice("this build of PyTorch has no CUDA")
    if not is_cuda and device.kind != "cpu":
        raise NotForDevice("runs on CPUs and CUDA devices")
    place = torch.device("cuda" if is_cuda else "cpu")

    def moved(values: Any) -> Any:
        return torch.from_numpy(values).to(place)

    x, y, keys, a, b = (moved(values) for values in (data.x, data.y, data.keys, data.a, data.b))
    other = torch.empty_like(x)
    host = torch.from_numpy(data.x)
    calls: dict[str, Callable[[], Any]] = {
        "bandwidth": lambda: other.copy_(x),
        "elementwise": lambda: 5 * x + 6 * y,
        "reduction": lambda: x.sum(),
        "scan": lambda: torch.cumsum(x, 0),
        "sort": lambda: torch.sort(keys),
        "matmul": lambda: a @ b,
    }
    if is_cuda:
        result = torch.empty_like(host)
        calls["upload"] = lambda: other.copy_(host)
        calls["download"] = lambda: result.copy_(x)
    finish = torch.cuda.synchronize if is_cuda else lambda: None
    return {name: Contestant("PyTorch", call, finish) for name, call in calls.items()}


# Module to import, and the function that makes its contestants.
PEERS: dict[str, Callable[[Any, Device, Data], Contestants]] = {
    "numpy": _numpy,
    "numexpr": _numexpr,
    "numba": _numba,
    "cupy": _cupy,
    "pyopencl": _pyopencl,
    "torch": _torch,
}


def contestants(
    names: list[str], device: Device, data: Data, skip: Callable[[str, str], None]
) -> tuple[dict[str, list[Contestant]], dict[str, str]]:
    """Contestants by benchmark, and the versions of the libraries. What is not installed is skipped by name."""
    found: dict[str, list[Contestant]] = {}
    versions: dict[str, str] = {}
    for name in names:
        try:
            module = importlib.import_module(name)
        except ImportError:
            skip(name, "not installed")
            continue
        except Exception as error:
            skip(name, f"its import fails: {error}")
            continue
        try:
            made = PEERS[name](module, device, data)
        except NotForDevice as error:
            skip(name, str(error))
            continue
        except Exception as error:
            skip(name, f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}")
            continue
        versions[name] = str(getattr(module, "__version__", "?"))
        for benchmark, contestant in made.items():
            found.setdefault(benchmark, []).append(contestant)
    return found, versions
